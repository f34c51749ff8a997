"""Ways to lay out 10 and 8 cards by rank that can be best: what setting a hand looks up.

A hand's best setting either looks at ranks alone or uses a flush (`best_setting`). For the first,
each rank multiset of 10 cards (what a head leaves) has its list of (tail, middle) pairs; for the
second each multiset of 8 cards (what a flush leaves) has its list of (row, head) pairs. Lists hold
only what is not dominated, so they are short, and depend on ``wheel`` and ``compare`` alone.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel
from montecarlo.setting.rank_multisets import (
    HEAD_AND_ROW,
    TWO_ROWS,
    RankKeys,
    all_keys,
    counts_of_key,
    rank_keys,
)
from montecarlo.setting.table_cache import cached_arrays
from montecarlo.strength.tables import FLUSH, RowTables, row_tables

# A pair is compared with another in one subtraction: three fields, each below a guard bit.
_MIDDLE_FIELD, _TAIL_FIELD = np.uint64(16), np.uint64(32)
_GUARDS = np.uint64(1 << 15 | 1 << 31 | 1 << 47)


class SettingTables(NamedTuple):
    """Everything settings look up for one (wheel, compare); a pair is ``first << 16 | second``."""

    rows: RowTables
    keys: RankKeys
    ten_start: NDArray[np.uint32]  #: (566281,) where the list of a 10-card multiset starts
    ten_pairs: NDArray[np.uint32]  #: (tail, middle) pairs, tails of highest value first
    weak_start: NDArray[np.uint32]  #: (120056,) the same for 8-card multisets
    weak_pairs: NDArray[np.uint32]  #: (row, head) pairs, row below a flush, head legal over it
    strong_start: NDArray[np.uint32]  #: (120056,)
    strong_pairs: NDArray[np.uint32]  #: (row, head) pairs, row a full house or four of a kind
    subset_start: NDArray[np.uint32]  #: (8193,) where the five-card subsets of a suit start
    subsets: NDArray[np.uint16]  #: five-card subsets of each set of ranks, 13-bit masks
    head_order: NDArray[np.uint16]  #: (456,) place of a head class by value, then class
    head_at: NDArray[np.uint16]  #: (456,) the head class at each such place


@lru_cache(maxsize=9)
def setting_tables(wheel: str = "second", compare: str = "grouped") -> SettingTables:
    """Return the tables of a wheel rule and a way to compare, from the disk cache or built anew.

    Raises BadInput for an unknown name.
    """
    rows, keys = row_tables(wheel, compare), rank_keys()

    def build() -> dict[str, NDArray[np.uint32]]:
        ten_start, ten_pairs = _list_two_rows(all_keys(TWO_ROWS), rows, keys, *_splits_of_ten())
        first_flush = np.searchsorted(rows.category[1:], FLUSH) + 1
        weak_start, weak_pairs, strong_start, strong_pairs = _list_row_and_head(
            all_keys(HEAD_AND_ROW), rows, keys, _splits_of_eight(), np.uint16(first_flush)
        )
        return {
            "ten_start": ten_start,
            "ten_pairs": ten_pairs,
            "weak_start": weak_start,
            "weak_pairs": weak_pairs,
            "strong_start": strong_start,
            "strong_pairs": strong_pairs,
        }

    lists = cached_arrays(f"lists-{wheel}-{compare}", [array.tobytes() for array in rows], build)
    subset_start, subsets = _subsets_of_lanes()
    head_at = np.lexsort((np.arange(rows.head_value.size), rows.head_value)).astype(np.uint16)
    head_order = np.argsort(head_at).astype(np.uint16)
    return SettingTables(
        rows,
        keys,
        **lists,
        subset_start=subset_start,
        subsets=subsets,
        head_order=head_order,
        head_at=head_at,
    )


@lru_cache(maxsize=1)
def _subsets_of_lanes() -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
    """All five-card subsets of each 13-bit set of ranks, and where each set's list starts."""
    fives = np.array([sum(1 << r for r in five) for five in combinations(range(13), 5)], np.uint16)
    lanes = np.arange(8192, dtype=np.uint16)
    inside = (fives & ~lanes[:, None]) == 0
    start = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]).astype(np.uint32)
    return start, fives[np.nonzero(inside)[1]]


def _splits_of_ten() -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint16]]:
    """Five-card choices of 10 places: their first three, last two, and as bits.

    In this order the places that choice i leaves are choice 251 - i.
    """
    choices = list(combinations(range(10), 5))
    bits = [sum(1 << place for place in choice) for choice in choices]
    array = np.array(choices, np.uint8)
    return array[:, :3].copy(), array[:, 3:].copy(), np.array(bits, np.uint16)


def _splits_of_eight() -> NDArray[np.uint8]:
    """Row and head of 8 places: five places, then the other three."""
    rows = [(*row, *(p for p in range(8) if p not in row)) for row in combinations(range(8), 5)]
    return np.array(rows, np.uint8)


@kernel
def _ranks_of_key(key: np.uint64, keys: RankKeys, out: NDArray[np.uint64]) -> None:
    """Write the ranks of a multiset into ``out``, ascending."""
    counts = counts_of_key(key, keys.low_counts, keys.high_counts)
    cards = 0
    for rank in range(13):
        for _ in range((counts >> np.uint64(4 * rank)) & np.uint64(15)):
            out[cards] = np.uint64(rank)
            cards += 1


@kernel
def _list_two_rows(
    all_keys: NDArray[np.uint64],
    rows: RowTables,
    keys: RankKeys,
    threes: NDArray[np.uint8],
    twos: NDArray[np.uint8],
    bits: NDArray[np.uint16],
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Non-dominated (tail, middle) pairs of each 10-card multiset, highest tail value first."""
    start = np.zeros(all_keys.size + 1, np.uint32)
    pairs = np.empty(16 * all_keys.size, np.uint32)
    ranks = np.empty(10, np.uint64)
    classes = np.empty(252, np.uint16)
    kept = np.empty(256, np.uint32)
    kept_words = np.empty(256, np.uint64)
    tail_words = rows.value.astype(np.uint64) << _TAIL_FIELD
    middle_words = rows.value.astype(np.uint64) << _MIDDLE_FIELD
    middle_words |= rows.head_limit.astype(np.uint64)
    total = 0
    for i in range(all_keys.size):
        _ranks_of_key(all_keys[i], keys, ranks)
        equal = np.uint16(0)
        for place in range(9):
            if ranks[place] == ranks[place + 1]:
                equal |= np.uint16(1 << place)
        for c in range(252):
            three = ranks[threes[c, 0]] << np.uint64(8) | ranks[threes[c, 1]] << np.uint64(4)
            three = np.uint64(rows.triple[three | ranks[threes[c, 2]]])
            two = np.uint64(rows.pair[ranks[twos[c, 0]] << np.uint64(4) | ranks[twos[c, 1]]])
            classes[c] = rows.five[three * np.uint64(91) + two]
        count = 0
        for c in range(252):
            # of cards of equal rank the lower places are chosen first: no split comes twice
            if (bits[c] >> np.uint16(1)) & ~bits[c] & equal or classes[c] < classes[251 - c]:
                continue
            pair = np.uint32(classes[c]) << np.uint32(16) | np.uint32(classes[251 - c])
            word = tail_words[classes[c]] | middle_words[classes[251 - c]]
            count = _keep(pair, word, kept, kept_words, count)
        if total + count > pairs.size:
            pairs = np.concatenate((pairs, np.empty_like(pairs)))
        for k in range(count):
            pairs[total + k] = kept[k]
        total += count
        start[i + 1] = total
    return start, pairs[:total].copy()


@kernel
def _keep(
    pair: np.uint32,
    word: np.uint64,
    kept: NDArray[np.uint32],
    kept_words: NDArray[np.uint64],
    count: int,
) -> int:
    """Add a pair to the list unless dominated, drop what it dominates, return the new length.

    The list stays in order of words, highest first.
    """
    for k in range(count):
        if _dominates(kept_words[k], kept[k], word, pair):
            return count
    left = 0
    for k in range(count):
        if not _dominates(word, pair, kept_words[k], kept[k]):
            kept[left] = kept[k]
            kept_words[left] = kept_words[k]
            left += 1
    place = left
    while place > 0 and kept_words[place - 1] < word:
        kept[place] = kept[place - 1]
        kept_words[place] = kept_words[place - 1]
        place -= 1
    kept[place] = pair
    kept_words[place] = word
    return left + 1


@kernel
def _dominates(word_a: np.uint64, a: np.uint32, word_b: np.uint64, b: np.uint32) -> bool:
    """Whether pair ``a`` makes ``b`` needless: no less in any field of its word, and better.

    Better is a higher value of either row or, when both are equal, the stronger classes. The
    third field, the head that the middle allows, must only be no less.
    """
    if ((word_a | _GUARDS) - word_b) & _GUARDS != _GUARDS:
        return False
    return bool((word_a ^ word_b) >> _MIDDLE_FIELD != np.uint64(0) or a >= b)


@kernel
def _list_row_and_head(
    all_keys: NDArray[np.uint64],
    rows: RowTables,
    keys: RankKeys,
    splits: NDArray[np.uint8],
    first_flush: np.uint16,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
    """Non-dominated (row, head) pairs of each 8-card multiset: rows below a flush, rows above."""
    starts = np.zeros((2, all_keys.size + 1), np.uint32)
    pairs = np.empty((2, 56 * all_keys.size), np.uint32)
    ranks = np.empty(8, np.uint64)
    kept = np.empty((2, 64), np.uint32)
    kept_words = np.empty((2, 64), np.uint64)
    for i in range(all_keys.size):
        _ranks_of_key(all_keys[i], keys, ranks)
        counts = [0, 0]
        for s in range(splits.shape[0]):
            three = ranks[splits[s, 0]] << np.uint64(8) | ranks[splits[s, 1]] << np.uint64(4)
            three = np.uint64(rows.triple[three | ranks[splits[s, 2]]])
            two = ranks[splits[s, 3]] << np.uint64(4) | ranks[splits[s, 4]]
            row = rows.five[three * np.uint64(91) + np.uint64(rows.pair[two])]
            three = ranks[splits[s, 5]] << np.uint64(8) | ranks[splits[s, 6]] << np.uint64(4)
            head = rows.triple[three | ranks[splits[s, 7]]]
            if row == 0 or head > rows.head_limit[row]:
                continue
            which = 1 if row > first_flush else 0
            pair = np.uint32(row) << np.uint32(16) | np.uint32(head)
            word = np.uint64(rows.value[row]) << _TAIL_FIELD
            word |= np.uint64(rows.head_value[head]) << _MIDDLE_FIELD
            counts[which] = _keep(pair, word, kept[which], kept_words[which], counts[which])
        for which in range(2):
            total = starts[which, i]
            for k in range(counts[which]):
                pairs[which, total + k] = kept[which, k]
            starts[which, i + 1] = total + counts[which]
    weak, strong = starts[0, -1], starts[1, -1]
    return starts[0].copy(), pairs[0, :weak].copy(), starts[1].copy(), pairs[1, :strong].copy()

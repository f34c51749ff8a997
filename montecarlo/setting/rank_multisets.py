"""Rank multisets as numbers: which ranks a set of cards holds, and how often, suits forgotten.

The *key* of a set is the sum of its cards' rank keys: 5**r for the ranks 0..6 (2 to 8) in the low
32 bits, 5**(r - 7) for the ranks 7..12 (9 to A) in the high ones. Keys of disjoint sets add and
those of subsets subtract, so taking a head out of a hand is one subtraction. Multisets of n cards
are numbered without gaps: ``index = base[low part] + place[high part]``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import inner_kernel

LOW_RANKS = 7
HIGH_RANKS = 6
HEAD_AND_ROW = 8
TWO_ROWS = 10
WHOLE_HAND = 13
#: how many multisets of 8, 10 and 13 cards there are
MULTISETS = {HEAD_AND_ROW: 120_055, TWO_ROWS: 566_280, WHOLE_HAND: 3_598_180}

_HIGH = np.uint64(32)
_LOW_PART = np.uint64(0xFFFFFFFF)


class RankKeys(NamedTuple):
    """Tables from cards to keys and from keys to the numbers of 8, 10 and 13 cards."""

    of_rank: NDArray[np.uint64]  #: (16,) key of one card of a rank; 0 beyond the ace
    of_lane: NDArray[np.uint64]  #: (8192,) key of a set of ranks, one card each
    place: NDArray[np.uint16]  #: (15625,) place of a high part among those of as many cards
    base8: NDArray[np.uint32]  #: (78125,) multisets of 8 cards before those of a low part
    base10: NDArray[np.uint32]  #: (78125,) the same for 10 cards
    base13: NDArray[np.uint32]  #: (78125,) the same for 13 cards
    low_counts: NDArray[np.uint64]  #: (78125,) nibble r = cards of rank r in a low part
    high_counts: NDArray[np.uint64]  #: (15625,) the same for a high part, ranks 7..12


@lru_cache(maxsize=1)
def rank_keys() -> RankKeys:
    """Return the tables (read-only; built in a few hundredths of a second)."""
    low_digits = _digits(LOW_RANKS)
    high_digits = _digits(HIGH_RANKS)
    low_cards, high_cards = low_digits.sum(axis=1), high_digits.sum(axis=1)
    place = np.zeros(high_cards.size, np.uint16)
    of_size = np.zeros(LOW_RANKS * 4 + WHOLE_HAND + 1, np.int64)
    for cards in range(HIGH_RANKS * 4 + 1):
        here = np.flatnonzero(high_cards == cards)
        place[here] = np.arange(here.size)
        of_size[cards] = here.size
    bases = []
    for cards, total in MULTISETS.items():
        missing = cards - low_cards
        follow = np.where(missing >= 0, of_size[np.maximum(missing, 0)], 0)
        before = np.concatenate([[0], np.cumsum(follow)])
        assert before[-1] == total
        bases.append(before[:-1].astype(np.uint32))
    of_rank = np.zeros(16, np.uint64)
    of_rank[:LOW_RANKS] = 5 ** np.arange(LOW_RANKS, dtype=np.uint64)
    of_rank[LOW_RANKS:13] = 5 ** np.arange(HIGH_RANKS, dtype=np.uint64) << _HIGH
    lanes = np.arange(8192)[:, None] >> np.arange(13) & 1
    keys = RankKeys(
        of_rank,
        (lanes.astype(np.uint64) * of_rank[:13]).sum(axis=1, dtype=np.uint64),
        place,
        base8=bases[0],
        base10=bases[1],
        base13=bases[2],
        low_counts=_nibbles(low_digits, 0),
        high_counts=_nibbles(high_digits, LOW_RANKS),
    )
    for array in keys:
        array.flags.writeable = False
    return keys


def _digits(length: int) -> NDArray[np.int64]:
    return np.arange(5**length)[:, None] // 5 ** np.arange(length) % 5


def _nibbles(digits: NDArray[np.int64], first_rank: int) -> NDArray[np.uint64]:
    shifts = 4 * (first_rank + np.arange(digits.shape[1]))
    return np.asarray((digits << shifts).sum(axis=1), np.uint64)


@inner_kernel
def key_of_mask(mask: np.uint64, of_lane: NDArray[np.uint64]) -> np.uint64:
    """Key of the cards of a hand mask."""
    lane = np.uint64(0x1FFF)
    key = of_lane[mask & lane] + of_lane[(mask >> np.uint64(16)) & lane]
    key += of_lane[(mask >> np.uint64(32)) & lane] + of_lane[(mask >> np.uint64(48)) & lane]
    return np.uint64(key)


@inner_kernel
def index_of_key(key: np.uint64, base: NDArray[np.uint32], place: NDArray[np.uint16]) -> np.uint64:
    """Number of a multiset among those of its size; ``base`` belongs to that size."""
    return np.uint64(base[key & _LOW_PART]) + np.uint64(place[key >> _HIGH])


@inner_kernel
def counts_of_key(
    key: np.uint64, low_counts: NDArray[np.uint64], high_counts: NDArray[np.uint64]
) -> np.uint64:
    """How many cards of each rank: nibble r for rank r."""
    return np.uint64(low_counts[key & _LOW_PART] | high_counts[key >> _HIGH])


@lru_cache(maxsize=3)
def all_keys(cards: int) -> NDArray[np.uint64]:
    """Return the keys of all multisets of 8, 10 or 13 cards, in the order of their numbers."""
    low_cards = _digits(LOW_RANKS).sum(axis=1)
    high_cards = _digits(HIGH_RANKS).sum(axis=1)
    highs = [np.flatnonzero(high_cards == n).astype(np.uint64) << _HIGH for n in range(cards + 1)]
    keys = np.concatenate(
        [np.uint64(low) | highs[cards - n] for low, n in enumerate(low_cards) if n <= cards]
    )
    keys.flags.writeable = False
    return keys

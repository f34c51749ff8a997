"""Which ranks split into a head of three and two rows of five, each a run of consecutive ranks.

There are at most 55 pairs of five-card runs times 12 heads, so the question is answered by looking
the hand up in a list. Every entry carries a byte with one bit per setting of the options
(`option_bit`), and the list is sorted by the set of ranks held, which also serves as a cheap test:
most hands hold a set of ranks that no split has.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import combinations_with_replacement, product
from operator import or_
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

RANK_SETS = 1 << 13
ACE = 12
OPTION_SETTINGS = 8
_HAND_SIZE = np.uint64(13)
_GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)
_UPPER_16 = np.uint64(48)

Words = TypeVar("Words", np.uint64, NDArray[np.uint64])


class StraightSplits(NamedTuple):
    """Tables of every 3+5+5 split into runs.

    ``start`` (8193, uint16): the entries of rank set s are ``start[s]`` to ``start[s + 1]``.
    ``repeats`` (entries, uint32): ranks held twice or more, and from bit 13 on three times or more.
    ``options`` (entries, uint8): bit `option_bit` is set where the entry is a split.
    ``suited`` (8192, uint8): the same bits for the cards of one suit, which must split into whole
    rows by themselves (3, 5, 8, 10 or 13 cards, or none).
    ``seen`` (1024, uint64): 65,536 bits, bit `hash_of_ranks` is set for every entry; a hand whose
    bit is not set is no split, under 1 % of the others have a bit that is set.
    """

    start: NDArray[np.uint16]
    repeats: NDArray[np.uint32]
    options: NDArray[np.uint8]
    suited: NDArray[np.uint8]
    seen: NDArray[np.uint64]


def option_bit(wheel: str, a23: bool, qka: bool) -> int:
    """Return the bit of one setting of the options; ``second`` and ``lowest`` split alike."""
    return 4 * (wheel != "none") + 2 * a23 + qka


def hash_of_ranks(once: Words, repeats: Words) -> Words:
    """Return 16 bits mixed from the ranks held (a multiplicative hash, Knuth vol. 3, 6.4)."""
    return ((once | (repeats << _HAND_SIZE)) * _GOLDEN) >> _UPPER_16


def straight_splits() -> StraightSplits:
    """Return the tables for all settings of the options, built from the definition."""
    found: dict[tuple[int, int], int] = {}
    suited = np.zeros(RANK_SETS, dtype=np.uint8)
    suited[0] = (1 << OPTION_SETTINGS) - 1
    for wheel, a23, qka in product(("second", "none"), (True, False), (True, False)):
        bit = 1 << option_bit(wheel, a23, qka)
        heads, fives = _heads(a23, qka), _fives(wheel)
        for rows in _splits(heads, fives):
            once, twice, thrice = _held_at_least(rows)
            key = once, twice | thrice << 13
            found[key] = found.get(key, 0) | bit
        for ranks in _suited_rows(heads, fives):
            suited[ranks] |= bit
    keys = sorted(found)
    sets = np.array([key[0] for key in keys])
    start = np.searchsorted(sets, np.arange(RANK_SETS + 1)).astype(np.uint16)
    repeats = np.array([key[1] for key in keys], dtype=np.uint32)
    options = np.array([found[key] for key in keys], dtype=np.uint8)
    seen = np.zeros(1 << 10, dtype=np.uint64)
    place = hash_of_ranks(sets.astype(np.uint64), repeats.astype(np.uint64))
    np.bitwise_or.at(seen, place >> np.uint64(6), np.uint64(1) << (place & np.uint64(63)))
    return StraightSplits(start, repeats, options, suited, seen)


def _run(first: int, length: int) -> int:
    """Return the rank set of a run; first = -1 is the ace below the 2."""
    return sum(1 << (rank % 13) for rank in range(first, first + length))


def _heads(a23: bool, qka: bool) -> list[int]:
    return [_run(first, 3) for first in range(-1 if a23 else 0, 11 if qka else 10)]


def _fives(wheel: str) -> list[int]:
    return [_run(first, 5) for first in range(-1 if wheel != "none" else 0, 9)]


def _splits(heads: list[int], fives: list[int]) -> Iterator[tuple[int, int, int]]:
    for middle, tail in combinations_with_replacement(fives, 2):
        for head in heads:
            yield head, middle, tail


def _held_at_least(rows: tuple[int, int, int]) -> tuple[int, int, int]:
    a, b, c = rows
    return a | b | c, a & b | a & c | b & c, a & b & c


def _suited_rows(heads: list[int], fives: list[int]) -> Iterator[int]:
    """Yield every set of ranks that a single suit may bring: disjoint rows, none twice."""
    yield from heads
    yield from fives
    for head, middle, tail in _splits(heads, fives):
        for part in ((head, middle), (head, tail), (middle, tail), (head, middle, tail)):
            union = reduce(or_, part)
            if union.bit_count() == sum(row.bit_count() for row in part):
                yield union


TABLES = straight_splits()

"""Strength tables of rows: which of two rows is stronger, and which head may stand over a middle.

Two orders are kept apart (rulebook §1). The *class* of a row, 1 (weakest) to 7462 for five cards
and 1 to 455 for a head, is its grouped strength under a wheel rule: legality is decided by classes
alone. The *value* of a class is its place under a ``compare`` rule: rows are compared by values,
and equal values are a tie. Suits enter only through `deciding_ranks`, for the tie rules that ask.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput, nearest

WHEELS = ("second", "lowest", "none")
COMPARES = ("grouped", "cards", "top_card")
TIES = ("draw", "suit_baodao", "suit_top_card", "banker")

CATEGORIES = (
    "high_card",
    "pair",
    "two_pairs",
    "three",
    "straight",
    "flush",
    "full_house",
    "four",
    "straight_flush",
)
HIGH_CARD, PAIR, TWO_PAIRS, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(9)
ROW_CLASSES = 7462
HEAD_CLASSES = 455
PAIRS = 91

ACE = 12
_A5 = (12, 3, 2, 1, 0)
_SUITLESS = (HIGH_CARD, PAIR, TWO_PAIRS, THREE, STRAIGHT, FULL_HOUSE, FOUR)
_CATEGORY_OF_COUNTS = {
    (1, 1, 1, 1, 1): HIGH_CARD,
    (2, 1, 1, 1): PAIR,
    (2, 2, 1): TWO_PAIRS,
    (3, 1, 1): THREE,
    (3, 2): FULL_HOUSE,
    (4, 1): FOUR,
    (1, 1, 1): HIGH_CARD,
    (2, 1): PAIR,
    (3,): THREE,
}

Ranks = tuple[int, ...]


class RowTables(NamedTuple):
    """Arrays that kernels look rows up in; class 0 belongs to no row and is never legal.

    Three ranks a, b, c in any order have the head class ``triple[a << 8 | b << 4 | c]``; five have
    the class ``five[91 * head class of three + pair[a << 4 | b] of the other two]`` when their
    suits differ and ``flush[13-bit mask of ranks]`` when they are one suit.
    """

    triple: NDArray[np.uint16]  #: (4096,) head class of three ranks
    pair: NDArray[np.uint16]  #: (256,) place 0..90 of two ranks
    five: NDArray[np.uint16]  #: (456 * 91,) class of five ranks of mixed suits
    flush: NDArray[np.uint16]  #: (8192,) class of five ranks of one suit
    value: NDArray[np.uint16]  #: (7463,) value of a class; equal values tie
    head_value: NDArray[np.uint16]  #: (456,) value of a head class
    category: NDArray[np.uint8]  #: (7463,) 0 high card … 8 straight flush
    head_category: NDArray[np.uint8]  #: (456,) 0 high card, 1 pair, 3 three of a kind
    head_limit: NDArray[np.uint16]  #: (7463,) strongest head class legal over this middle class
    ranks: NDArray[np.uint64]  #: (7463,) ranks of a class: nibble r = how many cards of rank r
    head_ranks: NDArray[np.uint64]  #: (456,) the same for head classes


class _Row(NamedTuple):
    """What a class stands for: its category and its ranks in grouped order."""

    category: int
    grouped: Ranks


@lru_cache(maxsize=9)
def row_tables(wheel: str = "second", compare: str = "grouped") -> RowTables:
    """Return the strength tables of one wheel rule and one way to compare (read-only arrays).

    Raises BadInput for an unknown name.
    """
    _check("wheel", wheel, WHEELS)
    _check("compare", compare, COMPARES)
    rows, heads = row_list(wheel), head_list()
    value, head_value = _values(rows, compare, wheel), _values(heads, compare, wheel)
    value.flags.writeable = head_value.flags.writeable = False
    return _grouped_tables(wheel)._replace(value=value, head_value=head_value)


@lru_cache(maxsize=3)
def _grouped_tables(wheel: str) -> RowTables:
    """Tables of a wheel rule whose values are the classes themselves."""
    rows, heads = row_list(wheel), head_list()
    head_class_of = {row.grouped: index + 1 for index, row in enumerate(heads)}
    triple = np.zeros(4096, np.uint16)
    for a, b, c in np.ndindex(13, 13, 13):
        triple[a << 8 | b << 4 | c] = head_class_of[_grouped((a, b, c))]
    pair = np.zeros(256, np.uint16)
    pairs = list(combinations_with_replacement(range(13), 2))
    for place, (a, b) in enumerate(pairs):
        pair[a << 4 | b] = pair[b << 4 | a] = place
    packed = np.array([0] + [_packed(row.grouped) for row in rows], np.uint64)
    head_packed = np.array([0] + [_packed(head.grouped) for head in heads], np.uint64)
    pair_packed = np.array([_packed(two) for two in pairs], np.uint64)
    mixed = [c for c, row in enumerate(rows, start=1) if row.category in _SUITLESS]
    order = np.argsort(packed[mixed])
    wanted = (head_packed[1:, None] + pair_packed).ravel()
    found = np.minimum(np.searchsorted(packed[mixed], wanted, sorter=order), len(mixed) - 1)
    classes = np.array(mixed, np.uint16)[order][found]
    five = np.zeros((HEAD_CLASSES + 1) * PAIRS, np.uint16)
    five[PAIRS:] = np.where(packed[classes] == wanted, classes, 0)
    flush = np.zeros(8192, np.uint16)
    for place, row in enumerate(rows, start=1):
        if row.category in (FLUSH, STRAIGHT_FLUSH):
            flush[sum(1 << rank for rank in row.grouped)] = place

    tables = RowTables(
        triple,
        pair,
        five,
        flush,
        value=np.arange(ROW_CLASSES + 1, dtype=np.uint16),
        head_value=np.arange(HEAD_CLASSES + 1, dtype=np.uint16),
        category=np.array([0] + [row.category for row in rows], np.uint8),
        head_category=np.array([0] + [head.category for head in heads], np.uint8),
        head_limit=_head_limits(rows, heads),
        ranks=packed,
        head_ranks=head_packed,
    )
    for array in tables:
        array.flags.writeable = False
    return tables


@lru_cache(maxsize=12)
def deciding_ranks(wheel: str, tie: str) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return, for classes (7463,) and head classes (456,), the rank whose best suit breaks a tie.

    -1 where the tie rule lets such rows draw (rulebook §3.3). Raises BadInput for unknown names.
    """
    _check("wheel", wheel, WHEELS)
    _check("tie", tie, TIES)
    pick: Callable[[_Row], int]
    if tie == "suit_baodao":
        drawn = (HIGH_CARD, THREE, FULL_HOUSE, FOUR)

        def pick(row: _Row) -> int:
            return -1 if row.category in drawn else _top(row, wheel, row.grouped[0])
    elif tie == "suit_top_card":

        def pick(row: _Row) -> int:
            return _top(row, wheel, max(row.grouped))
    else:

        def pick(row: _Row) -> int:
            return -1

    five = np.array([-1] + [pick(row) for row in row_list(wheel)], np.int8)
    head = np.array([-1] + [pick(row) for row in head_list()], np.int8)
    five.flags.writeable = head.flags.writeable = False
    return five, head


@lru_cache(maxsize=3)
def row_list(wheel: str) -> tuple[_Row, ...]:
    """Return category and grouped ranks of every five-card class, weakest first."""
    rows = {
        _row(ranks, wheel, one_suit)
        for ranks in combinations_with_replacement(range(13), 5)
        for one_suit in (False, True)
        if max(map(ranks.count, ranks)) <= (1 if one_suit else 4)
    }
    return tuple(sorted(rows, key=lambda row: (row.category, _order(row, wheel))))


@lru_cache(maxsize=1)
def head_list() -> tuple[_Row, ...]:
    """Return category and grouped ranks of every head class, weakest first."""
    heads = (_grouped(ranks) for ranks in combinations_with_replacement(range(13), 3))
    return tuple(sorted(_Row(_category_of_sets(ranks), ranks) for ranks in heads))


def _row(ranks: Ranks, wheel: str, one_suit: bool) -> _Row:
    grouped = _grouped(ranks)
    category = _category_of_sets(grouped)
    if category == HIGH_CARD:
        if grouped[0] - grouped[4] == 4 or (grouped == _A5 and wheel != "none"):
            category = STRAIGHT_FLUSH if one_suit else STRAIGHT
        elif one_suit:
            category = FLUSH
    return _Row(category, grouped)


def _category_of_sets(ranks: Ranks) -> int:
    counts = tuple(sorted(map(ranks.count, set(ranks)), reverse=True))
    return _CATEGORY_OF_COUNTS[counts]


def _grouped(ranks: Ranks) -> Ranks:
    """Ranks with the larger sets first, higher ranks first among equals."""
    return tuple(sorted(ranks, key=lambda r: (ranks.count(r), r), reverse=True))


def _order(row: _Row, wheel: str) -> Sequence[float]:
    if row.category in (STRAIGHT, STRAIGHT_FLUSH):
        if row.grouped == _A5:
            return (ACE - 0.5,) if wheel == "second" else (3,)
        return (row.grouped[0],)
    return row.grouped


def _top(row: _Row, wheel: str, rank: int) -> int:
    """``rank``, but the 5 in an A-5 that is the lowest straight."""
    a5 = row.grouped == _A5 and row.category in (STRAIGHT, STRAIGHT_FLUSH)
    return 3 if a5 and wheel == "lowest" else rank


def _values(rows: Sequence[_Row], compare: str, wheel: str) -> NDArray[np.uint16]:
    """Values 1, 2, … of classes by what ``compare`` looks at; index 0 is no class."""

    def key(row: _Row) -> tuple[int, Sequence[float]]:
        if compare == "grouped" or row.category in (STRAIGHT, STRAIGHT_FLUSH):
            return row.category, _order(row, wheel)
        by_card = tuple(sorted(row.grouped, reverse=True))
        return row.category, by_card if compare == "cards" else by_card[:1]

    keys = [key(row) for row in rows]
    place = {k: i + 1 for i, k in enumerate(sorted(set(keys)))}
    return np.array([0] + [place[k] for k in keys], np.uint16)


def _head_limits(rows: Sequence[_Row], heads: Sequence[_Row]) -> NDArray[np.uint16]:
    """Head class that just may stand over a middle: category, then grouped ranks as they go."""
    keys = [(head.category, _distinct(head)) for head in heads]
    length = {category: len(distinct) for category, distinct in keys}
    limits = [
        bisect_right(keys, (row.category, _distinct(row)[: length.get(row.category, 5)]))
        for row in rows
    ]
    return np.array([0, *limits], np.uint16)


def _distinct(row: _Row) -> Ranks:
    return tuple(dict.fromkeys(row.grouped))


def _packed(ranks: Ranks) -> int:
    return sum(1 << 4 * rank for rank in ranks)


def _check(knob: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        hint = nearest(name, known)
        raise BadInput(f"{knob} must be one of {', '.join(known)}, not '{name}'{hint}")

"""What of an objective is known beforehand, so that most of a hand's settings go unlooked at.

For each 10-card multiset and bucket of heads: the most that any of its (tail, middle) pairs earns
under a head of the bucket; for each 8-card multiset and bucket of flushes: the most that any of
its (middle, head) pairs earns under such a tail, and (last column) its (tail, head) pairs over a
flush as middle. They leave out what the head (the flush) earns by itself, which is exact and added
when looked up. Where one (middle, head) pair is the best under every flush of a bucket, it is kept
too, and nothing is left to search. All this holds for every objective.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel
from montecarlo.setting.objective import Floats, Objective
from montecarlo.setting.static_tables import SettingTables
from montecarlo.strength.tables import FLUSH, HIGH_CARD, PAIR, STRAIGHT_FLUSH

HEAD_BUCKETS = 8
TAIL_BUCKETS = 7
FLUSH_AS_MIDDLE = TAIL_BUCKETS  #: the column beside those of the tail buckets
# Bounds are kept as float32, raised by more than that loses and than sums in another order lose.
_SLACK, _SLACK_OF_TERMS = 2e-7, 1e-12
_CACHE_LINE = 64

_ROW = np.uint64(16)
_PAIR_MASK = np.uint64(0xFFFF)


class HeadBounds(NamedTuple):
    """Bounds for a rank-only setting, by what its head leaves."""

    bucket: NDArray[np.uint8]  #: (456,) bucket of a head class
    best: NDArray[np.float32]  #: (566280, 8)


class FlushBounds(NamedTuple):
    """Bounds for a setting with a flush tail, by what the flush leaves."""

    bucket: NDArray[np.uint8]  #: (7463,) bucket of a class; only flushes are looked up
    best: NDArray[np.float32]  #: (120055, 7 + 1)
    answer: NDArray[np.uint32]  #: (120055, 7) best (middle, head) pair, 0: unknown


def head_bounds(objective: Objective, tables: SettingTables) -> HeadBounds:
    """Return bounds for rank-only settings: 18 MB, in about half a second."""
    category = tables.rows.head_category
    bucket = np.full(category.size, HEAD_BUCKETS - 1, np.uint8)  # three of a kind
    for kind, first, count in ((HIGH_CARD, 0, 4), (PAIR, 4, 3)):
        classes = 1 + np.flatnonzero(category[1:] == kind)
        bucket[classes] = first + np.arange(classes.size) * count // classes.size
    classes = np.arange(1, category.size)
    weakest = np.searchsorted(bucket[1:], np.arange(HEAD_BUCKETS)) + 1
    best = _ten_bounds(
        objective,
        tables,
        *_factor_range(objective.head, bucket, HEAD_BUCKETS, classes),
        weakest,
        _SLACK_OF_TERMS * _scale(objective),
    )
    return HeadBounds(bucket, best)


def flush_bounds(objective: Objective, tables: SettingTables) -> FlushBounds:
    """Return what is known of settings with a flush tail: 8 MB, in half a second."""
    category = tables.rows.category
    bucket = np.zeros(category.size, np.uint8)
    flushes = np.flatnonzero(category == FLUSH)
    bucket[flushes] = np.arange(flushes.size) * (TAIL_BUCKETS - 1) // flushes.size
    bucket[category == STRAIGHT_FLUSH] = TAIL_BUCKETS - 1
    classes = np.flatnonzero((category == FLUSH) | (category == STRAIGHT_FLUSH))
    every = np.zeros_like(bucket)
    flush_tail = _factor_range(objective.tail, bucket, TAIL_BUCKETS, classes)
    flush_middle = _factor_range(objective.middle, every, 1, flushes)
    slack = _SLACK_OF_TERMS * _scale(objective)
    best, answer = side_by_side(tables.weak_start.size - 1)
    _bound_flush_tails(objective, tables, *flush_tail, slack, best)
    _bound_flush_middles(objective, tables, *flush_middle, slack, best)
    _answer_flush_tails(objective, tables, *flush_tail, slack, answer)
    return FlushBounds(bucket, best, answer)


def side_by_side(multisets: int) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Return bounds (-inf) and answers (0) of multisets: both of one share a cache line."""
    line = _CACHE_LINE // 4
    memory = np.zeros((multisets + 1) * line, np.uint32)
    first = (-memory.ctypes.data) % _CACHE_LINE // 4
    lines = memory[first : first + multisets * line].reshape(multisets, line)
    best = lines.view(np.float32)[:, : TAIL_BUCKETS + 1]
    best[:] = -np.inf
    return best, lines[:, TAIL_BUCKETS + 1 : 2 * TAIL_BUCKETS + 1]


def _factor_range(
    columns: Floats, bucket: NDArray[np.uint8], buckets: int, classes: NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """Least and greatest of each column in each bucket, (buckets, 1 + products)."""
    low = np.full((buckets, columns.shape[1]), np.inf)
    high = np.full((buckets, columns.shape[1]), -np.inf)
    np.minimum.at(low, bucket[classes], columns[classes])
    np.maximum.at(high, bucket[classes], columns[classes])
    return low, high


def _scale(objective: Objective) -> float:
    tops = [abs(columns).max(axis=0) for columns in objective[:3]]
    products = np.prod(tops, axis=0)[1:].sum()
    return float(sum(top[0] for top in tops) + products)


@kernel
def _ten_bounds(
    objective: Objective,
    tables: SettingTables,
    low: Floats,
    high: Floats,
    weakest: NDArray[np.int64],
    slack: float,
) -> NDArray[np.float32]:
    start, pairs, limits = tables.ten_start, tables.ten_pairs, tables.rows.head_limit
    middles, tails = objective.middle, objective.tail
    out = np.full((start.size - 1, HEAD_BUCKETS), -np.inf, np.float32)
    best = np.empty(HEAD_BUCKETS)
    for x in range(start.size - 1):
        best[:] = -np.inf
        for i in range(start[x], start[x + 1]):
            pair = np.uint64(pairs[i])
            tail, middle = pair >> _ROW, pair & _PAIR_MASK
            base = middles[middle, 0] + tails[tail, 0]
            limit = limits[middle]
            for b in range(HEAD_BUCKETS):
                if limit < weakest[b]:
                    break
                value = base
                for r in range(1, middles.shape[1]):
                    factor = middles[middle, r] * tails[tail, r]
                    value += max(factor * low[b, r], factor * high[b, r])
                if value > best[b]:
                    best[b] = value
        for b in range(HEAD_BUCKETS):
            out[x, b] = np.float32(best[b] + abs(best[b]) * _SLACK + slack)
    return out


@kernel
def _bound_flush_tails(
    objective: Objective,
    tables: SettingTables,
    low: Floats,
    high: Floats,
    slack: float,
    out: NDArray[np.float32],
) -> None:
    weak_start, weak_pairs = tables.weak_start, tables.weak_pairs
    strong_start, strong_pairs = tables.strong_start, tables.strong_pairs
    heads, middles = objective.head, objective.middle
    for x in range(weak_start.size - 1):
        weak = np.int64(weak_start[x + 1]) - np.int64(weak_start[x])
        strong = np.int64(strong_start[x + 1]) - np.int64(strong_start[x])
        for b in range(TAIL_BUCKETS):
            best = -np.inf
            # only a straight flush may stand over a full house or four of a kind
            for i in range(weak + strong if b == TAIL_BUCKETS - 1 else weak):
                if i < weak:
                    pair = np.uint64(weak_pairs[weak_start[x] + i])
                else:
                    pair = np.uint64(strong_pairs[strong_start[x] + i - weak])
                middle, head = pair >> _ROW, pair & _PAIR_MASK
                value = heads[head, 0] + middles[middle, 0]
                for r in range(1, heads.shape[1]):
                    factor = heads[head, r] * middles[middle, r]
                    value += max(factor * low[b, r], factor * high[b, r])
                best = max(best, value)
            out[x, b] = np.float32(best + abs(best) * _SLACK + slack)


@kernel
def _answer_flush_tails(
    objective: Objective,
    tables: SettingTables,
    low: Floats,
    high: Floats,
    slack: float,
    out: NDArray[np.uint32],
) -> None:
    """Write the pairs that are the best, by more than rounding, under all flushes of a bucket."""
    weak_start, weak_pairs = tables.weak_start, tables.weak_pairs
    strong_start = tables.strong_start
    heads, middles = objective.head, objective.middle
    most = 64
    own, products = np.empty(most), np.empty((most, heads.shape[1]))
    halfway = (low + high) / 2
    for x in range(weak_start.size - 1):
        first, pairs = np.int64(weak_start[x]), np.int64(weak_start[x + 1] - weak_start[x])
        is_strong = strong_start[x + 1] > strong_start[x]
        for i in range(pairs):
            pair = np.uint64(weak_pairs[first + i])
            middle, head = pair >> _ROW, pair & _PAIR_MASK
            own[i] = heads[head, 0] + middles[middle, 0]
            for r in range(1, heads.shape[1]):
                products[i, r] = heads[head, r] * middles[middle, r]
        for b in range(TAIL_BUCKETS):
            top, highest = -1, -np.inf
            for i in range(pairs):
                value_here = own[i]
                for r in range(1, heads.shape[1]):
                    value_here += products[i, r] * halfway[b, r]
                if value_here > highest:
                    top, highest = i, value_here
            is_best = top >= 0
            for i in range(pairs):
                if i == top or not is_best:
                    continue
                lead = own[top] - own[i]
                for r in range(1, heads.shape[1]):
                    difference = products[top, r] - products[i, r]
                    lead += min(difference * low[b, r], difference * high[b, r])
                is_best = lead > slack
            if b == TAIL_BUCKETS - 1 and is_strong:
                is_best = False  # a straight flush may stand over these as well
            out[x, b] = weak_pairs[first + top] if is_best else 0


@kernel
def _bound_flush_middles(
    objective: Objective,
    tables: SettingTables,
    low: Floats,
    high: Floats,
    slack: float,
    out: NDArray[np.float32],
) -> None:
    start, pairs = tables.strong_start, tables.strong_pairs
    heads, tails = objective.head, objective.tail
    for x in range(start.size - 1):
        best = -np.inf
        for i in range(start[x], start[x + 1]):
            pair = np.uint64(pairs[i])
            tail, head = pair >> _ROW, pair & _PAIR_MASK
            value = heads[head, 0] + tails[tail, 0]
            for r in range(1, heads.shape[1]):
                factor = heads[head, r] * tails[tail, r]
                value += max(factor * low[0, r], factor * high[0, r])
            best = max(best, value)
        out[x, FLUSH_AS_MIDDLE] = np.float32(best + abs(best) * _SLACK + slack)

"""Settings built round a flush: a suit of five cards or more sets a row apart.

A flush as tail leaves eight cards to middle and head by ranks; a flush as middle stands under a
full house or four of a kind; two flushes leave the head. What the eight cards are best split into
is looked up where `bounds` knows it for every flush of a bucket, and searched for otherwise.
The flushes of many hands are looked up together, so that cache misses overlap.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.bits import bit_count, lowest_bit
from montecarlo.compiled import inner_kernel, kernel
from montecarlo.setting.best_setting import pack, preferred
from montecarlo.setting.bounds import FLUSH_AS_MIDDLE, FlushBounds
from montecarlo.setting.objective import Floats, Objective, units
from montecarlo.setting.rank_multisets import index_of_key
from montecarlo.setting.static_tables import SettingTables
from montecarlo.strength.tables import STRAIGHT_FLUSH

_ONE = np.uint64(1)
_ROW = np.uint64(16)
_CLASS = np.uint64(0xFFFF)
_LANE = np.uint64(0x1FFF)
_COUNT = np.uint64(15)
_AS_MIDDLE = np.uint64(FLUSH_AS_MIDDLE)
_TEN = np.uint64(10)

_MOST_FLUSHES = 1287
"""Five-card subsets of a suit, at most."""
_CANDIDATES = _MOST_FLUSHES + 512
"""Flushes looked up together."""


@inner_kernel
def long_suits(mask: np.uint64) -> np.uint64:
    """Bit 16·s + 4 set for every suit s of five cards or more, in a hand of up to 13 cards."""
    x = mask - ((mask >> _ONE) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    x = (x + (x >> np.uint64(8))) & np.uint64(0x000F000F000F000F)
    return np.uint64((x + np.uint64(0x000B000B000B000B)) & np.uint64(0x0010001000100010))


@kernel
def improve_by_flushes(
    masks: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    objective: Objective,
    bounds: FlushBounds,
    tables: SettingTables,
    out: NDArray[np.uint64],
    out_units: Floats,
) -> None:
    """Replace settings (as of `best_by_ranks`) wherever one built round a flush is better.

    ``masks`` (N,) of 13 cards and their ``keys`` (N,); ``out`` (N,) packed settings and
    ``out_units`` (N,) their values are updated.
    """
    places = np.empty((4, _CANDIDATES), np.uint64)
    ceilings: Floats = np.empty((2, _CANDIDATES), np.float64)
    many_suits = np.empty(_CANDIDATES, np.int64)
    _improve(masks, keys, objective, bounds, tables, out, out_units, places, ceilings, many_suits)


@inner_kernel
def _improve(
    masks: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    objective: Objective,
    bounds: FlushBounds,
    tables: SettingTables,
    out: NDArray[np.uint64],
    out_units: Floats,
    places: NDArray[np.uint64],
    ceilings: Floats,
    many_suits: NDArray[np.int64],
) -> None:
    of_lane, base8, place = tables.keys.of_lane, tables.keys.base8, tables.keys.place
    flush_class, category = tables.rows.flush, tables.rows.category
    value, head_value = tables.rows.value, tables.rows.head_value
    subset_start, subsets = tables.subset_start, tables.subsets
    weak_start, weak_pairs = tables.weak_start, tables.weak_pairs
    strong_start, strong_pairs = tables.strong_start, tables.strong_pairs
    bucket, bound, answer = bounds.bucket, bounds.best, bounds.answer
    heads, middles, tails = objective.head, objective.middle, objective.tail
    hand, flushes, rests, answers = places[0], places[1], places[2], places[3]
    as_tail, as_middle = ceilings[0], ceilings[1]
    n = 0
    while n < masks.size:
        # as many hands as there is room for: what to look up for each of their flushes
        count, hands_of_two = 0, 0
        while n < masks.size and count <= _CANDIDATES - _MOST_FLUSHES:
            suits = long_suits(masks[n])
            if suits == np.uint64(0):
                n += 1
                continue
            shift = lowest_bit(suits) & np.uint64(48)
            lane = (masks[n] >> shift) & _LANE
            if suits & (suits - _ONE) != np.uint64(0) or second_flush(lane):
                many_suits[hands_of_two] = n
                hands_of_two += 1
            while suits != np.uint64(0):
                shift = lowest_bit(suits) & np.uint64(48)
                suits &= suits - _ONE
                lane = (masks[n] >> shift) & _LANE
                for i in range(np.uint64(subset_start[lane]), np.uint64(subset_start[lane + _ONE])):
                    subset = np.uint64(subsets[i])
                    hand[count], flushes[count] = n, flush_class[subset]
                    rests[count] = index_of_key(keys[n] - of_lane[subset], base8, place)
                    count += 1
            n += 1
        for c in range(count):
            flush, rest = flushes[c], rests[c]
            as_tail[c] = tails[flush, 0] + bound[rest, np.uint64(bucket[flush])]
            as_middle[c] = middles[flush, 0] + bound[rest, _AS_MIDDLE]
            answers[c] = answer[rest, np.uint64(bucket[flush])]
        for c in range(count):
            i, flush, rest = hand[c], flushes[c], rests[c]
            straight = category[flush] == STRAIGHT_FLUSH
            if as_tail[c] >= out_units[i]:
                pair = answers[c]
                if pair != np.uint64(0):
                    _try(pair & _CLASS, pair >> _ROW, flush, heads, middles, tails,
                         value, head_value, out, out_units, i)  # fmt: skip
                else:
                    for j in range(np.uint64(weak_start[rest]), np.uint64(weak_start[rest + _ONE])):
                        pair = np.uint64(weak_pairs[j])
                        _try(pair & _CLASS, pair >> _ROW, flush, heads, middles, tails,
                             value, head_value, out, out_units, i)  # fmt: skip
            if straight or as_middle[c] >= out_units[i]:
                for j in range(np.uint64(strong_start[rest]), np.uint64(strong_start[rest + _ONE])):
                    pair = np.uint64(strong_pairs[j])
                    row = pair >> _ROW
                    _try(pair & _CLASS, min(row, flush), max(row, flush), heads, middles, tails,
                         value, head_value, out, out_units, i)  # fmt: skip
        for c in range(hands_of_two):
            _try_two_flushes(masks[many_suits[c]], objective, tables, out, out_units, many_suits[c])


@inner_kernel
def second_flush(lane: np.uint64) -> bool:
    """Whether a suit of these ranks makes two flushes: ten cards or more."""
    return bool(bit_count(lane) >= _TEN)


@inner_kernel
def _try_two_flushes(
    mask: np.uint64,
    objective: Objective,
    tables: SettingTables,
    out: NDArray[np.uint64],
    out_units: Floats,
    n: int,
) -> None:
    """Improve hand n by two flushes, of one suit or two, over the head they leave."""
    flush_class, triple = tables.rows.flush, tables.rows.triple
    value, head_value = tables.rows.value, tables.rows.head_value
    subset_start, subsets = tables.subset_start, tables.subsets
    heads, middles, tails = objective.head, objective.middle, objective.tail
    suits = long_suits(mask)
    while suits != np.uint64(0):
        shift = lowest_bit(suits) & np.uint64(48)
        suits &= suits - _ONE
        lane = (mask >> shift) & _LANE
        for i in range(np.uint64(subset_start[lane]), np.uint64(subset_start[lane + _ONE])):
            subset = np.uint64(subsets[i])
            flush = np.uint64(flush_class[subset])
            other = mask ^ (subset << shift)
            second = long_suits(other) >> shift << shift  # the same suit or a later one
            while second != np.uint64(0):
                other_shift = lowest_bit(second) & np.uint64(48)
                second &= second - _ONE
                other_lane = (other >> other_shift) & _LANE
                first = np.uint64(subset_start[other_lane])
                for k in range(first, np.uint64(subset_start[other_lane + _ONE])):
                    subset2 = np.uint64(subsets[k])
                    flush2 = np.uint64(flush_class[subset2])
                    head = head_of_mask(other ^ (subset2 << other_shift), triple)
                    _try(head, min(flush, flush2), max(flush, flush2), heads, middles, tails,
                         value, head_value, out, out_units, n)  # fmt: skip


@inner_kernel
def _try(
    head: np.uint64,
    middle: np.uint64,
    tail: np.uint64,
    heads: Floats,
    middles: Floats,
    tails: Floats,
    value: NDArray[np.uint16],
    head_value: NDArray[np.uint16],
    out: NDArray[np.uint64],
    out_units: Floats,
    n: int,
) -> None:
    """Take a setting for hand n when it earns more, or as much and is preferred."""
    earned = units(head, middle, tail, heads, middles, tails)
    if earned >= out_units[n]:
        setting = pack(head, middle, tail)
        if earned > out_units[n] or preferred(setting, out[n], value, head_value):
            out[n], out_units[n] = setting, earned


@inner_kernel
def head_of_mask(mask: np.uint64, triple: NDArray[np.uint16]) -> np.uint64:
    """Head class of three cards, as uint64."""
    a = lowest_bit(mask) & _COUNT
    mask &= mask - _ONE
    b = lowest_bit(mask) & _COUNT
    mask &= mask - _ONE
    c = lowest_bit(mask) & _COUNT
    return np.uint64(triple[a << np.uint64(8) | b << np.uint64(4) | c])

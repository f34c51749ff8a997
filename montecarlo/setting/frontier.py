"""The frontier of a hand: its legal settings that no other one equals or beats in all three rows.

Rows are compared by value (the variant's wheel and ``compare``, suits ignored). Candidates are
what `best_setting` would look at, for every objective at once: each head with the listed pairs of
the ten cards it leaves, and each flush with the listed pairs of the eight it leaves. They are
walked from the strongest head down, beside a staircase of the (tail, middle) values reached so
far: a candidate below the stairs is dominated, another one joins them. Of settings with equal
values the one with the strongest tail, middle, head class stays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from montecarlo.bits import lowest_bit
from montecarlo.cards import FULL_DECK, HAND_SIZE
from montecarlo.compiled import inner_kernel, kernel
from montecarlo.errors import BadInput
from montecarlo.setting.best_setting import list_heads, pack, unpack
from montecarlo.setting.flushes import head_of_mask, long_suits
from montecarlo.setting.placing import place_settings
from montecarlo.setting.rank_multisets import counts_of_key, index_of_key, key_of_mask
from montecarlo.setting.static_tables import SettingTables

_ONE = np.uint64(1)
_ROW = np.uint64(16)
_TAIL = np.uint64(32)
_CLASS = np.uint64(0xFFFF)
_HEADS = 456
_STAIRS = 2048
_FLUSHES = 1287 * 2 * 56
"""Candidates round a flush, at most: subsets of a suit, each with the splits of eight cards by
rank and, where they are one suit, by flushes."""


def frontier(
    mask: int, tables: SettingTables, wheel: str = "second", tie: str = "draw"
) -> tuple[NDArray[np.uint16], NDArray[np.uint64]]:
    """Return one hand's frontier: classes (F, 3) and row masks (F, 3) of head, middle and tail.

    Strongest tail first, then middle, then head. Row masks are placed for the suits that ``tie``
    asks for under ``wheel``. Raises BadInput unless the mask holds 13 cards.
    """
    hands = np.array([mask], np.uint64)
    _, settings = frontier_many(hands, tables)
    rows = place_settings(np.repeat(hands, settings.size), settings, tables, wheel, tie)
    return np.asarray(unpack(settings)), rows


def frontier_many(
    masks: ArrayLike, tables: SettingTables
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the frontiers of hands (N,): offsets (N + 1,) and packed settings.

    Hand i has ``settings[offsets[i]:offsets[i + 1]]``, strongest tail, middle, head first;
    `unpack` gives their classes. Raises BadInput unless every mask holds 13 cards.
    """
    array = np.ascontiguousarray(masks, np.uint64).reshape(-1)
    if np.any(array & ~np.uint64(FULL_DECK)) or np.any(np.bitwise_count(array) != HAND_SIZE):
        raise BadInput(f"each hand mask must hold exactly {HAND_SIZE} cards")
    return _frontiers(array, tables)


class _Scratch(NamedTuple):
    """Room to work out one hand; by place of the head's value (`head_order`) where (456,)."""

    heads: NDArray[np.uint16]
    rests: NDArray[np.uint32]
    places: NDArray[np.bool_]  #: (456,) the hand has such a head
    first_pair: NDArray[np.uint32]  #: (456,) its pairs of the other ten cards
    last_pair: NDArray[np.uint32]
    first_flush: NDArray[np.int64]  #: (456,) its first candidate built round a flush, -1 none
    flushes: NDArray[np.uint64]  #: candidates built round a flush
    following: NDArray[np.int64]  #: the next one with the same head
    stair_tail: NDArray[np.uint16]
    stair_middle: NDArray[np.uint16]
    stairs: NDArray[np.uint64]
    new: NDArray[np.bool_]
    reach: NDArray[np.uint16]  #: by tail value
    touched: NDArray[np.uint32]


@kernel
def _frontiers(
    masks: NDArray[np.uint64], tables: SettingTables
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    scratch = _Scratch(
        np.empty(_HEADS, np.uint16),
        np.empty(_HEADS, np.uint32),
        np.zeros(_HEADS, np.bool_),
        np.zeros(_HEADS, np.uint32),
        np.zeros(_HEADS, np.uint32),
        np.full(_HEADS, -1, np.int64),
        np.empty(_FLUSHES, np.uint64),
        np.empty(_FLUSHES, np.int64),
        np.empty(_STAIRS, np.uint16),
        np.empty(_STAIRS, np.uint16),
        np.empty(_STAIRS, np.uint64),
        np.zeros(_STAIRS, np.bool_),
        np.zeros(tables.rows.value.max() + 1, np.uint16),
        np.zeros(1, np.uint32),
    )
    offsets = np.zeros(masks.size + 1, np.int64)
    out = np.empty(max(4096, 160 * masks.size), np.uint64)
    done = 0
    while True:
        done = _frontiers_into(masks, tables, scratch, offsets, out, done)
        if done == masks.size:
            break
        larger = np.empty(2 * out.size, np.uint64)
        larger[: offsets[done]] = out[: offsets[done]]
        out = larger
    value, head_value = tables.rows.value, tables.rows.head_value
    for n in range(masks.size):
        _sort(out[offsets[n] : offsets[n + 1]], value, head_value)
    return offsets, out[: offsets[-1]].copy()


@inner_kernel
def _frontiers_into(
    masks: NDArray[np.uint64],
    tables: SettingTables,
    scratch: _Scratch,
    offsets: NDArray[np.int64],
    out: NDArray[np.uint64],
    first: int,
) -> int:
    """Write the frontiers of hands from ``first`` on while ``out`` has room; return where it ends.

    The settings of a hand come in order of their heads.
    """
    of_rank, base10, place = tables.keys.of_rank, tables.keys.base10, tables.keys.place
    low_counts, high_counts = tables.keys.low_counts, tables.keys.high_counts
    of_lane, triple, limits = tables.keys.of_lane, tables.rows.triple, tables.rows.head_limit
    value, head_value = tables.rows.value, tables.rows.head_value
    start, pairs = tables.ten_start, tables.ten_pairs
    head_order, head_at = tables.head_order, tables.head_at
    heads, rests, places = scratch.heads, scratch.rests, scratch.places
    first_pair, last_pair, first_flush = scratch.first_pair, scratch.last_pair, scratch.first_flush
    stairs, new, reach = scratch.stairs, scratch.new, scratch.reach
    stair_tail, stair_middle = scratch.stair_tail, scratch.stair_middle
    touched = scratch.touched
    for n in range(first, masks.size):
        total = offsets[n]
        key = key_of_mask(masks[n], of_lane)
        counts = counts_of_key(key, low_counts, high_counts)
        count = list_heads(key, counts, of_rank, base10, place, triple, heads, rests)
        places[:] = False
        for i in range(count):
            at = head_order[heads[i]]
            places[at] = True
            first_pair[at] = start[rests[i]]
            last_pair[at] = start[np.uint64(rests[i]) + _ONE]
            first_flush[at] = -1
        # read a little of every list now: their cache misses overlap, which they do not below
        for i in range(count):
            at = head_order[heads[i]]
            touched[0] ^= pairs[first_pair[at]] ^ pairs[last_pair[at] - np.uint32(1)]
        if long_suits(masks[n]) != np.uint64(0):
            _list_flushes(masks[n], key, tables, first_flush, scratch.flushes, scratch.following)
        step_count, previous, changed = 0, np.uint16(0), False
        reach[:] = 0
        for at in range(_HEADS - 1, 0, -1):
            if not places[at]:
                continue
            head = np.uint64(head_at[at])
            if changed and head_value[head] != previous:
                # heads of equal value belong together: only now are the new stairs sure to stay
                changed = False
                if total + step_count > out.size:
                    new[:step_count] = False
                    return n
                for k in range(step_count):
                    if new[k]:
                        out[total] = stairs[k]
                        total += 1
                        new[k] = False
            previous = head_value[head]
            for j in range(np.uint64(first_pair[at]), np.uint64(last_pair[at])):
                pair = np.uint64(pairs[j])
                tail, middle = pair >> _ROW, pair & _CLASS
                if reach[value[tail]] <= value[middle] and head <= np.uint64(limits[middle]):
                    step_count = _climb(
                        pack(head, middle, tail), value[tail], value[middle],
                        stair_tail, stair_middle, stairs, new, step_count, reach,
                    )  # fmt: skip
                    changed = True
            link = first_flush[at]
            while link >= 0:
                setting = scratch.flushes[link]
                tail, middle = setting >> _TAIL, (setting >> _ROW) & _CLASS
                if reach[value[tail]] <= value[middle]:
                    step_count = _climb(
                        setting, value[tail], value[middle],
                        stair_tail, stair_middle, stairs, new, step_count, reach,
                    )  # fmt: skip
                    changed = True
                link = scratch.following[link]
        if total + step_count > out.size:
            new[:step_count] = False
            return n
        for k in range(step_count):
            if new[k]:
                out[total] = stairs[k]
                total += 1
                new[k] = False
        offsets[n + 1] = total
    return masks.size


@inner_kernel
def _climb(
    setting: np.uint64,
    tail: np.uint16,
    middle: np.uint16,
    stair_tail: NDArray[np.uint16],
    stair_middle: NDArray[np.uint16],
    stairs: NDArray[np.uint64],
    new: NDArray[np.bool_],
    count: int,
    reach: NDArray[np.uint16],
) -> int:
    """Add a setting to the stairs unless it lies below them; return how many stairs there are.

    Tail values fall and middle values rise from stair to stair; ``reach`` has for each tail value
    the best middle value with such a tail or a better one. ``new`` marks the stairs whose head has
    the value of this one: among them equal rows are decided by class.
    """
    below = 0
    while below < count and stair_tail[below] >= tail:
        below += 1
    if below > 0 and stair_middle[below - 1] >= middle:
        same = stair_tail[below - 1] == tail and stair_middle[below - 1] == middle
        if same and new[below - 1] and setting > stairs[below - 1]:
            stairs[below - 1] = setting
        return count
    first = below - 1 if below > 0 and stair_tail[below - 1] == tail else below
    last = below
    while last < count and stair_middle[last] <= middle:
        last += 1
    move = first + 1 - last
    if move > 0:
        for k in range(count - 1, last - 1, -1):
            stair_tail[k + 1], stair_middle[k + 1] = stair_tail[k], stair_middle[k]
            stairs[k + 1], new[k + 1] = stairs[k], new[k]
    elif move < 0:
        for k in range(last, count):
            stair_tail[k + move], stair_middle[k + move] = stair_tail[k], stair_middle[k]
            stairs[k + move], new[k + move] = stairs[k], new[k]
    stair_tail[first], stair_middle[first] = tail, middle
    stairs[first], new[first] = setting, True
    count += move
    floor = np.int64(stair_tail[first + 1]) if first + 1 < count else 0
    reach[floor + 1 : np.int64(tail) + 1] = middle
    return count


@inner_kernel
def _list_flushes(
    mask: np.uint64,
    key: np.uint64,
    tables: SettingTables,
    first_flush: NDArray[np.int64],
    flushes: NDArray[np.uint64],
    following: NDArray[np.int64],
) -> None:
    """Chain the candidates built round a flush to their heads."""
    of_lane, base8, place = tables.keys.of_lane, tables.keys.base8, tables.keys.place
    flush_class, triple = tables.rows.flush, tables.rows.triple
    subset_start, subsets = tables.subset_start, tables.subsets
    weak_start, weak_pairs = tables.weak_start, tables.weak_pairs
    strong_start, strong_pairs = tables.strong_start, tables.strong_pairs
    head_order = tables.head_order
    count = 0
    suits = long_suits(mask)
    while suits != np.uint64(0):
        shift = lowest_bit(suits) & np.uint64(48)
        suits &= suits - _ONE
        lane = (mask >> shift) & np.uint64(0x1FFF)
        for i in range(np.uint64(subset_start[lane]), np.uint64(subset_start[lane + _ONE])):
            subset = np.uint64(subsets[i])
            flush = np.uint64(flush_class[subset])
            rest = index_of_key(key - of_lane[subset], base8, place)
            weak = np.uint64(weak_start[rest])
            weak_count = np.uint64(weak_start[rest + _ONE]) - weak
            strong = np.uint64(strong_start[rest])
            strong_count = np.uint64(strong_start[rest + _ONE]) - strong
            other = mask ^ (subset << shift)
            second = long_suits(other) >> shift << shift
            for j in range(weak_count + strong_count):
                if j < weak_count:
                    pair = np.uint64(weak_pairs[weak + j])
                else:
                    pair = np.uint64(strong_pairs[strong + (j - weak_count)])
                head, row = pair & _CLASS, pair >> _ROW
                setting = pack(head, min(row, flush), max(row, flush))
                at = head_order[head]
                flushes[count], following[count] = setting, first_flush[at]
                first_flush[at] = count
                count += 1
            while second != np.uint64(0):
                other_shift = lowest_bit(second) & np.uint64(48)
                second &= second - _ONE
                lane2 = (other >> other_shift) & np.uint64(0x1FFF)
                first2 = np.uint64(subset_start[lane2])
                for k in range(first2, np.uint64(subset_start[lane2 + _ONE])):
                    subset2 = np.uint64(subsets[k])
                    flush2 = np.uint64(flush_class[subset2])
                    head = head_of_mask(other ^ (subset2 << other_shift), triple)
                    at = head_order[head]
                    flushes[count] = pack(head, min(flush, flush2), max(flush, flush2))
                    following[count] = first_flush[at]
                    first_flush[at] = count
                    count += 1


@kernel
def _sort(
    settings: NDArray[np.uint64], value: NDArray[np.uint16], head_value: NDArray[np.uint16]
) -> None:
    """Order settings by value of tail, middle, head, highest first."""
    words = np.empty(settings.size, np.uint64)
    for k in range(settings.size):
        setting = settings[k]
        words[k] = pack(
            np.uint64(head_value[setting & _CLASS]),
            np.uint64(value[(setting >> _ROW) & _CLASS]),
            np.uint64(value[setting >> _TAIL]),
        )
    if np.array_equal(words, settings):
        settings[:] = np.sort(words)[::-1]
    else:
        settings[:] = settings[np.argsort(words)[::-1]]

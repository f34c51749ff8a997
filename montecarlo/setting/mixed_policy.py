"""A policy that averages several: which of their value tables sets a hand is picked by its cards.

Such averages are needed where rows are compared coarsely (by the highest card alone), and there a
rank multiset has few settings that no other beats or equals in all three rows. These are listed
once for all multisets; a hand is then the best of its short list, or of its flushes, under the
objective that was picked. So K objectives cost one list, whatever K is.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import inner_kernel, kernel
from montecarlo.setting.best_setting import list_heads, pack, preferred
from montecarlo.setting.bounds import FlushBounds, flush_bounds, side_by_side
from montecarlo.setting.flushes import improve_by_flushes
from montecarlo.setting.objective import Floats, Objective, units
from montecarlo.setting.rank_multisets import (
    WHOLE_HAND,
    all_keys,
    counts_of_key,
    index_of_key,
    key_of_mask,
)
from montecarlo.setting.static_tables import SettingTables, setting_tables
from montecarlo.setting.table_cache import cached_arrays

_CLASS, _ROW, _TAIL = np.uint64(0xFFFF), np.uint64(16), np.uint64(32)
_ONE = np.uint64(1)
_FIRST_MIX, _SECOND_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)

MOST_SETTINGS = 512
"""Settings a multiset can keep: far above what coarse comparison leaves (checked when listing)."""


class MixedPolicy(NamedTuple):
    """K objectives over one list of settings; make it with `mix`."""

    start: NDArray[np.uint32]  #: (3598181,) where a multiset's settings start
    settings: NDArray[np.uint64]  #: packed, tail << 32 | middle << 16 | head
    objectives: tuple[Objective, ...]
    bounds: FlushBounds  #: holds for every objective
    tables: SettingTables


def mix(objectives: tuple[Objective, ...], wheel: str, compare: str) -> MixedPolicy:
    """Return the average of objectives.

    The list of settings comes from the disk cache, or is made anew in seconds.
    """
    start, settings = undominated(wheel, compare)
    tables = setting_tables(wheel, compare)
    bounds = [flush_bounds(objective, tables) for objective in _envelopes(objectives)]
    best, answer = side_by_side(tables.weak_start.size - 1)
    best[:] = np.maximum.reduce([bound.best for bound in bounds])
    # which pair is best differs from objective to objective: no answers
    common = FlushBounds(bounds[0].bucket, best, answer)
    return MixedPolicy(start, settings, objectives, common, tables)


@lru_cache(maxsize=2)
def undominated(wheel: str, compare: str) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """Return, for all 13-card rank multisets, where their settings start, and the settings.

    Of settings that look at ranks only, those stay that no other beats or equals in the values of
    all three rows; of equal ones the one with the stronger classes.
    """
    tables = setting_tables(wheel, compare)

    def build() -> dict[str, NDArray[Any]]:
        start, settings = _list_undominated(all_keys(WHOLE_HAND), tables)
        return {"start": start, "settings": settings}

    arrays = cached_arrays("undominated", [array.tobytes() for array in tables.rows], build)
    return arrays["start"], arrays["settings"]


def rounds_of(masks: NDArray[np.uint64], rounds: int) -> NDArray[np.int64]:
    """Return which objective each hand (N,) is set by: a hash of its cards."""
    mixed = (masks ^ (masks >> np.uint64(29))) * _FIRST_MIX
    mixed = (mixed ^ (mixed >> np.uint64(32))) * _SECOND_MIX
    return np.asarray((mixed >> np.uint64(33)) % np.uint64(rounds), np.int64)


def set_mixed(masks: NDArray[np.uint64], policy: MixedPolicy) -> NDArray[np.uint64]:
    """Return packed settings (N,) of hands (N,) of 13 cards."""
    rounds = rounds_of(masks, len(policy.objectives))
    packed = np.empty(masks.size, np.uint64)
    for number, objective in enumerate(policy.objectives):
        picked = np.flatnonzero(rounds == number)
        hands = np.ascontiguousarray(masks[picked])
        keys, found = np.empty(hands.size, np.uint64), np.empty(hands.size, np.uint64)
        earned = np.empty(hands.size, np.float64)
        _best_listed(hands, policy.tables, policy.start, policy.settings, objective,
                     keys, found, earned)  # fmt: skip
        improve_by_flushes(hands, keys, objective, policy.bounds, policy.tables, found, earned)
        packed[picked] = found
    return packed


def _envelopes(objectives: tuple[Objective, ...]) -> tuple[Objective, ...]:
    """Objectives whose bounds together hold for all: one envelope where rows are paid singly."""
    first = objectives[0]
    if any(objective.head.shape[1] > 1 for objective in objectives):
        return objectives
    highest = (
        np.maximum.reduce([getattr(o, row) for o in objectives]) for row in first._fields[:3]
    )
    head, middle, tail = highest
    return (first._replace(head=head, middle=middle, tail=tail),)


@inner_kernel
def _best_listed(
    masks: NDArray[np.uint64],
    tables: SettingTables,
    start: NDArray[np.uint32],
    settings: NDArray[np.uint64],
    objective: Objective,
    keys: NDArray[np.uint64],
    out: NDArray[np.uint64],
    out_units: Floats,
) -> None:
    """Write keys, best listed settings and their units (N,) of hands (N,) under one objective."""
    value, head_value = tables.rows.value, tables.rows.head_value
    of_lane, base13, places = tables.keys.of_lane, tables.keys.base13, tables.keys.place
    heads, middles, tails = objective.head, objective.middle, objective.tail
    for n in range(masks.size):
        keys[n] = key_of_mask(masks[n], of_lane)
        place = index_of_key(keys[n], base13, places)
        best, best_units = np.uint64(0), -np.inf
        for at in range(np.uint64(start[place]), np.uint64(start[place + _ONE])):
            setting = settings[at]
            head, middle = setting & _CLASS, (setting >> _ROW) & _CLASS
            earned = units(head, middle, setting >> _TAIL, heads, middles, tails)
            if earned > best_units or (
                earned == best_units and preferred(setting, best, value, head_value)
            ):
                best, best_units = setting, earned
        out[n], out_units[n] = best, best_units


@kernel
def _list_undominated(
    keys: NDArray[np.uint64], tables: SettingTables
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    of_rank, base10, place = tables.keys.of_rank, tables.keys.base10, tables.keys.place
    triple, limits = tables.rows.triple, tables.rows.head_limit
    value, head_value = tables.rows.value, tables.rows.head_value
    pair_start, pairs = tables.ten_start, tables.ten_pairs
    low_counts, high_counts = tables.keys.low_counts, tables.keys.high_counts
    heads, rests = np.empty(456, np.uint16), np.empty(456, np.uint32)
    kept = np.empty(MOST_SETTINGS + 1, np.uint64)
    start = np.zeros(keys.size + 1, np.uint32)
    settings = np.empty(8 * keys.size, np.uint64)
    used = 0
    for n in range(keys.size):
        counts = counts_of_key(keys[n], low_counts, high_counts)
        count = list_heads(keys[n], counts, of_rank, base10, place, triple, heads, rests)
        size = 0
        for i in range(count):
            head, rest = np.uint64(heads[i]), np.uint64(rests[i])
            for j in range(np.uint64(pair_start[rest]), np.uint64(pair_start[rest + _ONE])):
                pair = np.uint64(pairs[j])
                tail, middle = pair >> _ROW, pair & _CLASS
                if head <= np.uint64(limits[middle]):
                    size = _keep(pack(head, middle, tail), kept, size, value, head_value)
        if used + size > settings.size:
            larger = np.empty(2 * settings.size, np.uint64)
            larger[:used] = settings[:used]
            settings = larger
        settings[used : used + size] = kept[:size]
        used += size
        start[n + 1] = used
    return start, settings[:used].copy()


@inner_kernel
def _keep(
    setting: np.uint64,
    kept: NDArray[np.uint64],
    size: int,
    value: NDArray[np.uint16],
    head_value: NDArray[np.uint16],
) -> int:
    """Add a setting to those kept, unless one beats or equals it; drop those that it beats."""
    head = head_value[setting & _CLASS]
    middle, tail = value[(setting >> _ROW) & _CLASS], value[setting >> _TAIL]
    left = 0
    for k in range(size):
        other = kept[k]
        other_head = head_value[other & _CLASS]
        other_middle, other_tail = value[(other >> _ROW) & _CLASS], value[other >> _TAIL]
        if other_head >= head and other_middle >= middle and other_tail >= tail:
            equal = other_head == head and other_middle == middle and other_tail == tail
            if not equal or not preferred(setting, other, value, head_value):
                return size  # nothing was dropped: what it beats, the other beats too
        beaten = head >= other_head and middle >= other_middle and tail >= other_tail
        if not beaten:
            kept[left] = other
            left += 1
    if left > MOST_SETTINGS - 1:
        raise ValueError("more settings of a rank multiset than there is room for")
    kept[left] = setting
    return left + 1

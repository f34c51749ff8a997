"""A policy that averages several: which of their settings a hand gets is picked by its cards.

Compiled, the average of K objectives is one table of the rank multisets where all K agree, and for
the others a short list of settings and, for each of the K, which of them it is. Flushes are then
tried under the objective that was picked.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel
from montecarlo.setting.best_setting import improve_by_flushes, unpack
from montecarlo.setting.bounds import FlushBounds, flush_bounds
from montecarlo.setting.compiled_policy import best_entries
from montecarlo.setting.objective import Objective, units_of_settings
from montecarlo.setting.rank_multisets import RankKeys, index_of_key, key_of_mask
from montecarlo.setting.static_tables import SettingTables
from montecarlo.setting.table_cache import cached_arrays

_SPLIT = np.uint64(1 << 63)
_FIRST_MIX, _SECOND_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)


class MixedPolicy(NamedTuple):
    """K objectives compiled together; make it with `compile_mixed`."""

    entries: NDArray[np.uint64]  #: (3598180,) packed setting, or bit 63 and a row of the next two
    start: NDArray[np.uint32]  #: (rows,) where a row's settings start
    picks: NDArray[np.uint8]  #: (rows, K) which of the row's settings each objective picks
    settings: NDArray[np.uint64]  #: packed settings
    objectives: tuple[Objective, ...]
    bounds: tuple[FlushBounds, ...]
    tables: SettingTables


def compile_mixed(objectives: tuple[Objective, ...], tables: SettingTables) -> MixedPolicy:
    """Return the average of up to 255 objectives, from the disk cache or compiled anew."""
    parts = [array.tobytes() for objective in objectives for array in objective]
    parts += [array.tobytes() for array in tables.rows]

    def build() -> dict[str, NDArray[Any]]:
        return _split(np.stack([best_entries(objective, tables) for objective in objectives]))

    arrays = cached_arrays("mixed", parts, build)
    return MixedPolicy(
        arrays["entries"],
        arrays["start"],
        arrays["picks"],
        arrays["settings"],
        objectives,
        tuple(flush_bounds(objective, tables) for objective in objectives),
        tables,
    )


def rounds_of(masks: NDArray[np.uint64], rounds: int) -> NDArray[np.int64]:
    """Return which objective each hand (N,) is set by: a hash of its cards."""
    mixed = (masks ^ (masks >> np.uint64(29))) * _FIRST_MIX
    mixed = (mixed ^ (mixed >> np.uint64(32))) * _SECOND_MIX
    return np.asarray((mixed >> np.uint64(33)) % np.uint64(rounds), np.int64)


def set_mixed(masks: NDArray[np.uint64], policy: MixedPolicy) -> NDArray[np.uint64]:
    """Return packed settings (N,) of hands (N,) of 13 cards."""
    rounds = rounds_of(masks, len(policy.objectives))
    packed = np.empty(masks.size, np.uint64)
    for number, (objective, bounds) in enumerate(
        zip(policy.objectives, policy.bounds, strict=True)
    ):
        picked = np.flatnonzero(rounds == number)
        hands = np.ascontiguousarray(masks[picked])
        keys, found = np.empty(hands.size, np.uint64), np.empty(hands.size, np.uint64)
        _look_up(
            hands, policy.tables.keys, policy.entries, policy.start, policy.picks[:, number],
            policy.settings, keys, found,
        )  # fmt: skip
        units = units_of_settings(objective, unpack(found))
        improve_by_flushes(hands, keys, objective, bounds, policy.tables, found, units)
        packed[picked] = found
    return packed


@kernel
def _look_up(
    masks: NDArray[np.uint64],
    tables: RankKeys,
    entries: NDArray[np.uint64],
    start: NDArray[np.uint32],
    picks: NDArray[np.uint8],
    settings: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Write keys and the packed rank-only settings of hands (N,) under one objective's picks."""
    for n in range(masks.size):
        keys[n] = key_of_mask(masks[n], tables.of_lane)
        entry = entries[index_of_key(keys[n], tables.base13, tables.place)]
        if entry & _SPLIT:
            row = np.uint64(entry ^ _SPLIT)
            entry = settings[np.uint64(start[row]) + np.uint64(picks[row])]
        out[n] = entry


def _split(by_objective: NDArray[np.uint64]) -> dict[str, NDArray[Any]]:
    """Write the settings (K, multisets) of all objectives as a `MixedPolicy`'s arrays."""
    entries, start, picks, settings = _split_into(by_objective)
    return {"entries": entries, "start": start, "picks": picks, "settings": settings}


@kernel
def _split_into(
    by_objective: NDArray[np.uint64],
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint64]]:
    rounds, size = by_objective.shape
    rows = 0
    for n in range(size):
        for k in range(1, rounds):
            if by_objective[k, n] != by_objective[0, n]:
                rows += 1
                break
    entries = by_objective[0].copy()
    start, picks = np.zeros(rows, np.uint32), np.zeros((rows, rounds), np.uint8)
    settings = np.empty(rows * 4, np.uint64)
    row, used = 0, 0
    for n in range(size):
        split = False
        for k in range(1, rounds):
            split = split or by_objective[k, n] != by_objective[0, n]
        if not split:
            continue
        if used + rounds > settings.size:
            larger = np.empty(2 * settings.size + rounds, np.uint64)
            larger[:used] = settings[:used]
            settings = larger
        entries[n] = _SPLIT | np.uint64(row)
        start[row] = used
        first = used
        for k in range(rounds):
            at = first
            while at < used and settings[at] != by_objective[k, n]:
                at += 1
            if at == used:
                settings[used] = by_objective[k, n]
                used += 1
            picks[row, k] = at - first
        row += 1
    return entries, start, picks, settings[:used].copy()

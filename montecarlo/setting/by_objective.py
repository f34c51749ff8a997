"""Setting a batch of hands by an objective that is used once: no table is compiled for it.

Hands that share their ranks share the search by ranks, and keys in order keep the static tables'
entries near each other, so a batch is searched by its distinct keys, sorted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel
from montecarlo.setting.best_setting import best_by_ranks, unpack
from montecarlo.setting.bounds import FlushBounds, HeadBounds, flush_bounds, head_bounds
from montecarlo.setting.flushes import improve_by_flushes
from montecarlo.setting.objective import Objective
from montecarlo.setting.rank_multisets import key_of_mask
from montecarlo.setting.static_tables import SettingTables


def set_batch(
    masks: NDArray[np.uint64], objective: Objective, tables: SettingTables
) -> NDArray[np.uint16]:
    """Return classes (N, 3) of head, middle and tail of hand masks (N,) of 13 cards."""
    keys = _keys(masks, tables.keys.of_lane)
    distinct, place = np.unique(keys, return_inverse=True)
    best, units = np.empty(distinct.size, np.uint64), np.empty(distinct.size, np.float64)
    best_by_ranks(distinct, objective, head_bounds(objective, tables), tables, best, units)
    best, units = best[place], units[place]
    improve_by_flushes(masks, keys, objective, flush_bounds(objective, tables), tables, best, units)
    return unpack(best)


@kernel
def best_settings(
    masks: NDArray[np.uint64],
    objective: Objective,
    head_bounds: HeadBounds,
    flush_bounds: FlushBounds,
    tables: SettingTables,
) -> NDArray[np.uint16]:
    """Classes (N, 3) of head, middle and tail of the best settings of 13-card hands (N,)."""
    keys = np.empty(masks.size, np.uint64)
    for n in range(masks.size):
        keys[n] = key_of_mask(masks[n], tables.keys.of_lane)
    best, best_units = np.empty(masks.size, np.uint64), np.empty(masks.size, np.float64)
    best_by_ranks(keys, objective, head_bounds, tables, best, best_units)
    improve_by_flushes(masks, keys, objective, flush_bounds, tables, best, best_units)
    return unpack(best)


@kernel
def _keys(masks: NDArray[np.uint64], of_lane: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Rank keys (N,) of hand masks (N,)."""
    keys = np.empty(masks.size, np.uint64)
    for n in range(masks.size):
        keys[n] = key_of_mask(masks[n], of_lane)
    return keys

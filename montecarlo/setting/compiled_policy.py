"""A policy compiled to a table: the best rank-only setting of every 13-card rank multiset.

What `best_setting` finds by ranks depends on the rank multiset alone, so for a fixed objective it
is written down once for all 3,598,180 of them. A hand is then one look-up and its few flushes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from montecarlo.cards import FULL_DECK, HAND_SIZE
from montecarlo.compiled import kernel
from montecarlo.errors import BadInput
from montecarlo.setting.best_setting import best_by_ranks, unpack
from montecarlo.setting.bounds import FlushBounds, flush_bounds, head_bounds
from montecarlo.setting.flushes import improve_by_flushes, long_suits
from montecarlo.setting.objective import Floats, Objective, lexicographic, units
from montecarlo.setting.rank_multisets import WHOLE_HAND, all_keys, index_of_key, key_of_mask
from montecarlo.setting.static_tables import SettingTables, setting_tables
from montecarlo.setting.table_cache import cached_arrays

#: hands set together, so that their cache misses overlap
BLOCK = 256
_CHUNK = 1 << 16

_ROW = np.uint64(16)
_TAIL = np.uint64(32)
_CLASS = np.uint64(0xFFFF)


class CompiledPolicy(NamedTuple):
    """Everything a kernel needs to set hands; make it with `compile_policy`."""

    entries: NDArray[np.uint64]  #: (3598180,) best rank-only settings, packed
    objective: Objective
    bounds: FlushBounds
    tables: SettingTables


def compile_policy(objective: Objective, tables: SettingTables) -> CompiledPolicy:
    """Return the policy that maximises ``objective``, from the disk cache or compiled anew.

    Compiling takes seconds; the table is 28.8 MB. The file is found by a hash of the objective
    and the tables' rows, so another objective never reads it.
    """
    parts = [array.tobytes() for array in (*objective, *tables.rows)]
    parts += [repr(array.shape).encode() for array in objective]

    def build() -> dict[str, NDArray[np.uint64]]:
        return {"entries": best_entries(objective, tables)}

    entries = cached_arrays("policy", parts, build)["entries"]
    return CompiledPolicy(entries, objective, flush_bounds(objective, tables), tables)


def best_entries(objective: Objective, tables: SettingTables) -> NDArray[np.uint64]:
    """Return the packed best rank-only settings of all 13-card rank multisets, (3598180,)."""
    keys, bounds = all_keys(WHOLE_HAND), head_bounds(objective, tables)
    entries, values = np.empty(keys.size, np.uint64), np.empty(_CHUNK, np.float64)
    for start in range(0, keys.size, _CHUNK):
        part = slice(start, start + _CHUNK)
        best_by_ranks(keys[part], objective, bounds, tables, entries[part], values)
    return entries


def greedy_policy(wheel: str = "second") -> CompiledPolicy:
    """Return the beginner's policy: the strongest tail by grouped strength, then middle, head.

    Its tables are grouped under the variant's wheel whatever the variant compares (rulebook §5).
    Raises BadInput for an unknown wheel.
    """
    tables = setting_tables(wheel, "grouped")
    return compile_policy(lexicographic(tables.rows), tables)


def set_hands(masks: ArrayLike, policy: CompiledPolicy) -> NDArray[np.uint16]:
    """Return the classes (…, 3) of head, middle and tail that a policy sets hands (…) to.

    Raises BadInput unless every mask holds 13 cards.
    """
    array = np.ascontiguousarray(masks, np.uint64)
    if np.any(array & ~np.uint64(FULL_DECK)) or np.any(np.bitwise_count(array) != HAND_SIZE):
        raise BadInput(f"each hand mask must hold exactly {HAND_SIZE} cards")
    flat = array.reshape(-1)
    packed = np.empty(flat.size, np.uint64)
    set_into(flat, policy, packed)
    return np.asarray(unpack(packed)).reshape(*array.shape, 3)


@kernel
def set_into(masks: NDArray[np.uint64], policy: CompiledPolicy, out: NDArray[np.uint64]) -> None:
    """Write the packed settings (N,) of hands (N,); for use inside other kernels, by the block."""
    of_lane, base13 = policy.tables.keys.of_lane, policy.tables.keys.base13
    place, entries = policy.tables.keys.place, policy.entries
    objective, bounds, tables = policy.objective, policy.bounds, policy.tables
    heads, middles, tails = objective.head, objective.middle, objective.tail
    keys, places = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64)
    chosen, chosen_masks = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.uint64)
    chosen_keys, settings = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64)
    values: Floats = np.empty(BLOCK, np.float64)
    for start in range(0, masks.size, BLOCK):
        size = min(BLOCK, masks.size - start)
        for i in range(size):
            keys[i] = key_of_mask(masks[start + i], of_lane)
            places[i] = index_of_key(keys[i], base13, place)
        for i in range(size):
            out[start + i] = entries[places[i]]
        count = 0
        for i in range(size):
            chosen[count] = i
            count += 1 if long_suits(masks[start + i]) != np.uint64(0) else 0
        for c in range(count):
            i = chosen[c]
            chosen_masks[c], chosen_keys[c] = masks[start + i], keys[i]
            setting = out[start + i]
            head, middle, tail = setting & _CLASS, (setting >> _ROW) & _CLASS, setting >> _TAIL
            values[c] = units(head, middle, tail, heads, middles, tails)
            settings[c] = setting
        improve_by_flushes(
            chosen_masks[:count], chosen_keys[:count], objective, bounds, tables, settings, values
        )
        for c in range(count):
            out[start + chosen[c]] = settings[c]

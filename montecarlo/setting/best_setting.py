"""The best setting of a hand under an objective, by rank multisets.

Take the best setting A that looks at ranks alone. When its cards are laid out a row may happen to
be one suit, which only strengthens it (and if the middle then beats the tail, the two are swapped:
legal, and no row worse). So the best setting is the better of A and the best one that is built
round a flush or straight flush: a flush tail over any (middle, head) of the other eight cards, a
flush middle under a full house or four of a kind, or two flushes. Both halves are searched with
upper bounds (`bounds`), one look-up a head or flush, and are exact for every objective that does
not decrease.

Equal values go to the setting with the higher tail, middle, head value, then the higher tail,
middle, head class: every hand has one best setting, and its classes are those of its cards.
A setting is packed as ``tail << 32 | middle << 16 | head``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import inner_kernel, kernel
from montecarlo.setting.bounds import HeadBounds
from montecarlo.setting.objective import Floats, Objective, units
from montecarlo.setting.rank_multisets import counts_of_key, index_of_key
from montecarlo.setting.static_tables import SettingTables

_ONE = np.uint64(1)
_ROW = np.uint64(16)
_TAIL = np.uint64(32)
_CLASS = np.uint64(0xFFFF)
_COUNT = np.uint64(15)


@inner_kernel
def pack(head: np.uint64, middle: np.uint64, tail: np.uint64) -> np.uint64:
    """Three classes in one word, in order of preference."""
    return np.uint64(tail << _TAIL | middle << _ROW | head)


@inner_kernel
def preferred(
    a: np.uint64, b: np.uint64, value: NDArray[np.uint16], head_value: NDArray[np.uint16]
) -> bool:
    """Whether packed setting ``a`` is taken rather than ``b`` when both earn the same."""
    if b == np.uint64(0):
        return True
    values_a = pack(
        np.uint64(head_value[a & _CLASS]),
        np.uint64(value[(a >> _ROW) & _CLASS]),
        np.uint64(value[a >> _TAIL]),
    )
    values_b = pack(
        np.uint64(head_value[b & _CLASS]),
        np.uint64(value[(b >> _ROW) & _CLASS]),
        np.uint64(value[b >> _TAIL]),
    )
    return bool(values_a > values_b or (values_a == values_b and a > b))


@inner_kernel
def list_heads(
    key: np.uint64,
    counts: np.uint64,
    of_rank: NDArray[np.uint64],
    base10: NDArray[np.uint32],
    place: NDArray[np.uint16],
    triple: NDArray[np.uint16],
    heads: NDArray[np.uint16],
    rests: NDArray[np.uint32],
) -> int:
    """Write each distinct head of a 13-card key and the 10-card multiset it leaves; count them.

    ``counts`` are the nibbles of `counts_of_key`. Three of a kind first, then pairs, then high
    cards, each from the highest: classes fall.
    """
    count = 0
    for a in range(12, -1, -1):
        rank = np.uint64(a)
        if (counts >> np.uint64(4 * a)) & _COUNT >= np.uint64(3):
            heads[count] = triple[rank * np.uint64(0x111)]
            rests[count] = index_of_key(key - np.uint64(3) * of_rank[rank], base10, place)
            count += 1
    for a in range(12, -1, -1):
        rank = np.uint64(a)
        if (counts >> np.uint64(4 * a)) & _COUNT >= np.uint64(2):
            left = key - np.uint64(2) * of_rank[rank]
            for b in range(12, -1, -1):
                if b != a and (counts >> np.uint64(4 * b)) & _COUNT:
                    heads[count] = triple[rank * np.uint64(0x110) | np.uint64(b)]
                    rests[count] = index_of_key(left - of_rank[np.uint64(b)], base10, place)
                    count += 1
    for a in range(12, 1, -1):
        if (counts >> np.uint64(4 * a)) & _COUNT == np.uint64(0):
            continue
        left_a = key - of_rank[np.uint64(a)]
        for b in range(a - 1, 0, -1):
            if (counts >> np.uint64(4 * b)) & _COUNT == np.uint64(0):
                continue
            left = left_a - of_rank[np.uint64(b)]
            first = np.uint64(a << 8 | b << 4)
            for c in range(b - 1, -1, -1):
                if (counts >> np.uint64(4 * c)) & _COUNT:
                    heads[count] = triple[first | np.uint64(c)]
                    rests[count] = index_of_key(left - of_rank[np.uint64(c)], base10, place)
                    count += 1
    return count


@kernel
def best_by_ranks(
    keys: NDArray[np.uint64],
    objective: Objective,
    bounds: HeadBounds,
    tables: SettingTables,
    out: NDArray[np.uint64],
    out_units: Floats,
) -> None:
    """Write the best settings of 13-card keys (N,), as if no two cards shared a suit.

    ``out`` (N,) takes the packed settings and ``out_units`` (N,) their values.
    """
    heads, rests = np.empty(456, np.uint16), np.empty(456, np.uint32)
    _best_by_ranks(keys, objective, bounds, tables, out, out_units,
                   heads, rests, np.empty(456, np.float64))  # fmt: skip


@inner_kernel
def _best_by_ranks(
    keys: NDArray[np.uint64],
    objective: Objective,
    bounds: HeadBounds,
    tables: SettingTables,
    out: NDArray[np.uint64],
    out_units: Floats,
    heads: NDArray[np.uint16],
    rests: NDArray[np.uint32],
    ceilings: Floats,
) -> None:
    of_rank, base10, place = tables.keys.of_rank, tables.keys.base10, tables.keys.place
    low_counts, high_counts = tables.keys.low_counts, tables.keys.high_counts
    triple, limits = tables.rows.triple, tables.rows.head_limit
    value, head_value = tables.rows.value, tables.rows.head_value
    start, pairs = tables.ten_start, tables.ten_pairs
    bucket, bound = bounds.bucket, bounds.best
    own_heads, own_middles, own_tails = objective.head, objective.middle, objective.tail
    for n in range(keys.size):
        counts = counts_of_key(keys[n], low_counts, high_counts)
        count = list_heads(keys[n], counts, of_rank, base10, place, triple, heads, rests)
        top, highest = 0, -np.inf
        for i in range(count):
            head = np.uint64(heads[i])
            ceiling = own_heads[head, 0] + bound[np.uint64(rests[i]), np.uint64(bucket[head])]
            ceilings[i] = ceiling
            if ceiling > highest:
                top, highest = i, ceiling
        best, best_units = np.uint64(0), -np.inf
        while highest >= best_units and highest > -np.inf:
            head, rest = np.uint64(heads[top]), np.uint64(rests[top])
            ceilings[top] = -np.inf
            for j in range(np.uint64(start[rest]), np.uint64(start[rest + _ONE])):
                pair = np.uint64(pairs[j])
                tail, middle = pair >> _ROW, pair & _CLASS
                if head > np.uint64(limits[middle]):
                    continue
                earned = units(head, middle, tail, own_heads, own_middles, own_tails)
                if earned >= best_units:
                    setting = pack(head, middle, tail)
                    if earned > best_units or preferred(setting, best, value, head_value):
                        best, best_units = setting, earned
            # keep the heads that may still be better; the most promising comes next
            left, top, highest = 0, 0, -np.inf
            for i in range(count):
                ceiling = ceilings[i]
                if ceiling >= best_units:
                    heads[left], rests[left], ceilings[left] = heads[i], rests[i], ceiling
                    if ceiling > highest:
                        top, highest = left, ceiling
                    left += 1
            count = left
        out[n], out_units[n] = best, best_units


@kernel
def unpack(settings: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Classes (N, 3) of head, middle and tail of packed settings (N,)."""
    out = np.empty((settings.size, 3), np.uint16)
    for n in range(settings.size):
        out[n, 0] = settings[n] & _CLASS
        out[n, 1] = (settings[n] >> _ROW) & _CLASS
        out[n, 2] = settings[n] >> _TAIL
    return out

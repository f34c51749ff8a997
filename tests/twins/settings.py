"""Twins of settings: brute force over all 72,072 splits, and branch and bound over subsets.

Both read their rows from tables made here from the plain keys of `tests.twins.rows`; they share no
code with the package. They are compiled with numba only to be bearable.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numba
import numpy as np

from tests.twins import rows as twin

FIVES = np.array(list(combinations(range(13), 5)))
POWERS = 13 ** np.arange(5)
WEIGHTS = np.array([1 << 26, 1 << 13, 1])  # of three places below 8192


class Rows(NamedTuple):
    """Rows by name: ranks ascending as base-13 digits; ``suited`` for five cards of one suit."""

    order: np.ndarray  # (13**5,) place in the order of legality, 1 the weakest
    suited_order: np.ndarray
    value: np.ndarray  # (13**5,) place in the order of comparison; equal places tie
    suited_value: np.ndarray
    head_order: np.ndarray  # (13**3,)
    head_value: np.ndarray
    limit: np.ndarray  # by order of the middle: greatest head_order that is legal


def _places(keys):
    place = {key: i + 1 for i, key in enumerate(sorted(set(keys)))}
    return [place[key] for key in keys]


def _fixed(key):
    return key[0], tuple(key[1]) if isinstance(key[1], list) else (key[1],)


@lru_cache(maxsize=9)
def row_places(wheel: str, compare: str) -> Rows:
    kinds = []
    for ranks in combinations_with_replacement(range(13), 5):
        name = int(np.dot(ranks, POWERS))
        if max(map(ranks.count, ranks)) < 5:
            kinds.append((name, False, [(r, i % 2) for i, r in enumerate(ranks)]))
        if len(set(ranks)) == 5:
            kinds.append((name, True, [(r, 0) for r in ranks]))
    tables = {n: np.zeros(13**5, np.int64) for n in ("order", "value")}
    suited = {n: np.zeros(13**5, np.int64) for n in ("order", "value")}
    places = {}
    for what, how in (("order", "grouped"), ("value", compare)):
        places[what] = _places([_fixed(twin.key(cards, wheel, how)) for _, _, cards in kinds])
        for (name, one_suit, _), place in zip(kinds, places[what], strict=True):
            (suited if one_suit else tables)[what][name] = place
    heads = [
        (int(np.dot(ranks, POWERS[:3])), [(r, i) for i, r in enumerate(ranks)])
        for ranks in combinations_with_replacement(range(13), 3)
    ]
    head_order, head_value = np.zeros(13**3, np.int64), np.zeros(13**3, np.int64)
    for table, how in ((head_order, "grouped"), (head_value, compare)):
        found = _places([_fixed(twin.key(cards, wheel, how)) for _, cards in heads])
        for (name, _), place in zip(heads, found, strict=True):
            table[name] = place
    by_order = sorted(
        ((head_order[name], cards) for name, cards in heads), key=lambda pair: pair[0]
    )
    limit = np.zeros(max(places["order"]) + 1, np.int64)
    middles = dict(zip(places["order"], (cards for _, _, cards in kinds), strict=True))
    legal = 0
    for order in range(1, limit.size):
        # a stronger middle allows at least the heads that a weaker one does
        while legal < 455 and twin.head_under_middle(by_order[legal][1], middles[order], wheel):
            legal += 1
        limit[order] = legal
    return Rows(
        tables["order"], suited["order"], tables["value"], suited["value"],
        head_order, head_value, limit,
    )  # fmt: skip


@numba.njit(cache=True)
def _rows_of_hand(ranks, suits, fives, rows):
    """Order and value of every five-card subset (by 13-bit mask) and three-card subset."""
    order, value = np.zeros(8192, np.int64), np.zeros(8192, np.int64)
    for i in range(fives.shape[0]):
        name, power, mask = 0, 1, 0
        one_suit = True
        for j in range(5):
            card = fives[i, j]
            name += ranks[card] * power
            power *= 13
            mask |= 1 << card
            one_suit = one_suit and suits[card] == suits[fives[i, 0]]
        order[mask] = rows.suited_order[name] if one_suit else rows.order[name]
        value[mask] = rows.suited_value[name] if one_suit else rows.value[name]
    for a in range(13):
        for b in range(a + 1, 13):
            for c in range(b + 1, 13):
                name = ranks[a] + 13 * ranks[b] + 169 * ranks[c]
                mask = 1 << a | 1 << b | 1 << c
                order[mask], value[mask] = rows.head_order[name], rows.head_value[name]
    return order, value


@numba.njit(cache=True)
def _legal_settings(ranks, suits, fives, rows):
    """Every legal setting: values (tail, middle, head), then orders; of 72,072 splits."""
    order, value = _rows_of_hand(ranks, suits, fives, rows)
    out = np.empty((72072, 6), np.int64)
    count = 0
    for i in range(fives.shape[0]):
        tail = 0
        for j in range(5):
            tail |= 1 << fives[i, j]
        for k in range(fives.shape[0]):
            middle = 0
            for j in range(5):
                middle |= 1 << fives[k, j]
            head = 8191 ^ tail ^ middle
            if tail & middle or order[middle] > order[tail]:
                continue
            if order[head] > rows.limit[order[middle]]:
                continue
            out[count, 0], out[count, 3] = value[tail], order[tail]
            out[count, 1], out[count, 4] = value[middle], order[middle]
            out[count, 2], out[count, 5] = value[head], order[head]
            count += 1
    return out[:count]


@numba.njit(cache=True)
def _undominated(settings):
    """Settings, strongest first, of which none equals or beats another's three values."""
    kept = np.empty_like(settings)
    count = 0
    for i in range(settings.shape[0]):
        dominated = False
        for k in range(count):
            if (
                kept[k, 0] >= settings[i, 0]
                and kept[k, 1] >= settings[i, 1]
                and kept[k, 2] >= settings[i, 2]
            ):
                dominated = True
                break
        if not dominated:
            kept[count] = settings[i]
            count += 1
    return kept[:count]


def legal_settings(codes, wheel, compare):
    """All legal settings of a hand: rows of (tail, middle, head) values, then orders."""
    cards = np.sort(np.asarray(codes, np.int64))
    return _legal_settings(cards // 4, cards % 4, FIVES, row_places(wheel, compare))


def frontier(codes, wheel, compare):
    """Frontier (F, 6) by brute force, strongest first, the strongest orders of equal values."""
    settings = legal_settings(codes, wheel, compare)
    values, orders = settings[:, :3] @ WEIGHTS, settings[:, 3:] @ WEIGHTS
    return _undominated(settings[np.lexsort((orders, values))[::-1]])


def best(codes, wheel, compare, units):
    """Orders (head, middle, tail) of the best setting; ``units`` maps orders (N,) to values."""
    settings = legal_settings(codes, wheel, compare)
    earned = units(settings[:, 5], settings[:, 4], settings[:, 3])
    top = np.unique(settings[earned == earned.max()], axis=0)[-1]
    return top[[5, 4, 3]]


@numba.njit(cache=True)
def _best_of_subsets(size, order, allowed):
    """For every set of cards an upper bound on ``order`` of its subsets of ``size`` cards."""
    bound = np.zeros(8192, np.int64)
    for mask in range(8192):
        if allowed[mask] == size:
            bound[mask] = order[mask]
    for bit in range(13):
        for mask in range(8192):
            if mask >> bit & 1:
                bound[mask] = max(bound[mask], bound[mask ^ (1 << bit)])
    return bound


@numba.njit(cache=True)
def _popcounts():
    out = np.zeros(8192, np.int64)
    for mask in range(1, 8192):
        out[mask] = out[mask >> 1] + (mask & 1)
    return out


@numba.njit(cache=True)
def branch_and_bound(ranks, suits, fives, rows, heads, middles, tails):
    """Best settings (N, 3) of hands given as ranks and suits (N, 13), grouped comparison only.

    Values are indexed by order: ``heads`` (456, 1 + products) and so on, as an objective's. Tails
    are tried from the highest bound down, where the bound gives them the best middle and the best
    head that their other cards hold, whether or not both fit together.
    """
    size = _popcounts()
    out = np.empty((ranks.shape[0], 3), np.int64)
    masks = np.zeros(fives.shape[0], np.int64)
    for i in range(fives.shape[0]):
        for j in range(5):
            masks[i] |= 1 << fives[i, j]
    beside = np.zeros((masks.size, 56), np.int64)
    for i in range(masks.size):
        count = 0
        for k in range(masks.size):
            if masks[i] & masks[k] == 0:
                beside[i, count] = k
                count += 1
    bounds = np.empty(fives.shape[0])
    for n in range(ranks.shape[0]):
        order, _ = _rows_of_hand(ranks[n], suits[n], fives, rows)
        best_row = _best_of_subsets(5, order, size)
        best_head = _best_of_subsets(3, order, size)
        for i in range(masks.size):
            rest = 8191 ^ masks[i]
            middle = min(best_row[rest], order[masks[i]])
            bounds[i] = _units(best_head[rest], middle, order[masks[i]], heads, middles, tails)
        top, found = -np.inf, (0, 0, 0)
        for i in np.argsort(-bounds):
            if bounds[i] < top - 1e-9 * (1 + abs(top)):
                break
            tail = order[masks[i]]
            for k in beside[i]:
                middle, head = order[masks[k]], order[8191 ^ masks[i] ^ masks[k]]
                if middle > tail or head > rows.limit[middle]:
                    continue
                earned = _units(head, middle, tail, heads, middles, tails)
                if earned > top or (earned == top and (tail, middle, head) > found):
                    top, found = earned, (tail, middle, head)
        out[n, 0], out[n, 1], out[n, 2] = found[2], found[1], found[0]
    return out


@numba.njit(cache=True)
def _units(head, middle, tail, heads, middles, tails):
    # rounds as the package does, so that equal settings are equal here
    sums = np.zeros(4)
    sums[0] = heads[head, 0] + middles[middle, 0] + tails[tail, 0]
    for r in range(1, heads.shape[1]):
        sums[(r - 1) % 4] += heads[head, r] * middles[middle, r] * tails[tail, r]
    return (sums[0] + sums[1]) + (sums[2] + sums[3])

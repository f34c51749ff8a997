"""Hands and an objective for the benchmarks of settings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import codes_from_masks
from montecarlo.dealing.dealer import deal_block
from montecarlo.setting.bounds import flush_bounds, head_bounds
from montecarlo.setting.by_objective import best_settings
from montecarlo.setting.compiled_policy import CompiledPolicy
from montecarlo.setting.objective import Objective, lexicographic, objective
from montecarlo.setting.policies import load_policy
from montecarlo.setting.static_tables import SettingTables, setting_tables
from montecarlo.variants import Variant
from tests.twins import settings as twin

ROUNDS = 3


def hands(count: int) -> NDArray[np.uint64]:
    """Return masks (count,) of random hands."""
    return deal_block(7, 0, -(-count // 4)).reshape(-1)[:count].copy()


def taiwan_response(sample: int = 20_000) -> tuple[Objective, SettingTables]:
    """Return an objective as a player of `taiwan` has it, after a few rounds of responses.

    Rows, extras and guns both ways, rows of the opponents taken as independent.
    """
    tables = setting_tables()
    rows, masks = tables.rows, hands(sample)
    extra_head = 1.0 * (rows.head_category == 3)
    extra_middle = np.select([rows.category == k for k in (6, 7, 8)], [1.0, 3.0, 4.0], 0.0)
    extra_tail = np.select([rows.category == k for k in (7, 8)], [2.0, 3.0], 0.0)
    aim = lexicographic(rows)
    for _ in range(ROUNDS):
        found = best_settings(
            masks, aim, head_bounds(aim, tables), flush_bounds(aim, tables), tables
        )
        won = []
        for row, size in enumerate((456, 7463, 7463)):
            share = np.bincount(found[:, row], minlength=size) / sample
            won.append(np.cumsum(share) - share / 2)
        lost = [1 - chance for chance in won]
        own = [
            chance * (1 + extra) - lose
            for chance, extra, lose in zip(
                won, (extra_head, extra_middle, extra_tail), lost, strict=True
            )
        ]
        guns = [(3 * won[0], won[1], won[2]), (-3 * lost[0], lost[1], lost[2])]
        aim = objective(rows, *own, products=guns)
    return aim, tables


def taiwan_equilibrium() -> CompiledPolicy:
    """Return the shipped equilibrium of `taiwan` for four players, compiled."""
    policy = load_policy(Variant.load("taiwan"), "equilibrium", "any", 4).compiled
    assert isinstance(policy, CompiledPolicy)
    return policy


def brute_force(masks: NDArray[np.uint64], aim: Objective) -> list[NDArray[np.int64]]:
    """Find the best setting of each hand by looking at all its 72,072 splits.

    Returns the places of head, middle and tail among all heads and rows.
    """

    def units(
        head: NDArray[np.int64], middle: NDArray[np.int64], tail: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        total = aim.head[head, 0] + aim.middle[middle, 0] + aim.tail[tail, 0]
        for r in range(1, aim.head.shape[1]):
            total = total + aim.head[head, r] * aim.middle[middle, r] * aim.tail[tail, r]
        return np.asarray(total)

    return [twin.best(codes, "second", "grouped", units) for codes in codes_from_masks(masks)]

"""A population of opponents: what is known of their settings, and the objective it makes.

Everything here is linear in the population, so that averages over training rounds are averages of
these arrays (fictitious play: Brown 1951, "Iterative solution of games by fictitious play").
Rows of one hand are dependent; what pays for several rows at once is therefore counted from whole
settings, and what pays against three opponents from whole tables, never as a product of chances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from montecarlo.setting.grids import Grid, row_grid
from montecarlo.setting.low_rank import Factors, low_rank_products
from montecarlo.setting.payoff import Floats, Payoff
from montecarlo.setting.value_tables import ValueTables

Classes = NDArray[np.uint16]

NODES = (12, 20, 20)
MAJORITY_NODES = (24, 40, 40)
WON_RANK, LOST_RANK, MAJORITY_RANK = 4, 5, 6


@dataclass(frozen=True)
class Sample:
    """Settings of three opponents at each of many tables.

    ``classes`` (tables, 3, 3): table, opponent, row; ``ordinary`` (tables, 3): no special.
    """

    classes: Classes
    ordinary: NDArray[np.bool_]


@dataclass(frozen=True)
class Statistics:
    """Sums over a population, each per ordinary opponent; all are linear in the population."""

    arrays: tuple[Floats, ...]

    def mixed_with(self, newer: Statistics, weight: float) -> Statistics:
        """Return the average that gives ``weight`` to ``newer`` and the rest to this."""
        pairs = zip(self.arrays, newer.arrays, strict=True)
        return Statistics(tuple(old + weight * (new - old) for old, new in pairs))


def choose_grid(sample: Sample, payoff: Payoff) -> Grid:
    """Return grids whose nodes follow the sample's quantiles and the categories."""
    classes = sample.classes[sample.ordinary]
    nodes = MAJORITY_NODES if payoff.majority else NODES
    rows = [
        row_grid(
            np.bincount(classes[:, r], minlength=payoff.values[r].size).astype(np.float64),
            payoff.values[r],
            payoff.categories[r],
            nodes[r],
        )
        for r in range(3)
    ]
    return Grid(*rows)


def statistics(sample: Sample, payoff: Payoff, grid: Grid | None) -> Statistics:
    """Count a sample: shares of classes by row, and sums over dominated settings at grid nodes."""
    classes = sample.classes[sample.ordinary]
    hands = len(classes)
    shares = tuple(
        np.bincount(classes[:, r], minlength=payoff.values[r].size) / hands for r in range(3)
    )
    if grid is None:
        return Statistics(shares)
    if payoff.majority:
        return Statistics((*shares, _two_of_three(classes, grid, payoff) / hands))
    won, lost = payoff.ties > 0, payoff.ties < 0
    gun_units = _units_of_all(payoff.gun, payoff.gun_flat, classes)
    beaten = grid.weaker(classes, np.ones(hands), ties=won) / hands
    loss = grid.stronger(classes, gun_units, ties=lost) / hands
    if not payoff.pays_home_run:
        return Statistics((*shares, beaten, loss))
    best, runs, run_units = _home_runs(sample, payoff)
    tables_share = 1 / (len(sample.classes) * (hands / sample.ordinary.size))
    beaten_all = grid.weaker(best, np.ones(len(best)), ties=won) * tables_share
    loss_all = grid.stronger(runs, run_units, ties=lost) * (1 / hands)
    return Statistics((*shares, beaten, loss, beaten_all, loss_all))


def value_tables(stats: Statistics, payoff: Payoff, grid: Grid | None) -> ValueTables:
    """Return the expected units of every setting against a population, none decreasing."""
    rows = [_row_units(stats.arrays[r], r, payoff) for r in range(3)]
    if grid is None:
        places = [np.zeros(units.size) for units in rows]
        factors = [np.zeros((1, 0))] * 3
    else:
        places = [row.place for row in grid]
        factors = _joint_factors(stats, payoff, grid)
    arrays = [array.astype(np.float32) for array in (*rows, *places, *factors)]
    return ValueTables(*arrays)


def _joint_factors(stats: Statistics, payoff: Payoff, grid: Grid) -> list[Floats]:
    """Factors, by row, of what is won and of what is lost (negative) with several rows."""
    if payoff.majority:
        won = payoff.majority * (1 + stats.arrays[3])  # a constant changes no setting
        return list(low_rank_products(won, MAJORITY_RANK, "free"))
    beaten, lost = stats.arrays[3], stats.arrays[4]
    gun = _by_node(payoff.gun, payoff.gun_flat, grid, payoff)
    if not payoff.pays_home_run:
        gains = [_times_units(beaten, gun)]
    else:
        run = _by_node(payoff.home_run, payoff.home_run_flat, grid, payoff)
        beaten_all = stats.arrays[5]
        lost = lost + stats.arrays[6]
        ratio = sum(part.sum() for part in run) / max(sum(part.sum() for part in gun), 1e-300)
        if all(np.allclose(r, ratio * g) for r, g in zip(run, gun, strict=True)):
            gains = [_times_units(beaten + ratio * beaten_all, gun)]
        else:
            gains = [_times_units(beaten, gun), _times_units(beaten_all, run)]
    losses = low_rank_products(np.maximum(lost, 0.0), LOST_RANK, "falling")
    signed = (-losses[0], losses[1], losses[2])
    return [np.concatenate(parts, axis=1) for parts in zip(*gains, signed, strict=True)]


def _times_units(chance: Floats, units: list[Floats]) -> Factors:
    """Factors of (units of head + middle + tail, by node) × a chance that rises with every row.

    The chance alone is smooth and needs few products; the units are exact, jumps included.
    """
    head, middle, tail = low_rank_products(np.maximum(chance, 0.0), WON_RANK, "rising")
    terms = [
        (head * units[0][:, None], middle, tail),
        (head, middle * units[1][:, None], tail),
        (head, middle, tail * units[2][:, None]),
    ]
    paid = [term for term, by_node in zip(terms, units, strict=True) if by_node.any()]
    first, second, third = (np.concatenate(parts, axis=1) for parts in zip(*paid, strict=True))
    return first, second, third


def needs_grid(payoff: Payoff) -> bool:
    """Tell whether something is paid for several rows together."""
    return payoff.majority != 0 or payoff.pays_gun or payoff.pays_home_run


def _row_units(share: Floats, row: int, payoff: Payoff) -> Floats:
    """Expected units of one row by class: won from weaker rows, lost to stronger ones."""
    value = payoff.values[row].astype(np.int64)
    units = payoff.rows[row]
    size = int(value.max()) + 1
    held = np.bincount(value, weights=share, minlength=size)
    costs = np.bincount(value, weights=share * units, minlength=size)
    below = np.cumsum(held) - held
    above = costs.sum() - np.cumsum(costs)
    if payoff.ties > 0:
        below = below + held
    elif payoff.ties < 0:
        above = above + costs
    by_class = below[value] * units - above[value]
    order = np.lexsort((np.arange(value.size), value))
    rising = np.empty_like(by_class)
    by_class[0] = by_class[order[1]]
    rising[order] = np.maximum.accumulate(by_class[order])
    return np.asarray(rising)


def _by_node(
    parts: tuple[Floats, Floats, Floats], flat: float, grid: Grid, payoff: Payoff
) -> list[Floats]:
    """Units that own rows add, by node of each row; what does not vary is the head's."""
    by_row = []
    for r, row in enumerate(grid):
        by_value = np.zeros(int(payoff.values[r].max()) + 1)
        by_value[payoff.values[r]] = parts[r]
        by_row.append(by_value[row.nodes])
    for r in (1, 2):
        flat += float(by_row[r].min())
        by_row[r] = by_row[r] - by_row[r].min()
    by_row[0] = by_row[0] + flat
    return by_row


def _two_of_three(classes: Classes, grid: Grid, payoff: Payoff) -> Floats:
    """Sum at each node of (wins at least two rows) - (loses at least two rows)."""
    ones = np.ones(len(classes))
    won: Floats = grid.beats_at_least_two(classes, ones, ties=payoff.ties > 0)
    lost: Floats = grid.loses_at_least_two(classes, ones, ties=payoff.ties < 0)
    difference: Floats = won - lost
    return difference


def _home_runs(sample: Sample, payoff: Payoff) -> tuple[Classes, Classes, Floats]:
    """Strongest rows of each table of ordinary hands; hands that gun the other two; their units."""
    tables = sample.classes[sample.ordinary.all(axis=1)]
    values = np.stack([payoff.values[r][tables[:, :, r]] for r in range(3)], axis=2)
    strongest = np.argmax(values, axis=1)
    rows = np.arange(len(tables))
    best = np.stack([tables[rows, strongest[:, r], r] for r in range(3)], axis=1)
    runs = []
    for seat in range(3):
        others = [other for other in range(3) if other != seat]
        guns = (values[:, [seat]] > values[:, others]).all(axis=(1, 2))
        runs.append(tables[guns, seat])
    found = np.concatenate(runs)
    return best, found, _units_of_all(payoff.home_run, payoff.home_run_flat, found)


def _units_of_all(parts: tuple[Floats, Floats, Floats], flat: float, classes: Classes) -> Floats:
    """Units (N,) that settings (N, 3) bring with all three rows."""
    units = np.full(len(classes), flat)
    for row, part in enumerate(parts):
        units += part[classes[:, row]]
    return units

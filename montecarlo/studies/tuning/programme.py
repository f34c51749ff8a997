"""The table nearest to the present one that meets the goals: a mixed-integer linear programme.

Points are whole numbers of steps. Two programmes are solved one after the other with HiGHS
(scipy's `milp`): the first makes the largest miss of a goal as small as it can be, the second keeps
that miss and makes the change of the table small: the sum over lines of squares of
(new - present) / max(present, 1), interpolated between some numbers of steps (`KNOTS`), which makes
it piecewise linear. Squares spread a change over many lines instead of heaping it on one.
Edge, flow and rules of points are linear. SD and shares are linearised at the last table and the
programmes solved anew until the table stays (sequential linear programming); then all tables one
or two steps away in one or two lines are tried with the figures as they are.

Sources: Huangfu & Hall (2018), Mathematical Programming Computation 10 (HiGHS); Nocedal & Wright
(2006), Numerical Optimization, 2nd ed., §18 (sequential programming).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from montecarlo.studies.tuning.points import PointTable

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROUNDS = 12
NODES = 5_000
"""Most nodes of branch and bound: a count, not a time, so that results repeat."""

GAP = 1e-4
"""Relative gap to the best table that branch and bound may leave in the change."""

KNOTS = np.array([0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 1e6])
"""Steps away from the present points at which the square of a change is exact."""

ROUNDING = 1e-7


class Function(Protocol):
    """A figure of payout vectors."""

    def values(self, vectors: Floats) -> Floats:
        """Return the figure (N,) of payout vectors (N, payouts)."""

    def gradient(self, v: Floats) -> Floats:
        """Return the derivative (payouts,) at one payout vector."""


@dataclass(frozen=True)
class Demand:
    """One goal as the programme sees it: a figure shall lie within [low, high].

    A miss is measured in units of ``scale``.
    """

    text: str
    function: Function
    low: float
    high: float
    scale: float
    is_linear: bool

    def misses(self, vectors: Floats) -> Floats:
        """Return by how much the figure lies outside (N,), in units of ``scale``, at least 0."""
        values = self.function.values(vectors)
        return np.asarray(np.maximum(np.maximum(self.low - values, values - self.high), 0.0))


@dataclass(frozen=True)
class LinearRule:
    """low ≤ coefficients (free,) · points ≤ high, without slack."""

    text: str
    coefficients: Floats
    low: float
    high: float


@dataclass(frozen=True)
class Programme:
    """A table, what is free in it, and what it shall do."""

    table: PointTable
    steps: Integers
    lowest: Integers
    highest: Integers
    demands: tuple[Demand, ...]
    rules: tuple[LinearRule, ...]


@dataclass(frozen=True)
class Solution:
    """Points (free,), and the largest miss of a demand, in units of its scale."""

    points: NDArray[np.float64]
    miss: float


def nearest_table(programme: Programme) -> Solution | None:
    """Return the best table in whole steps, None when the rules of points leave no table."""
    found = _sequence(programme, whole=True)
    if found is None:
        return None
    if all(demand.is_linear for demand in programme.demands):
        return found
    return _search(programme, found)


def smallest_miss(programme: Programme) -> Solution | None:
    """Return the table of any points, whole or not, that misses least; None without any table."""
    return _sequence(programme, whole=False)


def reachable(programme: Programme, number: int) -> tuple[float, float] | None:
    """Return the least and the greatest value of one linear demand's figure under all the rest.

    The other demands are kept to; None when these alone cannot be met.
    """
    demand = programme.demands[number]
    others = tuple(d for i, d in enumerate(programme.demands) if i != number)
    rest = replace(programme, demands=others)
    found = []
    for sign in (1, -1):
        best = _extreme(rest, demand, sign)
        if best is None:
            return None
        found.append(best)
    return found[0], found[1]


def _extreme(programme: Programme, demand: Demand, sign: int) -> float | None:
    start = programme.table.present.astype(np.float64)
    function = demand.function
    gradient = function.gradient(programme.table.vector(start))
    cost = sign * np.asarray(gradient @ programme.table.directions)
    parts = _linear_parts(programme, start)
    found = _solve(programme, parts, cost, whole=True, slack=0.0)
    if found is None:
        return None
    vectors = programme.table.vector(found)[None, :]
    return float(function.values(vectors)[0])


def _sequence(programme: Programme, whole: bool) -> Solution | None:
    """Solve with figures linearised at the last table until the table stays."""
    points = programme.table.present.astype(np.float64)
    best: Solution | None = None
    seen: set[bytes] = set()
    for _ in range(ROUNDS):
        parts = _linear_parts(programme, points)
        slack = _least_slack(programme, parts, whole)
        if slack is None:
            return None
        solved = _solve(programme, parts, None, whole, slack * (1 + 1e-6) + ROUNDING)
        if solved is None:
            return best
        points = np.rint(solved) if whole else solved
        solution = Solution(points, largest_miss(programme, points))
        if best is None or _order(programme, solution) < _order(programme, best):
            best = solution
        key = np.round(points, 9).tobytes()
        if key in seen or all(demand.is_linear for demand in programme.demands):
            break
        seen.add(key)
    return best


def largest_miss(programme: Programme, points: Floats) -> float:
    """Return the largest miss of a demand at some points, in units of its scale."""
    vectors = programme.table.vector(points)[None, :]
    misses = [float(d.misses(vectors)[0]) / d.scale for d in programme.demands]
    return max([0.0, *misses])


def change_of(programme: Programme, points: Floats) -> Floats:
    """Return how far tables (…, free) are from the present one: the objective."""
    away = np.abs(points - programme.table.present) / programme.steps
    return np.asarray((np.interp(away, KNOTS, KNOTS**2) * _weights(programme)).sum(axis=-1))


def _weights(programme: Programme) -> Floats:
    """Return what the square of one step costs, by line."""
    return np.asarray((programme.steps / np.maximum(programme.table.present, 1)) ** 2)


def _order(programme: Programme, solution: Solution) -> tuple[float, float]:
    return (round(solution.miss, 6), float(change_of(programme, solution.points)))


@dataclass(frozen=True)
class _Parts:
    """Rows · points between low and high; the first ``soft`` rows have slack, by ``scales``."""

    rows: Floats
    low: Floats
    high: Floats
    scales: Floats


def _linear_parts(programme: Programme, points: Floats) -> _Parts:
    v = programme.table.vector(points)
    rows, low, high, scales = [], [], [], []
    for demand in programme.demands:
        function = demand.function
        row = np.asarray(function.gradient(v) @ programme.table.directions)
        constant = float(function.values(v[None, :])[0]) - float(row @ points)
        rows.append(row / demand.scale)
        low.append((demand.low - constant) / demand.scale)
        high.append((demand.high - constant) / demand.scale)
        scales.append(1.0)
    for rule in programme.rules:
        rows.append(rule.coefficients)
        low.append(rule.low)
        high.append(rule.high)
        scales.append(0.0)
    shape = (len(rows), len(points))
    return _Parts(
        np.array(rows, dtype=np.float64).reshape(shape), np.array(low), np.array(high),
        np.array(scales),
    )  # fmt: skip


def _least_slack(programme: Programme, parts: _Parts, whole: bool) -> float | None:
    """Return the smallest largest miss, in units of scale; None without any table."""
    found = _milp(programme, parts, np.zeros(len(programme.table.free)), whole, slack=None)
    return None if found is None else max(float(found[1]), 0.0)


def _solve(
    programme: Programme, parts: _Parts, cost: Floats | None, whole: bool, slack: float
) -> Floats | None:
    """Return the points of least cost (of least change if None) with at most so much slack."""
    found = _milp(programme, parts, cost, whole, slack)
    return None if found is None else found[0]


def _milp(
    programme: Programme, parts: _Parts, cost: Floats | None, whole: bool, slack: float | None
) -> tuple[Floats, float] | None:
    """Solve one programme: variables are steps, changes (squares), and the slack."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    table, steps = programme.table, programme.steps.astype(np.float64)
    size = len(table.free)
    if slack is None:
        objective = np.concatenate([np.zeros(2 * size), [1.0]])
    elif cost is None:
        objective = np.concatenate([np.zeros(size), _weights(programme), [0.0]])
    else:
        objective = np.concatenate([cost * steps, np.zeros(size), [0.0]])
    scaled = parts.rows * steps
    zeros = np.zeros_like(scaled)
    column = parts.scales[:, None]
    identity = np.eye(size)
    constraints = [
        # rows ≥ low - slack, rows ≤ high + slack
        LinearConstraint(np.hstack([scaled, zeros, column]), parts.low, np.inf),
        LinearConstraint(np.hstack([scaled, zeros, -column]), -np.inf, parts.high),
    ]
    start = table.present / steps
    for left, right in pairwise(KNOTS):
        # the square of |numbers - start| lies above each of its chords
        slope, height = left + right, -left * right
        for sign in (1, -1):
            row = np.hstack([sign * slope * identity, -identity, np.zeros((size, 1))])
            constraints.append(LinearConstraint(row, -np.inf, sign * slope * start - height))
    if not len(scaled):
        constraints = constraints[2:]
    low = np.concatenate([np.ceil(programme.lowest / steps), np.zeros(size + 1)])
    high = np.concatenate(
        [np.floor(programme.highest / steps), np.full(size, np.inf),
         [np.inf if slack is None else slack]]
    )  # fmt: skip
    if not whole:
        low[:size], high[:size] = programme.lowest / steps, programme.highest / steps
    if (low > high).any():
        return None
    kinds = np.concatenate([np.full(size, int(whole)), np.zeros(size + 1)])
    found = milp(
        objective, constraints=constraints, bounds=Bounds(low, high), integrality=kinds,
        options={"node_limit": NODES, "mip_rel_gap": GAP},
    )  # fmt: skip
    if found.x is None:
        return None
    numbers = np.rint(found.x[:size]) if whole else found.x[:size]
    return numbers * steps, float(found.x[-1])


def _search(programme: Programme, start: Solution) -> Solution:
    """Try all tables one or two steps away in one or two lines, until none is better."""
    best = start
    size = len(programme.table.free)
    moves = [np.zeros(size)]
    for column in range(size):
        for count in (-2, -1, 1, 2):
            move = np.zeros(size)
            move[column] = count * programme.steps[column]
            moves.append(move)
    single = moves[1:]
    moves += [
        one + other
        for one, other in combinations(single, 2)
        if not (one.astype(bool) & other.astype(bool)).any()
    ]
    all_moves = np.array(moves)
    for _ in range(ROUNDS):
        tables = best.points + all_moves
        tables = tables[_allowed(programme, tables)]
        if not len(tables):
            return best
        change = tables - programme.table.present
        vectors = programme.table.vector(programme.table.present) + (
            change @ programme.table.directions.T
        )
        misses = np.max([d.misses(vectors) / d.scale for d in programme.demands], axis=0)
        place = np.lexsort((change_of(programme, tables), np.round(misses, 6)))[0]
        found = Solution(tables[place], float(misses[place]))
        if _order(programme, found) >= _order(programme, best):
            return best
        best = found
    return best


def _allowed(programme: Programme, tables: Floats) -> NDArray[np.bool_]:
    """Tell which tables (N, free) keep bounds and rules of points."""
    inside = (tables >= programme.lowest).all(axis=1) & (tables <= programme.highest).all(axis=1)
    for rule in programme.rules:
        values = tables @ rule.coefficients
        inside &= (values >= rule.low - 1e-9) & (values <= rule.high + 1e-9)
    return np.asarray(inside)

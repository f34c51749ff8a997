"""What a tuning is asked for, checked: free lines, steps, bounds, goals, and as a programme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput
from montecarlo.studies.moments import Moments
from montecarlo.studies.tuning.fair_value import FairValue
from montecarlo.studies.tuning.figures import LINEAR, Figure, estimate
from montecarlo.studies.tuning.goals import Fair, Goal, Goals, PointRule, read_goals
from montecarlo.studies.tuning.points import (
    PointTable,
    free_points,
    matching_points,
    points_of,
)
from montecarlo.studies.tuning.programme import Demand, LinearRule, Programme
from montecarlo.variants.schema import Variant

HIGHEST = 100
"""Points are kept to this, or twice the highest present ones, where no --max says otherwise."""

TOLERANCE = 0.25
"""How near a figure has to come to its goal: so much of the error of the check to come."""

Floats = NDArray[np.float64]
FairOf = Callable[[Fair], FairValue]


@dataclass(frozen=True)
class Request:
    """A tuning as it was asked for."""

    table: PointTable
    goals: Goals
    steps: tuple[int, ...]
    lowest: tuple[int, ...]
    highest: tuple[int, ...]
    bounds: tuple[str, ...]
    """The bounds in words, for messages."""

    @property
    def variant(self) -> Variant:
        """The variant as it is before."""
        return self.table.variant


def read_request(
    variant: Variant,
    goals: Iterable[str],
    free: Iterable[str],
    *,
    steps: Sequence[str] = (),
    lowest: Sequence[str] = (),
    highest: Sequence[str] = (),
) -> Request:
    """Check a request; BadInput says what is wrong in one line.

    ``steps``, ``lowest`` and ``highest`` are ``NUMBER`` for all free lines or ``PATTERN=NUMBER``.
    """
    wanted = read_goals(variant, goals)
    table = free_points(variant, free)
    top = max(HIGHEST, 2 * int(table.present.max()))
    for rule in wanted.rules:
        if not any(name in table.free for name, _ in rule.coefficients) and not _holds(
            rule, points_of(variant)
        ):
            named = ", ".join(name for name, _ in rule.coefficients)
            raise BadInput(f"goal '{rule.text}' is about {named}, which is not free: --free it")
    for fair in wanted.fair:
        if fair.special not in table.free:
            raise BadInput(f"goal '{fair.text}': {fair.special} is not free: --free {fair.special}")
    request = Request(
        table,
        wanted,
        _by_line(table, "--step", steps, 1, 1),
        _by_line(table, "--min", lowest, 0, 0),
        _by_line(table, "--max", highest, top, 0),
        tuple(f"--min {word}" for word in lowest)
        + tuple(f"--max {word}" for word in highest or [f"{top} (as none was given)"]),
    )
    for name, low, high in zip(table.free, request.lowest, request.highest, strict=True):
        if low > high:
            raise BadInput(f"{name}: --min {low} is above --max {high}")
    return request


def programme_of(request: Request, moments: Moments, fair_of: FairOf, deals: int) -> Programme:
    """Return the programme of a request under the settings that were counted.

    ``deals`` is the size of the check to come: it sets how near a figure has to come.
    """
    table = request.table
    v = table.vector(table.present)
    demands = [_demand(goal, moments, v, deals) for goal in request.goals.figures]
    for fair in request.goals.fair:
        value = fair_of(fair)
        # within half a step of the fair points, as no whole number of steps comes nearer
        step = request.steps[table.free.index(fair.special)]
        half = abs(float(value.mean[value.place])) * step / 2
        demands.append(Demand(fair.text, value, -half, half, half, True))
    return Programme(
        table,
        np.array(request.steps, np.int64),
        np.array(request.lowest, np.int64),
        np.array(request.highest, np.int64),
        tuple(demands),
        tuple(_rule(rule, table) for rule in request.goals.rules),
    )


def _demand(goal: Goal, moments: Moments, v: Floats, deals: int) -> Demand:
    assert goal.target is not None
    figure = Figure(moments, goal.measure)
    found = estimate(moments, goal.measure, v)
    se = found.se * (moments.deals / deals) ** 0.5
    tolerance = TOLERANCE * se if se > 0 and np.isfinite(se) else 1e-9 * max(1.0, abs(goal.target))
    low = goal.target - tolerance if goal.relation == "=" else goal.target
    high = goal.target + tolerance if goal.relation == "=" else goal.target
    if goal.relation == "<=":
        low = -np.inf
    if goal.relation == ">=":
        high = np.inf
    return Demand(goal.text, figure, low, high, tolerance, goal.measure.kind in LINEAR)


def _rule(rule: PointRule, table: PointTable) -> LinearRule:
    """Return a rule of points over the free ones; what is not free keeps its present points."""
    present, places = points_of(table.variant), {n: i for i, n in enumerate(table.free)}
    row, constant = np.zeros(len(places)), rule.constant
    for name, scale in rule.coefficients:
        if name in places:
            row[places[name]] += scale
        else:
            constant -= scale * present[name]
    low = constant if rule.relation in ("=", ">=") else -np.inf
    high = constant if rule.relation in ("=", "<=") else np.inf
    return LinearRule(rule.text, row, low, high)


def _holds(rule: PointRule, points: dict[str, int]) -> bool:
    value = sum(scale * points[name] for name, scale in rule.coefficients) - rule.constant
    return {"=": value == 0, "<=": value <= 0, ">=": value >= 0}[rule.relation]


def _by_line(
    table: PointTable, option: str, words: Sequence[str], default: int, least: int
) -> tuple[int, ...]:
    found = dict.fromkeys(table.free, default)
    for word in words:
        pattern, equals, number = word.rpartition("=")
        pattern = pattern.strip() if equals else "*"
        try:
            value = int(number)
        except ValueError:
            raise BadInput(
                f"{option} '{word}': points are whole numbers: write {option} 2, or "
                f"{option} special.*=2"
            ) from None
        if not least <= value <= 1_000_000:
            raise BadInput(f"{option} '{word}': must be {least} to 1000000")
        names = set(matching_points(table.variant, pattern)) if equals else set(table.free)
        for name in table.free:
            if name in names:
                found[name] = value
    return tuple(found.values())

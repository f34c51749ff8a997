"""Goals of precision: ``se(flow.gun) < 0.002 and width(special.dragon) < 1e-7``.

``se(X)`` is the standard error of a statistic, ``width(X)`` the whole width of its 95 % interval,
``rel(X)`` its standard error relative to its value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from montecarlo.errors import BadInput, nearest
from montecarlo.studies.named_statistics import (
    Figures,
    Measured,
    Simulated,
    Statistic,
    find_statistic,
)

_TERM = re.compile(r"\s*(\w+)\s*\(\s*([^()\s]+)\s*\)\s*(<=?)\s*(\S+)\s*")
_EXAMPLE = 'write "se(edge) < 0.001", several joined by and'

MEASURES: dict[str, Callable[[Measured], float]] = {
    "se": lambda m: m.estimate.se,
    "width": lambda m: m.interval.high - m.interval.low,
    "rel": lambda m: m.estimate.relative_error,
}


@dataclass(frozen=True)
class Goal:
    """One measure of one statistic that shall fall below a limit."""

    measure: str
    statistic: Statistic
    limit: float
    text: str

    def value(self, figures: Figures) -> float:
        """Return what the measure is now; infinite while it is not known."""
        return MEASURES[self.measure](self.statistic.read(figures))

    def is_met(self, figures: Figures) -> bool:
        """Tell whether the measure is below its limit."""
        return self.value(figures) < self.limit


@dataclass(frozen=True)
class Goals:
    """Goals that shall all be met."""

    parts: tuple[Goal, ...]

    def __str__(self) -> str:
        return " and ".join(goal.text for goal in self.parts)

    def are_met(self, figures: Figures) -> bool:
        """Tell whether each is met."""
        return all(goal.is_met(figures) for goal in self.parts)

    def progress(self, figures: Figures) -> list[dict[str, Any]]:
        """Return where each stands, as JSON data."""
        rows = []
        for goal in self.parts:
            value = goal.value(figures)
            known = value if value < float("inf") else None
            rows.append({"goal": goal.text, "value": known, "reached": goal.is_met(figures)})
        return rows


def read_goals(text: str, experiment: Simulated) -> Goals:
    """Read goals for an experiment.

    Raises BadInput, in one line, for words that are no goal (with the nearest right name), for a
    statistic that is null in this experiment, and for a limit that cannot be reached, with why.
    """
    return Goals(tuple(_goal(part, experiment) for part in re.split(r"\band\b", text)))


def _goal(text: str, experiment: Simulated) -> Goal:
    match = _TERM.fullmatch(text)
    if match is None:
        raise BadInput(f"'{text.strip()}' is no goal: {_EXAMPLE}")
    measure, name, sign, number = match.groups()
    if measure not in MEASURES:
        raise BadInput(
            f"no measure '{measure}'{nearest(measure, MEASURES)} (known: {', '.join(MEASURES)})"
        )
    statistic = find_statistic(experiment, name)
    try:
        limit = float(number)
    except ValueError:
        raise BadInput(f"'{number}' is no number: {_EXAMPLE}") from None
    written = f"{measure}({name}) < {number}"
    if sign == "<=":
        raise BadInput(f"a goal is met below its limit: write {written}")
    if not limit > 0:
        raise BadInput(
            f"{written} cannot be reached: after any number of deals {_WHAT[measure]} is above 0"
        )
    if measure == "rel" and statistic.is_zero:
        raise BadInput(
            f"{written} cannot be reached: {name} is 0 by the symmetry of the seats, and no error "
            f"is small beside 0; write se({name}) < …"
        )
    return Goal(measure, statistic, limit, written)


_WHAT = {"se": "a standard error", "width": "an interval's width", "rel": "a relative error"}

"""What a tuning found: the table, figures before and after, and the independent check."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.intervals import Interval
from montecarlo.studies.results import Result
from montecarlo.variants.schema import Variant


@dataclass(frozen=True)
class Checked:
    """One goal in the check: the figure on fresh deals, its interval, and whether it holds."""

    goal: str
    target: float | None
    value: float
    se: float
    ci95: Interval
    met: bool

    def to_data(self) -> dict[str, Any]:
        """Return JSON data."""
        return {
            "goal": self.goal, "target": self.target, **_data(Estimate(self.value, self.se, 0)),
            "ci95": bounds(self.ci95), "met": self.met,
        }  # fmt: skip


@dataclass(frozen=True)
class Check:
    """A table played anew on a seed that no decision has seen."""

    seed: int
    deals: int
    goals: tuple[Checked, ...]

    @property
    def met(self) -> bool:
        """Tell whether every goal holds."""
        return all(goal.met for goal in self.goals)

    def to_data(self) -> dict[str, Any]:
        """Return JSON data; ``value`` and ``ci95`` are those of the first goal on a figure."""
        first = self.goals[0] if self.goals else None
        return {
            "seed": self.seed,
            "deals": self.deals,
            "value": first.value if first else None,
            "ci95": bounds(first.ci95) if first else None,
            "goals": [goal.to_data() for goal in self.goals],
        }


@dataclass(frozen=True)
class Points:
    """One free line of the table before and after."""

    name: str
    before: int
    after: int


@dataclass(frozen=True)
class TuningResult(Result):
    """A payout table that was made to meet goals, and the proof."""

    variant: Variant
    tuned: Variant
    goal: str
    players: int
    points: tuple[Points, ...]
    before: dict[str, Estimate]
    after: dict[str, Estimate]
    lines: dict[str, tuple[Estimate, Estimate]]
    """flow a deal of each line, before and after"""
    checks: tuple[Check, ...]
    """the last one judges; earlier ones did not hold and led to a correction"""
    retrained: bool
    """whether players had to respond: False where the change asks for no other settings"""
    seed: int
    toml: str | None
    text: str
    """the tuned rule file"""

    @property
    def check(self) -> Check:
        """The check that judges the table."""
        return self.checks[-1]

    @property
    def met(self) -> bool:
        """Tell whether every goal holds in the last check."""
        return self.check.met

    def to_data(self) -> dict[str, Any]:
        """Return the ``tune`` shape of design.md."""
        return {
            "variant": self.variant.id,
            "goal": self.goal,
            "met": self.met,
            "before": {name: _data(found) for name, found in self.before.items()},
            "after": {name: _data(found) for name, found in self.after.items()},
            "check": self.check.to_data(),
            "payouts": {line.name: line.after for line in self.points},
            "toml": self.toml,
            "payouts_before": {line.name: line.before for line in self.points},
            "lines": {
                line: {"before": _data(one), "after": _data(two)}
                for line, (one, two) in self.lines.items()
            },
            "players": self.players,
            "seed": self.seed,
            "retrained": self.retrained,
            "earlier_checks": [check.to_data() for check in self.checks[:-1]],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a free line."""
        return [{"line": p.name, "before": p.before, "after": p.after} for p in self.points]


def bounds(interval: Interval) -> list[float | None]:
    """Return an interval as JSON data: None for a bound that is not known."""
    return [bound if math.isfinite(bound) else None for bound in interval]


def _data(found: Estimate) -> dict[str, float | None]:
    return {"value": found.value, "se": found.se if math.isfinite(found.se) else None}

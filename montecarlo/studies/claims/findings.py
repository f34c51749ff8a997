"""What a computation returns: the value of each published figure, and how it was checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from montecarlo.statistics.intervals import Interval

Verdict = Literal["confirmed", "refuted", "undecided"]


@dataclass(frozen=True)
class Check:
    """A second way to the same number; ``se`` is 0 for an exact one."""

    method: str
    value: Fraction | float
    se: float = 0.0

    def to_data(self) -> dict[str, Any]:
        """Return the check as JSON data."""
        return {"method": self.method, "value": float(self.value), "se": self.se}


@dataclass(frozen=True)
class Finding:
    """The answer to a claim, before it is judged."""

    values: tuple[Fraction | int | float | str, ...]
    """One a figure, in the figure's unit; a row category's name, a text."""
    why: str
    """One or two sentences; figures in them are formatted from computed values."""
    intervals: tuple[Interval | None, ...] = ()
    """95 % intervals of simulated values, None for exact ones; may be left out if all are exact."""
    verdict: Verdict | None = None
    """Only where the figures are texts; numbers are judged by `judgement`."""
    slip: str | None = None
    """The mistake that reproduces the published figure, if one was found."""
    checks: tuple[Check, ...] = ()
    """Other ways to the FIRST value, in its unit."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further computed figures, as JSON data."""

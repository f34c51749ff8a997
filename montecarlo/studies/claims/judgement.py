"""From a claimed and a computed value to a verdict, by one rule for all claims.

An exact value confirms a figure that it rounds to, at the digits the figure was quoted with, and
refutes it otherwise. A simulated value refutes a figure whose whole rounding range lies outside
the 95 % interval; it confirms one inside it if the interval is narrower than a tenth of the value;
else the figure stays undecided. A figure with ``at_least`` or ``at_most`` is judged on that side.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from montecarlo.errors import BadInput
from montecarlo.statistics.intervals import Interval
from montecarlo.studies.claims.findings import Finding, Verdict
from montecarlo.studies.claims.schema import Claim, Figure
from montecarlo.variants.schema import CATEGORIES, CATEGORIES_ZH

WIDEST_RELATIVE_INTERVAL = 0.1

Value = Fraction | int | float | str


@dataclass(frozen=True)
class JudgedFigure:
    """One figure of a claim beside its computed value."""

    figure: Figure
    value: Value
    ci95: Interval | None
    verdict: Verdict
    factor: float | None
    """How far off a refuted figure is: the larger of claimed and computed over the smaller."""

    @property
    def claimed(self) -> str:
        """The published figure for people."""
        figure = self.figure
        value = figure.number if figure.is_number else figure.value
        return _RELATIONS[figure.relation] + format_value(value, figure.unit, figure.decimals)

    @property
    def computed(self) -> str:
        """The computed value for people, with two digits more than were quoted if not whole."""
        return format_value(self.value, self.figure.unit, self.figure.decimals + 2)

    def to_data(self) -> dict[str, Any]:
        """Return the figure as JSON data: plain numbers, and the exact value as text."""
        figure = self.figure
        return {
            "name": figure.name,
            "unit": figure.unit,
            "relation": figure.relation,
            "claimed": _plain(figure.number) if figure.is_number else figure.value,
            "computed": _plain(self.value),
            "exact": str(self.value) if isinstance(self.value, (int, Fraction)) else None,
            "ci95": list(self.ci95) if self.ci95 else None,
            "factor": self.factor,
            "verdict": self.verdict,
        }


def judge(claim: Claim, finding: Finding) -> tuple[JudgedFigure, ...]:
    """Judge every figure of a claim; raises BadInput when the file has more or fewer figures."""
    if len(finding.values) != len(claim.figures):
        raise BadInput(
            f"claim {claim.id}: {len(claim.figures)} figures, but computation "
            f"'{claim.computation}' answers {len(finding.values)}"
        )
    intervals = finding.intervals or (None,) * len(finding.values)
    judged = []
    for figure, value, interval in zip(claim.figures, finding.values, intervals, strict=True):
        verdict = finding.verdict or _verdict(figure, value, interval)
        factor = _factor(figure, value) if verdict == "refuted" else None
        judged.append(JudgedFigure(figure, value, interval, verdict, factor))
    return tuple(judged)


def overall(figures: tuple[JudgedFigure, ...]) -> Verdict:
    """Return the verdict on a claim: refuted if any figure is, confirmed if all are."""
    verdicts = {judged.verdict for judged in figures}
    if "refuted" in verdicts:
        return "refuted"
    return "undecided" if "undecided" in verdicts else "confirmed"


def rounds_to(figure: Figure, value: Fraction) -> bool:
    """Tell whether ``value``, at the digits the figure was quoted with, is the figure."""
    return abs(value - figure.number) <= figure.half_step


def format_value(value: Value, unit: str, decimals: int) -> str:
    """Write a value in its unit for people; whole numbers and large odds without decimals."""
    if unit == "category":
        return f"{str(value).replace('_', ' ')} {CATEGORIES_ZH[str(value)]}"
    if isinstance(value, str):
        return value
    whole = value == int(value) if unit != "percent" else False
    if whole or (unit == "one_in" and value >= 100 and decimals <= 2):
        text = f"{round(value):,}"
    else:
        text = f"{float(value):,.{decimals}f}"
    return _PATTERNS.get(unit, "{}").format(text)


_PATTERNS = {"one_in": "1 in {}", "percent": "{} %", "units": "{} units", "points": "{} points",
             "coins": "{} coins"}  # fmt: skip
_RELATIONS = {"equal": "", "at_least": "at least ", "at_most": "at most "}


def _number(figure: Figure, value: Value) -> Fraction:
    return Fraction(CATEGORIES.index(str(value))) if figure.unit == "category" else Fraction(value)


def _verdict(figure: Figure, value: Value, interval: Interval | None) -> Verdict:
    if figure.unit == "text":
        raise BadInput(f"a figure in words ('{figure.value}') needs a verdict of its computation")
    claimed, slack = figure.number, figure.half_step
    number = _number(figure, value)
    low, high = (Fraction(interval.low), Fraction(interval.high)) if interval else (number, number)
    outside = {
        "equal": claimed + slack < low or claimed - slack > high,
        "at_least": high < claimed - slack,
        "at_most": low > claimed + slack,
    }[figure.relation]
    if outside:
        return "refuted"
    settled = {
        "equal": high - low <= WIDEST_RELATIVE_INTERVAL * abs(float(number)),
        "at_least": low >= claimed - slack,
        "at_most": high <= claimed + slack,
    }[figure.relation]
    return "confirmed" if settled else "undecided"


def _factor(figure: Figure, value: Value) -> float | None:
    if not figure.is_number or isinstance(value, str) or not value or not figure.number:
        return None
    ratio = float(abs(figure.number / Fraction(value)))
    return max(ratio, 1 / ratio)


def _plain(value: Value) -> int | float | str:
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value

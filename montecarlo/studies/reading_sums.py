"""Estimates from readings that played the same deals: contrasts of edge, SD and flow.

Errors come from totals a deal. The SD is no mean: its error is that of its linear part,
√V ≈ √v + (V - v) / 2√v with V = E[x²] - E[x]², so that what readings share a deal cancels.

Source: delta method, Cochran (1977), Sampling Techniques, 3rd ed., §6.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from montecarlo.simulation.readings import MEASURES, PRODUCTS, ReadingsExperiment
from montecarlo.simulation.tallies import Tally
from montecarlo.statistics.clustered import Estimate, PowerSums

FIGURES = ("edge", "sd", "flow")
"""Units of the banker a deal; standard deviation of a seat's (the banker's) units; units that
change hands a deal."""

Weights = Mapping[int, Fraction | int]
"""What each arm counts in a contrast."""


@dataclass(frozen=True)
class ReadingSums:
    """The tally of a `ReadingsExperiment`, read as estimates; arms are named by their place."""

    deals: int
    banker: bool
    players: int
    sums: Mapping[tuple[int, str], int]
    products: Mapping[tuple[int, str, int, str], int]
    changed: tuple[int, ...]

    @classmethod
    def of(cls, experiment: ReadingsExperiment, tally: Tally) -> ReadingSums:
        """Read a tally."""
        count = len(MEASURES)
        sums = {
            (place // count, MEASURES[place % count]): value
            for place, value in enumerate(tally.integers("sums"))
        }
        products: dict[tuple[int, str, int, str], int] = {}
        values = iter(tally.integers("products"))
        for one, other in experiment.together:
            for a, b in PRODUCTS:
                value = next(values)
                products[one, a, other, b] = products[other, b, one, a] = value
        return cls(
            tally.deals, experiment.arms[0].variant.banker, experiment.players, sums, products,
            tuple(tally.integers("changed")),
        )  # fmt: skip

    def contrast(self, figure: str, weights: Weights) -> Estimate:
        """Estimate Σ weight · (figure of the arm), each arm being summed together with the others.

        Raises KeyError for arms whose products were not summed.
        """
        found = self.linear(
            {
                (arm, measure): Fraction(weight) * slope
                for arm, weight in weights.items()
                for measure, slope in self.slopes(figure, arm).items()
            }
        )
        if figure != "sd":
            return found
        return replace(found, value=sum(float(w) * self.sd(arm) for arm, w in weights.items()))

    def mean(self, arm: int, measure: str) -> Fraction:
        """Return the exact mean of a measure."""
        return Fraction(self.sums[arm, measure], self.deals)

    def sd(self, arm: int) -> float:
        """Return the standard deviation of a seat's units (the banker's in banker games).

        In games of all pairs the seats are alike: the mean is 0, and all of them are looked at.
        """
        squares = self.mean(arm, "squares")
        if self.banker:
            return math.sqrt(squares - self.mean(arm, "units") ** 2)
        return math.sqrt(squares / self.players)

    def slopes(self, figure: str, arm: int) -> dict[str, Fraction]:
        """Return what a figure gains by each measure's mean; nothing for an SD of 0."""
        if figure != "sd":
            return {"units" if figure == "edge" else "flow": Fraction(1)}
        sd = Fraction(self.sd(arm))
        if sd == 0:
            return {}
        if self.banker:
            return {"squares": 1 / (2 * sd), "units": -self.mean(arm, "units") / sd}
        return {"squares": 1 / (2 * sd * self.players)}

    def linear(self, weights: Mapping[tuple[int, str], Fraction]) -> Estimate:
        """Estimate Σ weight · (mean of an arm's measure)."""
        first = sum((w * self.sums[place] for place, w in weights.items()), start=Fraction(0))
        second = sum(
            (
                v * w * self.products[(*one, *other)]
                for one, v in weights.items()
                for other, w in weights.items()
            ),
            start=Fraction(0),
        )
        return PowerSums(self.deals, first, second).estimate()

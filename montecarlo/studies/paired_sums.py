"""Estimates from arms that played the same deals; every error comes from totals a deal, exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from montecarlo.simulation.paired import MEASURES, PairedExperiment
from montecarlo.simulation.tallies import Tally
from montecarlo.statistics.clustered import Estimate, PowerSums

Weights = Mapping[int, Fraction | int]
"""What each measured number (by its place in the tally's sums) counts in a linear combination."""


@dataclass(frozen=True)
class PairedSums:
    """The tally of a `PairedExperiment`, read as estimates; arms are named by their place."""

    deals: int
    plays: int
    sums: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]
    squares: tuple[int, ...]

    @classmethod
    def of(cls, experiment: PairedExperiment, tally: Tally) -> PairedSums:
        """Read a tally."""
        sums, products = tally.integers("sums"), tally.integers("products")
        size = len(sums)
        rows = tuple(tuple(products[i * size : (i + 1) * size]) for i in range(size))
        squares = tuple(tally.integers("squares"))
        return cls(tally.deals, experiment.plays, tuple(sums), rows, squares)

    def mean(self, arm: int, measure: str = "units") -> Estimate:
        """Estimate an arm's mean of a measure in one play."""
        return self._combination({_place(arm, measure): Fraction(1, self.plays)})

    def contrast(self, weights: Mapping[int, Fraction | int], measure: str = "units") -> Estimate:
        """Estimate Σ weight · (mean of the arm) in one play; what arms share cancels in the error.

        ``weights``: by arm.
        """
        return self._combination(
            {_place(arm, measure): Fraction(w) / self.plays for arm, w in weights.items()}
        )

    def difference(self, first: int, second: int, measure: str = "units") -> Estimate:
        """Estimate the mean of ``first`` less that of ``second`` in one play."""
        return self.contrast({first: 1, second: -1}, measure)

    def gun_rate(self, arm: int) -> Estimate | None:
        """Estimate guns per settled pair of ordinary hands; None where no rows are compared."""
        ratio, influence = self._gun_ratio(arm)
        if ratio is None:
            return None
        return Estimate(float(ratio), self._combination(influence).se, self.deals)

    def gun_rate_difference(self, first: int, second: int) -> Estimate | None:
        """Estimate the difference of two arms' gun rates, with the error of paired ratios.

        Source: linearised ratios, Cochran (1977), Sampling Techniques, 3rd ed., §6.3 and §6.19.
        """
        one, influence = self._gun_ratio(first)
        other, influence_other = self._gun_ratio(second)
        if one is None or other is None:
            return None
        both = dict(influence)
        for place, weight in influence_other.items():
            both[place] = both.get(place, Fraction(0)) - weight
        return Estimate(float(one - other), self._combination(both).se, self.deals)

    def sd(self, arm: int) -> float:
        """Return the standard deviation of seat 0's units in one play."""
        plays = self.deals * self.plays
        mean = Fraction(self.sums[_place(arm, "units")], plays)
        return math.sqrt(Fraction(self.squares[arm], plays) - mean**2)

    def correlation(self, first: int, second: int) -> float:
        """Return the correlation of two arms' units a deal; 0 where one of them never varies."""
        i, j = _place(first, "units"), _place(second, "units")
        spread = self._covariance(i, i) * self._covariance(j, j)
        return float(self._covariance(i, j)) / math.sqrt(spread) if spread else 0.0

    def _covariance(self, i: int, j: int) -> Fraction:
        return self.products[i][j] - Fraction(self.sums[i] * self.sums[j], self.deals)

    def _combination(self, weights: Weights) -> Estimate:
        first = sum((w * self.sums[i] for i, w in weights.items()), start=Fraction(0))
        second = sum(
            (v * w * self.products[i][j] for i, v in weights.items() for j, w in weights.items()),
            start=Fraction(0),
        )
        return PowerSums(self.deals, first, second).estimate()

    def _gun_ratio(self, arm: int) -> tuple[Fraction | None, dict[int, Fraction]]:
        """Return guns / pairs, and each measure's weight in what a deal adds to it (times n)."""
        guns, pairs = _place(arm, "guns"), _place(arm, "ordinary_pairs")
        if self.sums[pairs] == 0:
            return None, {}
        ratio = Fraction(self.sums[guns], self.sums[pairs])
        scale = Fraction(self.deals, self.sums[pairs])
        return ratio, {guns: scale, pairs: -ratio * scale}


def _place(arm: int, measure: str) -> int:
    return arm * len(MEASURES) + MEASURES.index(measure)

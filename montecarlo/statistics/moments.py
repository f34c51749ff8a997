"""Exact first and second moments of several totals a deal, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from montecarlo.errors import BadInput
from montecarlo.statistics.clustered import PairSums, PowerSums


@dataclass(frozen=True)
class Moments:
    """Σ x_i (``sums``) and Σ x_i x_j (``products``) over ``n`` deals, Python integers."""

    names: tuple[str, ...]
    n: int
    sums: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]

    def power(self, name: str) -> PowerSums:
        """Return the sums of one total (its Σx³ is not known and left 0)."""
        i = self._place(name)
        return PowerSums(self.n, self.sums[i], self.products[i][i])

    def pair(self, x: str, y: str) -> PairSums:
        """Return the sums of two totals."""
        i, j = self._place(x), self._place(y)
        return PairSums(
            self.n, self.sums[i], self.sums[j], self.products[i][i], self.products[i][j],
            self.products[j][j],
        )  # fmt: skip

    def combination(self, weights: Mapping[str, int | float | Fraction]) -> PowerSums:
        """Return the sums of a weighted sum of totals, exact for the weights as they are given."""
        exact = {self._place(name): Fraction(weight) for name, weight in weights.items()}
        first = sum((w * self.sums[i] for i, w in exact.items()), start=Fraction(0))
        second = sum(
            (w * v * self.products[i][j] for i, w in exact.items() for j, v in exact.items()),
            start=Fraction(0),
        )
        return PowerSums(self.n, first, second)

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise BadInput(f"'{name}' was not measured: {', '.join(self.names)}")
        return self.names.index(name)

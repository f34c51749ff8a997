"""The sum of n independent whole numbers of a counted distribution, exactly as counted.

The distribution of the sum is the n-fold convolution, taken as a power of the characteristic
function at the roots of unity of a cycle so long that what wraps around it is below `NEGLIGIBLE`.

Sources: Klugman, Panjer & Willmot (2012), Loss Models, 4th ed., §9.6 (Fourier inversion);
Bernstein's inequality as in Boucheron, Lugosi & Massart (2013), Concentration Inequalities, §2.8.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput

Floats = NDArray[np.float64]

NEGLIGIBLE = 1e-12
"""Probability that may be lost at either end."""

MOST_PLACES = 1 << 23
"""Places of the cycle, at most: 64 megabytes of doubles."""


@dataclass(frozen=True, eq=False)
class SumDistribution:
    """Probabilities ``p`` of the whole numbers from ``lowest`` on."""

    lowest: int
    p: Floats

    def above(self, value: int) -> float:
        """Return the probability of more than ``value``."""
        return min(float(self.p[max(value + 1 - self.lowest, 0) :].sum()), 1.0)

    def below(self, value: int) -> float:
        """Return the probability of less than ``value``."""
        return min(float(self.p[: max(value - self.lowest, 0)].sum()), 1.0)

    def between(self, low: float, high: float) -> float:
        """Return the probability of a number in [low, high]."""
        values = self.lowest + np.arange(len(self.p))
        return float(self.p[(values >= low) & (values <= high)].sum())

    def quantile(self, q: float) -> int:
        """Return the smallest number with a probability of at least ``q`` at or below it."""
        return self.lowest + int(np.searchsorted(np.cumsum(self.p), q))


def sum_distribution(counts: Mapping[int, int], n: int) -> SumDistribution:
    """Return the distribution of the sum of ``n`` independent values that were counted.

    ``counts``: how often each value came. Raises BadInput for n below 1, counts that are all 0, and
    sums so wide that the cycle would need more than `MOST_PLACES` places.
    """
    total = sum(counts.values())
    if n < 1 or total == 0:
        raise BadInput("a sum needs one value or more, and counts that are not all 0")
    values = np.array(list(counts), np.int64)
    p = np.array(list(counts.values()), np.float64) / total
    mean = float(p @ values)
    variance = float(p @ (values - mean) ** 2)
    reach = _reach(n * variance, float(np.abs(values - mean).max()))
    lowest = math.floor(n * mean - reach)
    size = 1 << (2 * math.ceil(reach) + 3).bit_length()
    if size > MOST_PLACES:
        raise BadInput(f"sums need {size:,} places; at most {MOST_PLACES:,} are worked out")
    one = np.zeros(size)
    np.add.at(one, values % size, p)
    cycle = np.fft.irfft(np.fft.rfft(one) ** n, size)
    return SumDistribution(lowest, np.maximum(np.roll(cycle, -lowest % size), 0.0))


def _reach(variance: float, largest: float) -> float:
    """Return t with P(|S - E S| > t) below `NEGLIGIBLE`, by Bernstein's inequality."""
    c = math.log(2 / NEGLIGIBLE)
    return c * largest / 3 + math.sqrt((c * largest / 3) ** 2 + 2 * c * variance)

"""Sums of independent draws from a distribution on whole numbers, without simulation.

Source: the characteristic function of a sum is the product of the summands' (e.g. Feller (1971), An
Introduction to Probability Theory, vol. 2, ch. XV), evaluated by the fast Fourier transform.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput

MOST_PLACES = 1 << 23
"""Values that a sum may take, at most: 64 megabytes of doubles."""


@dataclass(frozen=True, eq=False)
class SumDistribution:
    """The distribution of a sum: ``p`` (values,) float64 of ``lowest``, ``lowest`` + 1, …"""

    lowest: int
    p: NDArray[np.float64]

    def quantile(self, q: float) -> int:
        """Return the least value that is not exceeded with probability ``q`` or more."""
        cumulative = np.cumsum(self.p)
        place = int(np.searchsorted(cumulative, q * cumulative[-1] - 1e-12))
        return self.lowest + min(place, len(self.p) - 1)

    def between(self, low: float, high: float) -> float:
        """Return the probability of a value in [low, high]."""
        values = self.lowest + np.arange(len(self.p))
        return float(self.p[(values >= low) & (values <= high)].sum())


def sum_of_draws(counts: Mapping[int, int], draws: int) -> SumDistribution:
    """Return the distribution of the sum of ``draws`` independent draws.

    ``counts``: how often each value stands in what is drawn from (with replacement). Errors of the
    transform are below 1e-12 a place. Raises BadInput for no counts or draws, and where more than
    `MOST_PLACES` sums are possible.
    """
    if draws < 1 or sum(counts.values()) < 1:
        raise BadInput("a sum needs a draw, and something to draw from")
    low, high = min(counts), max(counts)
    places = draws * (high - low) + 1
    if places > MOST_PLACES:
        raise BadInput(f"{places:,} sums are possible; at most {MOST_PLACES:,} are worked out")
    p = np.zeros(high - low + 1)
    for value, count in counts.items():
        p[value - low] = count
    size = 1 << (places - 1).bit_length()
    transform = np.fft.rfft(p / p.sum(), size) ** draws
    found = np.fft.irfft(transform, size)[:places]
    return SumDistribution(draws * low, np.maximum(found, 0.0))

"""Quantiles of a distribution that was counted, with intervals that assume nothing of its shape."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from montecarlo.errors import BadInput
from montecarlo.statistics.intervals import Interval


@dataclass(frozen=True)
class Quantile:
    """The value below or at which a share ``q`` of the distribution lies, and its interval.

    A bound is infinite where too few values were seen to tell.
    """

    q: float
    value: float
    interval: Interval


def quantile(counts: Mapping[int, int], q: float, confidence: float = 0.95) -> Quantile:
    """Return the ``q`` quantile of independent values that were counted.

    ``counts``: how often each value came. The quantile is the smallest value with at least a share
    ``q`` at or below it. The interval lies between two order statistics whose ranks leave at most
    ``(1 - confidence) / 2`` of the binomial law (n, q) on either side: it covers at least as often
    as it says, whatever the distribution, also a discrete one. Raises BadInput for no values, a
    negative count, or ``q`` or ``confidence`` outside (0, 1).

    Source: David & Nagaraja (2003), Order Statistics, 3rd ed., §7.1; for discrete distributions
    Scheffé & Tukey (1945), Annals of Mathematical Statistics 16, 187-192.
    """
    if not 0 < q < 1 or not 0 < confidence < 1:
        raise BadInput(f"a quantile and a confidence lie between 0 and 1: got {q}, {confidence}")
    total = sum(counts.values())
    if total == 0 or min(counts.values()) < 0:
        raise BadInput("a quantile needs counts of 0 or more that are not all 0")
    from scipy.stats import binom

    tail = (1 - confidence) / 2
    low = int(binom.ppf(tail, total, q))  # P(X < low) <= tail
    high = int(binom.isf(tail, total, q)) + 1  # P(X >= high) <= tail
    bounds = Interval(
        _ranked(counts, low) if low >= 1 else -math.inf,
        _ranked(counts, high) if high <= total else math.inf,
    )
    return Quantile(q, _ranked(counts, max(1, math.ceil(q * total))), bounds)


def _ranked(counts: Mapping[int, int], rank: int) -> float:
    """Return the value of a rank: 1 is the smallest."""
    below = 0
    for value in sorted(counts):
        below += counts[value]
        if below >= rank:
            return float(value)
    raise AssertionError("a rank beyond the last value")  # pragma: no cover - callers check

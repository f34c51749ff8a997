"""Confidence intervals for proportions and means.

Counts are Python integers and may be as large as they like; probabilities down to 1e-300 keep their
relative accuracy. scipy is imported inside the functions, because start-up time matters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from montecarlo.errors import BadInput


class Interval(NamedTuple):
    """A closed interval ``[low, high]``."""

    low: float
    high: float

    def contains(self, value: float) -> bool:
        """Tell whether ``value`` lies inside, bounds included."""
        return self.low <= value <= self.high


def normal_quantile(confidence: float) -> float:
    """Return z with P(-z <= N(0, 1) <= z) = ``confidence``; raise BadInput outside (0, 1).

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    return _two_sided_quantile(_tail(confidence))


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """Return the exact interval of a binomial proportion, never below its nominal coverage.

    Each bound leaves ``(1 - confidence) / 2`` in its tail; at 0 and at ``trials`` successes the
    bound is the closed form, and the other end is exactly 0 or 1. No trials give [0, 1].
    Raises BadInput for counts or a confidence that cannot be.

    Source: Clopper & Pearson (1934), Biometrika 26, 404-413; beta quantiles as in Brown, Cai &
    DasGupta (2001), Statistical Science 16, 101-133.
    """
    tail = _tail(confidence)
    _check_counts(successes, trials)
    if trials == 0:
        return Interval(0.0, 1.0)
    if 2 * successes > trials:
        mirrored = clopper_pearson(trials - successes, trials, confidence)
        return Interval(1.0 - mirrored.high, 1.0 - mirrored.low)
    if successes == 0:
        return Interval(0.0, -math.expm1(math.log(tail) / trials))
    from montecarlo.statistics.beta import beta_high_quantile, beta_low_quantile

    failures = trials - successes
    return Interval(
        beta_low_quantile(successes, failures + 1, tail),
        beta_high_quantile(successes + 1, failures, tail),
    )


def wilson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """Return the score interval of a binomial proportion: right on average, shorter than the exact.

    No trials give [0, 1]. Raises BadInput for counts or a confidence that cannot be.

    Source: Wilson (1927), Journal of the American Statistical Association 22, 209-212.
    """
    return _score_interval(successes, trials, normal_quantile(confidence))


def goodman(counts: Sequence[int], confidence: float = 0.95) -> list[Interval]:
    """Return simultaneous intervals of the proportions of a table: one a cell, in order.

    All cells are covered together with about the given confidence; the approximation wants counts
    of 5 or more. Raises BadInput when there is no cell, a count is negative, or all are 0.

    Source: Goodman (1965), Technometrics 7, 247-254 (with the Bonferroni chi-square quantile).
    """
    tail = _tail(confidence)
    total = sum(counts)
    if not counts or total == 0:
        raise BadInput("intervals of a table need at least one cell with a count above 0")
    quantile = _two_sided_quantile(tail / len(counts))
    return [_score_interval(count, total, quantile) for count in counts]


def normal_interval(mean: float, se: float, confidence: float = 0.95) -> Interval:
    """Return ``mean`` ± z ``se``: for means of many deals, by the central limit theorem.

    An infinite ``se`` (an error that is not known) gives the whole line. Raises BadInput for a
    negative or undefined ``se``.
    """
    if not se >= 0:
        raise BadInput(f"a standard error is a number of at least 0, not {se}")
    half = normal_quantile(confidence) * se
    return Interval(mean - half, mean + half)


def _tail(confidence: float) -> float:
    """Return the probability each of the two tails may hold."""
    if not 0 < confidence < 1:
        raise BadInput(f"a confidence lies between 0 and 1 (say 0.95), not {confidence}")
    return (1 - confidence) / 2


def _two_sided_quantile(tail: float) -> float:
    from scipy.special import ndtri

    return -float(ndtri(tail))


def _check_counts(successes: int, trials: int) -> None:
    if not 0 <= successes <= trials:
        raise BadInput(f"successes lie between 0 and the trials: got {successes} of {trials}")


def _score_interval(successes: int, trials: int, quantile: float) -> Interval:
    """Roots of (p̂ - p)² = z² p(1 - p)/n, written for small p̂; large ones are mirrored."""
    _check_counts(successes, trials)
    if trials == 0:
        return Interval(0.0, 1.0)
    if 2 * successes > trials:
        mirrored = _score_interval(trials - successes, trials, quantile)
        return Interval(1.0 - mirrored.high, 1.0 - mirrored.low)
    upper = _upper_root(successes, trials, quantile)
    # the product of the roots is k² / (n (n + z²)), which saves a small bound from cancellation
    lower = successes / trials * (successes / (trials + quantile * quantile)) / upper
    return Interval(lower, upper)


def _upper_root(successes: int, trials: int, quantile: float) -> float:
    square = quantile * quantile
    variance = successes * (trials - successes) / trials
    spread = quantile * math.sqrt(variance + square / 4)
    return (successes + square / 2 + spread) / (trials + square)

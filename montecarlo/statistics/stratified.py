"""Stratified sampling: exact weights, estimates stratum by stratum, the best share of the work.

A population is cut into strata of known weight, each is sampled by itself, and the estimates are
added with their weights. Nothing is left to chance about how often a rare stratum is met.

Source: Cochran (1977), Sampling Techniques, 3rd ed., chapter 5 (Neyman allocation: §5.5).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from montecarlo.errors import BadInput
from montecarlo.statistics.clustered import Estimate, PairSums, PowerSums

_ONE_SIGMA = 0.6827


@dataclass(frozen=True)
class Stratum:
    """A stratum: its exact weight, and the sums of a total over the deals sampled from it."""

    weight: Fraction
    sums: PowerSums


def stratified_mean(strata: Sequence[Stratum]) -> Estimate:
    """Return Σ weight × mean with its standard error √Σ weight² × variance / n.

    The strata must have been sampled independently. Weights need not add up to 1: what is left
    out counts as 0. Raises BadInput for a stratum of fewer than two deals.
    """
    value = sum((s.weight * s.sums.mean() for s in strata), start=Fraction(0))
    variance = sum((s.weight**2 * s.sums.variance() / s.sums.n for s in strata), start=Fraction(0))
    return Estimate(float(value), math.sqrt(variance), sum(s.sums.n for s in strata))


def stratified_ratio(strata: Sequence[tuple[Fraction, PairSums]]) -> Estimate | None:
    """Return Σ weight × mean of y over Σ weight × mean of x, with its linearised error.

    ``strata`` are weights and sums of pairs (x, y), sampled independently; None when the x add up
    to 0. Source: combined ratio estimator, Cochran (1977), §6.11.
    """
    x = sum((weight * Fraction(sums.x) / sums.n for weight, sums in strata), start=Fraction(0))
    y = sum((weight * Fraction(sums.y) / sums.n for weight, sums in strata), start=Fraction(0))
    if x == 0:
        return None
    ratio = y / x
    variance = Fraction(0)
    for weight, sums in strata:
        residual = PowerSums(
            sums.n, sums.y - ratio * sums.x, sums.yy - 2 * ratio * sums.xy + ratio**2 * sums.xx
        )
        variance += weight**2 * residual.variance() / sums.n
    return Estimate(float(ratio), math.sqrt(variance) / abs(float(x)), sum(s.n for _, s in strata))


def neyman_allocation(
    weights: Sequence[Fraction], sds: Sequence[float], deals: int, least: int = 2
) -> tuple[int, ...]:
    """Return how many of ``deals`` deals each stratum gets, in proportion to weight × sd.

    Each stratum gets at least ``least``, so the sum may exceed ``deals``. Raises BadInput for
    weights and sds of different number or ``least`` below 2.
    """
    if len(weights) != len(sds) or least < 2:
        raise BadInput("an allocation needs one sd a weight, and two deals a stratum at least")
    shares = [float(weight) * sd for weight, sd in zip(weights, sds, strict=True)]
    total = sum(shares)
    if total == 0:
        return (least,) * len(shares)
    return tuple(max(least, math.ceil(deals * share / total)) for share in shares)


def deals_needed(weights: Sequence[Fraction], sds: Sequence[float], se: float) -> int:
    """Return the deals that Neyman allocation needs for a standard error of ``se`` (above 0)."""
    total = sum(float(weight) * sd for weight, sd in zip(weights, sds, strict=True))
    return math.ceil((total / se) ** 2)


def error_of_equal_totals(span: float, deals: int) -> float:
    """Return an error for the mean of ``deals`` totals that were all equal.

    Totals up to ``span`` away may exist that were not met. The error is the one-sided 68.27 %
    bound of their share (Clopper and Pearson's at no success) times ``span``.
    """
    return span * -math.expm1(math.log(1 - _ONE_SIGMA) / deals)

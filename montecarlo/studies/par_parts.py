"""Parts of a PAR sheet that follow from the distribution of a seat's results, and the rules."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from montecarlo.simulation.payouts import histogram_half
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.intervals import Interval, clopper_pearson, normal_quantile
from montecarlo.statistics.sums import MOST_PLACES, sum_distribution
from montecarlo.variants import Variant

CONFIDENCES = (0.90, 0.95)
BAND_DEALS = (100, 1_000, 10_000, 100_000, 1_000_000)
CHECKED_DEALS = (100, 1_000)
"""Numbers of deals for which the normal bands are compared with the exact convolution."""

TAIL_CHANCES = (0.01, 0.001, 0.0001)


@dataclass(frozen=True)
class Band:
    """Where a seat's result after so many deals lies with some confidence; units."""

    role: str
    deals: int
    confidence: float
    low: float
    high: float


@dataclass(frozen=True)
class BandCheck:
    """A normal band beside the exact distribution of as many independent deals of seat 0."""

    deals: int
    confidence: float
    normal: tuple[float, float]
    exact: tuple[int, int]
    """quantiles of the exact distribution that leave the same chance on either side"""
    coverage: float
    """chance of a result in the normal band, exactly"""


@dataclass(frozen=True)
class Tail:
    """The least loss that a seat exceeds or equals in no more than ``chance`` of all deals."""

    chance: float
    units: int


@dataclass(frozen=True)
class Exposure:
    """What a deal can cost seat 0, and bring it; units."""

    bound: int
    """no deal brings or costs more, by the rules"""
    worst: int
    """the largest loss that was seen"""
    worst_deals: int
    worst_p: Interval
    """95 % interval of the chance of a deal with that loss or a larger one"""
    best: int
    best_deals: int
    best_p: Interval
    tails: tuple[Tail, ...]


def bands(role: str, mean: float, sd: float) -> tuple[Band, ...]:
    """Return the normal bands of a seat's result: n · mean ± z · SD · √n."""
    found = []
    for deals in BAND_DEALS:
        for confidence in CONFIDENCES:
            half = normal_quantile(confidence) * sd * math.sqrt(deals)
            middle = deals * mean
            found.append(Band(role, deals, confidence, middle - half, middle + half))
    return tuple(found)


def band_checks(distribution: Mapping[int, int]) -> tuple[BandCheck, ...]:
    """Compare normal bands with the exact distribution of sums of independent deals.

    ``distribution``: deals by seat 0's units, from which the deals of a sum are drawn; mean and SD
    of the bands are its own, so that nothing but the normal form is put to the test. Sums that may
    take too many values are left out.
    """
    span = max(distribution) - min(distribution)
    n = sum(distribution.values())
    mean = sum(units * count for units, count in distribution.items()) / n
    square = sum(units * units * count for units, count in distribution.items()) / n
    own = bands("", mean, math.sqrt(max(square - mean * mean, 0.0)))
    found = []
    for deals in CHECKED_DEALS:
        if deals * span >= MOST_PLACES:
            continue
        total = sum_distribution(distribution, deals)
        for band in own:
            if band.deals == deals:
                tail = (1 - band.confidence) / 2
                exact = (total.quantile(tail), total.quantile(1 - tail))
                covered = total.between(band.low, band.high)
                normal = (band.low, band.high)
                found.append(BandCheck(deals, band.confidence, normal, exact, covered))
    return tuple(found)


def exposure(variant: Variant, players: int, distribution: Mapping[int, int]) -> Exposure:
    """Return the bound of the rules, and the largest loss and win seen, with their odds."""
    deals = sum(distribution.values())
    worst, best = min(distribution), max(distribution)
    tails = [Tail(chance, _loss_of(chance, distribution)) for chance in TAIL_CHANCES]
    return Exposure(
        histogram_half(variant, players),
        -worst, distribution[worst], clopper_pearson(distribution[worst], deals),
        best, distribution[best], clopper_pearson(distribution[best], deals),
        tuple(tail for tail in tails if tail.units <= -worst),
    )  # fmt: skip


def proportion(distribution: Mapping[int, int], sign: int) -> Estimate:
    """Return the share of deals that seat 0 won (``sign`` 1), tied (0) or lost (-1)."""
    deals = sum(distribution.values())
    held = sum(n for units, n in distribution.items() if (units > 0) - (units < 0) == sign)
    p = held / deals
    return Estimate(p, math.sqrt(p * (1 - p) / deals), deals)


def _loss_of(chance: float, distribution: Mapping[int, int]) -> int:
    """Return the least L > 0 with P(loss ≥ L) ≤ chance."""
    allowed = chance * sum(distribution.values())
    held = 0
    for units in sorted(distribution):
        held += distribution[units]
        if held > allowed or units >= 0:
            return max(1 - units, 1)
    return 1

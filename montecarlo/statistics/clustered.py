"""Estimates from per-deal totals, in exact integers until the last step.

The hands of one deal share one deck, so they are not independent: the deal is the unit of sampling
(the *cluster*), and every standard error here comes from totals per deal. Sums are Python integers
(or Fractions), hence exact, mergeable in any order, and free of cancellation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from montecarlo.errors import BadInput
from montecarlo.statistics.intervals import Interval, normal_interval

Exact = int | Fraction


@dataclass(frozen=True)
class Estimate:
    """A value, its standard error (infinite if a single deal cannot tell) and its deals."""

    value: float
    se: float
    deals: int

    @property
    def relative_error(self) -> float:
        """The standard error over the value's size; infinite for a value of 0."""
        return self.se / abs(self.value) if self.value else math.inf

    def interval(self, confidence: float = 0.95) -> Interval:
        """Return the normal interval of the value."""
        return normal_interval(self.value, self.se, confidence)


@dataclass(frozen=True)
class ClusteredProportion:
    """How often a hand has a property: exact counts, the proportion and its clustered error."""

    count: int
    """hands that have the property"""
    hands: int
    """deals × players"""
    deals: int
    deals_holding: int
    """deals in which at least one hand has the property"""
    p: float
    """proportion per hand"""
    se: float
    """standard error of ``p`` from per-deal totals"""
    design_effect: float
    """variance of ``p`` over the variance that independent hands would have; 1 when p is 0 or 1"""


def clustered_proportion(deals_by_count: Sequence[int]) -> ClusteredProportion:
    """Estimate a proportion per hand from the histogram of "how many hands of a deal".

    ``deals_by_count[c]`` is the number of deals in which exactly c hands have the property, for c
    from 0 to the number of players. Raises BadInput for an empty or negative histogram.

    Source: equal-sized clusters, Cochran (1977), Sampling Techniques, 3rd ed., §9.4 and §3.12;
    design effect after Kish (1965), Survey Sampling, §8.2.
    """
    players = len(deals_by_count) - 1
    if players < 1 or min(deals_by_count) < 0:
        raise BadInput("a histogram of hands a deal has a count of 0 or more for 0 … players hands")
    deals = sum(deals_by_count)
    sums = PowerSums(
        deals,
        sum(c * d for c, d in enumerate(deals_by_count)),
        sum(c * c * d for c, d in enumerate(deals_by_count)),
    )
    per_deal = sums.estimate()
    count, hands = int(sums.first), deals * players
    independent = Fraction(count * (hands - count), hands * hands) * players
    effect = float(sums.variance() / independent) if independent and deals > 1 else 1.0
    return ClusteredProportion(
        count=count,
        hands=hands,
        deals=deals,
        deals_holding=deals - deals_by_count[0],
        p=float(Fraction(count, hands)),
        se=per_deal.se / players,
        design_effect=effect,
    )


@dataclass(frozen=True)
class PowerSums:
    """Exact sums over deals of a total x: n, Σx, Σx², Σx³. Two of them add up to one."""

    n: int
    first: Exact = 0
    second: Exact = 0
    third: Exact = 0

    @classmethod
    def of(cls, totals: Iterable[Exact]) -> PowerSums:
        """Return the sums of the given totals, one a deal."""
        values = list(totals)
        return cls(
            len(values), sum(values), sum(x * x for x in values), sum(x * x * x for x in values)
        )

    def __add__(self, other: PowerSums) -> PowerSums:
        """Merge two disjoint sets of deals."""
        return PowerSums(
            self.n + other.n,
            self.first + other.first,
            self.second + other.second,
            self.third + other.third,
        )

    def mean(self) -> Fraction:
        """Return the exact mean a deal; raise BadInput when there are no deals."""
        _need_deals(self.n)
        return Fraction(self.first) / self.n

    def variance(self) -> Fraction:
        """Return the exact unbiased variance of a deal's total (n - 1); needs two deals."""
        _need_deals(self.n, 2)
        return (self.second - self.mean() * self.first) / (self.n - 1)

    def sd(self) -> float:
        """Return the standard deviation of a deal's total (n - 1); needs two deals."""
        return _root(self.variance())

    def skewness(self) -> float:
        """Return the moment coefficient of skewness g1 = m3 / m2^(3/2); 0 if nothing varies.

        Source: Joanes & Gill (1998), The Statistician 47, 183-189.
        """
        mean = self.mean()
        m2 = Fraction(self.second) / self.n - mean**2
        m3 = Fraction(self.third) / self.n - 3 * mean * Fraction(self.second) / self.n + 2 * mean**3
        return float(m3) / float(m2) ** 1.5 if m2 else 0.0

    def estimate(self) -> Estimate:
        """Return the mean a deal with its standard error sd / √n."""
        mean = float(self.mean())
        se = _root(self.variance() / self.n) if self.n > 1 else math.inf
        return Estimate(mean, se, self.n)


@dataclass(frozen=True)
class PairSums:
    """Exact sums over deals of two totals x and y: n, Σx, Σy, Σx², Σxy, Σy²; they add up too."""

    n: int
    x: Exact = 0
    y: Exact = 0
    xx: Exact = 0
    xy: Exact = 0
    yy: Exact = 0

    @classmethod
    def of(cls, pairs: Iterable[tuple[Exact, Exact]]) -> PairSums:
        """Return the sums of the given pairs (x, y), one a deal."""
        total = cls(0)
        for x, y in pairs:
            total += cls(1, x, y, x * x, x * y, y * y)
        return total

    def __add__(self, other: PairSums) -> PairSums:
        """Merge two disjoint sets of deals."""
        return PairSums(
            self.n + other.n,
            self.x + other.x,
            self.y + other.y,
            self.xx + other.xx,
            self.xy + other.xy,
            self.yy + other.yy,
        )

    def covariance(self) -> Fraction:
        """Return the exact unbiased covariance (n - 1) of a deal's x and y; needs two deals."""
        _need_deals(self.n, 2)
        return (self.xy - Fraction(self.x) * self.y / self.n) / (self.n - 1)

    def difference(self) -> Estimate:
        """Estimate the mean of x - y; what the two share a deal cancels in the error."""
        return PowerSums(self.n, self.x - self.y, self.xx - 2 * self.xy + self.yy).estimate()

    def ratio(self) -> Estimate:
        """Estimate the ratio of totals Σy / Σx with its linearised (delta-method) error.

        Raises BadInput when Σx is 0. The estimator's bias is of order 1/n.

        Source: Cochran (1977), Sampling Techniques, 3rd ed., §2.11 and §6.3.
        """
        _need_deals(self.n)
        if self.x == 0:
            raise BadInput("a ratio needs a denominator that does not add up to 0")
        ratio = Fraction(self.y) / self.x
        if self.n < 2:
            return Estimate(float(ratio), math.inf, self.n)
        residual = (self.yy - 2 * ratio * self.xy + ratio**2 * self.xx) / (self.n - 1)
        se = _root(residual * self.n) / abs(float(self.x))
        return Estimate(float(ratio), se, self.n)


def _need_deals(deals: int, least: int = 1) -> None:
    if deals < least:
        raise BadInput(f"an estimate of this kind needs at least {least} deals, not {deals}")


def _root(value: Exact) -> float:
    """Square root of an exact number, also where the number itself would overflow a float."""
    value = Fraction(value)
    shift = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(value / Fraction(4) ** shift), shift)

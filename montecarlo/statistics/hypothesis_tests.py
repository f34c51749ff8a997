"""Tests of simulated figures against exact ones, and of whole tables of such figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from montecarlo.errors import BadInput


class ZTest(NamedTuple):
    """Distance from the exact value in standard errors, and its two-sided p-value."""

    z: float
    p_value: float


class ChiSquare(NamedTuple):
    """A chi-square statistic with its degrees of freedom, p-value and smallest expected count."""

    statistic: float
    degrees: int
    p_value: float
    smallest_expected: float


def z_test(value: float, se: float, exact: float) -> ZTest:
    """Compare an estimate with an exact value by the normal distribution.

    With ``se`` = 0 the p-value is 1 if both agree and 0 if not. Raises BadInput for a negative or
    undefined ``se``.
    """
    if not se >= 0:
        raise BadInput(f"a standard error is a number of at least 0, not {se}")
    gap = value - exact
    z = gap / (se or math.ulp(0.0)) if gap else 0.0
    return ZTest(z, math.erfc(abs(z) / math.sqrt(2)))


def binomial_p_value(successes: int, trials: int, p: float | Fraction) -> float:
    """Return the exact two-sided p-value of a count: the smaller tail doubled, at most 1.

    The tails are P(X <= k) and P(X >= k) of a binomial count X, both holding k itself, so that the
    test never rejects more often than it says and agrees with the Clopper-Pearson interval:
    ``binomial_p_value(k, n, p) < α`` exactly when p lies outside that interval at 1 - α.
    Good to small relative error for tiny p and huge n. Raises BadInput for impossible arguments.

    Source: Clopper & Pearson (1934); Fay (2010), Biostatistics 11, 373-374 (the "central" p-value).
    """
    if not 0 <= successes <= trials:
        raise BadInput(f"successes lie between 0 and the trials: got {successes} of {trials}")
    if not 0 <= p <= 1:
        raise BadInput(f"a probability lies between 0 and 1, not {p}")
    if 2 * p > 1:
        return binomial_p_value(trials - successes, trials, 1 - p)
    chance = float(p)
    return min(
        1.0,
        2 * _at_most(successes, trials, chance),
        2 * _at_least(successes, trials, chance),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Return adjusted p-values, in the given order: reject those at most α, family-wise.

    Valid whatever the dependence between the tests. Raises BadInput for a value outside [0, 1].

    Source: Holm (1979), Scandinavian Journal of Statistics 6, 65-70.
    """
    for value in p_values:
        if not 0 <= value <= 1:
            raise BadInput(f"a p-value lies between 0 and 1, not {value}")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for step, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - step) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def chi_square(
    counts: Sequence[int], probabilities: Sequence[float | Fraction], estimated: int = 0
) -> ChiSquare:
    """Test counts against given cell probabilities (goodness of fit).

    ``probabilities`` are all above 0 and add up to 1; ``estimated`` parameters taken from the same
    counts lower the degrees of freedom. The approximation wants expected counts of 5 or more, so
    the smallest is returned. Raises BadInput when cells do not match.

    Source: Pearson (1900), Philosophical Magazine 50, 157-175.
    """
    degrees = len(counts) - 1 - estimated
    if len(counts) != len(probabilities) or degrees < 1:
        raise BadInput(
            f"a chi-square test needs two or more cells and one probability each: "
            f"got {len(counts)} counts, {len(probabilities)} probabilities"
        )
    if min(counts) < 0 or sum(counts) == 0:
        raise BadInput("a chi-square test needs counts of 0 or more that are not all 0")
    if min(probabilities) <= 0 or abs(float(sum(probabilities)) - 1) > 1e-9:
        raise BadInput("cell probabilities must all be above 0 and add up to 1")
    from scipy.special import gammaincc

    total = sum(counts)
    expected = [float(total * p) for p in probabilities]
    statistic = math.fsum((o - e) ** 2 / e for o, e in zip(counts, expected, strict=True))
    p_value = float(gammaincc(degrees / 2, statistic / 2))
    return ChiSquare(statistic, degrees, p_value, min(expected))


def _at_most(successes: int, trials: int, p: float) -> float:
    """P(X <= k) for p up to 1/2."""
    if successes == trials or p == 0:
        return 1.0
    if successes == 0:
        return math.exp(trials * math.log1p(-p))
    from montecarlo.statistics.beta import beta_more_than

    return beta_more_than(successes + 1, trials - successes, p)


def _at_least(successes: int, trials: int, p: float) -> float:
    """P(X >= k) for p up to 1/2."""
    if successes == 0:
        return 1.0
    if p == 0:
        return 0.0
    from montecarlo.statistics.beta import beta_at_most

    return beta_at_most(successes, trials - successes + 1, p)

"""Intervals of proportions and means against known values, mpmath, and exact coverage."""

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from montecarlo.errors import BadInput
from montecarlo.statistics.intervals import (
    clopper_pearson,
    goodman,
    normal_interval,
    normal_quantile,
    wilson,
)

mpmath.mp.dps = 50
counts = st.integers(0, 10**15).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def binomial_tail(k: int, n: int, p: float, step: int) -> mpmath.mpf:
    """P(X >= k) for step +1, P(X <= k) for step -1: the terms added up from k outward."""
    p = mpmath.mpf(p)
    log_first = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
    term = total = mpmath.exp(log_first + k * mpmath.log(p) + (n - k) * mpmath.log1p(-p))
    odds = p / (1 - p)
    while 0 <= k + step <= n and term > total * mpmath.mpf(10) ** -25:
        term *= (n - k) * odds / (k + 1) if step > 0 else k / ((n - k + 1) * odds)
        k += step
        total += term
    return total


def test_known_values() -> None:
    # the closed forms, and the worked example 81 of 263 of Newcombe (1998)
    assert clopper_pearson(0, 100).high == pytest.approx(1 - 0.025**0.01, rel=1e-12)
    assert clopper_pearson(81, 263) == pytest.approx((0.2527, 0.3676), abs=5e-5)
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert normal_quantile(0.99) == pytest.approx(2.5758293035489004, rel=1e-13)
    assert normal_interval(2.0, 0.5) == pytest.approx((1.020018, 2.979982), abs=1e-6)


@pytest.mark.parametrize("trials", [10, 10**3, 10**6, 10**9, 10**12, 10**15, 10**18])
@pytest.mark.parametrize("successes", [1, 3, 7, 30, 300])
def test_bounds_leave_the_tail_they_promise(successes: int, trials: int) -> None:
    if successes > trials:
        successes = trials - 1
    low, high = clopper_pearson(successes, trials)
    assert float(binomial_tail(successes, trials, low, +1)) == pytest.approx(0.025, rel=1e-9)
    assert float(binomial_tail(successes, trials, high, -1)) == pytest.approx(0.025, rel=1e-9)


def test_the_interval_another_library_gets_wrong() -> None:
    # 3 of 10**12: scipy's own binomtest says the lower bound is 0
    assert clopper_pearson(3, 10**12).low == pytest.approx(6.186721228960288e-13, rel=1e-12)


HUGE = 10**12


@pytest.mark.parametrize("trials", [1, 10, 10**6, HUGE])
def test_nothing_and_everything(trials: int) -> None:
    """k = 0 and k = n: closed forms, worked out by mpmath; never nan, never beyond 0 and 1."""
    tail = mpmath.mpf("0.025")
    edge = 1 - mpmath.power(tail, mpmath.mpf(1) / trials)
    square = mpmath.mpf(normal_quantile(0.95)) ** 2
    score = square / (trials + square)
    for interval, bound in ((clopper_pearson, edge), (wilson, score)):
        none, all_ = interval(0, trials), interval(trials, trials)
        assert none.low == 0.0
        assert all_.high == 1.0
        assert none.high == pytest.approx(float(bound), rel=1e-12)
        assert all_.low == pytest.approx(float(1 - bound), rel=1e-12)


@pytest.mark.parametrize("successes", [1, 3, 10, 100, HUGE // 2, HUGE - 10, HUGE - 1])
def test_bounds_of_a_trillion_trials(successes: int) -> None:
    """Rare (10 of 10^12 is p = 1e-11), even, and nearly sure things, against mpmath.

    Exact bounds: the tails, by mpmath's incomplete beta function; for half of 10^12, where that
    does not converge, the normal law, which is then right to 1e-6 of the width. Wilson's: the roots
    of its quadratic equation in 50 digits.
    """
    low, high = clopper_pearson(successes, HUGE)
    rare = min(successes, HUGE - successes)
    if rare < HUGE // 2:
        lower, upper = (low, high) if rare == successes else (1 - high, 1 - low)
        slack = 1e-9 if rare == successes else 1e-3  # 1 - p keeps 1e-16 of p = 1e-11
        assert float(binomial_tail(rare, HUGE, lower, +1)) == pytest.approx(0.025, rel=slack)
        assert float(binomial_tail(rare, HUGE, upper, -1)) == pytest.approx(0.025, rel=slack)
    else:
        half = normal_quantile(0.95) * 0.5 / math.sqrt(HUGE)
        assert (high - low) / 2 == pytest.approx(half, rel=2e-6)
    z, n, k = mpmath.mpf(normal_quantile(0.95)), mpmath.mpf(HUGE), mpmath.mpf(successes)
    spread = z * mpmath.sqrt(k * (n - k) / n + z**2 / 4)
    roots = [float((k + z**2 / 2 + sign * spread) / (n + z**2)) for sign in (-1, 1)]
    assert wilson(successes, HUGE) == pytest.approx(tuple(roots), rel=1e-12)


@given(counts, st.floats(0.5, 0.9999))
def test_intervals_contain_the_observed_proportion(
    count: tuple[int, int], confidence: float
) -> None:
    successes, trials = count
    for interval in (
        clopper_pearson(successes, trials, confidence),
        wilson(successes, trials, confidence),
    ):
        assert 0 <= interval.low <= interval.high <= 1
        if trials:
            slack = 1e-12 * successes / trials + 1e-15
            assert interval.low - slack <= successes / trials <= interval.high + slack


@given(counts.filter(lambda c: c[0] < c[1]))
def test_bounds_grow_with_the_count(count: tuple[int, int]) -> None:
    successes, trials = count
    for interval in (clopper_pearson, wilson):
        here, next_ = interval(successes, trials), interval(successes + 1, trials)
        assert here.low <= next_.low * (1 + 1e-9)
        assert here.high <= next_.high * (1 + 1e-9)


@given(counts)
def test_failures_mirror_successes(count: tuple[int, int]) -> None:
    successes, trials = count
    for interval in (clopper_pearson, wilson):
        low, high = interval(successes, trials)
        mirrored = interval(trials - successes, trials)
        assert mirrored == pytest.approx((1 - high, 1 - low), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("trials", [1, 2, 5, 10, 25])
def test_exact_coverage_of_clopper_pearson(trials: int) -> None:
    """Enumerate every outcome: the coverage at any true p is at least 95 %."""
    intervals = [clopper_pearson(k, trials) for k in range(trials + 1)]
    for step in range(1, 200):
        p = step / 200
        covered = math.fsum(
            math.comb(trials, k) * p**k * (1 - p) ** (trials - k)
            for k, interval in enumerate(intervals)
            if interval.contains(p)
        )
        assert covered >= 0.95 - 1e-12


def test_average_coverage_of_wilson() -> None:
    """The score interval is right on average over p, and much closer than the exact one."""
    trials, grid = 25, 500
    averages = []
    for interval in (wilson, clopper_pearson):
        bounds = [interval(k, trials) for k in range(trials + 1)]
        covered = math.fsum(
            math.comb(trials, k) * p**k * (1 - p) ** (trials - k)
            for p in ((i + 0.5) / grid for i in range(grid))
            for k, bound in enumerate(bounds)
            if bound.contains(p)
        )
        averages.append(covered / grid)
    assert abs(averages[0] - 0.95) < 0.01 < averages[1] - 0.95


def test_goodman_is_wilson_with_a_shared_confidence() -> None:
    table = [56, 72, 73, 59, 62, 87, 58]
    for interval, count in zip(goodman(table), table, strict=True):
        assert interval == pytest.approx(wilson(count, sum(table), 1 - 0.05 / 7), rel=1e-12)
    # as R's and statsmodels' implementations print it
    assert goodman(table)[0] == pytest.approx((0.085, 0.166), abs=1e-3)


@pytest.mark.parametrize(
    "call",
    [
        lambda: clopper_pearson(4, 3),
        lambda: clopper_pearson(-1, 3),
        lambda: wilson(1, 3, 1.0),
        lambda: wilson(1, 3, float("nan")),
        lambda: goodman([]),
        lambda: goodman([0, 0]),
        lambda: goodman([-1, 3]),
        lambda: normal_interval(0.0, -1.0),
        lambda: normal_interval(0.0, float("nan")),
    ],
)
def test_bad_input(call: object) -> None:
    with pytest.raises(BadInput) as raised:
        call()  # type: ignore[operator]
    assert "\n" not in str(raised.value)

"""Planning, quantiles and coverage: against enumeration and mpmath."""

from __future__ import annotations

import math
from random import Random

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from montecarlo.errors import BadInput
from montecarlo.statistics.coverage import coverage, excess_rejections, uniformity
from montecarlo.statistics.intervals import Interval, clopper_pearson
from montecarlo.statistics.planning import (
    MOST,
    deals_for_se,
    deals_for_width,
    exact_width,
    least_deals,
)
from montecarlo.statistics.quantiles import quantile

# --- planning ---


@given(st.floats(0.01, 1e4), st.floats(1e-3, 10))
def test_the_planned_deals_are_the_least_that_do(sd: float, se: float) -> None:
    deals = deals_for_se(sd, se)
    slack = 1 + 1e-12
    assert sd / math.sqrt(deals) < se * slack
    assert deals == 1 or sd / math.sqrt(deals - 1) >= se / slack
    assert deals_for_width(sd, 2 * 1.959963984540054 * se) == pytest.approx(deals, abs=1, rel=1e-9)


def test_more_deals_than_there_are() -> None:
    assert deals_for_se(1.0, 1e-12) == MOST
    assert least_deals(lambda _deals: False) == MOST
    assert deals_for_se(0.0, 1.0) == 1


@pytest.mark.parametrize("threshold", [1, 2, 3, 64, 65, 1000, 10**12 + 7])
def test_the_search_finds_the_threshold(threshold: int) -> None:
    assert least_deals(lambda deals: deals >= threshold) == threshold


@pytest.mark.parametrize(("count", "trials"), [(0, 50), (1, 50), (7, 10**6), (30, 10**12)])
def test_the_width_to_expect_is_that_of_whole_counts(count: int, trials: int) -> None:
    low, high = clopper_pearson(count, trials)
    assert exact_width(count / trials, trials) == pytest.approx(high - low, rel=1e-9)


def test_the_width_to_expect_falls() -> None:
    widths = [exact_width(1e-9, 10**6 * 2**k) for k in range(20)]
    assert widths == sorted(widths, reverse=True)
    assert exact_width(1.0, 10) == 1.0


@pytest.mark.parametrize(("sd", "se"), [(1.0, 0.0), (-1.0, 1.0), (math.inf, 1.0), (1.0, math.nan)])
def test_plans_of_nonsense_are_refused(sd: float, se: float) -> None:
    with pytest.raises(BadInput):
        deals_for_se(sd, se)


# --- quantiles ---


def _binomial_cdf(k: int, n: int, q: float) -> mpmath.mpf:
    return mpmath.fsum(
        mpmath.binomial(n, i) * mpmath.mpf(q) ** i * (1 - mpmath.mpf(q)) ** (n - i)
        for i in range(k + 1)
    )


@pytest.mark.parametrize("q", [0.01, 0.05, 0.25, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("size", [10, 100, 500])
def test_the_ranks_leave_the_tails_they_promise(q: float, size: int) -> None:
    """With all values different the bounds are ranks: compare them with the binomial law itself."""
    found = quantile(dict.fromkeys(range(1, size + 1), 1), q)
    low, high = found.interval
    assert found.value == math.ceil(q * size)
    if low > 0:
        assert _binomial_cdf(int(low) - 1, size, q) <= 0.025
        assert _binomial_cdf(int(low), size, q) > 0.025
    else:
        assert low == -math.inf
        assert _binomial_cdf(0, size, q) > 0.025
    if high < math.inf:
        assert 1 - _binomial_cdf(int(high) - 1, size, q) <= 0.025
        assert 1 - _binomial_cdf(int(high) - 2, size, q) > 0.025
    else:
        assert 1 - _binomial_cdf(size - 1, size, q) > 0.025


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=60), st.floats(0.01, 0.99))
def test_a_quantile_is_the_smallest_value_with_its_share(values: list[int], q: float) -> None:
    counts = {value: values.count(value) for value in set(values)}
    found = quantile(counts, q)
    at_or_below = sum(value <= found.value for value in values)
    assert at_or_below >= q * len(values) - 1e-9
    assert sum(value < found.value for value in values) < q * len(values) + 1e-9
    assert found.interval.low <= found.value <= found.interval.high


def test_intervals_of_quantiles_cover_also_where_values_tie() -> None:
    """2,000 samples of 80 dice: five sigma below 95 % would come once in 3.5 million."""
    random, runs = Random(1), 2000
    missed = 0
    for _ in range(runs):
        dice = [random.randrange(6) for _ in range(80)]
        found = quantile({face: dice.count(face) for face in range(6)}, 0.4)
        missed += not found.interval.contains(2)  # P(face <= 2) = 1/2, P(face <= 1) = 1/3
    assert missed <= 0.05 * runs + 5 * math.sqrt(runs * 0.05 * 0.95)


@pytest.mark.parametrize(
    ("counts", "q", "confidence"),
    [({}, 0.5, 0.95), ({1: 0}, 0.5, 0.95), ({1: -1, 2: 3}, 0.5, 0.95), ({1: 1}, 0.0, 0.95),
     ({1: 1}, 0.5, 1.0)],
)  # fmt: skip
def test_quantiles_of_nothing(counts: dict[int, int], q: float, confidence: float) -> None:
    with pytest.raises(BadInput):
        quantile(counts, q, confidence)


# --- coverage and uniformity ---


def test_coverage_counts_both_sides() -> None:
    found = coverage([Interval(0, 1), Interval(1, 2), Interval(2, 3), Interval(-2, -1)], 1.0)
    assert (found.runs, found.covered, found.below, found.above) == (4, 2, 1, 1)
    assert found.share == 0.5
    assert found.interval == clopper_pearson(2, 4)
    with pytest.raises(BadInput):
        coverage([], 0.0)


def test_uniform_p_values_pass_and_others_do_not() -> None:
    random = Random(2)
    uniform = [random.random() for _ in range(1000)]
    assert uniformity(uniform).p_value > 1e-6  # fails for one seed in a million
    assert uniformity([p**1.5 for p in uniform]).p_value < 1e-6
    assert uniformity([0.5 + p / 2 for p in uniform]).p_value < 1e-6
    with pytest.raises(BadInput):
        uniformity([])


def test_the_distance_of_a_small_sample_by_hand() -> None:
    found = uniformity([0.9, 0.1])
    assert found.gap == pytest.approx(0.4)
    # P(D_2 >= d) = 1 - 2 (2d - 1/2)² for 1/4 <= d <= 1/2
    assert found.p_value == pytest.approx(1 - 2 * (0.8 - 0.5) ** 2)


def test_too_many_rejections() -> None:
    assert excess_rejections([0.5] * 10, 0.05) == 1.0
    by_hand = 1 - 0.95**10 - 10 * 0.05 * 0.95**9
    assert excess_rejections([0.01, 0.05, *[0.5] * 8], 0.05) == pytest.approx(by_hand)
    with pytest.raises(BadInput):
        excess_rejections([], 0.05)

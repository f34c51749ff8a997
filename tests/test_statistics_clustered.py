"""Clustered estimates against numpy on the raw totals, and against exact expectations."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from montecarlo.errors import BadInput
from montecarlo.statistics.clustered import PairSums, PowerSums, clustered_proportion

totals = st.lists(st.integers(-1000, 1000), min_size=2, max_size=50)
pairs = st.lists(st.tuples(st.integers(1, 1000), st.integers(-1000, 1000)), min_size=2, max_size=50)


def test_proportion_against_raw_totals() -> None:
    histogram = [700, 220, 60, 15, 5]
    raw = np.repeat(np.arange(5), histogram)
    result = clustered_proportion(histogram)
    assert (result.count, result.hands, result.deals) == (raw.sum(), 4000, 1000)
    assert result.deals_holding == 300
    assert result.p == raw.mean() / 4
    assert result.se == pytest.approx(raw.std(ddof=1) / 4 / math.sqrt(1000), rel=1e-13)
    independent = math.sqrt(result.p * (1 - result.p) / 4000)
    assert result.se / independent == pytest.approx(math.sqrt(result.design_effect), rel=1e-12)


def test_independent_hands_have_design_effect_one() -> None:
    deals = [math.comb(4, c) * 3 ** (4 - c) * 10**6 for c in range(5)]  # exactly binomial, p = 1/4
    assert clustered_proportion(deals).design_effect == pytest.approx(1, abs=1e-7)


def test_nothing_seen_and_everything_seen() -> None:
    none, every = clustered_proportion([50, 0, 0]), clustered_proportion([0, 0, 50])
    assert (none.p, none.se, none.design_effect) == (0.0, 0.0, 1.0)
    assert (every.p, every.se, every.design_effect) == (1.0, 0.0, 1.0)
    assert clustered_proportion([0, 1, 0]).se == math.inf


@given(totals)
def test_power_sums_against_numpy(values: list[int]) -> None:
    sums, x = PowerSums.of(values), np.array(values, dtype=float)
    estimate = sums.estimate()
    assert estimate.value == pytest.approx(x.mean(), rel=1e-12, abs=1e-12)
    assert estimate.se == pytest.approx(x.std(ddof=1) / math.sqrt(x.size), rel=1e-9)
    assert sums.sd() == pytest.approx(x.std(ddof=1), rel=1e-9)
    if len(set(values)) > 1:
        assert sums.skewness() == pytest.approx(stats.skew(x), rel=1e-6, abs=1e-9)
    else:
        assert sums.skewness() == 0


@given(totals, totals)
def test_sums_merge_in_any_order(left: list[int], right: list[int]) -> None:
    assert PowerSums.of(left) + PowerSums.of(right) == PowerSums.of(right + left)
    squares = [[(v, v * v) for v in part] for part in (left, right)]
    assert PairSums.of(squares[0]) + PairSums.of(squares[1]) == PairSums.of(squares[1] + squares[0])


def test_no_cancellation_at_any_size() -> None:
    """A tiny spread on a huge mean, where floating-point sums of squares lose everything."""
    sums = PowerSums.of([10**15, 10**15 + 1, 10**15 + 2])
    assert sums.variance() == 1
    assert PowerSums.of([Fraction(1, 3), Fraction(2, 3)]).mean() == Fraction(1, 2)
    huge = PowerSums.of([0, 10**200])
    assert huge.sd() == pytest.approx(1e200 / math.sqrt(2), rel=1e-12)


@given(pairs)
def test_pairs_against_numpy(values: list[tuple[int, int]]) -> None:
    sums, (x, y) = PairSums.of(values), np.array(values, dtype=float).T
    n = x.size
    assert float(sums.covariance()) == pytest.approx(np.cov(x, y)[0, 1], rel=1e-9, abs=1e-6)
    difference = sums.difference()
    assert difference.value == pytest.approx((x - y).mean(), abs=1e-9)
    assert difference.se == pytest.approx((x - y).std(ddof=1) / math.sqrt(n), rel=1e-9, abs=1e-12)
    ratio = sums.ratio()
    assert ratio.value == pytest.approx(y.sum() / x.sum(), rel=1e-12, abs=1e-15)
    residual = y - y.sum() / x.sum() * x
    expected = math.sqrt((residual**2).sum() / (n - 1) / n) / x.mean()
    assert ratio.se == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_ratio_error_describes_the_spread_of_repeated_samples() -> None:
    """2,000 samples of 400 deals: the claimed and the real spread agree.

    The sd of 2,000 near-normal values has a relative error of 1 / sqrt(4000) = 1.6 %; 5 of those
    leave a false alarm of 6e-7. The seed is fixed.
    """
    rng = np.random.default_rng(20)
    x = rng.integers(1, 7, size=(2000, 400))
    y = rng.binomial(x, 0.3)
    ratios = y.sum(axis=1) / x.sum(axis=1)
    claimed = [
        PairSums(400, *(int(v) for v in row)).ratio().se
        for row in zip(
            x.sum(1), y.sum(1), (x * x).sum(1), (x * y).sum(1), (y * y).sum(1), strict=True
        )
    ]
    assert ratios.std(ddof=1) == pytest.approx(np.mean(claimed), rel=5 / math.sqrt(4000))


@pytest.mark.parametrize(
    "call",
    [
        lambda: clustered_proportion([5]),
        lambda: clustered_proportion([5, -1]),
        lambda: clustered_proportion([0, 0]),
        lambda: PowerSums(0).mean(),
        lambda: PowerSums(1, 3, 9).variance(),
        lambda: PairSums(3, 0, 5, 2, 1, 9).ratio(),
        lambda: PairSums(0).ratio(),
    ],
)
def test_bad_input(call: object) -> None:
    with pytest.raises(BadInput):
        call()  # type: ignore[operator]

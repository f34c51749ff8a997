"""p-values against exact fractions, mpmath, and the intervals they belong to."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from montecarlo.errors import BadInput
from montecarlo.statistics.hypothesis_tests import binomial_p_value, chi_square, holm, z_test
from montecarlo.statistics.intervals import clopper_pearson

unit = st.floats(0, 1)


def exact_p_value(k: int, n: int, p: Fraction) -> Fraction:
    pmf = [math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)]
    return min(Fraction(1), 2 * sum(pmf[: k + 1]), 2 * sum(pmf[k:]))


@pytest.mark.parametrize("n", [1, 2, 7, 20])
@pytest.mark.parametrize("p", [Fraction(1, 1000), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)])
def test_binomial_against_fractions(n: int, p: Fraction) -> None:
    for k in range(n + 1):
        expected = float(exact_p_value(k, n, p))
        assert binomial_p_value(k, n, p) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [10**6, 10**9, 10**12, 10**15])
@pytest.mark.parametrize("k", [0, 1, 3, 12])
@pytest.mark.parametrize("factor", [0.1, 0.8, 1.5, 20])
def test_binomial_tiny_chances_against_mpmath(n: int, k: int, factor: float) -> None:
    p = (k + 1) * factor / n
    with mpmath.workdps(60):
        chance = mpmath.mpf(p)
        terms = [
            mpmath.binomial(n, j) * chance**j * mpmath.exp((n - j) * mpmath.log1p(-chance))
            for j in range(k + 1)
        ]
        at_most, at_least = sum(terms), 1 - sum(terms[:-1])
        expected = float(min(1, 2 * at_most, 2 * at_least))
    assert binomial_p_value(k, n, p) == pytest.approx(expected, rel=1e-9)


def test_binomial_edges() -> None:
    assert binomial_p_value(0, 10**8, Fraction(4, 635013559600)) == 1.0
    assert binomial_p_value(0, 100, 0.0) == 1.0
    assert binomial_p_value(1, 100, 0.0) == 0.0
    assert binomial_p_value(100, 100, 1.0) == 1.0
    assert binomial_p_value(99, 100, 1) == 0.0
    assert binomial_p_value(0, 0, 0.3) == 1.0
    assert binomial_p_value(0, 10**13, 1e-11) == pytest.approx(2 * math.exp(-100), rel=1e-9)


@given(st.integers(1, 10**9), st.data())
def test_p_value_agrees_with_the_interval(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    interval = clopper_pearson(k, n)
    for bound, inside in ((interval.low, 1 + 1e-6), (interval.high, 1 - 1e-6)):
        if 0 < bound < 0.5:
            assert binomial_p_value(k, n, bound * inside) >= 0.05 - 1e-9
            assert binomial_p_value(k, n, bound / inside) <= 0.05 + 1e-9


def test_binomial_never_rejects_too_often() -> None:
    """By enumeration: the chance of a p-value at most α is at most α."""
    for n in (5, 13, 40):
        for p in (0.01, 0.2, 0.5, 0.77):
            for alpha in (0.01, 0.05, 0.2):
                size = math.fsum(
                    math.comb(n, k) * p**k * (1 - p) ** (n - k)
                    for k in range(n + 1)
                    if binomial_p_value(k, n, p) <= alpha
                )
                assert size <= alpha + 1e-12


def test_z() -> None:
    assert z_test(1.96, 1.0, 0.0).p_value == pytest.approx(0.04999579029644087, rel=1e-12)
    assert z_test(-30.0, 1.0, 0.0).p_value == pytest.approx(9.813427854297e-198, rel=1e-9)
    assert z_test(0.5, 0.0, 0.5) == (0.0, 1.0)
    assert z_test(0.6, 0.0, 0.5) == (math.inf, 0.0)
    assert z_test(0.4, 0.0, 0.5) == (-math.inf, 0.0)


def test_holm_known_values() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.2]) == [0.2]


@given(st.lists(unit, min_size=1, max_size=12))
def test_holm_properties(values: list[float]) -> None:
    adjusted = holm(values)
    for raw, corrected in zip(values, adjusted, strict=True):
        assert raw <= corrected <= min(1.0, raw * len(values))
    by_size = sorted(range(len(values)), key=lambda i: values[i])
    assert [adjusted[i] for i in by_size] == sorted(adjusted)


@given(st.lists(unit, min_size=1, max_size=8), st.floats(0.001, 0.5))
def test_holm_is_the_step_down_procedure(values: list[float], alpha: float) -> None:
    """Reject from the smallest while p <= α / (number left): the definition, step by step."""
    rejected = set()
    for step, index in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        if (len(values) - step) * values[index] > alpha:
            break
        rejected.add(index)
    assert {i for i, p in enumerate(holm(values)) if p <= alpha} == rejected


def test_chi_square_against_scipy() -> None:
    counts, probabilities = [44, 56, 37, 63], [Fraction(1, 4)] * 4
    result = chi_square(counts, probabilities)
    reference = stats.chisquare(counts)
    assert result.statistic == pytest.approx(reference.statistic, rel=1e-13)
    assert result.p_value == pytest.approx(reference.pvalue, rel=1e-12)
    assert (result.degrees, result.smallest_expected) == (3, 50.0)
    assert chi_square(counts, probabilities, estimated=1).degrees == 2


def test_chi_square_is_uniform_under_the_null() -> None:
    """4,000 tables from the null: Kolmogorov-Smirnov at a false-alarm rate of 1e-6, fixed seed."""
    rng = np.random.default_rng(7)
    probabilities = [0.1, 0.2, 0.3, 0.4]
    tables = rng.multinomial(100_000, probabilities, size=4000)
    p_values = [chi_square(table.tolist(), probabilities).p_value for table in tables]
    assert stats.kstest(p_values, "uniform").pvalue > 1e-6


@pytest.mark.parametrize(
    "call",
    [
        lambda: binomial_p_value(3, 2, 0.5),
        lambda: binomial_p_value(1, 2, 1.5),
        lambda: binomial_p_value(1, 2, float("nan")),
        lambda: holm([0.5, float("nan")]),
        lambda: holm([1.5]),
        lambda: z_test(0.0, -1.0, 0.0),
        lambda: chi_square([1, 2], [1.0]),
        lambda: chi_square([1], [1.0]),
        lambda: chi_square([1, 2], [0.5, 0.6]),
        lambda: chi_square([1, 2], [0.0, 1.0]),
        lambda: chi_square([-1, 2], [0.5, 0.5]),
        lambda: chi_square([0, 0], [0.5, 0.5]),
    ],
)
def test_bad_input(call: object) -> None:
    with pytest.raises(BadInput):
        call()  # type: ignore[operator]

"""Rounding to what the error supports."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from montecarlo.errors import BadInput
from montecarlo.statistics.rounding import one_in, short_error, thousands, with_error


@pytest.mark.parametrize(
    ("value", "se", "long", "short"),
    [
        (0.0123412, 0.00056, "0.01234 ± 0.00056", "0.0123(6)"),
        (0.5, 0.0996, "0.50 ± 0.10", "0.5(1)"),
        (-12345.6, 678, "-12,350 ± 680", "-12,300(700)"),
        (-0.0001, 0.03, "0.000 ± 0.030", "0.00(3)"),
        (1e-9, 3e-11, "(1.000 ± 0.030)e-9", "1.00(3)e-9"),
        (99.96, 0.5, "99.96 ± 0.50", "100.0(5)"),
        (0.0, 0.0, "0.0", "0.0"),
        (36, 0, "36", "36"),
        (1234567, 0, "1,234,567", "1,234,567"),
        (1.5, math.inf, "1.5 ± ?", "1.5 ± ?"),
        (1.5, math.nan, "1.5 ± ?", "1.5 ± ?"),
    ],
)
def test_with_error(value: float, se: float, long: str, short: str) -> None:
    assert with_error(value, se) == long
    assert short_error(value, se) == short


@given(
    st.floats(-1e12, 1e12), st.floats(1e-12, 1e9), st.integers(1, 4), st.sampled_from(["long", ""])
)
def test_text_reads_back_within_the_error(value: float, se: float, digits: int, form: str) -> None:
    """What is printed differs from the value by half a last digit: at most se / 2 at one digit."""
    if form:
        text = with_error(value, se, digits)
        match = re.fullmatch(r"\(?(\S+) ± ([^\s)]+)\)?(?:e(-\d+))?", text)
        assert match
        scale = 10.0 ** int(match[3] or 0)
        number, error = (float(match[i].replace(",", "")) * scale for i in (1, 2))
        assert error == pytest.approx(se, rel=0.5 * 10.0 ** (1 - digits) + 1e-12)
        assert abs(number - value) <= 0.5 * 10.0 ** (1 - digits) * se * (1 + 1e-9) + 1e-13 * abs(
            value
        )
    else:
        text = short_error(value, se, digits)
        match = re.fullmatch(r"([^\s(]+)\(([\d,]+)\)(?:e(-\d+))?", text)
        assert match
        decimals = len(match[1].partition(".")[2])
        error = int(match[2].replace(",", "")) * 10.0 ** (int(match[3] or 0) - decimals)
        assert error == pytest.approx(se, rel=0.5 * 10.0 ** (1 - digits) + 1e-12)


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (Fraction(1, 9462), "1 in 9,462"),
        (Fraction(4, 635013559600), "1 in 158,753,389,900"),
        (0.4226, "1 in 2.37"),
        (1 / 42.19, "1 in 42.2"),
        (0.25, "1 in 4"),
        (1, "1 in 1"),
        (0, "never"),
    ],
)
def test_one_in(p: float, text: str) -> None:
    assert one_in(p) == text


def test_one_in_of_an_estimate_shows_what_its_error_supports() -> None:
    assert one_in(1e-9, 3e-10) == "1 in 1,000,000,000"
    assert one_in(1 / 1234.5, 1e-4 / 1234.5) == "1 in 1,234.50"
    assert one_in(1 / 123456, 0.01 / 123456) == "1 in 123,500"


@given(st.integers(100, 10**15))
def test_one_in_is_exact_for_exact_chances(n: int) -> None:
    assert one_in(Fraction(1, n)) == f"1 in {thousands(n)}"


@pytest.mark.parametrize(
    "call",
    [
        lambda: one_in(1.1),
        lambda: one_in(-0.1),
        lambda: one_in(0.1, -1.0),
        lambda: with_error(1.0, -1.0),
        lambda: short_error(1.0, 0.1, 0),
    ],
)
def test_bad_input(call: object) -> None:
    with pytest.raises(BadInput):
        call()  # type: ignore[operator]

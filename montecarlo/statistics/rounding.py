"""Numbers as people read them: no digit more, and none less, than the error supports."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

from montecarlo.errors import BadInput

SMALL = 1e-4
"""Below this size (value and error) numbers are written with a power of ten."""


def with_error(value: float, se: float, digits: int = 2) -> str:
    """Write ``value ± se``: the error to ``digits`` significant digits, the value to its place.

    An error of 0 marks an exact value, which is written alone and in full; an infinite or undefined
    one gives ``value ± ?``. Raises BadInput for a negative error or fewer than one digit.

    >>> with_error(0.0123412, 0.00056)
    '0.01234 ± 0.00056'
    >>> with_error(12345.6, 678)
    '12,350 ± 680'
    """
    plain = _without_error(value, se, digits)
    if plain is not None:
        return plain
    number, error, place, exponent = _rounded(value, se, digits)
    text = f"{_fixed(number, place)} ± {_fixed(error, place)}"
    return f"({text})e{exponent}" if exponent else text


def short_error(value: float, se: float, digits: int = 1) -> str:
    """Write the error in brackets, in units of the value's last digit.

    Errors of 0, infinite and undefined ones are treated as by `with_error`.

    >>> short_error(0.0123412, 0.00056)
    '0.0123(6)'
    >>> short_error(2.1e-9, 3.4e-11, 2)
    '2.100(34)e-9'
    """
    plain = _without_error(value, se, digits)
    if plain is not None:
        return plain
    number, error, place, exponent = _rounded(value, se, digits)
    units = error if place >= 0 else error.scaleb(-place)
    text = f"{_fixed(number, place)}({_fixed(units, max(place, 0))})"
    return f"{text}e{exponent}" if exponent else text


def one_in(p: float | Fraction, se: float = 0.0) -> str:
    """Write a chance as ``1 in N``.

    An estimate (``se`` > 0) shows the digits of N that its error se / p² supports, two digits of
    the error; otherwise N is a whole number from 100 on, with one decimal from 10, two below.
    A chance of 0 is ``never``. Raises BadInput outside [0, 1] or for a negative error.

    >>> one_in(Fraction(1, 9462))
    '1 in 9,462'
    >>> one_in(0.25)
    '1 in 4'
    """
    if not 0 <= p <= 1:
        raise BadInput(f"a probability lies between 0 and 1, not {p}")
    _check_error(se)
    if p == 0:
        return "never"
    odds = 1 / Fraction(p)
    place = -2 if odds < 10 else -1 if odds < 100 else 0
    spread = se / float(p) ** 2
    if 0 < spread < math.inf:
        supported = _leading_place(Decimal(spread), 2)
        text = _fixed(_quantized(_decimal(odds), supported), supported)
    else:
        text = _fixed(_quantized(_decimal(odds), place), place)
        if "." in text:
            text = text.rstrip("0").rstrip(".")
    return f"1 in {text}"


def thousands(number: int) -> str:
    """Write a whole number in full, in groups of three digits.

    >>> thousands(635013559600)
    '635,013,559,600'
    """
    return f"{number:,}"


def _check_error(se: float) -> None:
    if se < 0:
        raise BadInput(f"a standard error is at least 0, not {se}")


def _without_error(value: float, se: float, digits: int) -> str | None:
    """Return the text of a value whose error has no digits to go by, None for all others."""
    _check_error(se)
    if digits < 1:
        raise BadInput(f"an error has at least 1 significant digit, not {digits}")
    if se == 0:
        return f"{value:,}"
    if not math.isfinite(se) or not math.isfinite(value):
        return f"{value:.3g} ± ?"
    return None


def _rounded(value: float, se: float, digits: int) -> tuple[Decimal, Decimal, int, int]:
    """Round value and error; return both, the place of the last digit, and a power of ten.

    With a power of ten (small numbers only) value and error are already divided by it.
    """
    number, error = Decimal(value), Decimal(se)
    largest = max(abs(number), error)
    exponent = largest.adjusted() if largest < Decimal(SMALL) else 0
    number, error = number.scaleb(-exponent), error.scaleb(-exponent)
    place = _leading_place(error, digits)
    return _quantized(number, place), _quantized(error, place), place, exponent


def _leading_place(error: Decimal, digits: int) -> int:
    """Return the power of ten of the last significant digit; 0.0996 rounds to 0.10, not 0.100."""
    place = error.adjusted() - digits + 1
    return place + (_quantized(error, place).adjusted() > error.adjusted())


def _quantized(number: Decimal, place: int) -> Decimal:
    with localcontext() as context:
        context.prec = 400
        return number.quantize(Decimal((0, (1,), place)), rounding=ROUND_HALF_EVEN)


def _fixed(number: Decimal, place: int) -> str:
    text = f"{number:,.{max(0, -place)}f}"
    return text.lstrip("-") if number == 0 else text


def _decimal(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 400
        return Decimal(number.numerator) / number.denominator

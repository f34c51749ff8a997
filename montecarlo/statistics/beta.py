"""The beta distribution where binomial tails need it: huge second parameter, tiny argument.

scipy's beta quantile stops at an absolute tolerance near 1e-17, and its distribution function loses
up to 1e-7 relative when b >> a. There ``-log(1 - X) (b + (a - 1)/2)`` of a Beta(a, b) variable X
follows Gamma(a) to relative order ``(a / b)² + x²``, so the gamma functions take over.

Source: the expansion of Wise (1950), Biometrika 37, 208-218.
"""

from __future__ import annotations

import math

TINY = 1e-7
"""ratio a/b, and argument, below which the gamma form is better than 1e-13 relative"""


def beta_at_most(a: float, b: float, x: float) -> float:
    """P(X <= x) for X ~ Beta(a, b); a, b >= 1 and 0 < x < 1."""
    from scipy.special import betainc, gammainc

    if _gamma_serves(a, b) and x < TINY:
        return float(gammainc(a, _to_gamma(a, b, x)))
    return float(betainc(a, b, x))


def beta_more_than(a: float, b: float, x: float) -> float:
    """P(X > x) for X ~ Beta(a, b); a, b >= 1 and 0 < x < 1."""
    from scipy.special import betaincc, gammaincc

    if _gamma_serves(a, b) and x < TINY:
        return float(gammaincc(a, _to_gamma(a, b, x)))
    return float(betaincc(a, b, x))


def beta_low_quantile(a: float, b: float, tail: float) -> float:
    """Return x with P(X <= x) = ``tail`` for X ~ Beta(a, b)."""
    from scipy.special import betaincinv, gammaincinv

    if _gamma_serves(a, b):
        return _from_gamma(a, b, float(gammaincinv(a, tail)))
    return float(betaincinv(a, b, tail))


def beta_high_quantile(a: float, b: float, tail: float) -> float:
    """Return x with P(X > x) = ``tail`` for X ~ Beta(a, b)."""
    from scipy.special import betainccinv, gammainccinv

    if _gamma_serves(a, b):
        return _from_gamma(a, b, float(gammainccinv(a, tail)))
    return float(betainccinv(a, b, tail))


def _gamma_serves(a: float, b: float) -> bool:
    return a < TINY * b


def _to_gamma(a: float, b: float, x: float) -> float:
    return -math.log1p(-x) * (b + (a - 1) / 2)


def _from_gamma(a: float, b: float, g: float) -> float:
    return -math.expm1(-g / (b + (a - 1) / 2))

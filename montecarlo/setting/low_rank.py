"""A monotone grid as a short sum of products of monotone factors.

What pays for all three rows together is a table over (head, middle, tail). Settings are compared
millions of times a second, so the table is written as Σ_r a_r(head) b_r(middle) c_r(tail) with
factors that are not negative. Where they all rise (or all fall) the sum is monotone for certain;
the noise of a sampled table is smoothed away in any case.

Source: non-negative canonical polyadic decomposition by hierarchical alternating least squares
(Cichocki & Phan 2009, IEICE Trans. Fundamentals E92-A, 708-721), each factor projected onto
monotone sequences after its update.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Factors = tuple[Floats, Floats, Floats]
Trend = Literal["rising", "falling", "free"]

SWEEPS = 120
_UPDATES = ("ijk,jr,kr->ir", "ijk,ir,kr->jr", "ijk,ir,jr->kr")


def low_rank_products(table: Floats, rank: int, trend: Trend) -> Factors:
    """Return factors (K, rank), (M, rank), (T, rank) whose products add up to about ``table``.

    ``table`` (K, M, T) is not negative; factors follow the ``trend``. Deterministic.
    """
    factors = _start(table, rank)
    for _ in range(SWEEPS):
        for axis in range(3):
            first, second = (factors[other] for other in range(3) if other != axis)
            target = np.einsum(_UPDATES[axis], table, first, second, optimize=True)
            gram = (first.T @ first) * (second.T @ second)
            factor = factors[axis]
            for r in range(rank):
                step = (target[:, r] - factor @ gram[:, r]) / max(gram[r, r], 1e-300)
                factor[:, r] = _follow(np.maximum(factor[:, r] + step, 0.0), trend)
    return factors[0], factors[1], factors[2]


def rebuilt(factors: Factors) -> Floats:
    """Return the table (K, M, T) that factors stand for."""
    table: Floats = np.einsum("ir,jr,kr->ijk", *factors)
    return table


def _start(table: Floats, rank: int) -> list[Floats]:
    """Mean profiles along each axis, raised to powers that differ from term to term."""
    random = np.random.default_rng(0)
    factors = []
    for axis in range(3):
        profile = table.mean(axis=tuple(other for other in range(3) if other != axis))
        profile = profile / max(profile.max(), 1e-300)
        factors.append(profile[:, None] ** random.uniform(0.2, 3.0, rank))
    factors[0] *= table.max() / rank
    return factors


def _follow(sequence: Floats, trend: Trend) -> Floats:
    """Nearest sequence of a trend: half way between its running bounds from either end."""
    if trend == "free":
        return sequence
    upward = sequence if trend == "rising" else sequence[::-1]
    above = np.maximum.accumulate(upward)
    below = np.minimum.accumulate(upward[::-1])[::-1]
    middle = (above + below) / 2
    return middle if trend == "rising" else middle[::-1]

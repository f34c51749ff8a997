"""Control variates: what is known exactly about a deal corrects what is estimated from it.

If totals c of known means μ vary together with a total y, then y - β·(c - μ) has y's mean and a
smaller variance. The coefficients β come from a pilot run of other deals, so nothing is biased.

Source: Lavenberg & Welch (1981), Management Science 27, 322-335; Law (2015), Simulation Modeling
and Analysis, 5th ed., §11.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from montecarlo.statistics.clustered import Estimate, PowerSums
from montecarlo.statistics.moments import Moments


def control_coefficients(
    pilot: Moments, total: str, controls: Sequence[str]
) -> dict[str, Fraction]:
    """Return the coefficient of each control that makes the variance least in the pilot run.

    Controls that do not vary in the pilot, or repeat others, get the least coefficients that
    serve (0 for the former). Raises BadInput for names that were not measured or fewer than two
    deals.
    """
    covariances = np.array(
        [[float(pilot.pair(one, other).covariance()) for other in controls] for one in controls]
    )
    with_total = np.array([float(pilot.pair(one, total).covariance()) for one in controls])
    scale = np.sqrt(np.diag(covariances))
    scale[scale == 0] = 1.0  # rare controls and common ones on one footing
    solved = np.linalg.lstsq(covariances / np.outer(scale, scale), with_total / scale)[0]
    return {
        name: Fraction(float(weight)) for name, weight in zip(controls, solved / scale, strict=True)
    }


def controlled_mean(
    main: Moments,
    total: str,
    coefficients: Mapping[str, Fraction],
    known: Mapping[str, Fraction],
) -> Estimate:
    """Return the mean a deal of ``total``, corrected by controls of exactly known means.

    The deals of ``main`` must be others than those the coefficients came from; then the estimate
    is unbiased, and its error that of the corrected totals.
    """
    sums = main.combination({total: 1, **{name: -beta for name, beta in coefficients.items()}})
    shift = sum((beta * known[name] for name, beta in coefficients.items()), start=Fraction(0))
    first = Fraction(sums.first) + shift * sums.n
    second = sums.second + 2 * shift * sums.first + shift**2 * sums.n
    return PowerSums(sums.n, first, second).estimate()

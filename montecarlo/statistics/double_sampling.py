"""Means by double sampling for stratification, with a control whose mean is known better.

A first sample tells how large the strata are; in a part of each, the target is looked at. The
control is looked at in the same part, and known from elsewhere with its error.

Source: Cochran (1977), Sampling Techniques, 3rd ed., §12.2 (double sampling for stratification),
§7.10 (combined regression estimate).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from montecarlo.statistics.clustered import Estimate

Floats = NDArray[np.float64]


def regression_mean(
    sizes: Sequence[int], target: Sequence[Floats], control: Sequence[Floats], known: Estimate
) -> Estimate:
    """Return the target's mean.

    ``sizes``: members of each stratum in the first sample; ``target`` and ``control``: their values
    for those members of each stratum that were looked at (one or more); ``known``: the control's
    mean. A target that is a multiple of the control gets that multiple of ``known``, error and all.
    """
    total = sum(sizes)
    weights = [size / total for size in sizes]
    cross = square = 0.0
    for weight, t, c in zip(weights, target, control, strict=True):
        scale = weight * weight / len(c)
        left = c - c.mean()
        cross += scale * float(left @ (t - t.mean()))
        square += scale * float(left @ left)
    slope = cross / square if square > 0 else 0.0
    rest = [t - slope * c for t, c in zip(target, control, strict=True)]
    mean = sum(w * float(r.mean()) for w, r in zip(weights, rest, strict=True))
    second = sum(w * float((r * r).mean()) for w, r in zip(weights, rest, strict=True))
    variance = max(second - mean * mean, 0.0) / total
    for weight, size, r in zip(weights, sizes, rest, strict=True):
        if len(r) > 1:
            spread = float(((r - r.mean()) ** 2).sum()) / (len(r) - 1)
            variance += weight * weight * spread * (1 / len(r) - 1 / size)
    error = math.hypot(math.sqrt(max(variance, 0.0)), slope * known.se)
    return Estimate(mean + slope * known.value, error, known.deals)

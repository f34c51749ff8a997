"""Errors of statistics that are no means: leave out one batch of deals after the other.

Source: Efron & Stein (1981), The jackknife estimate of variance, Annals of Statistics 9, 586-596.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from montecarlo.statistics.clustered import Estimate

Floats = NDArray[np.float64]


def jackknife(
    statistic: Callable[[Sequence[Floats]], float], batches: Sequence[Floats], deals: int
) -> Estimate:
    """Return a statistic of totals with its delete-one-batch error; one batch gives no error.

    ``batches``: totals by batch, arrays (B, …) of one B; the statistic is given their sums over
    batches. Batches that hold no deals are to be left out by the caller.
    """
    whole = [part.sum(axis=0) for part in batches]
    value = statistic(whole)
    count = len(batches[0])
    if count < 2:
        return Estimate(value, math.inf, deals)
    left_out = np.array(
        [
            statistic([total - part[batch] for total, part in zip(whole, batches, strict=True)])
            for batch in range(count)
        ]
    )
    spread = float(((left_out - left_out.mean()) ** 2).sum())
    return Estimate(value, math.sqrt((count - 1) / count * spread), deals)

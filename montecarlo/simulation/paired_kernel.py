"""Kernel of paired runs: sums and products of what each deal brought to every arm."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel

Integers = NDArray[np.int64]


@kernel
def add_products(measured: Integers, sums: Integers, products: Integers) -> None:
    """Add deals to exact sums and sums of products, all int64.

    ``measured`` (deals, m): what was measured in each deal. ``sums`` (m,) takes Σ x_i, and the
    upper triangle of ``products`` (m, m) takes Σ x_i x_j for i ≤ j; the rest is left alone.
    """
    deals, count = measured.shape
    for deal in range(np.uint64(deals)):
        for i in range(np.uint64(count)):
            value = measured[deal, i]
            if value == 0:
                continue
            sums[i] += value
            for j in range(i, np.uint64(count)):
                products[i, j] += value * measured[deal, j]

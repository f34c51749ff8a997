"""Kernels of skill runs: sums, products and histograms of leads, and who is ahead after a run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel

Integers = NDArray[np.int64]

BEHIND, LEVEL, AHEAD = range(3)


@kernel
def add_leads(
    leads: Integers,
    policies: int,
    sums: Integers,
    products: Integers,
    cells: Integers,
    histogram: Integers,
) -> None:
    """Add leads (deals, plays, K²) of the arms (A, B) of K policies to tallies, all int64.

    ``sums`` (K²,) and ``products`` (K², K²) take a deal's totals over its plays; ``cells``
    (K, K, K) the products of two lone policies' leads in single plays, by (B, A, A');
    ``histogram`` (K², 2 H + 1) the leads of single plays.
    """
    deals, plays, arms = leads.shape
    half = histogram.shape[1] // 2
    totals = np.empty(arms, np.int64)
    for deal in range(deals):
        totals[:] = 0
        for play in range(plays):
            lead = leads[deal, play]
            for arm in range(arms):
                totals[arm] += lead[arm]
                histogram[arm, lead[arm] + half] += 1
            for others in range(policies):
                for one in range(policies):
                    value = lead[one * policies + others]
                    for two in range(policies):
                        cells[others, one, two] += value * lead[two * policies + others]
        for one in range(arms):
            sums[one] += totals[one]
            for two in range(arms):
                products[one, two] += totals[one] * totals[two]


@kernel
def add_runs(leads: Integers, runs: Integers) -> None:
    """Add runs of 1, 2, 4, … consecutive deals to ``runs`` (lengths, arms, 3) by who is ahead.

    ``leads`` (deals, arms). Deals that do not fill a run are left out of that length.
    """
    deals, arms = leads.shape
    sums = leads.copy()
    count = deals
    for length in range(runs.shape[0]):
        for run in range(count):
            for arm in range(arms):
                lead = sums[run, arm]
                place = AHEAD if lead > 0 else (LEVEL if lead == 0 else BEHIND)
                runs[length, arm, place] += 1
        count //= 2
        for run in range(count):
            for arm in range(arms):
                sums[run, arm] = sums[2 * run, arm] + sums[2 * run + 1, arm]

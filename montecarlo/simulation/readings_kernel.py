"""Kernels of the readings experiment: what a deal brings under one rule set, and sums of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.bits import bit_count
from montecarlo.compiled import kernel
from montecarlo.scoring.awards import add_units
from montecarlo.scoring.kernels import EVENTS, LOSERS, MOST_AWARDS, UNITS, score_deal
from montecarlo.scoring.seats import Seats, Whole
from montecarlo.scoring.tables import ScoringRules

Integers = NDArray[np.int64]


@kernel
def measure_deals(
    rules: ScoringRules, seats: Seats, banker: Whole, units: Integers, flow: Integers
) -> None:
    """Fill ``units`` (deals, players) with net units, ``flow`` (deals,) with units that move.

    ``units`` is zeros before. ``flow``: every payment of a deal, each counted once.
    """
    deals, players = seats.shape
    awards = np.empty((MOST_AWARDS, 4), np.int64)
    events = np.zeros((deals, len(EVENTS)), np.int64)
    for deal in range(np.uint64(deals)):
        made = score_deal(rules, seats, deal, players, banker, awards, events)
        add_units(awards, made, units, deal)
        moved = np.int64(0)
        for place in range(np.uint64(made)):
            payments = np.int64(bit_count(np.uint64(awards[place, LOSERS])))
            moved += payments * abs(awards[place, UNITS])
        flow[deal] = moved


@kernel
def add_listed_products(
    measured: Integers, first: Integers, second: Integers, products: Integers
) -> None:
    """Add Σ x[first] x[second] over deals (deals, m) to ``products``, one a listed pair; int64."""
    for deal in range(np.uint64(measured.shape[0])):
        for place in range(np.uint64(products.size)):
            one, other = np.uint64(first[place]), np.uint64(second[place])
            products[place] += measured[deal, one] * measured[deal, other]

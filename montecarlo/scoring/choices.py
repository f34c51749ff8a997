"""What a seat's choices bring against the same tables of opponents, by the real table scoring.

A choice is a seat's record: a setting of his hand, or a declared special. Every choice meets every
table, so differences between choices are paired.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel
from montecarlo.scoring.awards import payments_of
from montecarlo.scoring.kernels import EVENTS, MOST_AWARDS, UNITS, score_deal
from montecarlo.scoring.seats import Seats, Whole
from montecarlo.scoring.tables import ScoringRules

Integers = NDArray[np.int64]

SUM, SQUARES, GAP, GAP_SQUARES = range(4)
"""Columns of `choice_moments`."""


@kernel
def choice_moments(
    rules: ScoringRules,
    seats: Seats,
    seat: int,
    banker: int,
    choices: Seats,
    baseline: Integers,
) -> Integers:
    """Return, over tables, Σu, Σu², Σ(u - b), Σ(u - b)² of every choice's units u, (S, 4) int64.

    ``seats`` (tables, players): the column ``seat`` is overwritten. ``choices`` (S,): records of
    that seat. ``baseline`` (tables,): the units b that a choice is compared with, table by table.
    """
    tables, players = seats.shape
    sums = np.zeros((choices.size, 4), np.int64)
    awards = np.empty((MOST_AWARDS, 4), np.int64)
    events = np.zeros((1, len(EVENTS)), np.int64)
    for table in range(np.uint64(tables)):
        one, compared = seats[table : table + np.uint64(1)], baseline[table]
        for choice in range(np.uint64(choices.size)):
            one[0, np.uint64(seat)] = choices[choice]
            units = seat_units(rules, one, players, seat, banker, awards, events)
            gap = units - compared
            sums[choice, SUM] += units
            sums[choice, SQUARES] += units * units
            sums[choice, GAP] += gap
            sums[choice, GAP_SQUARES] += gap * gap
    return sums


@kernel
def choice_units(
    rules: ScoringRules, seats: Seats, seat: int, banker: int, choice: Seats
) -> Integers:
    """Return the units (tables,) that one choice, a record (1,), brings at every table.

    ``seats`` (tables, players): the column ``seat`` is overwritten.
    """
    tables, players = seats.shape
    units = np.empty(tables, np.int64)
    awards = np.empty((MOST_AWARDS, 4), np.int64)
    events = np.zeros((1, len(EVENTS)), np.int64)
    for table in range(np.uint64(tables)):
        one = seats[table : table + np.uint64(1)]
        one[0, np.uint64(seat)] = choice[0]
        units[table] = seat_units(rules, one, players, seat, banker, awards, events)
    return units


@kernel
def seat_units(
    rules: ScoringRules,
    table: Seats,
    players: int,
    seat: int,
    banker: int,
    awards: Integers,
    events: Integers,
) -> Whole:
    """Score one table (1, players) and return one seat's units; ``awards``, ``events``: scratch."""
    made = score_deal(rules, table, 0, players, banker, awards, events)
    units = np.int64(0)
    for place in range(np.uint64(made)):
        units += np.int64(payments_of(awards, place, seat)) * awards[place, UNITS]
    return units

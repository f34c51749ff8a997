"""Sums over the awards of a deal: units by seat and by line, flows, payout counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.bits import bit_count
from montecarlo.compiled import kernel
from montecarlo.scoring.kernels import LINE, LOSERS, UNITS, WINNER
from montecarlo.scoring.seats import Seats, Whole
from montecarlo.scoring.tables import (
    LINE_GUN,
    LINE_HOME_RUN,
    LINE_MAJORITY,
    LINE_SPECIAL,
    ScoringRules,
)

Integers = NDArray[np.int64]

_U = np.uint64
_ONE = _U(1)
_THREE = _U(3)


@kernel
def add_units(awards: Integers, made: Whole, units: Integers, deal: Whole) -> None:
    """Add ``made`` awards to ``units[deal]``; ``units`` is (deals, players)."""
    first = second = third = fourth = np.int64(0)
    # Four sums in registers: adding to memory award by award would wait for each store.
    for place in range(_U(made)):
        winner, losers = awards[place, WINNER], awards[place, LOSERS]
        each = awards[place, UNITS]
        won = each * np.int64(bit_count(_U(losers)))
        first += (won if winner == 0 else 0) - (each if losers & 1 else 0)
        second += (won if winner == 1 else 0) - (each if losers & 2 else 0)
        third += (won if winner == 2 else 0) - (each if losers & 4 else 0)
        fourth += (won if winner == 3 else 0) - (each if losers & 8 else 0)
    units[deal, 0] += first
    units[deal, 1] += second
    if units.shape[1] > 2:
        units[deal, 2] += third
    if units.shape[1] > 3:
        units[deal, 3] += fourth


@kernel
def add_line_units(awards: Integers, made: Whole, units: Integers) -> None:
    """Add ``made`` awards to ``units`` (lines, players)."""
    for place in range(_U(made)):
        losers, each = _U(awards[place, LOSERS]), awards[place, UNITS]
        line = _U(awards[place, LINE])
        for seat in range(_U(units.shape[1])):
            units[line, seat] -= each * np.int64((losers >> seat) & _ONE)
        units[line, _U(awards[place, WINNER])] += each * np.int64(bit_count(losers))


@kernel
def add_line_flow(awards: Integers, made: Whole, flow: Integers) -> None:
    """Add what ``made`` awards move, each payment once and never negative, to ``flow`` (lines,)."""
    for place in range(_U(made)):
        payments = np.int64(bit_count(awards[place, LOSERS]))
        flow[_U(awards[place, LINE])] += payments * abs(awards[place, UNITS])


@kernel
def payments_of(awards: Integers, place: Whole, seat: Whole) -> Whole:
    """Return how many payments of an award a seat takes; -1 if it makes one of them."""
    losers = _U(awards[place, LOSERS])
    if awards[place, WINNER] == seat:
        return np.int64(bit_count(losers))
    return -np.int64((losers >> _U(seat)) & _ONE)


@kernel
def add_seat_lines(awards: Integers, made: Whole, seat: Whole, units: Integers) -> None:
    """Add one seat's net units by line to ``units`` (lines,)."""
    for place in range(_U(made)):
        payments = payments_of(awards, place, seat)
        units[_U(awards[place, LINE])] += payments * awards[place, UNITS]


@kernel
def add_counts(
    rules: ScoringRules,
    seats: Seats,
    deal: Whole,
    awards: Integers,
    made: Whole,
    seat: Whole,
    counts: Integers,
) -> None:
    """Add one seat's payout counts, with all multipliers, to ``counts`` (payouts,).

    The seat's units are counts · payouts.
    """
    for place in range(_U(made)):
        payments = payments_of(awards, place, seat)
        if payments == 0:
            continue
        winner, line = _U(awards[place, WINNER]), _U(awards[place, LINE])
        kind = rules["line_kind"][line]
        if kind == LINE_SPECIAL:
            special = _U(seats[deal, winner]["special"])
            counts[_U(rules["payout_of_special"][special])] += payments
        elif kind == LINE_MAJORITY:
            counts[_U(rules["payout_majority"])] += payments
        elif kind == LINE_GUN:
            base, extra = rules["gun_base"] - 1, rules["gun_extra"] - 1
            count_rows(rules, seats, deal, winner, payments * base, payments * extra, counts)
            counts[_U(rules["payout_gun_add"])] += payments
        elif kind == LINE_HOME_RUN:
            base = rules["gun_base"] * (rules["home_run_base"] - 1)
            extra = rules["gun_extra"] * (rules["home_run_extra"] - 1)
            count_rows(rules, seats, deal, winner, payments * base, payments * extra, counts)
            counts[_U(rules["payout_gun_add"])] += payments * (rules["home_run_gun_add"] - 1)
            counts[_U(rules["payout_home_run_add"])] += payments
        else:
            row = _U(rules["line_row"][line])
            category = _U(seats[deal, winner]["categories"][row])
            counts[_U(rules["payout_of_base"][row])] += payments
            counts[_U(rules["payout_of_extra"][row, category])] += payments


@kernel
def count_rows(
    rules: ScoringRules,
    seats: Seats,
    deal: Whole,
    winner: Whole,
    bases: Whole,
    extras: Whole,
    counts: Integers,
) -> None:
    """Add ``bases`` times the bases and ``extras`` times the extras of all the winner's rows."""
    for row in range(_THREE):
        category = _U(seats[deal, _U(winner)]["categories"][row])
        counts[_U(rules["payout_of_base"][row])] += bases
        counts[_U(rules["payout_of_extra"][row, category])] += extras

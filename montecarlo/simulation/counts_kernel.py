"""Kernel of counted payments: sums and products of how often each payment was made in a deal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.bits import bit_count
from montecarlo.compiled import kernel
from montecarlo.scoring.kernels import EVENTS, LINE, LOSERS, MOST_AWARDS, WINNER, score_deal
from montecarlo.scoring.payments import PaymentPlaces
from montecarlo.scoring.seats import Seats, Whole
from montecarlo.scoring.tables import (
    LINE_GUN,
    LINE_HOME_RUN,
    LINE_MAJORITY,
    LINE_SPECIAL,
    ScoringRules,
)

Integers = NDArray[np.int64]

PAYMENT = 0
"""Columns of a made payment: its place in `payment_ids`, then `WINNER` + 1 and `LOSERS` + 1."""

_U = np.uint64
_ONE, _THREE = _U(1), _U(3)


@kernel
def tally_payments(
    rules: ScoringRules,
    places: PaymentPlaces,
    seats: Seats,
    banker: int,
    counted_seats: int,
    sums: Integers,
    products: Integers,
    flow_sums: Integers,
    flow_products: Integers,
) -> None:
    """Score deals (deals, players) and add how often payments were made, all int64.

    ``sums`` (payments,), ``products`` (T,): of z, the net number of each payment that a seat got (a
    payment it made counts -1), Σ z_i and Σ z_i z_j over deals and over the first ``counted_seats``
    seats. ``flow_sums``, ``flow_products``: the same of how often a payment was made at the whole
    table. Products are packed: T = payments (payments + 1) / 2, rows of the upper triangle.
    """
    deals, players = seats.shape
    size = sums.size
    awards = np.empty((MOST_AWARDS, 4), np.int64)
    events = np.zeros((deals, len(EVENTS)), np.int64)
    made = np.empty((4 * MOST_AWARDS, 3), np.int64)
    slot = np.full(size, -1, np.int64)
    kinds = np.empty(size, np.int64)
    counts = np.empty(size, np.int64)
    for deal in range(_U(deals)):
        awarded = score_deal(rules, seats, deal, players, banker, awards, events)
        payments = list_payments(rules, places, seats, deal, awards, awarded, made)
        for seat in range(counted_seats):
            found = 0
            for place in range(_U(payments)):
                losers = _U(made[place, LOSERS + 1])
                count = -np.int64((losers >> _U(seat)) & _ONE)
                if made[place, WINNER + 1] == seat:
                    count = np.int64(bit_count(losers))
                if count:
                    found = add_one(made[place, PAYMENT], count, slot, kinds, counts, found)
            add_products(kinds, counts, slot, found, sums, products)
        found = 0
        for place in range(_U(payments)):
            count = np.int64(bit_count(_U(made[place, LOSERS + 1])))
            found = add_one(made[place, PAYMENT], count, slot, kinds, counts, found)
        add_products(kinds, counts, slot, found, flow_sums, flow_products)


@kernel
def count_payments(
    rules: ScoringRules, places: PaymentPlaces, seats: Seats, banker: int, seat: int, size: int
) -> Integers:
    """Return the net number of each payment that one seat got, (deals, ``size`` payments) int64."""
    deals, players = seats.shape
    counts = np.zeros((deals, size), np.int64)
    awards = np.empty((MOST_AWARDS, 4), np.int64)
    events = np.zeros((deals, len(EVENTS)), np.int64)
    made = np.empty((4 * MOST_AWARDS, 3), np.int64)
    for deal in range(_U(deals)):
        awarded = score_deal(rules, seats, deal, players, banker, awards, events)
        payments = list_payments(rules, places, seats, deal, awards, awarded, made)
        for place in range(_U(payments)):
            losers, kind = _U(made[place, LOSERS + 1]), _U(made[place, PAYMENT])
            counts[deal, kind] -= np.int64((losers >> _U(seat)) & _ONE)
            if made[place, WINNER + 1] == seat:
                counts[deal, kind] += np.int64(bit_count(losers))
    return counts


@kernel
def list_payments(
    rules: ScoringRules,
    places: PaymentPlaces,
    seats: Seats,
    deal: Whole,
    awards: Integers,
    awarded: Whole,
    made: Integers,
) -> int:
    """Write what the awards of a deal are payments for; return how many were written.

    ``made`` (4 * MOST_AWARDS, 3) is overwritten: payment, winner, losers.
    """
    written = 0
    for number in range(_U(awarded)):
        winner, losers = awards[number, WINNER], awards[number, LOSERS]
        line, seat = _U(awards[number, LINE]), _U(winner)
        kind = rules["line_kind"][line]
        if kind == LINE_SPECIAL:
            payment = places.special[_U(seats[deal, seat]["special"])]
        elif kind == LINE_MAJORITY:
            payment = places.majority
        elif kind == LINE_GUN:
            payment = places.gun
        elif kind == LINE_HOME_RUN:
            payment = places.home_run
        else:
            row = _U(rules["line_row"][line])
            payment = places.row[row, _U(seats[deal, seat]["categories"][row])]
        written = write(made, written, payment, winner, losers)
        if kind in (LINE_GUN, LINE_HOME_RUN):
            by_row = places.gun_row if kind == LINE_GUN else places.home_run_row
            for of_row in range(_THREE):
                payment = by_row[of_row, _U(seats[deal, seat]["categories"][of_row])]
                written = write(made, written, payment, winner, losers)
    return written


@kernel
def write(made: Integers, written: int, payment: Whole, winner: Whole, losers: Whole) -> int:
    """Write one payment unless it is not counted (-1); return how many are written."""
    if payment < 0:
        return written
    made[written, PAYMENT] = payment
    made[written, WINNER + 1] = winner
    made[written, LOSERS + 1] = losers
    return written + 1


@kernel
def add_one(
    payment: Whole, count: Whole, slot: Integers, kinds: Integers, counts: Integers, found: int
) -> int:
    """Add to the short list of a deal's counts; return its length.

    ``slot`` (payments,): a payment's place in the list, -1 while it has none.
    """
    place = slot[payment]
    if place < 0:
        slot[payment] = found
        kinds[found] = payment
        counts[found] = count
        return found + 1
    counts[place] += count
    return found


@kernel
def add_products(
    kinds: Integers, counts: Integers, slot: Integers, found: int, sums: Integers, packed: Integers
) -> None:
    """Add a short list's counts and their products, and free its slots."""
    size = sums.size
    for place in range(found):
        kind, count = kinds[place], counts[place]
        slot[kind] = -1
        sums[kind] += count
        for other in range(place + 1):
            low, high = min(kind, kinds[other]), max(kind, kinds[other])
            packed[low * size - low * (low - 1) // 2 + high - low] += count * counts[other]

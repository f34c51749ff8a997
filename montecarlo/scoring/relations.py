"""Relations between the seats of a table: who beats whom, as sets of bits.

A relation is 16 bits of a uint64, bit ``4 * winner + loser``, so that the four bits from
``4 * winner`` on are the set of seats that ``winner`` beats.
"""

from __future__ import annotations

import numpy as np

from montecarlo.compiled import kernel
from montecarlo.scoring.seats import SUIT_BITS, Seats, Whole

_U = np.uint64
_ZERO, _ONE, _FOUR = _U(0), _U(1), _U(4)
_SEATS = _U(15)
_SUIT_VALUES = np.uint32(1 << SUIT_BITS)


@kernel
def seats_beaten(relation: Whole, winner: Whole) -> np.uint64:
    """Return the set of seats (bit = seat) that ``winner`` beats in a relation."""
    return (_U(relation) >> (_FOUR * _U(winner))) & _SEATS


@kernel
def settling_pairs(banker_game: Whole, players: Whole, banker: Whole) -> np.uint64:
    """Return the relation of all pairs that settle, both ways."""
    everyone = (_ONE << _U(players)) - _ONE
    relation = _ZERO
    for seat in range(_U(players)):
        others = everyone & ~(_ONE << seat)
        if banker_game and seat != _U(banker):
            others = _ONE << _U(banker)
        relation |= others << (_FOUR * seat)
    return relation


@kernel
def between(winners: Whole, losers: Whole) -> np.uint64:
    """Return the relation in which each of a set of seats beats each of another."""
    relation = _ZERO
    for seat in range(_FOUR):
        relation |= (((_U(winners) >> seat) & _ONE) * _U(losers)) << (_FOUR * seat)
    return relation


@kernel
def with_status(seats: Seats, deal: Whole, players: Whole, status: Whole) -> np.uint64:
    """Return the set of seats (bit = seat) that have a status."""
    found = _ZERO
    for seat in range(_U(players)):
        found |= _U(seats[deal, seat]["status"] == status) << seat
    return found


@kernel
def duel(first: Whole, second: Whole, a: Whole, b: Whole) -> tuple[np.uint64, np.uint64]:
    """Return who of seats a and b has the higher key, and (a over b) if values are equal."""
    a_over_b, b_over_a = _FOUR * _U(a) + _U(b), _FOUR * _U(b) + _U(a)
    higher = (_U(first > second) << a_over_b) | (_U(second > first) << b_over_a)
    return higher, _U((first ^ second) < _SUIT_VALUES) << a_over_b


@kernel
def row_wins(
    seats: Seats, deal: Whole, players: Whole, row: Whole, tie_winner: Whole
) -> tuple[np.uint64, np.uint64]:
    """Return who beats whom in a row, and who ties with whom before the tie rule (one way).

    ``tie_winner``: the seat that wins equal rows, -1 for nobody. Seats beyond ``players`` count as
    the weakest.
    """
    place = _U(row)
    third = fourth = np.uint32(0)
    first, second = seats[deal, 0]["keys"][place], seats[deal, 1]["keys"][place]
    if players > 2:
        third = seats[deal, 2]["keys"][place]
    if players > 3:
        fourth = seats[deal, 3]["keys"][place]
    # Written out, because the compiler unrolls no loop of unknown length.
    wins, ties = duel(first, second, 0, 1)
    for higher, equal in (
        duel(first, third, 0, 2),
        duel(first, fourth, 0, 3),
        duel(second, third, 1, 2),
        duel(second, fourth, 1, 3),
        duel(third, fourth, 2, 3),
    ):
        wins |= higher
        ties |= equal
    if tie_winner >= 0:
        key = seats[deal, _U(tie_winner)]["keys"][place]
        for seat in range(_U(players)):
            if seats[deal, seat]["keys"][place] == key and seat != _U(tie_winner):
                wins |= _ONE << (_FOUR * _U(tie_winner) + seat)
    return wins, ties

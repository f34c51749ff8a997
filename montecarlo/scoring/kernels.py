"""Compiled scoring of one deal (rulebook §3): who beats whom, and what each seat is awarded for it.

Who beats whom is a *relation*: 16 bits of a uint64, bit ``4 * winner + loser``, so that bits
``4 * winner …`` are the set of seats a winner beats. Guns are the intersection of three rows'
relations, two rows of three their majority.

What somebody wins depends on his own cards only, never on the loser's. So a deal's score is a short
list of *awards*: a seat takes so many units from each of a set of seats, through one payout line.
Units by seat, units by line, flows and payout counts are sums over it (`awards`).

In banker games rows are compared between the banker and each player only. So only the banker can
gun all three others there: players who do not settle with each other do not gun each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel
from montecarlo.scoring.tables import FORMAT_LADDER, FORMAT_MAJORITY, FORMAT_ROWS, ScoringRules

Integers = NDArray[np.int64]

STATUS_ROWS, STATUS_SPECIAL, STATUS_FOUL = range(3)

SUIT_BITS = 3
"""A row's key is its comparison value, shifted by this, plus the tie rule's suit value 0 … 4."""

WINNER, LOSERS, LINE, UNITS = range(4)
"""Columns of an award: a seat, a set of seats (bit = seat), an index into `line_ids`, units from
each of them (negative only where a rule file's multipliers are 0)."""

MOST_AWARDS = 4 * 5 + 1

EVENTS = ("ordinary_pairs", "guns", "home_runs", "ties_head", "ties_middle", "ties_tail")
"""Events of a deal: settled pairs of ordinary hands (neither special nor foul), those in which one
side wins all three rows after the tie rule, home runs (0 or 1), and those pairs' rows of equal
value before the tie rule. Ladders have none; other games have them also where nothing is paid.
"""

_U = np.uint64
_ZERO, _ONE, _TWO, _THREE, _FOUR, _FIVE = _U(0), _U(1), _U(2), _U(3), _U(4), _U(5)
_SEATS = _U(15)
_EACH_ROW = _U(0x1111)
_BITS_OF_SET = _U(0x4332_3221_3221_2110)
_TAIL = _U(2)
_SUIT_VALUES = np.uint32(1 << SUIT_BITS)


SEAT = np.dtype(
    [
        ("keys", np.uint32, 3),  # comparison keys of head, middle, tail (row_key)
        ("categories", np.uint8, 3),  # categories 0 … 8 of head, middle, tail
        ("status", np.uint8),  # STATUS_ROWS, _SPECIAL or _FOUL; ROWS if a ladder entry is not reached
        ("special", np.int8),  # place of the declared special in variant.specials
        ("strength", np.int8),  # what compares specials of one id (holdings.special_strength)
    ],
    align=True,
)
"""What is scored of a hand. Deals are arrays (deals, players) of it."""

Seats = NDArray[np.void]


@kernel
def row_key(value: int, suit: int) -> np.uint32:
    """Return a row's comparison key: value under ``compare``, then suit value (0: no suit rule)."""
    return np.uint32((np.uint32(value) << np.uint32(SUIT_BITS)) | np.uint32(suit))


@kernel
def seats_beaten(relation: int, winner: int) -> np.uint64:
    """Return the set of seats (bit = seat) that ``winner`` beats in a relation."""
    return (_U(relation) >> (_FOUR * _U(winner))) & _SEATS


@kernel
def set_size(seats: int) -> np.uint64:
    """Return the number of seats in a set of at most four."""
    return (_BITS_OF_SET >> (_FOUR * _U(seats))) & _SEATS


@kernel
def relation_size(relation: int) -> np.uint64:
    """Return the number of (winner, loser) pairs in a relation."""
    pairs = _ZERO
    for seat in range(_FOUR):
        pairs += set_size(seats_beaten(relation, seat))
    return pairs


@kernel
def settling_pairs(banker_game: int, players: int, banker: int) -> np.uint64:
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
def duel(first: int, second: int, a: int, b: int) -> tuple[np.uint64, np.uint64]:
    """Return who of seats a and b has the higher key, and (a over b) if values are equal."""
    a_over_b, b_over_a = _FOUR * _U(a) + _U(b), _FOUR * _U(b) + _U(a)
    higher = (_U(first > second) << a_over_b) | (_U(second > first) << b_over_a)
    return higher, _U((first ^ second) < _SUIT_VALUES) << a_over_b


@kernel
def row_wins(
    seats: Seats, deal: int, players: int, row: int, tie_winner: int
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


@kernel
def compare_specials(rules: ScoringRules, seats: Seats, deal: int, a: int, b: int, banker: int) -> bool:
    """Return whether seat a, who declares a special, takes his points from seat b."""
    if seats[deal, b]["status"] != STATUS_SPECIAL:
        return True
    if rules["banker_pays"] and (a == banker or b == banker):
        return b == banker
    first, second = seats[deal, a]["special"], seats[deal, b]["special"]
    if rules["special_rank"][first] != rules["special_rank"][second]:
        return rules["special_rank"][first] < rules["special_rank"][second]
    same_kind = first == second and rules["special_strength"][first] != 0
    return same_kind and seats[deal, a]["strength"] > seats[deal, b]["strength"]


@kernel
def award(awards: Integers, made: int, winner: int, losers: int, line: int, units: int) -> int:
    """Write an award behind the ``made`` ones; return their number, unchanged without losers."""
    place = _U(made)
    awards[place, WINNER] = winner
    awards[place, LOSERS] = losers
    awards[place, LINE] = line
    awards[place, UNITS] = units
    return made + (losers != _ZERO)


@kernel
def award_rows(
    rules: ScoringRules,
    seats: Seats,
    deal: int,
    players: int,
    wins: tuple[int, int, int],
    guns: int,
    awards: Integers,
    made: int,
) -> int:
    """Award the rows of a ``rows`` game, with guns and a home run; return the number of awards."""
    for seat in range(_U(players)):
        base = np.int64(0)
        extra = np.int64(0)
        for row in range(_THREE):
            category = _U(seats[deal, seat]["categories"][row])
            row_base, row_extra = rules["row_base"][row], rules["row_extra"][row, category]
            base += row_base
            extra += row_extra
            line = rules["line_of_row"][row, category]
            losers = seats_beaten(wins[row], seat)
            made = award(awards, made, seat, losers, line, row_base + row_extra)
        gunned = seats_beaten(guns, seat)
        if gunned:
            gun_base, gun_extra = base * rules["gun_base"], extra * rules["gun_extra"]
            units = gun_base - base + gun_extra - extra + rules["gun_add"]
            made = award(awards, made, seat, gunned, rules["line_gun"], units)
            if set_size(gunned) == _THREE:
                units = (
                    gun_base * (rules["home_run_base"] - 1)
                    + gun_extra * (rules["home_run_extra"] - 1)
                    + rules["gun_add"] * (rules["home_run_gun_add"] - 1)
                    + rules["home_run_add"]
                )
                made = award(awards, made, seat, gunned, rules["line_home_run"], units)
    return made


@kernel
def award_specials(
    rules: ScoringRules,
    seats: Seats,
    deal: int,
    players: int,
    banker: int,
    settling: int,
    awards: Integers,
    made: int,
) -> int:
    """Award the specials declared at a table; return the number of awards."""
    for seat in range(_U(players)):
        if seats[deal, seat]["status"] == STATUS_SPECIAL:
            losers = _ZERO
            for other in range(_U(players)):
                if (seats_beaten(settling, seat) >> other) & _ONE and compare_specials(
                    rules, seats, deal, np.int64(seat), np.int64(other), banker
                ):
                    losers |= _ONE << other
            special = _U(seats[deal, seat]["special"])
            line, units = rules["line_of_special"][special], rules["special_points"][special]
            made = award(awards, made, seat, losers, line, units)
    return made


@kernel
def with_status(seats: Seats, deal: int, players: int, status: int) -> np.uint64:
    """Return the set of seats (bit = seat) that have a status."""
    found = _ZERO
    for seat in range(_U(players)):
        found |= _U(seats[deal, seat]["status"] == status) << seat
    return found


@kernel
def between(winners: int, losers: int) -> np.uint64:
    """Return the relation in which each of a set of seats beats each of another."""
    relation = _ZERO
    for seat in range(_FOUR):
        relation |= (((_U(winners) >> seat) & _ONE) * _U(losers)) << (_FOUR * seat)
    return relation


@kernel
def score_deal(
    rules: ScoringRules,
    seats: Seats,
    deal: int,
    players: int,
    banker: int,
    awards: Integers,
    events: Integers,
) -> int:
    """Score one deal: write its awards and add its events, return the number of awards.

    ``seats``: arrays (players or more, …); ``awards`` (MOST_AWARDS, 4) int64 is overwritten;
    ``events`` (len(EVENTS),) int64 is added to. The banker's seat matters in banker games and
    where he wins equal rows.
    """
    settling = settling_pairs(rules["banker_game"], players, banker)
    ordinary = with_status(seats, deal, players, STATUS_ROWS)
    everyone = (_ONE << _U(players)) - _ONE
    made = 0
    if rules["format"] == FORMAT_LADDER or ordinary != everyone:
        made = award_specials(rules, seats, deal, players, banker, settling, awards, made)
    if rules["format"] == FORMAT_LADDER:
        return made
    tie_winner = banker if rules["tie_to_banker"] else -1
    head, head_ties = row_wins(seats, deal, players, 0, tie_winner)
    middle, middle_ties = row_wins(seats, deal, players, 1, tie_winner)
    tail, tail_ties = row_wins(seats, deal, players, 2, tie_winner)
    compared = settling
    fouled = _ZERO
    if ordinary != everyone:
        compared = settling & between(ordinary, ordinary)
        # A foul loses all three rows to every hand that is neither a foul nor a special.
        fouled = settling & between(ordinary, with_status(seats, deal, players, STATUS_FOUL))
    head, middle, tail = head & compared, middle & compared, tail & compared
    guns = head & middle & tail
    events[deal, 0] += relation_size(compared) >> _ONE
    events[deal, 1] += relation_size(guns)
    events[deal, 3] += relation_size(head_ties & compared)
    events[deal, 4] += relation_size(middle_ties & compared)
    events[deal, 5] += relation_size(tail_ties & compared)
    head, middle, tail, guns = head | fouled, middle | fouled, tail | fouled, guns | fouled
    for seat in range(_FOUR):
        events[deal, 2] += set_size(seats_beaten(guns, seat)) == _THREE
    if rules["format"] == FORMAT_ROWS:
        return award_rows(rules, seats, deal, players, (head, middle, tail), guns, awards, made)
    if rules["format"] == FORMAT_MAJORITY:
        majority = (head & middle) | (head & tail) | (middle & tail)
        for seat in range(_U(players)):
            losers = seats_beaten(majority, seat)
            made = award(awards, made, seat, losers, rules["line_majority"], rules["majority"])
        return made
    for seat in range(_U(players)):
        category = _U(seats[deal, seat]["categories"][_TAIL])
        units = rules["row_base"][_TAIL] + rules["row_extra"][_TAIL, category]
        line = rules["line_of_row"][_TAIL, category]
        made = award(awards, made, seat, seats_beaten(tail, seat), line, units)
    return made

"""Compiled scoring of one deal (rulebook §3): who beats whom, and what each seat is awarded for it.

Who beats whom is a relation (`relations`). Guns are the intersection of three rows' relations, two
rows of three their majority.

What somebody wins depends on his own cards only, never on the loser's. So a deal's score is a short
list of *awards*: a seat takes so many units from each of a set of seats, through one payout line.
Units by seat, units by line, flows and payout counts are sums over it (`awards`).

In banker games rows are compared between the banker and each player only. So only the banker can
gun all three others there: players who do not settle with each other do not gun each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.bits import bit_count
from montecarlo.compiled import kernel
from montecarlo.scoring.relations import (
    between,
    row_wins,
    seats_beaten,
    settling_pairs,
    with_status,
)
from montecarlo.scoring.seats import STATUS_FOUL, STATUS_ROWS, STATUS_SPECIAL, Seats, Whole
from montecarlo.scoring.tables import FORMAT_LADDER, FORMAT_MAJORITY, FORMAT_ROWS, ScoringRules

Integers = NDArray[np.int64]

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
_ZERO, _ONE, _THREE, _FOUR = _U(0), _U(1), _U(3), _U(4)
_TAIL = _U(2)


@kernel
def compare_specials(
    rules: ScoringRules, seats: Seats, deal: Whole, a: Whole, b: Whole, banker: Whole
) -> bool:
    """Return whether seat a, who declares a special, takes his points from seat b."""
    if seats[deal, b]["status"] != STATUS_SPECIAL:
        return True
    if rules["banker_pays"] and (a == banker or b == banker):
        return bool(b == banker)
    first, second = seats[deal, a]["special"], seats[deal, b]["special"]
    if rules["special_rank"][first] != rules["special_rank"][second]:
        return bool(rules["special_rank"][first] < rules["special_rank"][second])
    same_kind = first == second and rules["special_strength"][first] != 0
    return bool(same_kind and seats[deal, a]["strength"] > seats[deal, b]["strength"])


@kernel
def award(
    awards: Integers, made: Whole, winner: Whole, losers: Whole, line: Whole, units: Whole
) -> Whole:
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
    deal: Whole,
    players: Whole,
    wins: tuple[Whole, Whole, Whole],
    guns: Whole,
    awards: Integers,
    made: Whole,
) -> Whole:
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
            if bit_count(gunned) == _THREE:
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
    deal: Whole,
    players: Whole,
    banker: Whole,
    settling: Whole,
    awards: Integers,
    made: Whole,
) -> Whole:
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
def score_deal(
    rules: ScoringRules,
    seats: Seats,
    deal: Whole,
    players: Whole,
    banker: Whole,
    awards: Integers,
    events: Integers,
) -> Whole:
    """Score one deal: write its awards and add its events, return the number of awards.

    ``seats``: arrays (players or more, …); ``awards`` (MOST_AWARDS, 4) int64 is overwritten;
    ``events`` (len(EVENTS),) int64 is added to. The banker's seat matters in banker games and
    where he wins equal rows.
    """
    settling = settling_pairs(rules["banker_game"], players, banker)
    ordinary = with_status(seats, deal, players, STATUS_ROWS)
    everyone = (_ONE << _U(players)) - _ONE
    made: Whole = 0
    if rules["format"] == FORMAT_LADDER or ordinary != everyone:
        made = award_specials(rules, seats, deal, players, banker, settling, awards, made)
    if rules["format"] == FORMAT_LADDER:
        return made
    tie_winner: Whole = banker if rules["tie_to_banker"] else -1
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
    events[deal, 0] += bit_count(compared) >> _ONE
    events[deal, 1] += bit_count(guns)
    events[deal, 3] += bit_count(head_ties & compared)
    events[deal, 4] += bit_count(middle_ties & compared)
    events[deal, 5] += bit_count(tail_ties & compared)
    head, middle, tail, guns = head | fouled, middle | fouled, tail | fouled, guns | fouled
    for seat in range(_FOUR):
        events[deal, 2] += bit_count(seats_beaten(guns, seat)) == _THREE
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

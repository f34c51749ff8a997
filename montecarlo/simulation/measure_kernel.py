"""Kernels of measures: integers of each deal, from seats that are ready to be scored."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.bits import bit_count
from montecarlo.compiled import kernel
from montecarlo.scoring.awards import add_units
from montecarlo.scoring.kernels import EVENTS, LINE, LOSERS, MOST_AWARDS, UNITS, WINNER, score_deal
from montecarlo.scoring.seats import STATUS_SPECIAL, Seats, Whole
from montecarlo.scoring.tables import LINE_SPECIAL, ScoringRules

Integers = NDArray[np.int64]

_ONE = np.uint64(1)
_GUNS, _HOME_RUNS = EVENTS.index("guns"), EVENTS.index("home_runs")


@kernel
def measure_holder(
    rules: ScoringRules,
    seats: Seats,
    banker: Whole,
    holder: Whole,
    alike: NDArray[np.bool_],
    measured: Integers,
) -> None:
    """Fill ``measured`` (deals, 6), zeros before, as `montecarlo.simulation.measures` says.

    ``seats`` (deals, players); ``alike`` (players,): the seats that play as the holder does.
    Deals in which the holder declares nothing stay all zeros.
    """
    deals, players = seats.shape
    awards = np.empty((MOST_AWARDS, 4), np.int64)
    events = np.zeros((deals, len(EVENTS)), np.int64)
    units = np.zeros((deals, players), np.int64)
    who = np.uint64(holder)
    many = 0
    for player in range(np.uint64(players)):
        many += alike[player]
    for deal in range(np.uint64(deals)):
        if seats[deal, who]["status"] != STATUS_SPECIAL:
            continue
        made = score_deal(rules, seats, deal, players, banker, awards, events)
        add_units(awards, made, units, deal)
        special = seats[deal, who]["special"]
        received = flow = net = net_by_units = np.int64(0)
        for place in range(np.uint64(made)):
            winner, losers = np.uint64(awards[place, WINNER]), np.uint64(awards[place, LOSERS])
            if rules["line_kind"][np.uint64(awards[place, LINE])] != LINE_SPECIAL:
                continue
            if seats[deal, winner]["special"] != special:
                continue
            each = awards[place, UNITS]
            flow += np.int64(bit_count(losers)) * abs(each)
            if winner != who:
                continue
            received += np.int64(bit_count(losers)) * abs(each)
            if alike[0]:
                won = np.int64(bit_count(losers)) * each
                net += won
                net_by_units += won * units[deal, who]
                for player in range(np.uint64(players)):
                    if player != who and alike[player] and (losers >> player) & _ONE:
                        net -= each
                        net_by_units -= each * units[deal, player]
            elif losers & _ONE:
                net -= many * each
                net_by_units -= many * each * units[deal, 0]
        measured[deal, 0] = 1
        measured[deal, 1] = units[deal, who]
        measured[deal, 2] = received
        measured[deal, 3] = received * flow
        measured[deal, 4] = net
        measured[deal, 5] = net_by_units


@kernel
def measure_table(rules: ScoringRules, seats: Seats, banker: Whole, measured: Integers) -> None:
    """Fill ``measured`` (deals, 5) as `montecarlo.simulation.measures.TABLE_NAMES` says."""
    deals, players = seats.shape
    awards = np.empty((MOST_AWARDS, 4), np.int64)
    events = np.zeros((deals, len(EVENTS)), np.int64)
    units = np.zeros((deals, players), np.int64)
    for deal in range(np.uint64(deals)):
        made = score_deal(rules, seats, deal, players, banker, awards, events)
        add_units(awards, made, units, deal)
        flow = np.int64(0)
        for place in range(np.uint64(made)):
            if rules["line_kind"][np.uint64(awards[place, LINE])] == LINE_SPECIAL:
                payments = np.int64(bit_count(np.uint64(awards[place, LOSERS])))
                flow += payments * abs(awards[place, UNITS])
        measured[deal, 0] = units[deal, 0]
        measured[deal, 1] = units[deal, 0] * units[deal, 0]
        measured[deal, 2] = flow
        measured[deal, 3] = events[deal, _GUNS]
        measured[deal, 4] = events[deal, _HOME_RUNS]

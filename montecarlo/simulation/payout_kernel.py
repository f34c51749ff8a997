"""Kernels of played deals: seats from settings, and integer tallies of what each deal brought."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel
from montecarlo.scoring.awards import add_line_flow, add_seat_lines, add_units
from montecarlo.scoring.holdings import special_strength
from montecarlo.scoring.kernels import EVENTS, LINE, MOST_AWARDS, score_deal
from montecarlo.scoring.seats import STATUS_FOUL, STATUS_ROWS, STATUS_SPECIAL, Seats, row_key
from montecarlo.scoring.tables import ScoringRules
from montecarlo.strength.tables import RowTables

Integers = NDArray[np.int64]

SETUPS = 3 * 9 * 9
"""Set-ups: (head, middle, tail) categories, head 0 high card, 1 pair, 2 three of a kind."""


@kernel
def fill_seat(
    seats: Seats,
    player: int,
    masks: NDArray[np.uint64],
    firsts: NDArray[np.int8],
    classes: NDArray[np.uint16],
    suits: NDArray[np.uint8],
    rules: ScoringRules,
    tables: RowTables,
) -> None:
    """Write one player's column of ``seats`` (deals, players) from his settings.

    ``masks``, ``firsts`` (deals,): hand and declared special (-1: plays rows); ``classes`` and
    ``suits`` (deals, 3): classes of head, middle, tail, and the tie rule's suit values (0: none).
    An illegal setting is a foul.
    """
    head_value, head_category = tables.head_value, tables.head_category
    value, category, head_limit = tables.value, tables.category, tables.head_limit
    strengths = rules["special_strength"]
    place = np.uint64(player)
    for deal in range(np.uint64(masks.shape[0])):
        first = firsts[deal]
        head, middle, tail = classes[deal, 0], classes[deal, 1], classes[deal, 2]
        seat = seats[deal, place]
        seat["keys"][0] = row_key(head_value[head], suits[deal, 0])
        seat["keys"][1] = row_key(value[middle], suits[deal, 1])
        seat["keys"][2] = row_key(value[tail], suits[deal, 2])
        seat["categories"][0] = head_category[head]
        seat["categories"][1] = category[middle]
        seat["categories"][2] = category[tail]
        seat["special"] = first
        if first >= 0:
            seat["status"] = STATUS_SPECIAL
            seat["strength"] = special_strength(masks[deal], strengths[np.uint64(first)])
        else:
            legal = head <= head_limit[middle] and middle <= tail
            seat["status"] = STATUS_ROWS if legal else STATUS_FOUL
            seat["strength"] = 0


@kernel
def tally_scores(
    rules: ScoringRules,
    seats: Seats,
    banker: int,
    sums: Integers,
    histogram: Integers,
    flows: Integers,
    nets: Integers,
    events_sums: Integers,
    values: Integers,
    setups: Integers,
) -> None:
    """Score deals (deals, players) and add what they brought to the tallies, all int64.

    ``sums`` (players, 4): Σ of units to the powers 1 to 4. ``histogram`` (2 H + 1,): seat 0's
    units, clipped to ±H. ``flows`` (lines, 2): Σ, Σ² of the flow a deal. ``nets`` (lines, 5): of
    seat 0's net n through a line and its units u: Σ n, Σ n², Σ n u, Σ n² u², Σ n u³.
    ``events_sums`` (events, events + 1): Σ, and Σ of products of two events of a deal. ``values``
    (specials, 5): holders c and their units u a deal: Σ c, Σ u, Σ c², Σ c u, Σ u². ``setups``
    (players, SETUPS, 3): ordinary hands, Σ units, Σ units² by set-up.
    """
    deals, players = seats.shape
    half = histogram.size // 2
    lines, specials = flows.shape[0], values.shape[0]
    units = np.zeros((1, players), np.int64)
    flow = np.zeros(lines, np.int64)
    net = np.zeros(lines, np.int64)
    events = np.zeros((deals, len(EVENTS)), np.int64)
    awards = np.empty((MOST_AWARDS, 4), np.int64)
    held = np.zeros(specials + 1, np.int64)
    brought = np.zeros(specials + 1, np.int64)
    for deal in range(np.uint64(deals)):
        units[:] = 0
        made = score_deal(rules, seats, deal, players, banker, awards, events)
        add_units(awards, made, units, 0)
        for player in range(np.uint64(players)):
            won = units[0, player]
            square = won * won
            sums[player, 0] += won
            sums[player, 1] += square
            sums[player, 2] += square * won
            sums[player, 3] += square * square
        total = units[0, 0]
        histogram[min(max(total, -half), half) + half] += 1
        add_line_flow(awards, made, flow)
        add_seat_lines(awards, made, 0, net)
        for place in range(np.uint64(made)):
            line = np.uint64(awards[place, LINE])
            if flow[line]:
                flows[line, 0] += flow[line]
                flows[line, 1] += flow[line] * flow[line]
                flow[line] = 0
            if net[line]:
                product = net[line] * total
                nets[line, 0] += net[line]
                nets[line, 1] += net[line] * net[line]
                nets[line, 2] += product
                nets[line, 3] += product * product
                nets[line, 4] += product * total * total
                net[line] = 0
        for i in range(len(EVENTS)):
            if events[deal, i]:
                events_sums[i, 0] += events[deal, i]
                for j in range(len(EVENTS)):
                    events_sums[i, j + 1] += events[deal, i] * events[deal, j]
        declared = False
        for player in range(np.uint64(players)):
            seat = seats[deal, player]
            if seat["status"] == STATUS_SPECIAL:
                special = np.uint64(seat["special"])
                held[special] += 1
                brought[special] += units[0, player]
                declared = True
            else:
                setup = setup_of(seat["categories"])
                setups[player, setup, 0] += 1
                setups[player, setup, 1] += units[0, player]
                setups[player, setup, 2] += units[0, player] * units[0, player]
        if declared:
            for player in range(np.uint64(players)):
                special = np.uint64(max(seats[deal, player]["special"], 0))
                count, won = held[special], brought[special]
                if count:
                    values[special, 0] += count
                    values[special, 1] += won
                    values[special, 2] += count * count
                    values[special, 3] += count * won
                    values[special, 4] += won * won
                    held[special] = 0
                    brought[special] = 0


@kernel
def count_holders(firsts: NDArray[np.int8], holders: Integers) -> None:
    """Add deals to ``holders`` (specials + 1, players + 1): by how many hands have each special.

    ``firsts`` (deals, players): each hand's first special, -1 for none (counted in the last row).
    Column 0 is left alone but in the last row (see `frequency_kernel.fill_none`).
    """
    deals, players = firsts.shape
    last = holders.shape[0] - 1
    for deal in range(np.uint64(deals)):
        plain = 0
        for player in range(np.uint64(players)):
            first = firsts[deal, player]
            if first < 0:
                plain += 1
                continue
            count = 0
            counted = False
            for other in range(np.uint64(players)):
                if firsts[deal, other] == first:
                    counted = counted or other < player
                    count += 1
            if not counted:
                holders[first, count] += 1
        holders[last, plain] += 1


@kernel
def setup_of(categories: NDArray[np.uint8]) -> np.uint64:
    """Return the number of a set-up: categories of head, middle, tail in base 3, 9, 9."""
    head = np.uint64(min(categories[0], np.uint8(2)))
    middle, tail = np.uint64(categories[1]), np.uint64(categories[2])
    return (head * np.uint64(9) + middle) * np.uint64(9) + tail


@kernel
def tally_rows(seats: Seats, member: NDArray[np.bool_], rows: Integers, ordinary: Integers) -> None:
    """Add the row categories of ordinary hands to the tallies of groups of seats, int64.

    ``member`` (groups, players): whether a seat belongs to a group. ``rows`` (groups, 3, 9, 3): of
    a group's hands of a deal those with a category in a row, c, and all, o: Σ c, Σ c², Σ c o.
    ``ordinary`` (groups, 2): Σ o, Σ o².
    """
    deals, players = seats.shape
    found = np.zeros((3, 9), np.int64)
    for group in range(np.uint64(member.shape[0])):
        for deal in range(np.uint64(deals)):
            present = 0
            for player in range(np.uint64(players)):
                seat = seats[deal, player]
                if member[group, player] and seat["status"] == STATUS_ROWS:
                    present += 1
                    for row in range(np.uint64(3)):
                        found[row, np.uint64(seat["categories"][row])] += 1
            ordinary[group, 0] += present
            ordinary[group, 1] += present * present
            for player in range(np.uint64(players)):
                seat = seats[deal, player]
                if member[group, player] and seat["status"] == STATUS_ROWS:
                    for row in range(np.uint64(3)):
                        category = np.uint64(seat["categories"][row])
                        count = found[row, category]
                        if count:
                            rows[group, row, category, 0] += count
                            rows[group, row, category, 1] += count * count
                            rows[group, row, category, 2] += count * present
                            found[row, category] = 0

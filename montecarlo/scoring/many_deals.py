"""Scoring of many deals at once: arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel
from montecarlo.scoring.awards import add_counts, add_line_flow, add_line_units, add_units
from montecarlo.scoring.kernels import EVENTS, MOST_AWARDS, score_deal
from montecarlo.scoring.seats import Seats, Whole
from montecarlo.scoring.tables import ScoringRules

Integers = NDArray[np.int64]


@kernel
def score_deals(rules: ScoringRules, seats: Seats, banker: Whole) -> tuple[Integers, Integers]:
    """Return units (deals, players) and events (deals, len(EVENTS)), int64, of (deals, players)."""
    deals, players = seats.shape
    units = np.zeros((deals, players), np.int64)
    events = np.zeros((deals, len(EVENTS)), np.int64)
    awards = np.empty((MOST_AWARDS, 4), np.int64)
    for deal in range(np.uint64(deals)):
        made = score_deal(rules, seats, deal, players, banker, awards, events)
        add_units(awards, made, units, deal)
    return units, events


@kernel
def score_deals_by_line(
    rules: ScoringRules, seats: Seats, banker: Whole
) -> tuple[Integers, Integers]:
    """Return net units (deals, lines, players) and flows (deals, lines) by payout line, int64."""
    deals, players = seats.shape
    units = np.zeros((deals, rules["lines"], players), np.int64)
    flow = np.zeros((deals, rules["lines"]), np.int64)
    events = np.zeros((deals, len(EVENTS)), np.int64)
    awards = np.empty((MOST_AWARDS, 4), np.int64)
    for deal in range(np.uint64(deals)):
        made = score_deal(rules, seats, deal, players, banker, awards, events)
        add_line_units(awards, made, units[deal])
        add_line_flow(awards, made, flow[deal])
    return units, flow


@kernel
def count_deals(rules: ScoringRules, seats: Seats, banker: Whole, seat: Whole) -> Integers:
    """Return one seat's payout counts (deals, payouts), int64: units = counts · payouts."""
    deals, players = seats.shape
    counts = np.zeros((deals, rules["payouts"]), np.int64)
    events = np.zeros((deals, len(EVENTS)), np.int64)
    awards = np.empty((MOST_AWARDS, 4), np.int64)
    for deal in range(np.uint64(deals)):
        made = score_deal(rules, seats, deal, players, banker, awards, events)
        add_counts(rules, seats, deal, awards, made, seat, counts[deal])
    return counts

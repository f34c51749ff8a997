"""Thirteen royals under V9: what playing them as a normal hand is worth against three good players.

Seat 0 holds each of the 560 hands equally often, the other 39 cards are dealt to three players who
set by the equilibrium. Every non-dominated setting is played on the same deals. The best one (for
each multiset of ranks) is chosen on one half of the deals and judged on the other, both ways round,
so that the choice does not flatter itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import FULL_DECK, mask_of_codes
from montecarlo.statistics.clustered import Estimate, PowerSums
from montecarlo.statistics.rounding import with_error
from montecarlo.studies.claims.findings import Finding
from montecarlo.studies.claims.registry import computation
from montecarlo.studies.claims.royals import ROYALS
from montecarlo.studies.claims.schema import Claim
from montecarlo.studies.claims.signs import above_zero
from montecarlo.studies.compare import estimate_data
from montecarlo.variants import load

SEED = 12
DEALS_A_HAND = 128
"""Deals of opponents for each of the 560 hands; even ones are one half, odd ones the other."""

Units = NDArray[np.int64]


@dataclass(frozen=True)
class PlayedRoyals:
    """Units of seat 0 a deal."""

    declared: Estimate
    best: Estimate
    """played with the setting that brings most"""
    policy: Estimate
    """played as the equilibrium sets it"""
    difference: Estimate
    """best - declared, on the same deals"""
    home_runs: Estimate
    """share of deals in which the best setting makes a home run"""
    by_ranks: Mapping[str, Estimate]
    """best, by how many of each rank are held, as ``A4 K4 Q4 J1``"""
    deals: int


@computation("royals_against_three")
def royals_against_three(claim: Claim) -> Finding:
    """The expected units of the 13 royals, set best, against three equilibrium players."""
    found = played_royals()
    least = min(found.by_ranks, key=lambda ranks: found.by_ranks[ranks].value)
    most = max(found.by_ranks, key=lambda ranks: found.by_ranks[ranks].value)
    return Finding(
        (found.best.value,),
        f"{with_error(found.best.value, found.best.se)} units a deal on average over the 560 hands "
        f"({with_error(found.policy.value, found.policy.se)} as the equilibrium sets them): from "
        f"{with_error(found.by_ranks[least].value, found.by_ranks[least].se)} with {least} to "
        f"{with_error(found.by_ranks[most].value, found.by_ranks[most].se)} with {most}. They win "
        f"everything in {100 * found.home_runs.value:.1f} % of the deals.",
        intervals=(found.best.interval(),),
        details=_data(found),
    )


@computation("declare_royals")
def declare_royals(claim: Claim) -> Finding:
    """Declaring 13 royals against playing them, on the same deals."""
    found = played_royals()
    interval = found.difference.interval()
    verdict = above_zero(interval)
    advice = {"confirmed": "play on", "refuted": "declare", "undecided": "not told apart"}[verdict]
    return Finding(
        (f"playing on brings {with_error(found.difference.value, found.difference.se)} more",),
        f"Declared: {with_error(found.declared.value, found.declared.se)} units a deal. Played "
        f"with the best setting: {with_error(found.best.value, found.best.se)}, set as the "
        f"equilibrium does: {with_error(found.policy.value, found.policy.se)}. So {advice}.",
        intervals=(interval,),
        verdict=verdict,
        details=_data(found),
    )


@lru_cache(maxsize=4)
def played_royals(policy: str = "equilibrium", deals_a_hand: int = DEALS_A_HAND) -> PlayedRoyals:
    """Play every hand of 13 royals, declared and with every non-dominated setting."""
    from montecarlo.scoring.kernels import EVENTS
    from montecarlo.scoring.many_deals import score_deals
    from montecarlo.setting.best_setting import unpack
    from montecarlo.setting.frontier import frontier_many
    from montecarlo.setting.seating import seat_policies
    from montecarlo.setting.static_tables import setting_tables
    from montecarlo.simulation.payout_kernel import fill_seat
    from montecarlo.simulation.payouts import play_hands, scoring_rules
    from montecarlo.strength.tables import row_tables

    variant = load("taiwan")
    rules, players = scoring_rules(variant), seat_policies(variant, (policy,) * 4, 4)
    hands = list(combinations(ROYALS, 13))
    masks = deals_of_royals(hands, deals_a_hand)
    _, seats = play_hands(variant, rules, masks, players)
    declared = score_deals(rules, seats, 0)[0][:, 0]

    rows = row_tables(variant.wheel, variant.compare)
    royals = np.ascontiguousarray(masks[:, 0])
    nothing, no_suits = np.full(len(royals), -1, np.int8), np.zeros((len(royals), 3), np.uint8)

    def play(classes: NDArray[np.uint16]) -> tuple[Units, Units]:
        fill_seat(seats, 0, royals, nothing, classes, no_suits, rules, rows)
        units, events = score_deals(rules, seats, 0)
        return units[:, 0], events[:, EVENTS.index("home_runs")]

    assert players[0].policy is not None
    by_policy, _ = play(players[0].policy.set_classes(royals))
    firsts = np.array([mask_of_codes(hand) for hand in hands], np.uint64)
    starts, settings = frontier_many(firsts, setting_tables(variant.wheel, variant.compare))
    sizes = np.diff(starts)
    units, runs = [], []
    for place in range(int(sizes.max())):
        picked = settings[starts[:-1] + np.minimum(place, sizes - 1)]
        each = play(np.repeat(unpack(picked), deals_a_hand, axis=0))
        units.append(each[0])
        runs.append(each[1])
    ranks = np.repeat([_ranks(hand) for hand in hands], deals_a_hand)
    chosen = _best_held_out(np.array(units), ranks)
    everywhere = np.arange(len(royals))
    best = np.array(units)[chosen, everywhere]
    return PlayedRoyals(
        declared=_mean(declared),
        best=_mean(best),
        policy=_mean(by_policy),
        difference=_mean(best - declared),
        home_runs=_mean((np.array(runs)[chosen, everywhere] > 0) & (best > 0)),
        by_ranks={str(name): _mean(best[ranks == name]) for name in np.unique(ranks)},
        deals=len(royals),
    )


def deals_of_royals(hands: list[tuple[int, ...]], deals: int) -> NDArray[np.uint64]:
    """Return deals (hands × deals, 4): each hand at seat 0, the other cards dealt at random."""
    from montecarlo.dealing.shuffle import deal_into
    from montecarlo.dealing.streams import block_state

    masks = np.empty((len(hands) * deals, 4), np.uint64)
    others = np.empty((deals, 3), np.uint64)
    for number, hand in enumerate(hands):
        mask = int(mask_of_codes(hand))
        deal_into(block_state(SEED, number), others, np.uint64(FULL_DECK & ~mask), 13)
        part = masks[number * deals : (number + 1) * deals]
        part[:, 0] = mask
        part[:, 1:] = others
    return masks


def _best_held_out(units: Units, ranks: NDArray[np.str_]) -> NDArray[np.int64]:
    """Return for each deal the setting that is best on the other half of its ranks' deals.

    ``units`` (settings, deals). The same ranks have the same settings: suits do not matter here.
    """
    chosen = np.empty(units.shape[1], np.int64)
    half = np.arange(units.shape[1]) % 2
    for name in np.unique(ranks):
        for side in (0, 1):
            here, other = (ranks == name) & (half == side), (ranks == name) & (half != side)
            chosen[here] = units[:, other].sum(axis=1).argmax()
    return chosen


def _ranks(hand: tuple[int, ...]) -> str:
    """Write how many of each royal rank a hand holds, as ``A4 K4 Q4 J1``."""
    return " ".join(
        f"{name}{sum(code // 4 == rank for code in hand)}"
        for name, rank in (("A", 12), ("K", 11), ("Q", 10), ("J", 9))
    )


def _mean(values: NDArray[np.integer] | NDArray[np.bool_]) -> Estimate:
    whole = values.astype(np.int64)
    return PowerSums(whole.size, int(whole.sum()), int(whole @ whole)).estimate()


def _data(found: PlayedRoyals) -> dict[str, object]:
    return {
        "declared": estimate_data(found.declared),
        "best_setting": estimate_data(found.best),
        "equilibrium_setting": estimate_data(found.policy),
        "best_less_declared": estimate_data(found.difference),
        "home_run_rate": estimate_data(found.home_runs),
        "by_ranks": {ranks: estimate_data(units) for ranks, units in found.by_ranks.items()},
        "deals": found.deals,
        "seed": SEED,
    }

"""The experiment behind expected payouts: deal, set each hand by its policy, score, add up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import FULL_DECK, Masks
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import block_state
from montecarlo.errors import BadInput
from montecarlo.scoring.kernels import EVENTS
from montecarlo.scoring.lines import line_ids
from montecarlo.scoring.seats import SEAT, Seats
from montecarlo.scoring.tables import ScoringRules, compile_scoring
from montecarlo.setting.seating import SeatPolicy, seat_policies
from montecarlo.simulation.frequency_kernel import fill_none
from montecarlo.simulation.payout_kernel import (
    SETUPS,
    count_holders,
    fill_seat,
    tally_rows,
    tally_scores,
)
from montecarlo.simulation.plan import PLAYED_SHARD_BLOCKS
from montecarlo.simulation.tallies import Tally
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.strength.tables import RowTables, row_tables
from montecarlo.variants import Variant

CHUNK = 4096
"""Deals set and scored together: few enough for the second-level cache."""

MOST_UNITS = 3400
"""Units of a deal up to which the sums of fourth powers of a block fit 64 bits."""

BANKER_SEAT = 0


@dataclass(frozen=True)
class PayoutExperiment:
    """Play a variant with one policy a seat (seat 0 is the banker in banker games)."""

    variant: Variant
    players: int
    policies: tuple[str, ...]
    hold_policy: bool = False

    shard_blocks = PLAYED_SHARD_BLOCKS

    def prepare(self) -> None:
        """Compile kernels and load policies by playing two deals."""
        self.play(block_state(0, 0), 2)

    def tally_block(self, seed: int, block: int, deals: int) -> Tally:
        """Play the first ``deals`` deals of a block."""
        return self.play(block_state(seed, block), deals)

    def describe(self) -> dict[str, Any]:
        """Return what decides the bits of the result."""
        seats = seat_policies(self.variant, self.policies, self.players, self.hold_policy)
        return {
            "variant": self.variant.id,
            "variant_sha256": self.variant.sha256,
            "rules": [str(rule) for rule in self.variant.rules],
            "players": self.players,
            "policy": list(self.policies),
            "policy_sha256": [seat.policy.sha256 if seat.policy else None for seat in seats],
        }

    def groups(self) -> dict[str, NDArray[np.bool_]]:
        """Return the groups of seats whose rows are tallied: by policy, and by policy and role."""
        groups: dict[str, NDArray[np.bool_]] = {}
        for seat, name in enumerate(self.policies):
            names = [name]
            if self.variant.banker:
                names.append(f"{name}:{'banker' if seat == BANKER_SEAT else 'player'}")
            for key in names:
                groups.setdefault(key, np.zeros(self.players, np.bool_))[seat] = True
        return groups

    def play(self, state: NDArray[np.uint64], deals: int) -> Tally:
        """Play ``deals`` deals of a generator state and add them up."""
        variant, players = self.variant, self.players
        rules = scoring_rules(variant)
        seats_policies = seat_policies(variant, self.policies, players, self.hold_policy)
        lines, specials = len(line_ids(variant)), len(variant.specials)
        member = np.stack(list(self.groups().values()))
        arrays = {
            "holders": np.zeros((specials + 1, players + 1), np.int64),
            "sums": np.zeros((players, 4), np.int64),
            "histogram": np.zeros(2 * histogram_half(variant, players) + 1, np.int64),
            "flows": np.zeros((lines, 2), np.int64),
            "nets": np.zeros((lines, 5), np.int64),
            "events": np.zeros((len(EVENTS), len(EVENTS) + 1), np.int64),
            "values": np.zeros((specials, 5), np.int64),
            "setups": np.zeros((players, SETUPS, 3), np.int64),
            "rows": np.zeros((len(member), 3, 9, 3), np.int64),
            "ordinary": np.zeros((len(member), 2), np.int64),
        }
        for start in range(0, deals, CHUNK):
            masks = np.empty((min(CHUNK, deals - start), players), np.uint64)
            deal_into(state, masks, np.uint64(FULL_DECK), 13)
            firsts, seats = play_hands(variant, rules, masks, seats_policies)
            count_holders(firsts, arrays["holders"])
            tally_scores(
                rules, seats, BANKER_SEAT, arrays["sums"], arrays["histogram"], arrays["flows"],
                arrays["nets"], arrays["events"], arrays["values"], arrays["setups"],
            )  # fmt: skip
            tally_rows(seats, member, arrays["rows"], arrays["ordinary"])
        fill_none(deals, arrays["holders"])
        return Tally(deals, arrays)


def play_hands(
    variant: Variant, rules: ScoringRules, masks: Masks, policies: tuple[SeatPolicy, ...]
) -> tuple[NDArray[np.int8], Seats]:
    """Declare and set hands (deals, players); return first specials, and seats ready to score."""
    tables = _rows(variant)
    firsts = first_special(masks, compile_rules(variant.rules))
    seats = np.zeros(masks.shape, dtype=SEAT)
    for player, seat in enumerate(policies):
        hands = np.ascontiguousarray(masks[:, player])
        declared, classes, suits = seat.play(hands, firsts[:, player])
        fill_seat(seats, player, hands, declared, classes, suits, rules, tables)
    return firsts, seats


@lru_cache(maxsize=64)
def scoring_rules(variant: Variant) -> ScoringRules:
    """Return a variant's compiled scoring; BadInput when its units are too large to be tallied."""
    rules = compile_scoring(variant)
    return rules


def histogram_half(variant: Variant, players: int) -> int:
    """Return H so that no seat can win or lose more than H units in a deal.

    Raises BadInput above `MOST_UNITS`.
    """
    rules = scoring_rules(variant)
    rows = sum(
        max(int(rules["row_base"][r]) + int(e) for e in rules["row_extra"][r]) for r in range(3)
    )
    base = sum(int(rules["row_base"][r]) for r in range(3))
    extra = sum(max(0, *(int(e) for e in rules["row_extra"][r])) for r in range(3))
    gun = base * int(rules["gun_base"]) + extra * int(rules["gun_extra"]) + int(rules["gun_add"])
    run = (
        base * int(rules["gun_base"]) * int(rules["home_run_base"])
        + extra * int(rules["gun_extra"]) * int(rules["home_run_extra"])
        + int(rules["gun_add"]) * int(rules["home_run_gun_add"])
        + int(rules["home_run_add"])
    )
    pair = max(rows, gun, run, int(rules["majority"]), *(int(p) for p in rules["special_points"]))
    if (players - 1) * pair > MOST_UNITS:
        raise BadInput(
            f"{variant.id}: a deal could bring {(players - 1) * pair} units; simulations add up "
            f"fourth powers exactly for at most {MOST_UNITS}: scale the payouts down, use a stake"
        )
    return (players - 1) * pair


@lru_cache(maxsize=16)
def _rows(variant: Variant) -> RowTables:
    return row_tables(variant.wheel, variant.compare)

"""The experiment behind luck and skill: one seat plays policy A among players of policy B.

All pairs (A, B) play the SAME deals, and each deal is played once with every hand in the lone
player's place (duplicate play). What is measured is his *lead*: his units; in banker games, where
seats differ, the lone player sits beside the banker and his lead is his units less those of the
next player. Between equal players a lead is 0 on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import FULL_DECK, Masks
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import BLOCK_DEALS, block_state
from montecarlo.errors import BadInput
from montecarlo.scoring.many_deals import score_deals
from montecarlo.scoring.seats import SEAT, Seats
from montecarlo.setting.seating import SeatPolicy, seat_policies
from montecarlo.simulation.payout_kernel import fill_seat
from montecarlo.simulation.payouts import BANKER_SEAT, CHUNK, histogram_half, scoring_rules
from montecarlo.simulation.plan import PLAYED_SHARD_BLOCKS
from montecarlo.simulation.skill_kernel import add_leads, add_runs
from montecarlo.simulation.tallies import Tally
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.strength.tables import row_tables
from montecarlo.variants import Variant

BATCHES = 32
"""Chunks of deals are dealt out to so many batches, for jackknife errors."""

RUN_LENGTHS = tuple(2**k for k in range(BLOCK_DEALS.bit_length()))
"""Lengths of runs of consecutive deals whose sums are looked at: 1, 2, 4, … a block."""


@dataclass(frozen=True)
class SkillExperiment:
    """Play every policy as the lone player among players of every policy (K of them).

    The tally holds, with arms in the order (A, B) = (0, 0), (0, 1), …: ``deals`` (BATCHES,);
    ``sums`` (BATCHES, K²): Σ of a deal's total lead over its P plays; ``products`` (BATCHES, K²,
    K²): Σ of products of two arms' totals; ``cells`` (BATCHES, K, K, K): Σ over single plays of
    the product of the leads of lone policies A and A' among B, by (B, A, A'); ``histogram``
    (K², 2 H + 1): leads of single plays; ``runs`` (lengths, K², 3): runs of `RUN_LENGTHS` deals,
    each played once, after which the lone player is behind, level, ahead.
    """

    variant: Variant
    players: int
    policies: tuple[str, ...]
    hold_policy: bool = False

    shard_blocks = PLAYED_SHARD_BLOCKS

    def __post_init__(self) -> None:
        if self.variant.banker and self.players < 3:
            raise BadInput(
                f"{self.variant.id}: skill is told by comparing two players, and beside the banker "
                "there is only one: play with 3 or 4"
            )

    @property
    def lone(self) -> int:
        """The lone player's seat."""
        return BANKER_SEAT + 1 if self.variant.banker else 0

    def prepare(self) -> None:
        """Compile kernels and load policies by playing two deals."""
        self.play(block_state(0, 0), 2)

    def tally_block(self, seed: int, block: int, deals: int) -> Tally:
        """Play the first ``deals`` deals of a block with every pair of policies."""
        return self.play(block_state(seed, block), deals)

    def describe(self) -> dict[str, Any]:
        """Return what decides the bits of the result."""
        seats = [seat for seats in _seated(self) for seat in seats]
        return {
            "variant": self.variant.id,
            "variant_sha256": self.variant.sha256,
            "players": self.players,
            "policy": list(self.policies),
            "policy_sha256": [seat.policy.sha256 if seat.policy else None for seat in seats],
            "lone": self.lone,
            "batches": BATCHES,
        }

    def play(self, state: NDArray[np.uint64], deals: int) -> Tally:
        """Play ``deals`` deals of a generator state and add them up."""
        count = len(self.policies)
        arms, half = count**2, histogram_half(self.variant, self.players)
        arrays = {
            "deals": np.zeros(BATCHES, np.int64),
            "sums": np.zeros((BATCHES, arms), np.int64),
            "products": np.zeros((BATCHES, arms, arms), np.int64),
            "cells": np.zeros((BATCHES, count, count, count), np.int64),
            "histogram": np.zeros((arms, 2 * half + 1), np.int64),
            "runs": np.zeros((len(RUN_LENGTHS), arms, 3), np.int64),
        }
        once = np.empty((deals, arms), np.int64)
        for start in range(0, deals, CHUNK):
            masks = np.empty((min(CHUNK, deals - start), self.players), np.uint64)
            deal_into(state, masks, np.uint64(FULL_DECK), 13)
            leads = self.leads(masks)
            once[start : start + len(masks)] = leads[:, 0]
            batch = start // CHUNK % BATCHES
            arrays["deals"][batch] += len(masks)
            add_leads(
                leads, count, arrays["sums"][batch], arrays["products"][batch],
                arrays["cells"][batch], arrays["histogram"],
            )  # fmt: skip
        add_runs(once, arrays["runs"])
        return Tally(deals, arrays)

    def leads(self, masks: Masks) -> NDArray[np.int64]:
        """Return the lone player's leads (deals, plays, K²) in deals (deals, players)."""
        deals, players = masks.shape
        count, lone = len(self.policies), self.lone
        roles = [self._hands(masks, seats) for seats in _seated(self)]
        role_of = [0 if seat == BANKER_SEAT else len(roles) - 1 for seat in range(players)]
        rules = scoring_rules(self.variant)
        leads = np.empty((deals, players, count, count), np.int64)
        for turn in range(players):
            for lonely in range(count):
                for others in range(count):
                    plays = [others] * players
                    plays[lone] = lonely
                    columns = [
                        roles[role_of[seat]][plays[seat]][:, (seat + turn) % players]
                        for seat in range(players)
                    ]
                    units, _ = score_deals(rules, np.stack(columns, axis=1), BANKER_SEAT)
                    lead = units[:, lone]
                    if self.variant.banker:
                        lead = lead - units[:, lone + 1]
                    leads[:, turn, lonely, others] = lead
        return leads.reshape(deals, players, -1)

    def _hands(self, masks: Masks, seats: tuple[SeatPolicy, ...]) -> list[Seats]:
        """Return, for each policy, all hands (deals, players) as it declares and sets them."""
        tables = row_tables(self.variant.wheel, self.variant.compare)
        rules = scoring_rules(self.variant)
        firsts = first_special(masks, compile_rules(self.variant.rules))
        played = []
        for seat in seats:
            found = np.zeros(masks.shape, dtype=SEAT)
            for place in range(masks.shape[1]):
                hands = np.ascontiguousarray(masks[:, place])
                declared, classes, suits = seat.play(hands, np.ascontiguousarray(firsts[:, place]))
                fill_seat(found, place, hands, declared, classes, suits, rules, tables)
            played.append(found)
        return played


@lru_cache(maxsize=8)
def _seated(experiment: SkillExperiment) -> tuple[tuple[SeatPolicy, ...], ...]:
    """Return each policy in every role: (banker, player) in banker games, else one role."""
    variant, players = experiment.variant, experiment.players
    seats = [
        seat_policies(variant, (name,) * players, players, experiment.hold_policy)
        for name in experiment.policies
    ]
    places = (BANKER_SEAT, experiment.lone) if variant.banker else (0,)
    return tuple(tuple(seat[place] for seat in seats) for place in places)

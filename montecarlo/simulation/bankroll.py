"""The experiment behind risk of ruin: deals in sequence, and what becomes of seat 0's bankroll.

Consecutive deals of a block are cut into runs; in each run a bankroll is ruined when nothing of it
is left after some deal. Beside the runs the units of all deals are counted, from which ruin can be
worked out without simulation (`statistics.ruin`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import FULL_DECK
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import BLOCK_DEALS, block_state
from montecarlo.errors import BadInput
from montecarlo.scoring.many_deals import score_deals
from montecarlo.setting.seating import seat_policies
from montecarlo.simulation.payouts import (
    BANKER_SEAT,
    CHUNK,
    histogram_half,
    play_hands,
    scoring_rules,
)
from montecarlo.simulation.plan import PLAYED_SHARD_BLOCKS
from montecarlo.simulation.tallies import Tally
from montecarlo.variants import Variant


@dataclass(frozen=True)
class BankrollExperiment:
    """Play deals in sequence; runs of each of ``lengths`` deals, bankrolls in units.

    The tally holds ``histogram`` (2 H + 1,): seat 0's units a deal; ``runs`` (lengths,) that a
    block has room for; ``ruined`` (lengths, bankrolls): runs in which a bankroll was ruined.
    """

    variant: Variant
    players: int
    policies: tuple[str, ...]
    lengths: tuple[int, ...]
    bankrolls: tuple[int, ...]
    hold_policy: bool = False

    shard_blocks = PLAYED_SHARD_BLOCKS

    def __post_init__(self) -> None:
        if any(not 1 <= length <= BLOCK_DEALS for length in self.lengths):
            raise BadInput(f"runs hold 1 to {BLOCK_DEALS} deals")
        if any(bankroll < 1 for bankroll in self.bankrolls):
            raise BadInput("a bankroll holds 1 unit or more")

    def prepare(self) -> None:
        """Compile kernels and load policies by playing two deals."""
        self.tally_block(0, 0, 2)

    def describe(self) -> dict[str, Any]:
        """Return what decides the bits of the result."""
        seats = seat_policies(self.variant, self.policies, self.players, self.hold_policy)
        return {
            "variant": self.variant.id,
            "variant_sha256": self.variant.sha256,
            "players": self.players,
            "policy": list(self.policies),
            "policy_sha256": [seat.policy.sha256 if seat.policy else None for seat in seats],
            "lengths": list(self.lengths),
            "bankrolls": list(self.bankrolls),
        }

    def tally_block(self, seed: int, block: int, deals: int) -> Tally:
        """Play the first ``deals`` deals of a block."""
        units = self.units(block_state(seed, block), deals)
        half = histogram_half(self.variant, self.players)
        runs = np.zeros(len(self.lengths), np.int64)
        ruined = np.zeros((len(self.lengths), len(self.bankrolls)), np.int64)
        for place, length in enumerate(self.lengths):
            runs[place] = deals // length
            paths = units[: runs[place] * length].reshape(runs[place], length).cumsum(axis=1)
            lowest = paths.min(axis=1)
            ruined[place] = [np.count_nonzero(lowest <= -bankroll) for bankroll in self.bankrolls]
        histogram = np.bincount(units + half, minlength=2 * half + 1)
        return Tally(deals, {"histogram": histogram, "runs": runs, "ruined": ruined})

    def units(self, state: NDArray[np.uint64], deals: int) -> NDArray[np.int64]:
        """Return seat 0's units (deals,) in the deals of a generator state."""
        rules = scoring_rules(self.variant)
        seats = seat_policies(self.variant, self.policies, self.players, self.hold_policy)
        found = np.empty(deals, np.int64)
        for start in range(0, deals, CHUNK):
            masks = np.empty((min(CHUNK, deals - start), self.players), np.uint64)
            deal_into(state, masks, np.uint64(FULL_DECK), 13)
            _, played = play_hands(self.variant, rules, masks, seats)
            found[start : start + len(masks)] = score_deals(rules, played, BANKER_SEAT)[0][:, 0]
        return found

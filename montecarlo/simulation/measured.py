"""The experiment behind estimators: deal (plainly, or given a seat's special), play, measure.

Deals are *conditional* when one seat's hand is drawn from the hands of a special, or from those
without any, and the other seats' hands from the other 39 cards. Everything else is as in
`montecarlo.simulation.payouts`: the other seats may hold specials too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import FULL_DECK, Masks
from montecarlo.dealing.given_hand import hands_around
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import block_state
from montecarlo.scoring.seats import SEAT, Seats
from montecarlo.scoring.tables import ScoringRules
from montecarlo.setting.seating import SeatPolicy, seat_policies
from montecarlo.simulation.measures import Measure, PlayedDeals
from montecarlo.simulation.paired_kernel import add_products
from montecarlo.simulation.payout_kernel import fill_seat
from montecarlo.simulation.payouts import CHUNK, histogram_half, play_hands, scoring_rules
from montecarlo.simulation.tallies import Tally, merge
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.specials.special_hands import NO_SPECIAL, SpecialHands
from montecarlo.statistics.moments import Moments
from montecarlo.strength.tables import row_tables
from montecarlo.variants import Variant


@dataclass(frozen=True)
class Given:
    """A condition on a deal: seat ``holder`` holds one of ``hands``."""

    holder: int
    hands: SpecialHands


@dataclass(frozen=True)
class MeasuredExperiment:
    """Play a variant and add up what a measure finds in each deal.

    Without ``given`` the deals are those of `PayoutExperiment`. ``branch`` keeps the random words
    of runs apart that have one seed and are to be independent (a pilot, each stratum); it has no
    meaning in plain deals of an empty branch.
    """

    variant: Variant
    players: int
    policies: tuple[str, ...]
    measure: Measure
    given: Given | None = None
    branch: tuple[int, ...] = ()
    hold_policy: bool = False

    def prepare(self) -> None:
        """Compile kernels and load policies by playing two deals, once a process."""
        _play_two_deals(self)

    def tally_block(self, seed: int, block: int, deals: int) -> Tally:
        """Play the first ``deals`` deals of a block: ``sums`` (m,) and ``products`` (m, m)."""
        histogram_half(self.variant, self.players)  # refuses units whose sums would not fit
        parts = []
        for masks in self._chunks(seed, block, deals):
            measured = self.measure(self._played(masks))
            count = measured.shape[1]
            sums, products = np.zeros(count, np.int64), np.zeros((count, count), np.int64)
            add_products(measured, sums, products)
            products += np.triu(products, 1).T
            parts.append(Tally(len(masks), {"sums": sums, "products": products}))
        return merge(parts)

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
            "measure": self.measure.describe(),
            "given": [self.given.holder, str(self.given.hands)] if self.given else None,
            "branch": list(self.branch),
        }

    def _chunks(self, seed: int, block: int, deals: int) -> list[Masks]:
        """Return the deals of a block, in chunks that are set and scored together."""
        sizes = [min(CHUNK, deals - start) for start in range(0, deals, CHUNK)]
        if self.given is None:
            state = block_state(seed, block, *self.branch)
            chunks = [np.empty((size, self.players), np.uint64) for size in sizes]
            for masks in chunks:
                deal_into(state, masks, np.uint64(FULL_DECK), 13)
            return chunks
        hands = self.given.hands.draw(block_state(seed, block, *self.branch, 0), deals)
        state = block_state(seed, block, *self.branch, 1)
        return [
            hands_around(state, part, self.given.holder, self.players)
            for part in np.split(hands, np.cumsum(sizes)[:-1])
        ]

    def _played(self, masks: NDArray[np.uint64]) -> PlayedDeals:
        rules = scoring_rules(self.variant)
        policies = seat_policies(self.variant, self.policies, self.players, self.hold_policy)
        if self.given is None or self.given.hands.special == NO_SPECIAL:
            firsts, seats = play_hands(self.variant, rules, masks, policies)
        else:
            firsts, seats = play_given(self.variant, rules, masks, policies, self.given.holder)
        return PlayedDeals(masks, firsts, seats, rules)


@lru_cache(maxsize=256)
def _play_two_deals(experiment: MeasuredExperiment) -> None:
    experiment.tally_block(0, 0, 2)


def play_given(
    variant: Variant,
    rules: ScoringRules,
    masks: Masks,
    policies: tuple[SeatPolicy, ...],
    holder: int,
) -> tuple[NDArray[np.int8], Seats]:
    """Return what `play_hands` returns, for deals (deals, players) whose holder has a special.

    A hand that is declared in any case is not set: the settings of a suited hand are so many that
    a single one takes a tenth of a second. Where declaring is a choice, equal hands are set once.
    """
    tables = row_tables(variant.wheel, variant.compare)
    firsts = first_special(masks, compile_rules(variant.rules))
    seats = np.zeros(masks.shape, dtype=SEAT)
    for player, seat in enumerate(policies):
        hands, special = np.ascontiguousarray(masks[:, player]), firsts[:, player]
        if player != holder:
            declared, classes, suits = seat.play(hands, special)
        elif seat.declare == "always":
            declared = special
            classes = np.zeros((hands.size, 3), np.uint16)
            suits = np.zeros((hands.size, 3), np.uint8)
        else:
            _, first, every = np.unique(hands, return_index=True, return_inverse=True)
            declared, classes, suits = seat.play(hands[first], special[first])
            declared, classes, suits = declared[every], classes[every], suits[every]
        fill_seat(seats, player, hands, declared, classes, suits, rules, tables)
    return firsts, seats


def moments(experiment: MeasuredExperiment, tally: Tally) -> Moments:
    """Return a tally's sums and products by the names of what was measured."""
    flat = tally.integers("products")
    count = len(experiment.measure.names)
    rows = tuple(tuple(flat[i * count : (i + 1) * count]) for i in range(count))
    return Moments(experiment.measure.names, tally.deals, tuple(tally.integers("sums")), rows)

"""The experiment behind comparisons: several arms play the SAME deals (common random numbers).

An arm is a variant with one policy a seat. What the arms share in a deal cancels in the difference
of their results, so the difference has its own, much smaller error. With ``rotate`` each deal is
moreover played once with every hand in seat 0's place (duplicate play): the luck of the cards
then cancels inside an arm too, and the deal stays the unit of sampling.

Source: Law (2015), Simulation Modeling and Analysis, 5th ed., §11.2 (common random numbers).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import FULL_DECK
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import block_state
from montecarlo.errors import BadInput
from montecarlo.scoring.kernels import EVENTS
from montecarlo.scoring.many_deals import score_deals
from montecarlo.scoring.seats import SEAT, Seats
from montecarlo.setting.policies import Policy
from montecarlo.setting.seating import SeatPolicy, seat_policies
from montecarlo.simulation.paired_kernel import add_products
from montecarlo.simulation.payout_kernel import fill_seat
from montecarlo.simulation.payouts import BANKER_SEAT, CHUNK, histogram_half, scoring_rules
from montecarlo.simulation.plan import PLAYED_SHARD_BLOCKS
from montecarlo.simulation.tallies import Tally
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.strength.tables import row_tables
from montecarlo.variants import Variant

MEASURES = ("units", "ordinary_pairs", "guns", "home_runs")
"""What is measured of an arm in each deal: seat 0's units, and events of the whole table."""

_POLICIES: WeakValueDictionary[Hashable, Policy] = WeakValueDictionary()
"""Policies in use, by what they are: their compiled tables can take hundreds of megabytes."""

_EVENT_PLACES = [EVENTS.index(name) for name in MEASURES[1:]]


@dataclass(frozen=True)
class Arm:
    """One of the games that are compared: rules, and who sets how.

    ``settings_of`` names the variant whose trained policies are used, whatever the arm's own rules
    are (settings held); None takes those trained for the arm's rules.
    """

    variant: Variant
    policies: tuple[str, ...]
    settings_of: Variant | None = None
    hold_policy: bool = False

    def seats(self) -> tuple[SeatPolicy, ...]:
        """Return the policies of the seats, ready to play under the arm's rules.

        Raises PolicyMismatch when a policy is not trained, BadInput for settings that were made
        for another wheel rule (their row classes mean other rows).
        """
        origin = self.settings_of or self.variant
        found = seat_policies(origin, self.policies, len(self.policies), self.hold_policy)
        for seat in found:
            if seat.policy and seat.policy.wheel != self.variant.wheel:
                raise BadInput(
                    f"{self.variant.id}: settings made for wheel={seat.policy.wheel} cannot be "
                    f"held under wheel={self.variant.wheel}: train that policy"
                )
        return tuple(replace(seat, variant=self.variant) for seat in found)

    def describe(self) -> dict[str, Any]:
        """Return what decides the arm's bits, as JSON data."""
        return {
            "variant": self.variant.id,
            "variant_sha256": self.variant.sha256,
            "policy": list(self.policies),
            "policy_sha256": [s.policy.sha256 if s.policy else None for s in self.seats()],
        }


@dataclass(frozen=True)
class PairedExperiment:
    """Play the same deals in every arm.

    The tally holds, for m = arms × `MEASURES` (arm by arm), ``sums`` (m,): Σ x; ``products``
    (m, m): Σ x_i x_j; ``squares`` (arms,): Σ of squares of seat 0's units in single plays. With
    ``rotate``, x is the total of a deal's plays, one for each seat's hand in seat 0's place.
    """

    arms: tuple[Arm, ...]
    rotate: bool = False

    shard_blocks = PLAYED_SHARD_BLOCKS

    def __post_init__(self) -> None:
        if not self.arms:
            raise BadInput("nothing to compare: there is no arm")

    @property
    def players(self) -> int:
        """Number of hands dealt; an arm of fewer players leaves the last ones out."""
        return max(len(arm.policies) for arm in self.arms)

    @property
    def plays(self) -> int:
        """How often an arm plays each deal."""
        return self.players if self.rotate else 1

    def prepare(self) -> None:
        """Compile kernels and load policies by playing two deals."""
        self.play(block_state(0, 0), 2)

    def tally_block(self, seed: int, block: int, deals: int) -> Tally:
        """Play the first ``deals`` deals of a block in every arm."""
        return self.play(block_state(seed, block), deals)

    def describe(self) -> dict[str, Any]:
        """Return what decides the bits of the result."""
        return {
            "arms": [arm.describe() for arm in self.arms],
            "players": self.players,
            "rotate": self.rotate,
        }

    def play(self, state: NDArray[np.uint64], deals: int) -> Tally:
        """Play ``deals`` deals of a generator state and add them up."""
        seated = _seated(self.arms)
        size = len(self.arms) * len(MEASURES)
        sums, products = np.zeros(size, np.int64), np.zeros((size, size), np.int64)
        squares = np.zeros(len(self.arms), np.int64)
        for start in range(0, deals, CHUNK):
            masks = np.empty((min(CHUNK, deals - start), self.players), np.uint64)
            deal_into(state, masks, np.uint64(FULL_DECK), 13)
            measured = self._measure(_Hands(masks), seated, squares)
            add_products(measured, sums, products)
        products += np.triu(products, 1).T
        return Tally(deals, {"sums": sums, "products": products, "squares": squares})

    def _measure(
        self,
        hands: _Hands,
        seated: tuple[tuple[SeatPolicy, ...], ...],
        squares: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Return the measures (deals, arms × measures) of each deal; add to ``squares``."""
        deals, players = hands.masks.shape
        measured = np.zeros((deals, len(self.arms), len(MEASURES)), np.int64)
        for place, (arm, policies) in enumerate(zip(self.arms, seated, strict=True)):
            rules = scoring_rules(arm.variant)
            for turn in range(self.plays):
                columns = [hands.seat(p, (s + turn) % players) for s, p in enumerate(policies)]
                seats = np.stack(columns, axis=1)
                units, events = score_deals(rules, seats, BANKER_SEAT)
                measured[:, place, 0] += units[:, 0]
                measured[:, place, 1:] += events[:, _EVENT_PLACES]
                squares[place] += units[:, 0] @ units[:, 0]
        return measured.reshape(deals, -1)


class _Hands:
    """Hands of some deals; what a policy makes of them is worked out once for all arms."""

    def __init__(self, masks: NDArray[np.uint64]) -> None:
        self.masks = masks
        self._columns = [np.ascontiguousarray(masks[:, place]) for place in range(masks.shape[1])]
        self._known: dict[Hashable, Any] = {}

    def seat(self, player: SeatPolicy, place: int) -> Seats:
        """Return the hands of one place as a player declares and sets them: (deals,) of `SEAT`."""
        variant = player.variant
        key = (*_way_of_playing(player), place)
        if key not in self._known:
            hands = self._columns[place]
            declared, classes, suits = player.play(hands, self._first_specials(variant, place))
            column = np.zeros((hands.size, 1), dtype=SEAT)
            tables = row_tables(variant.wheel, variant.compare)
            rules = scoring_rules(variant)
            fill_seat(column, 0, hands, declared, classes, suits, rules, tables)
            self._known[key] = column[:, 0]
        seats: Seats = self._known[key]
        return seats

    def _first_specials(self, variant: Variant, place: int) -> NDArray[np.int8]:
        key = (variant.rules, place)
        if key not in self._known:
            self._known[key] = first_special(self._columns[place], compile_rules(variant.rules))
        firsts: NDArray[np.int8] = self._known[key]
        return firsts


def _way_of_playing(player: SeatPolicy) -> tuple[Hashable, ...]:
    """Return what decides how a hand is declared, set and seen by the scoring kernels."""
    variant = player.variant
    best = player.declare == "best"
    return (
        id(player.policy),
        player.declare,
        variant.wheel,
        variant.compare,
        variant.tie if variant.tie in ("suit_baodao", "suit_top_card") else None,
        variant.rules,
        tuple((entry.equal, entry.points if best else None) for entry in variant.specials),
    )


@lru_cache(maxsize=16)
def _seated(arms: tuple[Arm, ...]) -> tuple[tuple[SeatPolicy, ...], ...]:
    """Return the seats of all arms; equal policies are one object, whose tables are held once."""
    seated = []
    for arm in arms:
        histogram_half(arm.variant, len(arm.policies))  # refuses units whose sums would not fit
        seats = []
        for seat in arm.seats():
            if seat.policy is not None:
                policy = seat.policy
                key = (policy.name, policy.sha256, policy.wheel, policy.compare)
                seat = replace(seat, policy=_POLICIES.setdefault(key, policy))
            seats.append(seat)
        seated.append(tuple(seats))
    return tuple(seated)

"""The experiment behind ambiguity: many readings of one rule book play the SAME deals.

Readings differ in the rules of specials, payouts or comparing; hands are set once for each way of
setting them, and only what the rules make of them is worked out anew. So a hundred readings cost
little more than a few. Of each deal and reading seat 0's units, the squares of units and the flow
are measured; products are summed for those pairs of readings that are to be compared.

A reading that changes few hands is hardly met. So deals may be *given* that a seat holds one of
them: by the sum over seats, E[x] = Σ P(a seat's hand is changed) · E[x / m | it is], m being how
many seats of the deal have such a hand, for every x that is 0 where nobody has one.

Source: Law (2015), Simulation Modeling and Analysis, 5th ed., §11.2 (common random numbers).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import FULL_DECK, Masks
from montecarlo.dealing.given_hand import hands_around
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import BLOCK_DEALS, block_state
from montecarlo.errors import BadInput
from montecarlo.scoring.seats import SEAT, Seats
from montecarlo.setting.seating import SeatPolicy
from montecarlo.simulation.held_settings import held_seats
from montecarlo.simulation.paired import Arm
from montecarlo.simulation.payout_kernel import fill_seat
from montecarlo.simulation.payouts import BANKER_SEAT, CHUNK, histogram_half, scoring_rules
from montecarlo.simulation.plan import PLAYED_SHARD_BLOCKS
from montecarlo.simulation.readings_kernel import add_listed_products, measure_deals
from montecarlo.simulation.tallies import Tally
from montecarlo.specials.changed_hands import ChangedHands
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.strength.tables import row_tables

MEASURES = ("units", "squares", "flow")
"""Of each deal: seat 0's units; their square (in games of all pairs, where every seat is alike:
the squares of all seats' units, added up); units that change hands."""

PRODUCTS = (("units", "units"), ("units", "squares"), ("squares", "units"),
            ("squares", "squares"), ("flow", "flow"))  # fmt: skip
"""Which measures of a first and of a second arm are multiplied."""

SHARES = 12
"""What is measured of deals given a changed hand comes in twelfths: 12 / m is a whole number."""

Classes = tuple[NDArray[np.uint16], NDArray[np.uint8]]


@dataclass(frozen=True)
class Changed:
    """A condition on a deal: seat ``holder`` holds a hand that two lists of rules call otherwise.

    ``branch`` keeps the random words of such runs apart.
    """

    holder: int
    hands: ChangedHands
    branch: tuple[int, ...]


@dataclass(frozen=True)
class ReadingsExperiment:
    """Play the same deals in every arm; ``together`` are pairs of arms whose products are summed.

    The tally holds ``sums`` (arms, `MEASURES`), ``products`` (pairs, `PRODUCTS`), and ``changed``
    (arms,): deals in which some seat's units are not those of arm 0. Arms keep the settings they
    name, whatever their rules are (`held_seats`); every special is declared. With ``given`` every
    measure is multiplied by `SHARES` / m (see the module).
    """

    arms: tuple[Arm, ...]
    together: tuple[tuple[int, int], ...]
    given: Changed | None = None

    shard_blocks = PLAYED_SHARD_BLOCKS

    def __post_init__(self) -> None:
        if not self.arms or len({len(arm.policies) for arm in self.arms}) != 1:
            raise BadInput("arms that share their deals need the same number of players")

    @property
    def players(self) -> int:
        """Number of players, the same in all arms."""
        return len(self.arms[0].policies)

    def prepare(self) -> None:
        """Compile kernels and load policies by playing two deals."""
        for arm in self.arms:
            most = histogram_half(arm.variant, self.players)
            share = SHARES if self.given else 1
            if (share * self.players * most**2) ** 2 * BLOCK_DEALS >= 2**63:
                raise BadInput(
                    f"{arm.variant.id}: a deal could bring {most} units, too many for exact sums "
                    "of fourth powers: scale the payouts down, use a stake"
                )
        self.tally_block(0, 0, 2)

    def describe(self) -> dict[str, Any]:
        """Return what decides the bits of the result."""
        return {
            "arms": [
                {
                    "variant": arm.variant.id,
                    "variant_sha256": arm.variant.sha256,
                    "policy": list(arm.policies),
                    "policy_sha256": [s.policy.sha256 if s.policy else None for s in seats],
                }
                for arm, seats in zip(self.arms, _seated(self.arms), strict=True)
            ],
            "players": self.players,
            "together": [list(pair) for pair in self.together],
            "given": _described(self.given) if self.given else None,
        }

    def tally_block(self, seed: int, block: int, deals: int) -> Tally:
        """Play the first ``deals`` deals of a block in every arm and add them up."""
        count = len(MEASURES)
        first, second = self._places()
        sums = np.zeros(len(self.arms) * count, np.int64)
        products, changed = np.zeros(first.size, np.int64), np.zeros(len(self.arms), np.int64)
        for masks in self._chunks(seed, block, deals):
            measured = self._measure(masks, changed)
            sums += measured.sum(axis=0)
            add_listed_products(measured, first, second, products)
        return Tally(
            deals,
            {
                "sums": sums.reshape(-1, count),
                "products": products.reshape(-1, len(PRODUCTS)),
                "changed": changed,
            },
        )

    def _chunks(self, seed: int, block: int, deals: int) -> Iterator[Masks]:
        """Yield the deals of a block, in chunks that are set and scored together."""
        sizes = [min(CHUNK, deals - start) for start in range(0, deals, CHUNK)]
        if self.given is None:
            state = block_state(seed, block)
            for size in sizes:
                masks = np.empty((size, self.players), np.uint64)
                deal_into(state, masks, np.uint64(FULL_DECK), 13)
                yield masks
            return
        branch = self.given.branch
        hands = self.given.hands.draw(block_state(seed, block, *branch, 0), deals)
        state = block_state(seed, block, *branch, 1)
        for part in np.split(hands, np.cumsum(sizes)[:-1]):
            yield hands_around(state, part, self.given.holder, self.players)

    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which measured columns are multiplied: (pairs × `PRODUCTS`,) each."""
        places = [
            (one * len(MEASURES) + MEASURES.index(a), other * len(MEASURES) + MEASURES.index(b))
            for one, other in self.together
            for a, b in PRODUCTS
        ]
        both = np.array(places, np.int64).reshape(-1, 2).T
        return np.ascontiguousarray(both[0]), np.ascontiguousarray(both[1])

    def _measure(self, masks: Masks, changed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the measures (deals, arms × measures) of each deal; add to ``changed``."""
        deals, players = masks.shape
        hands = _Hands(masks)
        measured = np.zeros((deals, len(self.arms), len(MEASURES)), np.int64)
        default: NDArray[np.int64] | None = None
        for place, (arm, seated) in enumerate(zip(self.arms, _seated(self.arms), strict=True)):
            flow: NDArray[np.int64] = np.zeros(deals, np.int64)
            units: NDArray[np.int64] = np.zeros((deals, players), np.int64)
            rules = scoring_rules(arm.variant)
            measure_deals(rules, hands.seats(seated), BANKER_SEAT, units, flow)
            default = units if default is None else default
            changed[place] += np.count_nonzero((units != default).any(axis=1))
            spread = units[:, :1] if arm.variant.banker else units
            measured[:, place, 0] = units[:, 0]
            measured[:, place, 1] = (spread * spread).sum(axis=1)
            measured[:, place, 2] = flow
        if self.given is not None:
            holders = np.count_nonzero(self.given.hands.are(masks), axis=1)
            measured *= (SHARES // holders)[:, None, None]
        return measured.reshape(deals, -1)


class _Hands:
    """Hands of some deals; what several arms make of them is worked out once."""

    def __init__(self, masks: Masks) -> None:
        self.masks = masks
        self._columns = [np.ascontiguousarray(column) for column in masks.T]
        self._known: dict[Hashable, Any] = {}

    def seats(self, seated: tuple[SeatPolicy, ...]) -> Seats:
        """Return the seats (deals, players) as the kernels score them."""
        variant = seated[0].variant
        key = (
            "seats", variant.rules, variant.wheel, variant.compare,
            tuple(entry.equal for entry in variant.specials),
            tuple(_way_of_setting(seat) for seat in seated),
        )  # fmt: skip
        if key not in self._known:
            seats = np.zeros(self.masks.shape, dtype=SEAT)
            firsts = self._firsts(seated[0])
            tables, rules = row_tables(variant.wheel, variant.compare), scoring_rules(variant)
            for place, seat in enumerate(seated):
                classes, suits = self._setting(seat, place)
                hands, special = self._columns[place], np.ascontiguousarray(firsts[:, place])
                fill_seat(seats, place, hands, special, classes, suits, rules, tables)
            self._known[key] = seats
        found: Seats = self._known[key]
        return found

    def _firsts(self, seat: SeatPolicy) -> NDArray[np.int8]:
        rules = seat.variant.rules
        if rules not in self._known:
            self._known[rules] = first_special(self.masks, compile_rules(rules))
        firsts: NDArray[np.int8] = self._known[rules]
        return firsts

    def _setting(self, seat: SeatPolicy, place: int) -> Classes:
        key = (*_way_of_setting(seat), place)
        if key not in self._known:
            none = np.full(len(self.masks), -1, np.int8)
            _, classes, suits = seat.play(self._columns[place], none)
            self._known[key] = (classes, suits)
        setting: Classes = self._known[key]
        return setting


def _described(given: Changed) -> dict[str, Any]:
    lists = (given.hands.rules, given.hands.other)
    return {
        "holder": given.holder,
        "rules": [[str(rule) for rule in rules] for rules in lists],
        "branch": list(given.branch),
    }


def _way_of_setting(seat: SeatPolicy) -> tuple[Hashable, ...]:
    """Return what decides a hand's row classes and their suit values."""
    tie = seat.variant.tie
    return id(seat.policy), tie if tie in ("suit_baodao", "suit_top_card") else None


@lru_cache(maxsize=64)
def _seated(arms: tuple[Arm, ...]) -> tuple[tuple[SeatPolicy, ...], ...]:
    """Return the seats of all arms; equal policies are one object."""
    return tuple(held_seats(arm) for arm in arms)

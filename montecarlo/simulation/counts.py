"""The experiment behind payout tables: how often is each payment made, alone and with others?

The sums Σ z and Σ z zᵀ of the counts of payments (`scoring.payments`) hold all that a payout table
decides: units, spread, flow and share of every line, for any table under the same settings.

Source: moments of linear functions of a random vector, e.g. Anderson (2003), An Introduction to
Multivariate Statistical Analysis, 3rd ed., §2.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import FULL_DECK
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import block_state
from montecarlo.scoring.payments import PaymentPlaces, payment_ids, payment_places
from montecarlo.setting.seating import SeatPolicy
from montecarlo.simulation.counts_kernel import tally_payments
from montecarlo.simulation.paired import Arm
from montecarlo.simulation.payouts import BANKER_SEAT, play_hands, scoring_rules
from montecarlo.simulation.tallies import Tally
from montecarlo.variants import Variant

CHUNK = 512
"""Deals set and scored together: few, so that short runs have several batches as well."""

BATCHES = 32
"""Batches that deals fall into, chunk by chunk in turn: what errors of spreads are computed from.
A whole block gives each batch the same number of deals."""


@dataclass(frozen=True)
class CountExperiment:
    """Play a variant with one policy a seat, and count payments.

    ``settings_of`` names the variant whose trained policies are used (settings held); None takes
    those trained for the variant itself. The tally holds, for C payments and T = C (C + 1) / 2
    packed products (see `packed_square`): ``deals`` (BATCHES,): deals by batch; ``sums``
    (BATCHES, C), ``products`` (BATCHES, T): of the net payments of each of `counted_seats` seats;
    ``flow_sums`` (C,), ``flow_products`` (T,): of the payments made at the whole table.
    """

    variant: Variant
    players: int
    policies: tuple[str, ...]
    settings_of: Variant | None = None
    hold_policy: bool = False

    @property
    def counted_seats(self) -> int:
        """Return how many seats are counted, from seat 0 on.

        Seat 0 alone where seats differ (banker games, mixed policies); else all: they are equal in
        distribution, and together tell more than one.
        """
        mixed = len(set(self.policies)) > 1
        return 1 if self.variant.banker or mixed else self.players

    def seats(self) -> tuple[SeatPolicy, ...]:
        """Return the policies of the seats.

        Raises PolicyMismatch when one is not trained, BadInput for settings of another wheel rule.
        """
        return self._arm().seats()

    def prepare(self) -> None:
        """Compile kernels and load policies by playing two deals."""
        self.play(block_state(0, 0), 2)

    def tally_block(self, seed: int, block: int, deals: int) -> Tally:
        """Play the first ``deals`` deals of a block."""
        return self.play(block_state(seed, block), deals)

    def describe(self) -> dict[str, Any]:
        """Return what decides the bits of the result."""
        return {
            **self._arm().describe(),
            "players": self.players,
            "payments": list(payment_ids(self.variant)),
            "counted_seats": self.counted_seats,
            "batches": BATCHES,
        }

    def play(self, state: NDArray[np.uint64], deals: int) -> Tally:
        """Play ``deals`` deals of a generator state and add them up."""
        rules, places = scoring_rules(self.variant), _places(self.variant)
        seated = _seated(self._arm())
        size = len(payment_ids(self.variant))
        packed = size * (size + 1) // 2
        arrays = {
            "deals": np.zeros(BATCHES, np.int64),
            "sums": np.zeros((BATCHES, size), np.int64),
            "products": np.zeros((BATCHES, packed), np.int64),
            "flow_sums": np.zeros(size, np.int64),
            "flow_products": np.zeros(packed, np.int64),
        }
        for start in range(0, deals, CHUNK):
            masks = np.empty((min(CHUNK, deals - start), self.players), np.uint64)
            deal_into(state, masks, np.uint64(FULL_DECK), 13)
            _, seats = play_hands(self.variant, rules, masks, seated)
            batch = start // CHUNK % BATCHES
            arrays["deals"][batch] += len(masks)
            tally_payments(
                rules, places, seats, BANKER_SEAT, self.counted_seats, arrays["sums"][batch],
                arrays["products"][batch], arrays["flow_sums"], arrays["flow_products"],
            )  # fmt: skip
        return Tally(deals, arrays)

    def _arm(self) -> Arm:
        return Arm(self.variant, self.policies, self.settings_of, self.hold_policy)


def packed_square(packed: NDArray[Any], size: int) -> NDArray[Any]:
    """Return symmetric matrices (…, size, size) from packed upper triangles (…, T), same dtype."""
    rows, columns = np.triu_indices(size)
    square = np.zeros((*packed.shape[:-1], size, size), dtype=packed.dtype)
    square[..., rows, columns] = packed
    square[..., columns, rows] = packed
    return square


@lru_cache(maxsize=16)
def _seated(arm: Arm) -> tuple[SeatPolicy, ...]:
    return arm.seats()


@lru_cache(maxsize=64)
def _places(variant: Variant) -> PaymentPlaces:
    return payment_places(variant)

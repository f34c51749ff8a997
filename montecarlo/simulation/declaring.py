"""A measure: what a special brings when it is declared, and what its hand brings when set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.scoring.lines import payout_ids, payout_of_special
from montecarlo.scoring.many_deals import count_deals, score_deals
from montecarlo.setting.seating import seat_policies
from montecarlo.simulation.measure_kernel import measure_holder
from montecarlo.simulation.measures import HOLDER_NAMES, PlayedDeals
from montecarlo.simulation.payout_kernel import fill_seat
from montecarlo.simulation.payouts import BANKER_SEAT
from montecarlo.strength.tables import row_tables
from montecarlo.variants import Variant

Integers = NDArray[np.int64]

NAMES = ("declared", "set", "gain", "points", "received")


@dataclass(frozen=True)
class DeclaredOrSet:
    """Units of a holder who declares, and of the same hand set against the same opponents.

    The holder's seat must declare ``special`` (its place) in every deal. Per deal: ``declared`` and
    ``set``, his units either way; ``gain``, the first less the second; ``points``, how many times
    his special's points are paid to him, net, if he declares; ``received``, units that he receives
    through his special. The hand is set by ``policies[holder]``.
    """

    variant: Variant
    policies: tuple[str, ...]
    holder: int
    special: int
    hold_policy: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """`NAMES`."""
        return NAMES

    def __call__(self, played: PlayedDeals) -> Integers:
        """Return the measured integers: int64 (deals, 5)."""
        variant, holder = self.variant, self.holder
        units = played.units()[:, holder]
        payout = payout_of_special(variant, variant.specials[self.special])
        place = payout_ids(variant).index(payout)
        points = count_deals(played.rules, played.seats, BANKER_SEAT, holder)[:, place]
        received = np.zeros((units.size, len(HOLDER_NAMES)), np.int64)
        alike = np.zeros(played.seats.shape[1], np.bool_)
        measure_holder(played.rules, played.seats, BANKER_SEAT, holder, alike, received)
        rows = self._units_of_rows(played)
        return np.stack(
            [units, rows, units - rows, points, received[:, HOLDER_NAMES.index("received")]], axis=1
        )

    def describe(self) -> dict[str, Any]:
        """Return holder and special."""
        return {"measure": "declared or set", "holder": self.holder, "special": self.special}

    def _units_of_rows(self, played: PlayedDeals) -> Integers:
        """Return the holder's units (deals,) when his hand is set; equal hands are set once."""
        variant, holder = self.variant, self.holder
        players = played.seats.shape[1]
        policy = seat_policies(variant, self.policies, players, self.hold_policy)[holder]
        hands, every = np.unique(played.masks[:, holder], return_inverse=True)
        none = np.full(hands.size, -1, np.int8)
        _, classes, suits = policy.play(hands, none)
        seats = played.seats.copy()
        fill_seat(
            seats, holder, played.masks[:, holder], none[every], classes[every], suits[every],
            played.rules, row_tables(variant.wheel, variant.compare),
        )  # fmt: skip
        units: Integers = score_deals(played.rules, seats, BANKER_SEAT)[0][:, holder]
        return units

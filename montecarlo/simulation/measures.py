"""What is measured of a played deal: integers, one row a deal, for exact sums and products.

A *measure* looks at deals that were played and returns some integers for each. Sums and products
of them are all that means, errors, ratios and control variates need.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import Masks
from montecarlo.errors import BadInput
from montecarlo.scoring.many_deals import score_deals
from montecarlo.scoring.seats import Seats
from montecarlo.scoring.tables import ScoringRules
from montecarlo.simulation.measure_kernel import measure_holder, measure_table
from montecarlo.simulation.payouts import BANKER_SEAT

Integers = NDArray[np.int64]


class PlayedDeals(NamedTuple):
    """Some deals, declared and set, ready to be scored."""

    masks: Masks
    """hands (deals, players)"""
    firsts: NDArray[np.int8]
    """each hand's first special, -1 for none (deals, players)"""
    seats: Seats
    """what each seat declared and set (deals, players)"""
    rules: ScoringRules

    def units(self) -> Integers:
        """Return the net units of every seat: (deals, players)."""
        return score_deals(self.rules, self.seats, BANKER_SEAT)[0]


class Measure(Protocol):
    """Integers of each deal."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what is measured."""

    def __call__(self, played: PlayedDeals) -> Integers:
        """Return the measured integers: int64 (deals, names)."""

    def describe(self) -> dict[str, Any]:
        """Return what decides the measured numbers, as JSON data."""


HOLDER_NAMES = (
    "declared",
    "brought",
    "received",
    "received_by_flow",
    "net",
    "net_by_units",
)


@dataclass(frozen=True)
class HolderMeasure:
    """What a seat that holds a special brings, moves and adds to seat 0's variance.

    ``alike`` are the seats that play as the holder does (he is the first of them): what happens
    to seat 0 when one of them holds the special is, by symmetry, what happens to them when the
    holder does. With r = units the holder receives through his special and u = units of a seat:

    * ``declared``: 1 if he declares; ``brought``: his units if he declares, otherwise 0;
    * ``received``: r; ``received_by_flow``: r times the table's flow through the same special;
    * ``net``, ``net_by_units``: seat 0's net n through the special, and n u, summed over all
      seats of ``alike`` as holders.
    """

    holder: int
    alike: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """`HOLDER_NAMES`."""
        return HOLDER_NAMES

    def __call__(self, played: PlayedDeals) -> Integers:
        """Return the measured integers: int64 (deals, 6)."""
        deals, players = played.seats.shape
        alike = np.zeros(players, np.bool_)
        alike[list(self.alike)] = True
        measured = np.zeros((deals, len(HOLDER_NAMES)), np.int64)
        measure_holder(played.rules, played.seats, BANKER_SEAT, self.holder, alike, measured)
        return measured

    def describe(self) -> dict[str, Any]:
        """Return holder and seats alike."""
        return {"measure": "holder", "holder": self.holder, "alike": list(self.alike)}


TABLE_NAMES = ("units", "units_squared", "special_flow", "guns", "home_runs")


@dataclass(frozen=True)
class TableMeasure:
    """What happened at the table.

    ``units`` of seat 0 and their square, ``special_flow`` through all specials' lines, ``guns``
    (pairs in which one side wins all three rows) and ``home_runs``.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """`TABLE_NAMES`."""
        return TABLE_NAMES

    def __call__(self, played: PlayedDeals) -> Integers:
        """Return the measured integers: int64 (deals, 5)."""
        measured = np.empty((played.seats.shape[0], len(TABLE_NAMES)), np.int64)
        measure_table(played.rules, played.seats, BANKER_SEAT, measured)
        return measured

    def describe(self) -> dict[str, Any]:
        """Return the measure's name."""
        return {"measure": "table"}


@dataclass(frozen=True)
class OwnMeasure:
    """A Python function of hands and units.

    ``function`` takes hand masks (deals, players) and net units (deals, players) and returns one
    integer a deal; it must depend on nothing else. ``name`` stands for it where a run is described.
    """

    name: str
    function: Callable[[Masks, Integers], NDArray[Any]]

    @property
    def names(self) -> tuple[str, ...]:
        """The one name."""
        return (self.name,)

    def __call__(self, played: PlayedDeals) -> Integers:
        """Return the measured integers (deals, 1); BadInput unless the function returns such."""
        found = np.asarray(self.function(played.masks, played.units()))
        if found.shape != played.masks.shape[:1] or found.dtype.kind not in "iub":
            raise BadInput(
                f"'{self.name}' must return one integer a deal, shape {played.masks.shape[:1]}, "
                f"not {found.dtype} of shape {found.shape}"
            )
        return found.astype(np.int64)[:, None]

    def describe(self) -> dict[str, Any]:
        """Return the name."""
        return {"measure": self.name}

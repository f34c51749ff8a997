"""What a study of ambiguity found: every reading and pair of readings, and what they move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from montecarlo.specials.suit_shapes import TOTAL_HANDS
from montecarlo.statistics.clustered import Estimate
from montecarlo.studies.compare import estimate_data
from montecarlo.studies.readings import Reading
from montecarlo.studies.results import Result
from montecarlo.variants import Variant

COMMON = "common deals"
GIVEN = "deals given a changed hand"
EXACT = "exact"

Payouts = dict[str, Estimate]
"""Changes by figure: ``edge`` (banker games only), ``sd``, ``flow``."""


@dataclass(frozen=True)
class MovedSpecial:
    """A special that another number of hands declares under a reading (exact counts)."""

    id: str
    before: int
    after: int

    def to_data(self) -> dict[str, Any]:
        """Return the special as JSON data."""
        return {"id": self.id, "before": self.before, "after": self.after}


@dataclass(frozen=True)
class ReadingMoves:
    """What one reading moves, alone."""

    reading: Reading
    hands_changed: int
    """hands that declare another special than before, or no longer one; exact"""
    specials: tuple[MovedSpecial, ...]
    changes: Payouts
    method: str
    """`COMMON`, `GIVEN` or `EXACT`"""
    responded: Payouts | None
    """the changes once the players are trained for the reading; None where that was not asked for
    or where it asks for no other settings"""

    def to_data(self) -> dict[str, Any]:
        """Return the reading as JSON data."""
        return {
            "reading": self.reading.id,
            "knob": self.reading.knob,
            "value": self.reading.value,
            "assumption": self.reading.assumption,
            "hands_changed": self.hands_changed,
            "p_changed": self.hands_changed / TOTAL_HANDS,
            "specials": [special.to_data() for special in self.specials],
            "changes": _data(self.changes),
            "method": self.method,
            "responded": _data(self.responded) if self.responded is not None else None,
        }


@dataclass(frozen=True)
class PairMoves:
    """What two readings move together, and by how much that is not the sum of both."""

    readings: tuple[Reading, Reading]
    hands_changed: int
    changes: Payouts
    interaction: Payouts | None
    """None where one of them, or both at once, change too few of the deals to tell"""

    def to_data(self) -> dict[str, Any]:
        """Return the pair as JSON data."""
        return {
            "readings": [reading.id for reading in self.readings],
            "hands_changed": self.hands_changed,
            "p_changed": self.hands_changed / TOTAL_HANDS,
            "changes": _data(self.changes),
            "interaction": _data(self.interaction) if self.interaction is not None else None,
        }


@dataclass(frozen=True)
class Ambiguity(Result):
    """Readings and pairs of readings, those that move payouts most first."""

    variant: Variant
    policy: str
    players: int
    deals: int
    seed: int
    respond: bool
    base: Payouts
    readings: tuple[ReadingMoves, ...]
    pairs: tuple[PairMoves, ...]

    @property
    def figure(self) -> str:
        """What readings are ranked by: the banker's edge, or the SD where the edge is 0."""
        return ranking_figure(self.variant)

    @property
    def by_frequency(self) -> tuple[ReadingMoves, ...]:
        """The readings, those that change most hands first."""
        return tuple(sorted(self.readings, key=lambda moves: -moves.hands_changed))

    def __getitem__(self, reading: str) -> ReadingMoves:
        """Return one reading by what ``--set`` takes; KeyError when it is not listed."""
        for moves in self.readings:
            if moves.reading.id == reading:
                return moves
        raise KeyError(reading)

    def to_data(self) -> dict[str, Any]:
        """Return JSON data; ``rank`` by payouts, ``rank_frequency`` by hands changed."""
        frequency = {id(moves): rank for rank, moves in enumerate(self.by_frequency, start=1)}
        return {
            "variant": self.variant.id,
            "knobs": self.variant.knobs,
            "policy": self.policy,
            "settings": "held" if self.variant.format != "ladder" else "nothing is set",
            "players": self.players,
            "deals": self.deals,
            "seed": self.seed,
            "ranked_by": self.figure,
            "base": _data(self.base),
            "readings": [
                {**moves.to_data(), "rank": rank, "rank_frequency": frequency[id(moves)]}
                for rank, moves in enumerate(self.readings, start=1)
            ],
            "pairs": [pair.to_data() for pair in self.pairs],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a reading and one a pair."""
        singles = [
            _row((moves.reading,), moves.hands_changed, moves.changes, None)
            for moves in self.readings
        ]
        doubles = [
            _row(pair.readings, pair.hands_changed, pair.changes, pair.interaction)
            for pair in self.pairs
        ]
        return [*singles, *doubles]


def _row(
    readings: Sequence[Reading], hands_changed: int, changes: Payouts, interaction: Payouts | None
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "readings": " ".join(reading.id for reading in readings), "hands_changed": hands_changed
    }  # fmt: skip
    for figure, change in changes.items():
        beyond = interaction[figure] if interaction else None
        row |= {
            figure: change.value,
            f"{figure}_se": change.se,
            f"{figure}_interaction": beyond.value if beyond else None,
            f"{figure}_interaction_se": beyond.se if beyond else None,
        }
    return row


def ranking_figure(variant: Variant) -> str:
    """Return ``edge`` in banker games, ``sd`` where every seat expects 0."""
    return "edge" if variant.banker else "sd"


def _data(payouts: Payouts) -> dict[str, Any]:
    return {figure: estimate_data(found) for figure, found in payouts.items()}

"""Study: one hand under a variant. Its specials, its frontier, and what each policy makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from montecarlo.cards import Hand
from montecarlo.errors import PolicyMismatch
from montecarlo.setting.few_hands import for_few_hands
from montecarlo.setting.policies import POLICIES
from montecarlo.setting.seating import seat_policies
from montecarlo.specials.kernels import satisfied
from montecarlo.specials.program import compile_rules
from montecarlo.studies.results import Result
from montecarlo.studies.settings import Setting, check_players, frontier_settings, seat_of
from montecarlo.variants import Variant, load
from montecarlo.variants.schema import ROWS


@dataclass(frozen=True)
class HandSheet(Result):
    """What can be done with a hand."""

    variant: Variant
    hand: Hand
    specials: tuple[str, ...]
    frontier: tuple[Setting, ...]
    policies: Mapping[str, Setting]
    notes: tuple[str, ...]
    """Why a policy is left out, or that it was trained for other rules."""

    @property
    def declared(self) -> str | None:
        """The special that the hand declares: the first it satisfies."""
        return self.specials[0] if self.specials else None

    def to_data(self) -> dict[str, Any]:
        """Return the ``hand`` shape of design.md."""
        return {
            "variant": self.variant.id,
            "hand": str(self.hand),
            "specials": list(self.specials),
            "declared": self.declared,
            "frontier": [setting.to_data() for setting in self.frontier],
            "policies": {name: setting.to_data() for name, setting in self.policies.items()},
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a frontier setting: cards and categories of its rows."""
        wheel = self.variant.wheel
        return [
            setting.to_data()
            | {f"{row}_category": c for row, c in zip(ROWS, setting.categories(wheel), strict=True)}
            for setting in self.frontier
        ]


def hand(
    variant: Variant | str,
    cards: Hand | str,
    *,
    players: int = 4,
    role: str = "player",
    hold_policy: bool = False,
) -> HandSheet:
    """Return a hand's specials, its frontier and each policy's setting of it.

    A policy that is not trained for the variant's rules is left out with a note; ``hold_policy``
    keeps the one trained for the variant as it stands. ``role`` matters in banker games, the number
    of ``players`` where home runs pay. Raises BadInput for cards, players or a role that cannot be.
    """
    if isinstance(variant, str):
        variant = load(variant)
    cards = Hand.parse(cards) if isinstance(cards, str) else cards
    check_players(players)
    seat = seat_of(variant, role)
    found = int(satisfied(np.array([cards.mask], np.uint64), compile_rules(variant.rules))[0])
    specials = tuple(e.id for place, e in enumerate(variant.specials) if found >> place & 1)
    policies, notes = _picks(variant, cards.mask, seat, players, hold_policy)
    return HandSheet(
        variant, cards, specials, frontier_settings(variant, cards.mask), policies, tuple(notes)
    )


def _picks(
    variant: Variant, mask: int, seat: int, players: int, hold: bool
) -> tuple[dict[str, Setting], list[str]]:
    """Return what each policy picks, and notes on those that are missing or held."""
    picks: dict[str, Setting] = {}
    notes: list[str] = []
    if variant.format == "ladder":
        return picks, notes
    for name in POLICIES:
        names = ["greedy"] * players
        names[seat] = name
        try:
            place = for_few_hands(seat_policies(variant, tuple(names), players, hold))[seat]
        except PolicyMismatch as error:
            notes.append(f"{name} is left out: {error}")
            continue
        assert place.policy is not None
        if place.held:
            notes.append(f"{name} was trained for {variant.id} as it stands, not for these rules")
        rows = place.policy.set_rows(np.array([mask], np.uint64), variant.tie)
        picks[name] = Setting.of_rows(rows[0])
    return picks, notes

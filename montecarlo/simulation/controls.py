"""Controls of a deal: what its cards hold, with means that are known exactly.

Special hands, high-card points, different ranks and suit shapes are read off the cards alone. They
go with what the deal brings, and so take part of the chance out of it (`control_variates`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from montecarlo.simulation.measures import Integers, Measure, PlayedDeals
from montecarlo.specials.custom import rank_counts, suit_lengths
from montecarlo.specials.exact_figures import mean_distinct_ranks
from montecarlo.specials.special_hands import SpecialHands
from montecarlo.specials.suit_shapes import suit_shape_chances
from montecarlo.variants import Variant

HIGH_CARD_POINTS = np.array([0] * 9 + [1, 2, 3, 4])
"""Points of a card by rank, 2 first: J 1, Q 2, K 3, A 4."""

MEAN_HIGH_CARD_POINTS = 10
"""Of thirteen cards: 40 points in the deck, a quarter of it in a hand."""


@dataclass(frozen=True)
class ControlMeasure:
    """Controls of seat 0 (``own``) and of the other seats together (``others``).

    Of both sides ``specials``, the points of the hands' first specials added up, ``ranks``,
    different ranks in a hand, and ``lengths``, the squares of a hand's suit lengths added up; of
    seat 0 ``own.high_cards``, high-card points; in ladders ``own.ID`` and ``others.ID``, hands of
    which an entry is the first special. (A special each elsewhere would serve less: of the rare
    ones a pilot cannot learn what they bring, but the points tell.)
    """

    variant: Variant
    players: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the controls."""
        return tuple(self.known_means)

    @cached_property
    def known_means(self) -> Mapping[str, Fraction]:
        """The exact mean of each control."""
        others = self.players - 1
        squares = sum(
            (p * sum(length**2 for length in shape) for shape, p in suit_shape_chances().items()),
            start=Fraction(0),
        )
        chances = [
            SpecialHands(self.variant.rules, place).chance
            for place in range(len(self.variant.specials))
        ]
        points = sum(
            (chance * points for chance, points in zip(chances, self._points(), strict=True)),
            start=Fraction(0),
        )
        of_a_hand = {"specials": points, "ranks": mean_distinct_ranks(), "lengths": squares}
        if self.variant.format == "ladder":
            entries = [entry.id for entry in self.variant.specials]
            of_a_hand |= dict(zip(entries, chances, strict=True))
        means = {"own.high_cards": Fraction(MEAN_HIGH_CARD_POINTS)}
        for name, mean in of_a_hand.items():
            means |= {f"own.{name}": mean, f"others.{name}": others * mean}
        return means

    def __call__(self, played: PlayedDeals) -> Integers:
        """Return the controls: int64 (deals, names)."""
        counts = rank_counts(played.masks)
        points = np.array([*self._points(), 0])  # place -1, no special, brings nothing
        by_hand = [
            points[played.firsts],
            np.count_nonzero(counts, axis=2),
            (suit_lengths(played.masks).astype(np.int64) ** 2).sum(axis=2),
        ]
        if self.variant.format == "ladder":
            by_hand += [played.firsts == place for place in range(len(self.variant.specials))]
        columns = [counts[:, 0] @ HIGH_CARD_POINTS]
        for hands in by_hand:
            columns += [hands[:, 0], hands[:, 1:].sum(axis=1)]
        return np.stack(columns, axis=1).astype(np.int64)

    def _points(self) -> list[int]:
        return [entry.points for entry in self.variant.specials]

    def describe(self) -> dict[str, Any]:
        """Return the measure's name."""
        return {"measure": "controls"}


@dataclass(frozen=True)
class MeasureWithControls:
    """A measure and the controls of the same deals, side by side."""

    measure: Measure
    controls: ControlMeasure

    @property
    def names(self) -> tuple[str, ...]:
        """The measure's names, then those of the controls."""
        return (*self.measure.names, *self.controls.names)

    def __call__(self, played: PlayedDeals) -> Integers:
        """Return the measured integers: int64 (deals, names)."""
        return np.concatenate([self.measure(played), self.controls(played)], axis=1)

    def describe(self) -> dict[str, Any]:
        """Return what both measure."""
        return {"measure": [self.measure.describe(), self.controls.describe()]}

"""How rare a variant's specials and tiers are, exactly, and where its order says otherwise.

The *inclusive* count of a special (hands that satisfy it) does not depend on what stands above it;
the *exclusive* one (hands that are declared as it) does. A pair is inverted when the higher of the
two is the commoner by either count; which one is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, zip_longest
from typing import Any

from montecarlo.specials.exact import TOTAL_HANDS, signature_counts
from montecarlo.variants import Variant
from montecarlo.variants.schema import SpecialEntry

RANK, POINTS = "rank", "points"


@dataclass(frozen=True)
class Rarity:
    """Exact numbers of hands, out of C(52, 13)."""

    inclusive: int
    exclusive: int

    @property
    def p(self) -> Fraction:
        """The chance of a hand that is declared as it."""
        return Fraction(self.exclusive, TOTAL_HANDS)

    def to_data(self) -> dict[str, Any]:
        """Return the counts as JSON data."""
        return {"inclusive": self.inclusive, "exclusive": self.exclusive, "p": float(self.p)}


@dataclass(frozen=True)
class Inversion:
    """Two specials, the first ranking (or paying) higher although it is commoner."""

    kind: str
    """`RANK` or `POINTS`"""
    higher: str
    lower: str
    rarities: tuple[Rarity, Rarity]
    by: tuple[str, ...]
    """the counts by which the higher one is commoner: ``inclusive``, ``exclusive`` or both"""

    @property
    def hands(self) -> tuple[int, int]:
        """Hands of both, by the inclusive count unless only the exclusive one is inverted."""
        one, other = self.rarities
        if "inclusive" in self.by:
            return one.inclusive, other.inclusive
        return one.exclusive, other.exclusive

    @property
    def factor(self) -> float:
        """How many times as common the higher one is, by `hands`; infinite over 0 hands."""
        higher, lower = self.hands
        return higher / lower if lower else math.inf

    def to_data(self) -> dict[str, Any]:
        """Return the inversion as JSON data."""
        return {
            "kind": self.kind,
            "higher": {"id": self.higher, **self.rarities[0].to_data()},
            "lower": {"id": self.lower, **self.rarities[1].to_data()},
            "by": list(self.by),
            "factor": self.factor if math.isfinite(self.factor) else None,
        }


@dataclass(frozen=True)
class Tier:
    """A tier of a ladder; its inclusive count is of hands that satisfy any of its entries."""

    tier: int
    ids: tuple[str, ...]
    rarity: Rarity
    commoner_than_next: tuple[str, ...]
    """the counts by which it is commoner than the tier below it"""

    def to_data(self) -> dict[str, Any]:
        """Return the tier as JSON data."""
        return {
            "tier": self.tier, "ids": list(self.ids), **self.rarity.to_data(),
            "commoner_than_next": list(self.commoner_than_next),
        }  # fmt: skip


@dataclass(frozen=True)
class Spread:
    """Specials that a variant treats alike, and the two of them that differ most in rarity."""

    group: str
    """``tier 2``, or ``3 points``"""
    commonest: str
    rarest: str
    rarities: tuple[Rarity, Rarity]

    @property
    def factor(self) -> float:
        """How many times as common the one is as the other, by inclusive counts."""
        one, other = self.rarities
        return one.inclusive / other.inclusive

    def to_data(self) -> dict[str, Any]:
        """Return the pair as JSON data."""
        return {
            "group": self.group,
            "commonest": {"id": self.commonest, **self.rarities[0].to_data()},
            "rarest": {"id": self.rarest, **self.rarities[1].to_data()},
            "factor": self.factor,
        }


@dataclass(frozen=True)
class Rarities:
    """Everything that exact counts say about a variant's order."""

    specials: Mapping[str, Rarity]
    none: int
    pairs: Mapping[str, int]
    """pairs of specials that rank, or pay, differently"""
    inversions: tuple[Inversion, ...]
    """those with the largest factor first"""
    tiers: tuple[Tier, ...]
    spreads: tuple[Spread, ...]


def rarities(variant: Variant) -> Rarities:
    """Count a variant's specials and tiers exactly, and list what is out of order."""
    counts = signature_counts(variant.rules)
    entries = variant.specials
    specials = {entry.id: _rarity(counts, 1 << place) for place, entry in enumerate(entries)}
    inversions, pairs = [], {RANK: 0, POINTS: 0}
    for one, other in combinations(entries, 2):
        for kind, (higher, lower) in _ordered(one, other):
            if variant.format == "ladder" and kind == POINTS:
                continue
            pairs[kind] += 1
            found = _inverted(specials[higher.id], specials[lower.id])
            if found:
                both = (specials[higher.id], specials[lower.id])
                inversions.append(Inversion(kind, higher.id, lower.id, both, found))
    inversions.sort(key=lambda inversion: -inversion.factor)
    return Rarities(
        specials, counts.get(0, 0), pairs, tuple(inversions), _tiers(variant, counts),
        _spreads(variant, specials),
    )  # fmt: skip


def _rarity(counts: Mapping[int, int], members: int) -> Rarity:
    """Count hands that satisfy a rule of ``members`` (bits), and those whose first rule it is."""
    inclusive = sum(hands for signature, hands in counts.items() if signature & members)
    exclusive = sum(
        hands for signature, hands in counts.items() if signature & -signature & members
    )
    return Rarity(inclusive, exclusive)


def _ordered(
    one: SpecialEntry, other: SpecialEntry
) -> Iterable[tuple[str, tuple[SpecialEntry, SpecialEntry]]]:
    """Yield what puts one of two specials above the other, and the higher one first."""
    if one.rank != other.rank:  # entries are listed from the highest rank to the lowest
        yield RANK, (one, other)
    if one.points != other.points:
        yield POINTS, (one, other) if one.points > other.points else (other, one)


def _inverted(higher: Rarity, lower: Rarity) -> tuple[str, ...]:
    found = []
    if higher.inclusive > lower.inclusive:
        found.append("inclusive")
    if higher.exclusive > lower.exclusive:
        found.append("exclusive")
    return tuple(found)


def _tiers(variant: Variant, counts: Mapping[int, int]) -> tuple[Tier, ...]:
    numbers = sorted({entry.tier for entry in variant.specials if entry.tier is not None})
    members = {
        tier: [place for place, entry in enumerate(variant.specials) if entry.tier == tier]
        for tier in numbers
    }
    found = {
        tier: _rarity(counts, sum(1 << place for place in places))
        for tier, places in members.items()
    }
    return tuple(
        Tier(
            tier, tuple(variant.specials[place].id for place in members[tier]), found[tier],
            _inverted(found[tier], found[below]) if below is not None else (),
        )
        for tier, below in zip_longest(numbers, numbers[1:])
    )  # fmt: skip


def _spreads(variant: Variant, specials: Mapping[str, Rarity]) -> tuple[Spread, ...]:
    """Return the widest pair of each tier (elsewhere: of specials that pay alike)."""
    groups: dict[str, list[str]] = {}
    for entry in variant.specials:
        name = f"tier {entry.tier}" if entry.tier is not None else f"{entry.points} points"
        groups.setdefault(name, []).append(entry.id)
    spreads = []
    for name, ids in groups.items():
        ordered = sorted(ids, key=lambda special: -specials[special].inclusive)
        ordered = [special for special in ordered if specials[special].inclusive]
        if len(ordered) > 1:
            ends = ordered[0], ordered[-1]
            spreads.append(Spread(name, *ends, (specials[ends[0]], specials[ends[1]])))
    return tuple(sorted(spreads, key=lambda spread: -spread.factor))

"""Do ranks and points of specials follow how rare they are? Exact inclusive counts decide."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from montecarlo.specials.exact import count_specials
from montecarlo.specials.suit_shapes import TOTAL_HANDS
from montecarlo.statistics.rounding import one_in
from montecarlo.studies.claims.findings import Finding
from montecarlo.studies.claims.registry import computation
from montecarlo.studies.claims.schema import Claim
from montecarlo.variants import Variant, load
from montecarlo.variants.schema import SpecialEntry


@dataclass(frozen=True)
class CountedSpecial:
    """A special of a variant and the number of hands that satisfy it, whatever else they are."""

    entry: SpecialEntry
    hands: int

    @property
    def odds(self) -> str:
        """``1 in N``."""
        return one_in(Fraction(self.hands, TOTAL_HANDS))

    def to_data(self) -> dict[str, Any]:
        """Return the special as JSON data."""
        return {
            "id": self.entry.id,
            "zh": self.entry.zh,
            "points": self.entry.points,
            "hands": self.hands,
            "p": self.hands / TOTAL_HANDS,
        }

    def __str__(self) -> str:
        return f"{self.entry.zh} {self.entry.id} ({self.odds})"


def counted(variant: Variant, entries: tuple[SpecialEntry, ...]) -> tuple[CountedSpecial, ...]:
    """Count specials of a variant exactly, each by itself."""
    counts = count_specials([entry.rule for entry in entries]).inclusive
    return tuple(CountedSpecial(e, n) for e, n in zip(entries, counts, strict=True))


def inversions(
    specials: tuple[CountedSpecial, ...],
) -> list[tuple[CountedSpecial, CountedSpecial]]:
    """Return pairs (first, second) in which the first pays more although more hands hold it."""
    pairs = []
    for one, other in combinations(specials, 2):
        high, low = (one, other) if one.entry.points > other.entry.points else (other, one)
        if high.entry.points > low.entry.points and high.hands > low.hands:
            pairs.append((high, low))
    return pairs


@computation("equal_tiers")
def equal_tiers(claim: Claim) -> Finding:
    """For V4 and V5: how much commoner the commonest hand of a tier is than the rarest of it."""
    values, sentences, details = [], [], {}
    for figure in claim.figures:
        variant = load(figure.name)
        tiers = _tiers(variant)
        spread = {
            tier: (min(specials, key=_hands), max(specials, key=_hands))
            for tier, specials in tiers.items()
        }
        tier = max(spread, key=lambda tier: Fraction(spread[tier][1].hands, spread[tier][0].hands))
        rarest, commonest = spread[tier]
        values.append(Fraction(commonest.hands, rarest.hands))
        sentences.append(f"{variant.number} tier {tier}: {rarest} against {commonest}")
        details[variant.id] = {
            str(tier): [special.to_data() for special in specials]
            for tier, specials in tiers.items()
        }
    return Finding(
        tuple(values), "Furthest apart inside one tier: " + "; ".join(sentences) + ".",
        details=details,
    )  # fmt: skip


@computation("taiwan_order")
def taiwan_order(claim: Claim) -> Finding:
    """V9: in how many pairs of specials does the commoner one pay more?"""
    variant = load("taiwan")
    specials = counted(variant, variant.specials)
    found = inversions(specials)
    commoner: dict[str, list[str]] = {}
    for high, low in found:
        key = f"{high} pays {high.entry.points}, more than"
        commoner.setdefault(key, []).append(f"{low} with {low.entry.points}")
    named = "; ".join(f"{key} {', '.join(lower)}" for key, lower in commoner.items())
    pairs = sum(a.entry.points != b.entry.points for a, b in combinations(specials, 2))
    return Finding(
        (len(found),),
        f"Of {pairs} pairs of specials with different points {len(found)} are upside down: {named}."
        if found
        else f"In all {pairs} pairs of specials with different points the rarer pays more.",
        details={
            "specials": [special.to_data() for special in specials],
            "inversions": [[high.entry.id, low.entry.id] for high, low in found],
        },
    )


@computation("same_three")
def same_three(claim: Claim) -> Finding:
    """V12: the three specials of 3 points, commonest over rarest."""
    variant = load("coins")
    points = min(entry.points for entry in variant.specials)
    specials = counted(variant, tuple(e for e in variant.specials if e.points == points))
    ordered = sorted(specials, key=_hands)
    return Finding(
        (Fraction(ordered[-1].hands, ordered[0].hands),),
        f"All pay {points}: " + ", ".join(map(str, ordered)) + ".",
        details={"specials": [special.to_data() for special in ordered]},
    )


def _hands(special: CountedSpecial) -> int:
    return special.hands


def _tiers(variant: Variant) -> dict[int, tuple[CountedSpecial, ...]]:
    """Return the tiers that hold several specials."""
    tiers = sorted({entry.tier for entry in variant.specials if entry.tier is not None})
    entries = {t: tuple(e for e in variant.specials if e.tier == t) for t in tiers}
    shared = {tier: list_ for tier, list_ in entries.items() if len(list_) > 1}
    specials = iter(counted(variant, tuple(e for list_ in shared.values() for e in list_)))
    return {tier: tuple(next(specials) for _ in list_) for tier, list_ in shared.items()}

"""Study: do a variant's order and points follow rarity and worth?

Rarity is exact (`rarity`). What points should be has no one answer, so three yardsticks stand side
by side (`fair_points`). Ladders pay every tier alike and set no cards: there only rarity is judged.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from montecarlo.errors import BadInput
from montecarlo.setting.seating import read_policy_words, seat_policies
from montecarlo.studies.exact import TOTAL
from montecarlo.studies.fair_points import FairPoints, fair_points
from montecarlo.studies.rarity import Inversion, Rarities, Rarity, rarities
from montecarlo.studies.results import Result
from montecarlo.variants import Variant, load
from montecarlo.variants.schema import SpecialEntry

DEALS = 16_384
"""Deals for each special and class of seats, if not said otherwise."""

SIGMAS = 1.96


@dataclass(frozen=True)
class WorthInversion:
    """Two specials: the first pays more, though its hand is worth less when it is set."""

    higher: FairPoints
    lower: FairPoints

    def to_data(self) -> dict[str, Any]:
        """Return the pair as JSON data."""
        return {"higher": self.higher.id, "lower": self.lower.id}


@dataclass(frozen=True)
class Audit(Result):
    """A variant's specials beside exact rarities and fair points."""

    variant: Variant
    policy: str
    players: int
    deals: int
    seed: int
    rarities: Rarities
    fair: tuple[FairPoints, ...]
    """empty for ladders; specials that no hand declares are left out"""

    def inversions(self, kind: str) -> tuple[Inversion, ...]:
        """Return the pairs out of order by rarity, of one kind: ``rank`` or ``points``."""
        return tuple(pair for pair in self.rarities.inversions if pair.kind == kind)

    @property
    def worth_inversions(self) -> tuple[WorthInversion, ...]:
        """Pairs of which the better paid is surely (95 %) worth less when its hand is set."""
        found = []
        for one in self.fair:
            for other in self.fair:
                if one.points > other.points and one.by_worth and other.by_worth:
                    gap = other.by_worth.value - one.by_worth.value
                    if gap > SIGMAS * (one.by_worth.se**2 + other.by_worth.se**2) ** 0.5:
                        found.append(WorthInversion(one, other))
        return tuple(found)

    @property
    def better_set(self) -> tuple[FairPoints, ...]:
        """Specials that surely (95 %) bring more when their hands are set than declared."""
        return tuple(s for s in self.fair if s.gain.value + SIGMAS * s.gain.se < 0)

    def to_data(self) -> dict[str, Any]:
        """Return the audit as JSON data."""
        fair = {special.id: special for special in self.fair}
        exact = self.rarities
        return {
            "variant": self.variant.id,
            "knobs": self.variant.knobs,
            "total": TOTAL,
            "policy": self.policy if self.fair else None,
            "players": self.players,
            "deals": self.deals if self.fair else 0,
            "seed": self.seed if self.fair else None,
            "specials": [
                {
                    **_named(entry), "rank": entry.rank, "tier": entry.tier,
                    **exact.specials[entry.id].to_data(),
                    "fair": fair[entry.id].to_data() if entry.id in fair else None,
                }
                for entry in self.variant.specials
            ],
            "none": exact.none,
            "pairs": dict(exact.pairs),
            "inversions": [pair.to_data() for pair in exact.inversions],
            "worth_inversions": [pair.to_data() for pair in self.worth_inversions],
            "better_set": [special.id for special in self.better_set],
            "tiers": [tier.to_data() for tier in exact.tiers],
            "spreads": [spread.to_data() for spread in exact.spreads],
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a special."""
        fair = {special.id: special for special in self.fair}
        return [
            _row(entry, self.rarities.specials[entry.id], fair.get(entry.id))
            for entry in self.variant.specials
        ]


def audit(
    variant: Variant | str,
    *,
    deals: int = DEALS,
    seed: int | None = None,
    players: int = 4,
    policy: str = "equilibrium",
    jobs: int = 1,
    hold_policy: bool = False,
) -> Audit:
    """Set a variant's order and points beside exact rarities and fair points.

    ``deals`` are for each special and class of seats. ``policy`` sets all seats' hands, one name
    or one a seat; specials are declared. ``seed`` is drawn when not given. Raises BadInput for
    input that cannot be used, PolicyMismatch when a policy is not trained.
    """
    if isinstance(variant, str):
        variant = load(variant)
    if not 2 <= players <= 4:
        raise BadInput(f"players must be 2, 3 or 4, not {players}")
    if deals < 2:
        raise BadInput(f"deals must be 2 or more, not {deals}")
    policies = read_policy_words(policy, players)
    if any(":" in name for name in policies):
        raise BadInput(f"{policy}: an audit declares every special; give a policy's name alone")
    seed = secrets.randbits(32) if seed is None else seed
    fair: tuple[FairPoints, ...] = ()
    if variant.specials and variant.format != "ladder":
        seat_policies(variant, policies, players, hold_policy)  # a mismatch is said first
        fair = fair_points(
            variant, deals=deals, seed=seed, players=players, policies=policies, jobs=jobs,
            hold_policy=hold_policy,
        )  # fmt: skip
    return Audit(variant, policy, players, deals, seed, rarities(variant), fair)


def _named(entry: SpecialEntry) -> dict[str, Any]:
    return {"id": entry.id, "zh": entry.zh, "en": entry.en, "points": entry.points}


def _row(entry: SpecialEntry, rarity: Rarity, fair: FairPoints | None) -> dict[str, Any]:
    row = {**_named(entry), "rank": entry.rank, "tier": entry.tier, **rarity.to_data()}
    if fair is None:
        return row
    row["by_rarity"] = float(fair.by_rarity)
    for name, found in (
        ("equal_flow", fair.equal_flow), ("by_worth", fair.by_worth), ("declared", fair.declared),
        ("set", fair.set_out), ("gain", fair.gain),
    ):  # fmt: skip
        row[name] = found.value if found else None
        row[f"{name}_se"] = found.se if found else None
    return row

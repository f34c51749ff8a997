"""Study: how many of the 635,013,559,600 hands are each special, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from montecarlo.errors import BadInput
from montecarlo.specials.at_least_one import chance_at_least_one
from montecarlo.specials.exact import count_specials
from montecarlo.studies.results import Result
from montecarlo.variants import Variant, load

TOTAL = comb(52, 13)


@dataclass(frozen=True)
class TableChance:
    """The chance that at least one of ``players`` hands of a deal satisfies a predicate."""

    players: int
    p: Fraction | float
    se: float
    method: str


@dataclass(frozen=True)
class ExactSpecial:
    """One special with its two counts (Python integers out of `TOTAL`)."""

    id: str
    zh: str
    en: str
    points: int
    tier: int | None
    inclusive: int
    exclusive: int
    at_least_one: TableChance | None = None


@dataclass(frozen=True)
class ExactResult(Result):
    """Exact counts of a variant's specials in order of rank."""

    variant: Variant
    specials: tuple[ExactSpecial, ...]
    none: int

    def __getitem__(self, special: str) -> ExactSpecial:
        """Return one special by id; KeyError when the variant does not know it."""
        for entry in self.specials:
            if entry.id == special:
                return entry
        raise KeyError(special)

    def to_data(self) -> dict[str, Any]:
        """Return the shape of design.md: ``specials`` and ``none``, or ``tiers`` and remainder."""
        data: dict[str, Any] = {
            "variant": self.variant.id,
            "knobs": self.variant.knobs,
            "total": TOTAL,
        }
        specials = [_special_data(entry) for entry in self.specials]
        if self.variant.format != "ladder":
            return {**data, "specials": specials, "none": self.none}
        tiers = sorted({entry.tier for entry in self.specials if entry.tier is not None})
        data["tiers"] = [
            {
                "tier": tier,
                "ids": [e.id for e in self.specials if e.tier == tier],
                "exclusive": sum(e.exclusive for e in self.specials if e.tier == tier),
                "estimate": None,
            }
            for tier in tiers
        ]
        return {**data, "remainder": self.none, "entries": specials}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a special, and one for hands that are none."""
        rows = [
            {
                "id": e.id, "zh": e.zh, "en": e.en, "points": e.points, "tier": e.tier,
                "inclusive": e.inclusive, "exclusive": e.exclusive, "p": e.exclusive / TOTAL,
            }
            for e in self.specials
        ]  # fmt: skip
        none = {"id": "none", "zh": "无", "en": "no special", "points": None, "tier": None,
                "inclusive": None, "exclusive": self.none, "p": self.none / TOTAL}  # fmt: skip
        return [*rows, none]


def exact(variant: Variant | str, players: int | None = None) -> ExactResult:
    """Count every special of a variant exactly: inclusive, and exclusive after precedence.

    With ``players`` (2 to 4) each special also gets the chance that at least one hand of a deal
    satisfies it: exact where a closed method exists, otherwise simulated with its error.
    Raises BadInput for an unknown variant or number of players.
    """
    if isinstance(variant, str):
        variant = load(variant)
    if players is not None and not 2 <= players <= 4:
        raise BadInput(f"players must be 2, 3 or 4, not {players}")
    counts = count_specials(variant.rules)
    chances: list[TableChance | None] = [None] * len(variant.specials)
    if players is not None:
        chances = _table_chances(variant, players)
    return ExactResult(
        variant,
        tuple(
            ExactSpecial(
                entry.id, entry.zh, entry.en, entry.points, entry.tier,
                counts.inclusive[i], counts.exclusive[i], chances[i],
            )
            for i, entry in enumerate(variant.specials)
        ),
        counts.none,
    )  # fmt: skip


def _special_data(entry: ExactSpecial) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": entry.id,
        "zh": entry.zh,
        "en": entry.en,
        "points": entry.points,
        "inclusive": entry.inclusive,
        "exclusive": entry.exclusive,
    }
    chance = entry.at_least_one
    if chance is not None:
        data["at_least_one"] = {
            "players": chance.players,
            "p": float(chance.p),
            "se": chance.se,
            "method": chance.method,
            "exact": str(chance.p) if isinstance(chance.p, Fraction) else None,
        }
    return data


def _table_chances(variant: Variant, players: int) -> list[TableChance | None]:
    """Closed methods first; one common simulation for what is left."""
    chances: list[TableChance | None] = []
    for rule in variant.rules:
        p = chance_at_least_one(rule, players)
        chances.append(None if p is None else TableChance(players, p, 0.0, "exact"))
    if None in chances:
        simulated = _simulated_chances(variant, players)
        chances = [closed or simulated[i] for i, closed in enumerate(chances)]
    return chances


def _simulated_chances(variant: Variant, players: int, blocks: int = 32) -> list[TableChance]:
    from montecarlo.dealing.dealer import deal_block
    from montecarlo.specials.kernels import satisfied
    from montecarlo.specials.program import compile_rules
    from montecarlo.statistics.intervals import clopper_pearson

    program = compile_rules(variant.rules)
    held = [0] * len(variant.rules)
    deals = 0
    for block in range(blocks):
        found = satisfied(deal_block(0, block, players=players), program)
        deals += len(found)
        any_hand = found[:, 0]
        for player in range(1, players):
            any_hand = any_hand | found[:, player]
        for i in range(len(held)):
            held[i] += int(((any_hand >> i) & 1).sum())
    out = []
    for count in held:
        p = count / deals
        low, high = clopper_pearson(count, deals, 0.6827)
        out.append(TableChance(players, p, (high - low) / 2, "simulated"))
    return out

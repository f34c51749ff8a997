"""Units that follow from a rule file alone: guns, home runs, dragons, the strongest settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from montecarlo.studies.claims.findings import Finding
from montecarlo.studies.claims.registry import computation
from montecarlo.studies.claims.schema import Claim, Figure
from montecarlo.variants import Variant, all_variants, load
from montecarlo.variants.schema import CATEGORIES, HEAD_CATEGORIES, ROWS

OPPONENTS = 3
Triple = tuple[str, str, str]
"""Categories of head, middle and tail."""

PLAIN: Triple = ("high_card", "high_card", "high_card")
STRONGEST: Triple = ("three", "straight_flush", "straight_flush")


class Won(NamedTuple):
    """Units that winning all three rows brings from ONE opponent."""

    rows: int
    """the rows with their extras alone"""
    gun: int
    """with what a gun adds"""
    home_run: int
    """with what a home run adds to that"""


def units_won(variant: Variant, categories: Triple) -> Won:
    """Return what all three rows, won with these categories, bring from one opponent.

    Source: rulebook §3, V9 to V11; a gun multiplies base or pair, then adds, a home run again.
    """
    sweep = variant.sweep
    base = sum(variant.base_units(row) for row in ROWS)
    extra = sum(
        variant.row(row).extra_of(category) for row, category in zip(ROWS, categories, strict=True)
    )
    gun_base = base * (sweep.gun_times if sweep.gun != "none" else 1)
    gun_extra = extra * (sweep.gun_times if sweep.gun == "pair" else 1)
    again = sweep.home_run_times
    whole_pair = again if sweep.home_run == "pair" else 1
    home_run = (
        gun_base * (again if sweep.home_run != "none" else 1)
        + (gun_extra + sweep.gun_add) * whole_pair
        + sweep.home_run_add
    )
    return Won(base + extra, gun_base + gun_extra + sweep.gun_add, home_run)


def legal_categories() -> Iterator[Triple]:
    """Yield every triple of categories that a legal setting may have (head ≤ middle ≤ tail)."""
    for head in HEAD_CATEGORIES:
        for middle in CATEGORIES[CATEGORIES.index(head) :]:
            for tail in CATEGORIES[CATEGORIES.index(middle) :]:
                yield head, middle, tail


@computation("sweep_of_points123")
def sweep_of_points123(claim: Claim) -> Finding:
    """What a gun and a home run bring in V11 without extras: all together, gun, each loser."""
    variant = load("points123")
    won = units_won(variant, PLAIN)
    return Finding(
        (OPPONENTS * won.home_run, won.gun, won.home_run),
        f"Rows {won.rows}, the gun adds {won.gun - won.rows}, the home run "
        f"{won.home_run - won.gun}: {won.home_run} from each of {OPPONENTS}.",
    )


@computation("dragon_of_points123")
def dragon_of_points123(claim: Claim) -> Finding:
    """What a dragon brings in V11: from each opponent, and from all three."""
    variant = load("points123")
    points = next(entry.points for entry in variant.specials if entry.id == "dragon")
    return Finding(
        (OPPONENTS * points, points), f"{OPPONENTS} opponents pay {points} each; none may pay less."
    )


@computation("strongest_normal_hongkong")
def strongest_normal_hongkong(claim: Claim) -> Finding:
    """Units of three of a kind, straight flush, straight flush under V8, and the most there is."""
    return _strongest_normal(claim, "hongkong")


@computation("strongest_normal_taiwan")
def strongest_normal_taiwan(claim: Claim) -> Finding:
    """The same under V9, where the same sentence stands."""
    return _strongest_normal(claim, "taiwan")


def _strongest_normal(claim: Claim, name: str) -> Finding:
    variant = load(name)
    won = units_won(variant, STRONGEST)
    parts = [
        variant.row_units(row, category) for row, category in zip(ROWS, STRONGEST, strict=True)
    ]
    most = max(units_won(variant, triple).rows for triple in legal_categories())
    largest = [t for t in legal_categories() if units_won(variant, t).rows == most]
    only = "no other legal setting brings as much" if largest == [STRONGEST] else (
        f"the most that a legal setting brings is {most}"
    )  # fmt: skip
    with_gun = f", {won.gun} with a gun" if won.gun != won.rows else ""
    return Finding(
        (won.rows,),
        f"{' + '.join(map(str, parts))} = {won.rows} units from one opponent under "
        f"{variant.number}{with_gun}; {only}.",
        slip=_whose_units(claim.figures[0], variant),
        details={"rows": won.rows, "gun": won.gun, "home_run": won.home_run, "most": most},
    )


def _whose_units(figure: Figure, variant: Variant) -> str | None:
    """Name the variants whose payouts give the published figure, if its own do not."""
    if units_won(variant, STRONGEST).rows == figure.number:
        return None
    right = [
        f"{other.number} {other.zh}"
        for other in all_variants()
        if other.format == "rows" and units_won(other, STRONGEST).rows == figure.number
    ]
    return f"the figure belongs to other payouts: {', '.join(right)}" if right else None

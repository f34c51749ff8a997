"""``audit``: do a variant's order and points follow rarity and worth?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from montecarlo.commands.words import (
    Deals,
    HoldPolicy,
    Jobs,
    Json,
    Players,
    Seed,
    Set,
    VariantName,
    note,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from montecarlo.statistics.clustered import Estimate
    from montecarlo.studies.audit import Audit
    from montecarlo.studies.rarity import Inversion

DEALS = 16_384


def audit(
    variant: VariantName,
    deals: Deals = DEALS,
    seed: Seed = None,
    jobs: Jobs = 1,
    players: Players = 4,
    policy: Annotated[
        str, typer.Option(metavar="P[,P,…]", help="one policy for all seats, or one a seat")
    ] = "equilibrium",
    hold_policy: HoldPolicy = False,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Set order and points beside exact rarity, and list what is inverted.

    Fair points by three yardsticks: 1 / p, equal flow, and the worth of the hand when it is set
    instead (--deals for each special and role, however rare it is). Ladders: tiers that are
    commoner than the next, and hands of one tier that differ most.
    Examples:  montecarlo audit taiwan --seed 1   ·   montecarlo audit shaoxing
    """
    from montecarlo.studies import audit as study
    from montecarlo.variants import load

    result = study.audit(
        load(variant, overrides or []), deals=deals, seed=seed, players=players, policy=policy,
        jobs=jobs, hold_policy=hold_policy,
    )  # fmt: skip
    if seed is None and result.fair:
        note(f"seed {result.seed} (drawn; give --seed {result.seed} for the same result)")
    if as_json:
        print_json(result)
        return
    rules = result.variant
    if not rules.specials:
        sys.stdout.write(f"{rules.number} {rules.zh} {rules.en}: no special hands\n")
        return
    _print_specials(result)
    if result.rarities.tiers:
        _print_tiers(result)
    _print_inversions(result)
    _print_spreads(result)


def _print_specials(result: Audit) -> None:
    from montecarlo.statistics.rounding import one_in, thousands

    rules, exact = result.variant, result.rarities
    ladder = rules.format == "ladder"
    print_table(
        f"{rules.number} {rules.zh} {rules.en}: exact counts",
        ("id", "中文", ">tier" if ladder else ">points", ">inclusive", ">exclusive",
         ">one hand in"),
        (
            (
                entry.id, entry.zh, str(entry.tier if ladder else entry.points),
                thousands(exact.specials[entry.id].inclusive),
                thousands(exact.specials[entry.id].exclusive),
                one_in(exact.specials[entry.id].p),
            )
            for entry in rules.specials
        ),
    )  # fmt: skip
    if result.fair:
        _print_fair(result)


def _print_fair(result: Audit) -> None:
    from montecarlo.statistics.rounding import thousands

    print_table(
        f"Fair points: {result.players} players, {result.policy}, {thousands(result.deals)} deals "
        f"a special and role, seed {result.seed}",
        ("id", ">points", ">as 1 / p", ">equal flow", ">worth when set",
         ">declared - set, units"),
        (
            (
                special.id, str(special.points), f"{float(special.by_rarity):,.4g}",
                _shown(special.equal_flow), _shown(special.by_worth), _shown(special.gain),
            )
            for special in result.fair
        ),
        "as 1 / p: exact, the commonest keeps its points; equal flow: the same total",
    )  # fmt: skip
    if result.better_set:
        names = ", ".join(special.id for special in result.better_set)
        sys.stdout.write(f"Worth more when set than declared (95 %): {names}\n")


def _print_tiers(result: Audit) -> None:
    from montecarlo.statistics.rounding import one_in, thousands

    print_table(
        "Tiers",
        ("tier", "hands", ">inclusive", ">exclusive", ">one hand in", ""),
        (
            (
                str(tier.tier), " ".join(tier.ids), thousands(tier.rarity.inclusive),
                thousands(tier.rarity.exclusive), one_in(tier.rarity.p),
                f"commoner than tier {tier.tier + 1} ({_by(tier.commoner_than_next)})"
                if tier.commoner_than_next else "",
            )
            for tier in result.rarities.tiers
        ),
        "inclusive: hands that satisfy any of the tier's; all counts are exact",
    )  # fmt: skip


def _print_inversions(result: Audit) -> None:
    pairs = result.rarities.pairs
    kinds = {"rank": "ranks higher", "points": "pays more"}
    for kind, words in kinds.items():
        found = result.inversions(kind)
        if not pairs[kind]:
            continue
        title = f"{len(found)} of {pairs[kind]} pairs: the one that {words} is the commoner"
        if not found:
            sys.stdout.write(f"{title}\n")
            continue
        print_table(
            title,
            (words, "than", ">times as common", ">hands", ">hands", "by"),
            map(_inversion, found),
        )
    worth = result.worth_inversions
    if worth:
        listed = ", ".join(f"{pair.higher.id} > {pair.lower.id}" for pair in worth)
        sys.stdout.write(
            f"{len(worth)} pairs: the one that pays more is worth less when set (95 %): {listed}\n"
        )


def _inversion(pair: Inversion) -> tuple[str, ...]:
    from montecarlo.statistics.rounding import thousands

    higher, lower = (thousands(hands) for hands in pair.hands)
    return pair.higher, pair.lower, _times(pair.factor), higher, lower, _by(pair.by)


def _print_spreads(result: Audit) -> None:
    from montecarlo.statistics.rounding import thousands

    if not result.rarities.spreads:
        return
    print_table(
        "Treated alike, and how far apart in rarity (inclusive counts, exact)",
        ("group", "commonest", ">hands", "rarest", ">hands", ">times as common"),
        (
            (
                spread.group, spread.commonest, thousands(spread.rarities[0].inclusive),
                spread.rarest, thousands(spread.rarities[1].inclusive),
                _times(spread.factor),
            )
            for spread in result.rarities.spreads
        ),
    )  # fmt: skip


def _by(counts: tuple[str, ...]) -> str:
    return "both counts" if len(counts) == 2 else f"{counts[0]} count only"


def _times(factor: float) -> str:
    return f"{factor:,.0f}" if 1000 <= factor < float("inf") else f"{factor:,.4g}"


def _shown(estimate: Estimate | None) -> str:
    from montecarlo.statistics.rounding import with_error

    return with_error(estimate.value, estimate.se) if estimate else "–"

"""``value``: what holding a special is worth, however rare it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from montecarlo.commands.words import (
    HoldPolicy,
    Jobs,
    Json,
    Players,
    Seed,
    Set,
    note,
    print_json,
    print_table,
    whole_number,
)

if TYPE_CHECKING:
    from montecarlo.studies.all_values import AllValues
    from montecarlo.studies.value import HeldSpecial, ValueResult
    from montecarlo.studies.variance_reduction import ReducedMeans

TOTAL_DEALS = 200_000


def value(
    variant: Annotated[
        str,
        typer.Argument(
            metavar="VARIANT", help="an id, a V-number, the path of a TOML file; or all"
        ),
    ],
    specials: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SPECIAL …]", help="ids of specials; all if none is given"),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            parser=whole_number,
            metavar="N",
            help="deals for each special and role (a pilot finds what 1 % needs, if not given)",
        ),
    ] = None,
    seed: Seed = None,
    jobs: Jobs = 1,
    players: Players = 4,
    policy: Annotated[
        str, typer.Option(metavar="P[,P,…]", help="one policy for all seats, or one a seat")
    ] = "equilibrium",
    hold_policy: HoldPolicy = False,
    total: Annotated[
        bool,
        typer.Option(
            "--total",
            help="means over all deals instead: plain, by control variates and stratified by "
            "special, with --deals for each (200000)",
        ),
    ] = False,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Tell what a special is worth, from deals in which a seat holds it, weighted exactly.

    Examples:  montecarlo value taiwan suited_dragon   ·   montecarlo value hongkong --jobs 2
    ·   montecarlo value taiwan --total   ·   montecarlo value all
    """
    from montecarlo.errors import BadInput
    from montecarlo.studies import all_values, variance_reduction
    from montecarlo.studies import value as study
    from montecarlo.variants import load

    result: AllValues | ReducedMeans | ValueResult
    if variant == "all":
        if specials or overrides or total or hold_policy:
            raise BadInput("all variants have no specials or knobs in common: name one variant")
        result = all_values.all_values(
            deals=deals, seed=seed, jobs=jobs, players=players, policy=policy
        )
    elif total:
        if specials:
            raise BadInput("--total looks at whole deals: name no special beside it")
        result = variance_reduction.reduced_means(
            load(variant, overrides or []), deals=TOTAL_DEALS if deals is None else deals,
            seed=seed, jobs=jobs, players=players, policy=policy, hold_policy=hold_policy,
        )  # fmt: skip
    else:
        result = study.value(
            load(variant, overrides or []), specials or (), deals=deals, seed=seed, jobs=jobs,
            players=players, policy=policy, hold_policy=hold_policy,
        )  # fmt: skip
    if seed is None:
        note(f"seed {result.seed} (drawn; give --seed {result.seed} for the same result)")
    if as_json:
        print_json(result)
    elif isinstance(result, variance_reduction.ReducedMeans):
        _print_means(result)
    elif isinstance(result, all_values.AllValues):
        for part in result.variants:
            _print_values(part)
    else:
        _print_values(result)


def _print_values(result: ValueResult) -> None:
    from montecarlo.statistics.rounding import one_in, thousands, with_error

    rules = result.variant
    title = f"{rules.number} {rules.zh} {rules.en}: {result.players} players, {result.policy}"
    if not result.specials:
        sys.stdout.write(f"{title}: no special hands\n")
        return
    labels = [role.label for entry in result.specials for role in entry.roles]
    roles = list(dict.fromkeys(labels)) if len(set(labels)) > 1 else []

    def row(entry: HeldSpecial) -> tuple[str, ...]:
        units = {role.label: role.units for role in entry.roles}
        shown = [entry.units, *(units.get(label) for label in roles)]
        return (
            entry.id, entry.zh, str(entry.points), one_in(float(entry.p)) if entry.p else "never",
            *(with_error(mean.value, mean.se) if mean else "–" for mean in shown),
            with_error(entry.flow.value, entry.flow.se),
            with_error(entry.share_of_variance, entry.share_se),
            thousands(entry.deals),
            f"{entry.plain_deals:.1e}" if entry.plain_deals else "–",
        )  # fmt: skip

    print_table(
        f"{title}, seed {result.seed}",
        ("id", "中文", ">points", ">one in", ">units of the holder",
         *(f">as {label}" for label in roles), ">flow a deal", ">share of variance", ">deals",
         ">plain deals"),
        map(row, result.specials),
        "plain deals: how many would be needed for the same error of the flow",
    )  # fmt: skip


def _print_means(result: ReducedMeans) -> None:
    from montecarlo.statistics.rounding import thousands, with_error

    rules = result.variant
    print_table(
        f"{rules.number} {rules.zh} {rules.en}: {result.players} players, {result.policy}, "
        f"seed {result.seed}",
        ("a deal", "method", ">mean", ">deals", ">worth so many plain deals each"),
        (
            (
                mean.statistic, mean.method, with_error(mean.estimate.value, mean.estimate.se),
                thousands(mean.estimate.deals),
                "–" if mean.factor is None else f"{mean.factor:.3g}",
            )
            for mean in result.means
        ),
        "deals: all that were spent, a pilot's included; units: of seat 0",
    )  # fmt: skip

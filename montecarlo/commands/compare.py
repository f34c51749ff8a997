"""``compare``: two games on the same deals, or one game under two policies."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from montecarlo.commands.words import (
    Deals,
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
    from montecarlo.studies.attribution import Attribution
    from montecarlo.studies.compare import Compared, Comparison


def compare(
    variant: VariantName,
    versus: Annotated[
        str | None,
        typer.Argument(metavar="[VARIANT2]", help="the other side; the same variant if not given"),
    ] = None,
    deals: Deals = 1_000_000,
    seed: Seed = None,
    jobs: Jobs = 1,
    players: Players = 4,
    overrides: Set = None,
    versus_overrides: Annotated[
        list[str] | None,
        typer.Option("--versus-set", metavar="KNOB=VALUE", help="--set of the other side"),
    ] = None,
    policy: Annotated[
        str, typer.Option(metavar="P[,P,…]", help="one policy for all seats, or one a seat")
    ] = "equilibrium",
    versus_policy: Annotated[
        str | None,
        typer.Option(metavar="P[,P,…]", help="the other side's; as --policy if not given"),
    ] = None,
    hold_policy: Annotated[
        bool, typer.Option("--hold-policy", help="under --set keep the variant's own equilibrium")
    ] = False,
    hold_first: Annotated[
        bool, typer.Option("--hold-first", help="both sides set their cards as the first does")
    ] = False,
    rotate: Annotated[
        bool,
        typer.Option("--rotate", help="play each deal with every hand in seat 0's place"),
    ] = False,
    steps: Annotated[
        bool, typer.Option("--steps", help="which rule makes how much of the difference")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare two games on the same deals: the difference has its own, much smaller, error.

    Examples:  montecarlo compare taiwan --policy greedy,equilibrium,equilibrium,equilibrium
    --versus-policy equilibrium --deals 1e6   ·   montecarlo compare hongkong hongkong_edge
    --set both_special=higher --hold-policy --rotate --steps
    """
    from montecarlo.errors import BadInput
    from montecarlo.studies import attribution
    from montecarlo.studies import compare as study
    from montecarlo.variants import load

    first = load(variant, overrides or [])
    second = load(versus or variant, versus_overrides or [])
    result: Attribution | Comparison
    if steps:
        if hold_first or (versus_policy or policy) != policy:
            raise BadInput("--steps holds the second side's settings: without --hold-first, and "
                           "with one --policy for both sides")  # fmt: skip
        result = attribution.attribute(
            first, second, deals=deals, seed=seed, policy=policy, players=players, jobs=jobs,
            rotate=rotate, hold_policy=hold_policy,
        )  # fmt: skip
    else:
        result = study.compare(
            (first, policy), (second, versus_policy or policy), deals=deals, seed=seed,
            players=players, jobs=jobs, rotate=rotate, hold_policy=hold_policy,
            hold_first=hold_first,
        )  # fmt: skip
    if seed is None:
        note(f"seed {result.seed} (drawn; give --seed {result.seed} for the same result)")
    if as_json:
        print_json(result)
    elif isinstance(result, attribution.Attribution):
        _print_attribution(result)
    else:
        _print_comparison(result)


def _print_comparison(result: Comparison) -> None:
    from montecarlo.statistics.rounding import thousands, with_error
    from montecarlo.studies.compare import rules_label

    def row(name: str, figure: Compared) -> tuple[str, ...]:
        shown = (figure.first, figure.second, figure.difference)
        gain = figure.independent_se / figure.difference.se if figure.difference.se else 0.0
        return (
            name, *(with_error(estimate.value, estimate.se) for estimate in shown),
            f"{gain:.1f}×" if gain else "–",
        )  # fmt: skip

    for name, arm, settings in zip(("first", "second"), result.arms, result.settings, strict=True):
        sys.stdout.write(
            f"{name:<7} {rules_label(arm.variant)}, {', '.join(dict.fromkeys(arm.policies))}; "
            f"settings {settings}\n"
        )
    figures = [("banker's edge" if result.is_edge else "units of seat 0", result.units)]
    figures += [("gun rate", result.gun_rate)] if result.gun_rate else []
    figures += [("home-run rate", result.home_run_rate)] if result.home_run_rate else []
    rotated = ", each with every hand in seat 0's place" if result.rotate else ""
    print_table(
        f"{thousands(result.deals)} common deals of {len(result.arms[0].policies)} players"
        f"{rotated}, seed {result.seed}",
        ("", ">first", ">second", ">first - second", ">error smaller by"),
        (row(name, figure) for name, figure in figures),
        f"SD a deal {result.sd[0]:.3f} and {result.sd[1]:.3f}, correlation "
        f"{result.correlation:.3f}; the last column: against two runs on deals of their own",
    )


def _print_attribution(result: Attribution) -> None:
    from montecarlo.statistics.clustered import Estimate
    from montecarlo.statistics.rounding import thousands, with_error
    from montecarlo.studies.compare import rules_label

    def shown(estimate: Estimate) -> str:
        return with_error(estimate.value, estimate.se)

    first, second = (rules_label(arm.variant) for arm in (result.first, result.second))
    rotated = ", each with every hand in seat 0's place" if result.rotate else ""
    what = "banker's edge" if result.first.variant.banker else "units of seat 0"
    sys.stdout.write(
        f"{first}, settings {result.first_settings}: {what} {shown(result.first_own)}\n"
        f"{first}, set as for {second}: {shown(result.start)}\n"
    )
    print_table(
        f"settings held: those of {second}. {thousands(result.deals)} common deals{rotated}, "
        f"seed {result.seed}",
        ("rule", "before", "after", ">in this order", ">alone", ">average over orders"),
        (
            (part.rule, part.before, part.after, shown(part.in_order), shown(part.alone),
             shown(part.average))
            for part in result.parts
        ),
        f"the parts add up to {shown(result.change)}",
    )  # fmt: skip
    sys.stdout.write(f"{second}, settings {result.second_settings}: {what} {shown(result.end)}\n")

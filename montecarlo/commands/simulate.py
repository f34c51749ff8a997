"""``simulate``: deal tables of a variant and report what happened."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from montecarlo.commands.words import (
    Backend,
    Jobs,
    Json,
    Players,
    Scheduler,
    Seed,
    Set,
    VariantName,
    note,
    print_json,
    print_table,
    whole_number,
)

if TYPE_CHECKING:
    from montecarlo.statistics.clustered import Estimate
    from montecarlo.statistics.quantiles import Quantile
    from montecarlo.studies.simulate import SimulationResult


def simulate(
    variant: VariantName,
    deals: Annotated[
        int | None,
        typer.Option(
            parser=whole_number, metavar="N", help="deals: 1000000 or 1e6 (1e6 if not given)"
        ),
    ] = None,
    seed: Seed = None,
    jobs: Jobs = 1,
    players: Players = 4,
    policy: Annotated[
        str,
        typer.Option(
            metavar="P[,P,…]",
            help="equilibrium, balanced, greedy (one, or one a seat, seat 0 first); "
            "none: tabulate specials only",
        ),
    ] = "equilibrium",
    hold_policy: Annotated[
        bool,
        typer.Option("--hold-policy", help="keep the variant's own equilibrium under overrides"),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="folder that keeps the run")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="continue the run in --out")] = False,
    backend: Backend = "threading",
    scheduler: Scheduler = None,
    first_block: Annotated[
        int,
        typer.Option(
            parser=whole_number,
            metavar="B",
            help="begin with block B of the seed (65,536 deals a block), to be merged later",
        ),
    ] = 0,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="GOAL",
            help='instead of --deals: stop when "se(edge) < 0.001 and …" is met '
            "(--until help lists the statistics)",
        ),
    ] = None,
    max_deals: Annotated[
        int | None,
        typer.Option(
            parser=whole_number, metavar="N", help="with --until: no more deals than this"
        ),
    ] = None,
    max_time: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="with --until: begin no wave after this time"),
    ] = None,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Deal N tables and tabulate what happened, each figure with its error.

    Examples:  montecarlo simulate taiwan --policy none --deals 1e8 --seed 1 --jobs 2
    ·   montecarlo simulate V8 --deals 10_000_000 --out data/runs/hk --resume
    ·   montecarlo simulate taiwan --until "se(flow.gun) < 0.002" --max-deals 1e8
    """
    from montecarlo.errors import BadInput
    from montecarlo.studies import simulate as study
    from montecarlo.variants import load

    rules = load(variant, overrides or [])
    if until == "help":
        from montecarlo.commands.goals import print_statistics
        from montecarlo.studies.recipe import Recipe

        print_statistics(Recipe.of(rules, policy, players, hold_policy).experiment, as_json)
        return
    if until is None:
        if max_deals is not None or max_time is not None:
            raise BadInput("--max-deals and --max-time limit a run with --until GOAL")
        result = study.simulate(
            rules, deals=1_000_000 if deals is None else deals, seed=seed, policy=policy,
            players=players, jobs=jobs, backend=backend, scheduler=scheduler, out=out,
            resume=resume, hold_policy=hold_policy, first_block=first_block,
        )  # fmt: skip
    else:
        if deals is not None:
            raise BadInput("give --deals or --until; --max-deals limits a run with --until")
        from montecarlo.simulation.until import Workers
        from montecarlo.studies.simulate_until import simulate_until

        result = simulate_until(
            rules, until, max_deals=max_deals, max_seconds=max_time, seed=seed, policy=policy,
            players=players, workers=Workers(jobs, backend, scheduler), out=out, resume=resume,
            hold_policy=hold_policy, first_block=first_block,
        )  # fmt: skip
    if seed is None:
        note(f"seed {result.seed} (drawn; give --seed {result.seed} for the same result)")
    if as_json:
        print_json(result)
    else:
        print_simulation(result, f"seed {result.seed}")
        if result.stop is not None:
            sys.stdout.write(f"\n{result.stop.sentence}\n")


def print_simulation(result: SimulationResult, origin: str) -> None:
    """Print what a run tells; ``origin`` says where its deals come from."""
    from montecarlo.statistics.rounding import one_in, thousands

    title = (
        f"{result.variant.number} {result.variant.zh} {result.variant.en}: "
        f"{thousands(result.deals)} deals of {result.players} players, {origin}"
    )
    if result.specials:
        print_table(
            f"{title}\n\nSpecial hands 特殊牌型",
            ("id", "中文", ">hands", ">one in", ">95 % interval", ">exact one in", ">z", ">p")
            ,
            (
                (
                    entry.id, entry.zh, thousands(entry.count),
                    one_in(entry.p, entry.se) if entry.count else "–",
                    f"{entry.ci95.low:.4g} … {entry.ci95.high:.4g}",
                    one_in(entry.exact_p) if entry.exact_p else "never",
                    f"{entry.z:+.2f}", f"{entry.p_value:.3f}",
                )
                for entry in result.specials
            ),
        )  # fmt: skip
        sys.stdout.write(result.sentence + "\n")
    else:
        sys.stdout.write(title + "\n")
    if result.payouts is not None:
        _print_payouts(result)


def _print_payouts(result: SimulationResult) -> None:
    from montecarlo.statistics.rounding import with_error

    found = result.payouts
    assert found is not None
    held = " (policy held, not trained for these rules)" if result.held else ""
    rates = [("policy", result.policy + held)]
    if found.edge is not None:
        rates.append(("banker's edge 庄家优势, units a deal", _estimate(found.edge)))
    for number, units in enumerate(found.units):
        rates.append(
            (
                f"seat {number}: units a deal",
                f"{with_error(units.mean, units.se)}   SD {units.sd:.3f}   "
                f"skewness {units.skewness:+.2f}",
            )
        )
    if found.gun_rate is not None and found.home_run_rate is not None:
        rates.append(("gun rate 打枪, of settled ordinary pairs", _estimate(found.gun_rate)))
        rates.append(("home-run rate 全垒打, of deals", _estimate(found.home_run_rate)))
    for row, ties in (found.row_ties or {}).items():
        rates.append((f"equal {row} rows, of settled ordinary pairs", _estimate(ties)))
    rates.append(
        ("seat 0: quantiles of the units", "   ".join(_quantile(q) for q in found.quantiles))
    )
    print_table("\nUnits 注数", ("", ""), rates)
    print_table(
        "\nPayout lines",
        ("line", ">flow a deal", ">share of variance"),
        (
            (name, _estimate(line.flow), with_error(line.share_of_variance, line.share_se))
            for name, line in found.lines.items()
            if line.flow.value
        ),
    )
    for seat, setups in found.setups.items():
        print_table(
            f"\nCommonest set-ups, {seat} (head / middle / tail)",
            ("set-up", ">share of ordinary hands", ">units a deal"),
            (
                (
                    f"{s.head} / {s.middle} / {s.tail}",
                    with_error(s.p, s.p_se),
                    _estimate(s.units),
                )
                for s in setups[:10]
            ),
        )


def _quantile(quantile: Quantile) -> str:
    low, high = quantile.interval
    bounds = "" if low == quantile.value == high else f" ({low:.0f} … {high:.0f})"
    return f"{100 * quantile.q:.0f} %: {quantile.value:+.0f}{bounds}"


def _estimate(estimate: Estimate) -> str:
    from montecarlo.statistics.rounding import with_error

    return with_error(estimate.value, estimate.se)

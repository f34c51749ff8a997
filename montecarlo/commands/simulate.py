"""``simulate``: deal tables of a variant and report what happened."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

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


def simulate(
    variant: VariantName,
    deals: Deals = 1_000_000,
    seed: Seed = None,
    jobs: Jobs = 1,
    players: Players = 4,
    policy: Annotated[
        str, typer.Option(metavar="P[,P,…]", help="none: deal and tabulate only")
    ] = "none",
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="folder that keeps the run")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="continue the run in --out")] = False,
    backend: Annotated[
        str, typer.Option(metavar="NAME", help="threading, loky or dask")
    ] = "threading",
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="a running dask scheduler, tcp://…")
    ] = None,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Deal N tables and tabulate what happened, each figure with its error.

    Examples:  montecarlo simulate taiwan --policy none --deals 1e8 --seed 1 --jobs 2
    ·   montecarlo simulate V8 --deals 10_000_000 --out data/runs/hk --resume
    """
    from montecarlo.statistics.rounding import one_in, thousands
    from montecarlo.studies import simulate as study
    from montecarlo.variants import load

    result = study.simulate(
        load(variant, overrides or []),
        deals=deals, seed=seed, policy=policy, players=players, jobs=jobs,
        backend=backend, scheduler=scheduler, out=out, resume=resume,
    )  # fmt: skip
    if seed is None:
        note(f"seed {result.seed} (drawn; give --seed {result.seed} for the same result)")
    if as_json:
        print_json(result)
        return
    print_table(
        f"{result.variant.number} {result.variant.zh} {result.variant.en}: special hands in "
        f"{thousands(result.deals)} deals of {result.players} players, seed {result.seed}",
        ("id", "中文", ">hands", ">one in", ">95 % interval", ">exact one in", ">z", ">p-value"),
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

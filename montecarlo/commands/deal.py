"""``deal``: deals as data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from montecarlo.commands.words import (
    Deals,
    HoldPolicy,
    Json,
    Players,
    Seed,
    Set,
    VariantName,
    note,
    print_json,
)


def deal(
    variant: VariantName,
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="a new file, .csv or .parquet by its ending")
    ],
    deals: Deals = 1_000,
    seed: Seed = None,
    players: Players = 4,
    policy: Annotated[
        str, typer.Option(metavar="P[,P,…]", help="as in simulate; none: hands and specials only")
    ] = "equilibrium",
    hold_policy: HoldPolicy = False,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Write deals, settings, specials and units to a file: one row a seat.

    Examples:  montecarlo deal taiwan --deals 1e4 --seed 1 --out deals.csv
    ·   montecarlo deal V8 --deals 1e6 --policy greedy --set stake=10 --out deals.parquet
    """
    from montecarlo.studies.export import deal as study
    from montecarlo.variants import load

    export = study(
        load(variant, overrides or []),
        deals=deals, out=out, seed=seed, players=players, policy=policy, hold_policy=hold_policy,
    )  # fmt: skip
    for remark in export.notes:
        note(remark)
    if seed is None:
        note(f"seed {export.seed} (drawn; give --seed {export.seed} for the same deals)")
    if as_json:
        print_json(export)
    else:
        sys.stdout.write(f"{export.path}\n")

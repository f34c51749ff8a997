"""``par``: the PAR sheet of a variant, as text, JSON, or files."""

from __future__ import annotations

import sys
from pathlib import Path
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
    from montecarlo.studies.par_sheet import ParSheet


def par(
    variant: VariantName,
    deals: Deals = 1_000_000,
    seed: Seed = None,
    jobs: Jobs = 1,
    players: Players = 4,
    policy: Annotated[
        str, typer.Option(metavar="P[,P,…]", help="one policy for all seats, or one a seat")
    ] = "equilibrium",
    hold_policy: HoldPolicy = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="write the sheet as files, into this folder")
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="F",
            help="html, csv, xlsx or workbench.html (repeatable; all if none is named)",
        ),
    ] = None,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Write a variant's PAR sheet: what it pays, how often, and how far results stray.

    Examples:  montecarlo par hongkong   ·   montecarlo par taiwan --deals 1e6 --seed 1 --out sheets
    ·   montecarlo par taiwan --out sheets --format xlsx
    """
    from montecarlo.errors import BadInput
    from montecarlo.reporting.par_files import check_formats, write_par
    from montecarlo.studies import par_sheet
    from montecarlo.variants import load

    if formats and out is None:
        raise BadInput("--format says how files are written: name their folder with --out DIR")
    check_formats(formats or ())
    sheet = par_sheet.par(
        load(variant, overrides or []), deals=deals, seed=seed, jobs=jobs, players=players,
        policy=policy, hold_policy=hold_policy,
    )  # fmt: skip
    if seed is None:
        drawn = sheet.moments.seeds[0]
        note(f"seed {drawn} (drawn; give --seed {drawn} for the same result)")
    paths = [] if out is None else write_par(sheet, out, formats or ())
    if as_json:
        print_json(sheet)
    elif paths:
        sys.stdout.write("".join(f"{path}\n" for path in paths))
    else:
        _print_sheet(sheet)


def _print_sheet(sheet: ParSheet) -> None:
    from montecarlo.reporting.par_page import shown
    from montecarlo.reporting.par_sections import read_by_people, sections

    rules = sheet.variant
    sys.stdout.write(
        f"{rules.number} {rules.zh} {rules.en}: {sheet.moments.deals:,} deals, "
        f"seed {sheet.moments.seeds[0]}\n"
    )
    for section in map(read_by_people, sections(sheet)):
        rows = []
        for row in section.rows:
            cells = [shown(c, t.percent) for c, t in zip(row, section.columns, strict=True)]
            rows.append([c if isinstance(c, str) else " ".join(c) for c in cells])
        print_table(
            f"\n{section.zh} {section.en}", [f"{c.zh} {c.en}" for c in section.columns], rows
        )
        for zh, en in section.notes:
            sys.stdout.write(f"  {zh} {en}\n")

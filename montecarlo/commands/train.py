"""``train``: an equilibrium anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from montecarlo.commands.words import Json, Players, Set, note, print_json, whole_number


def train(
    variant: Annotated[
        str, typer.Argument(metavar="VARIANT", help="id, number or TOML file; or balanced")
    ],
    players: Players = 4,
    rounds: Annotated[
        int | None, typer.Option(parser=whole_number, metavar="N", help="rounds of fictitious play")
    ] = None,
    blocks: Annotated[
        int,
        typer.Option(parser=whole_number, metavar="B", help="blocks of 65,536 tables a round"),
    ] = 2,
    seed: Annotated[int, typer.Option(parser=whole_number, metavar="S", help="seed")] = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="folder (the user's own if not given)")
    ] = None,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Train the equilibrium policy of a variant anew; the same words give the same file.

    Examples:  montecarlo train taiwan --set gun=none   ·   montecarlo train V8 --out policies
    ·   montecarlo train balanced
    """
    from montecarlo.setting.training import Training
    from montecarlo.studies.train import train as study

    files = study(
        variant,
        overrides or [],
        players=players,
        training=Training(rounds=rounds, blocks=blocks, seed=seed),
        out=out,
        report=note,
    )
    if as_json:
        print_json(files)
    else:
        sys.stdout.write("".join(f"{file.path}\n" for file in files.files))

"""``reproduce``: compute a page or table of a report again, and compare."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from montecarlo.commands.words import Jobs, Json, note, print_json

SHOWN = 10
"""Differences that are printed; ``--json`` lists all."""

LONGEST = 60
"""Characters of a text that are printed."""


def reproduce(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="a page (.html) or table (.csv) of a report")
    ],
    jobs: Jobs = 1,
    runs: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="take stored runs from here (nothing stored is used if not given)"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Deal and compute anew what a file of a report shows; say identical, or different where.

    Exit status 0 if identical, 1 if different, 2 if the file does not say where it comes from.

    Examples:  montecarlo reproduce reports/tables/special_hands.csv --jobs 2
    ·   montecarlo reproduce reports/02_special_hands.html --runs data/runs
    """
    from montecarlo.reporting.reproduce import reproduce as recompute

    found = recompute(file, jobs=jobs, runs=runs, note=note)
    if as_json:
        print_json(found)
    elif found.identical:
        sys.stdout.write(f"identical: {file}\n{found.provenance.line}\n")
    else:
        number = len(found.differences)
        sys.stdout.write(f"different in {number} place{'s' if number > 1 else ''}: {file}\n")
        for place in found.differences[:SHOWN]:
            sys.stdout.write(
                f"  {place.where}: {_short(place.file)} in the file, "
                f"{_short(place.computed)} computed\n"
            )
        sys.stdout.write(f"{found.provenance.line}\n")
    if not found.identical:
        raise typer.Exit(1)


def _short(text: str | None) -> str:
    if text is None:
        return "nothing"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"

"""``score``: units of given tables, one JSON object a line."""

from __future__ import annotations

import json
import sys
from typing import Annotated, TextIO

import typer

from montecarlo.commands.words import Set
from montecarlo.errors import BadInput


def score(
    variant: Annotated[
        str, typer.Argument(metavar="VARIANT", help="id, number or TOML file; - if lines name it")
    ],
    file: Annotated[
        str, typer.Argument(metavar="FILE.jsonl", help="one table a line (- for standard input)")
    ],
    overrides: Set = None,
) -> None:
    """Score tables: units by seat and by payout line, one line each.

    Example:  montecarlo score taiwan tables.jsonl   ·   cat tables.jsonl | montecarlo score - -

    A line is {"players": [{"head": "…", "middle": "…", "tail": "…"}, {"special": "dragon",
    "hand": "13 cards"}], "banker": 0, "knobs": {…}, "settlement": {…}}. A bad table yields
    {"units": null, "error": "…"} and exit status 2; the others are scored all the same.
    """
    from montecarlo.scoring import score_lines
    from montecarlo.variants import load

    name = None if variant == "-" else variant
    if name is not None:
        load(name, overrides or [])  # a wrong variant or knob is one error, not one a line
    refused = 0
    with _open(file) as lines:
        for result in score_lines(name, lines, overrides or []):
            refused += result["units"] is None
            sys.stdout.write(json.dumps(result, ensure_ascii=False) + "\n")
    if refused:
        raise BadInput(f"{file}: {refused} table{'s' * (refused > 1)} not scored, see the output")


def _open(file: str) -> TextIO:
    if file == "-":
        return sys.stdin
    try:
        return open(file, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror})") from None

"""``verify``: published figures and what becomes of them."""

from __future__ import annotations

import sys
import textwrap
from typing import Annotated

import typer

from montecarlo.commands.words import Json, print_json

WIDTH = 100
_MARKS = {"confirmed": "✓ confirmed", "refuted": "✗ REFUTED", "undecided": "? undecided"}


def verify(
    claims: Annotated[
        list[str] | None, typer.Argument(metavar="CLAIM …", help="claim ids; all if none")
    ] = None,
    as_json: Json = False,
) -> None:
    """Put published figures under test: each is computed anew and confirmed or refuted.

    Examples:  montecarlo verify   ·   montecarlo verify dragon-odds page-quads --json
    """
    from montecarlo.studies.verify import verify as study

    result = study(claims or None)
    if as_json:
        print_json(result)
        return
    for verified in result.claims:
        claim, finding = verified.claim, verified.finding
        off = f" by a factor of {_rounded(verified.factor)}" if verified.factor else ""
        lines = [f"{_MARKS[verified.verdict]}{off}   {claim.id}", f"    {claim.zh}"]
        lines += _wrapped("", claim.en)
        lines += _wrapped("source", f"{claim.source}: {claim.passage}")
        lines += _wrapped("claimed", verified.claimed)
        lines += _wrapped("computed", f"{verified.computed}  ({claim.method})")
        lines += _wrapped("why", finding.why)
        lines += _wrapped("slip", finding.slip) if finding.slip else []
        sys.stdout.write("\n".join(lines) + "\n\n")
    verdicts = [verified.verdict for verified in result.claims]
    counts = ", ".join(f"{verdicts.count(v)} {v}" for v in _MARKS if v in verdicts)
    sys.stdout.write(f"{len(verdicts)} claims: {counts}\n")


def _rounded(factor: float) -> str:
    return f"{factor:,.0f}" if factor >= 100 else f"{factor:.4g}"


def _wrapped(label: str, text: str) -> list[str]:
    first = f"    {label:<10}" if label else "    "
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=" " * len(first))

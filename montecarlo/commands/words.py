"""What commands share: the words they take, and how numbers and results are printed.

Nothing heavy is imported here: ``montecarlo --help`` has to answer at once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Annotated, Any

import typer

from montecarlo.errors import BadInput

if TYPE_CHECKING:
    from montecarlo.studies.results import Result

TEXT_WIDTH = 160
"""Columns of a table that does not go to a terminal (nothing is cut)."""


def whole_number(text: str | int) -> int:
    """Read ``1000000``, ``1_000_000`` or ``1e6``; raises BadInput for anything else."""
    try:
        value = Decimal(str(text).replace("_", "").replace(",", ""))
    except InvalidOperation:
        raise BadInput(f"'{text}' is no number: write 1000000, 1_000_000 or 1e6") from None
    if not value.is_finite() or value != value.to_integral_value() or abs(value) > 10**18:
        raise BadInput(f"'{text}' is no whole number: write 1000000, 1_000_000 or 1e6")
    return int(value)


VariantName = Annotated[
    str, typer.Argument(metavar="VARIANT", help="an id, a V-number, or the path of a TOML file")
]
Json = Annotated[bool, typer.Option("--json", help="print JSON only")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KNOB=VALUE", help="override a knob or option (repeatable)"),
]
Deals = Annotated[int, typer.Option(parser=whole_number, metavar="N", help="deals: 1000000 or 1e6")]
Seed = Annotated[
    int | None,
    typer.Option(parser=whole_number, metavar="S", help="seed (drawn and reported if not given)"),
]
Jobs = Annotated[int, typer.Option(parser=whole_number, metavar="J", help="workers")]
Backend = Annotated[str, typer.Option(metavar="NAME", help="threading, loky or dask")]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="a running dask scheduler, tcp://…, whose workers deal"),
]
Players = Annotated[int, typer.Option(parser=whole_number, metavar="P", help="players, 2 to 4")]
Role = Annotated[
    str, typer.Option(metavar="ROLE", help="banker or player (differs in banker games only)")
]
HoldPolicy = Annotated[
    bool,
    typer.Option("--hold-policy", help="under overrides keep the variant's own equilibrium"),
]


def print_json(result: Result) -> None:
    """Print a result as JSON on stdout."""
    sys.stdout.write(result.to_json() + "\n")


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = ""
) -> None:
    """Print a table for people; columns whose name starts with ``>`` are set flush right."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else TEXT_WIDTH, highlight=False)
    table = Table(
        title=title, caption=caption or None, title_justify="left", box=None, padding=(0, 1)
    )
    for column in columns:
        right = column.startswith(">")
        table.add_column(column.removeprefix(">"), justify="right" if right else "left")
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    console.print(table)


def note(text: str) -> None:
    """Print a remark on stderr."""
    sys.stderr.write(text + "\n")

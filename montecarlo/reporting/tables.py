"""Tables of a report: one object that is HTML in a page and CSV in a file."""

from __future__ import annotations

import csv
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Table:
    """A table for people. Columns whose title starts with ``>`` are set flush right.

    A cell is text; a pair of texts is a line with a smaller line below. Wide tables scroll inside
    a box of their own, so that a page never does.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | tuple[str, str]]]

    def _repr_html_(self) -> str:
        kinds = [' class="number"' if column.startswith(">") else "" for column in self.columns]
        head = "".join(
            f'<th scope="col"{kind}>{html.escape(column.removeprefix(">"))}</th>'
            for column, kind in zip(self.columns, kinds, strict=True)
        )
        body = "".join(
            "<tr>"
            + "".join(f"<td{k}>{_cell(c)}</td>" for c, k in zip(row, kinds, strict=True))
            + "</tr>\n"
            for row in self.rows
        )
        caption = html.escape(self.caption)
        return (
            f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table>'
            f"<caption>{caption}</caption>"
            f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
        )


@dataclass(frozen=True)
class Prose:
    """A paragraph (or heading) whose figures were computed: HTML, already escaped."""

    markup: str

    def _repr_html_(self) -> str:
        return self.markup


def paragraph(text: str, kind: str = "") -> Prose:
    """Return plain text as a paragraph; ``kind`` is a CSS class of the page's style."""
    attribute = f' class="{kind}"' if kind else ""
    return Prose(f"<p{attribute}>{html.escape(text)}</p>")


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as CSV (UTF-8, full precision); columns are the keys of the first row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _cell(cell: str | tuple[str, str]) -> str:
    if isinstance(cell, str):
        return html.escape(cell)
    first, second = cell
    return f"{html.escape(first)}<small>{html.escape(second)}</small>"

"""A PAR sheet as a page."""

from __future__ import annotations

from fractions import Fraction

from montecarlo.reporting.lone_pages import fill
from montecarlo.reporting.par_sections import Cell, Column, read_by_people, sections
from montecarlo.reporting.tables import Table
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.rounding import one_in, thousands, with_error
from montecarlo.studies.par_sheet import ParSheet

NO_ERROR = 1e-12
"""Errors below this are those of arithmetic: the value is exact."""


MOST_NARROW = 3
"""Columns of a table that is shown whole on a telephone."""


def par_page(sheet: ParSheet, home: str | None = None) -> str:
    """Return the sheet as HTML, its font not embedded yet (see `lone_pages.finished`)."""
    parts = [
        {
            "id": section.id,
            "zh": section.zh,
            "en": section.en,
            "table": Table(
                f"{section.zh} {section.en}",
                [_title(column, [row[i] for row in section.rows])
                 for i, column in enumerate(section.columns)],
                [[shown(cell, column.percent)
                  for cell, column in zip(row, section.columns, strict=True)]
                 for row in section.rows],
            )._repr_html_() if section.rows else "",
            "notes": section.notes,
            "kind": "narrow" if len(section.columns) <= MOST_NARROW else "wide",
        }
        for section in map(read_by_people, sections(sheet))
    ]  # fmt: skip
    return fill("par.html.j2", sheet, home, sections=parts)


def shown(cell: Cell, percent: bool = False) -> str | tuple[str, str]:
    """Return a cell for people: a text, or a pair of texts."""
    if cell is None:
        return "–"
    if isinstance(cell, (str, tuple)):
        return cell
    if isinstance(cell, Fraction):
        return one_in(cell)
    scale, unit = (100, " %") if percent else (1, "")
    if isinstance(cell, Estimate):
        if cell.se < NO_ERROR:
            text = f"{scale * cell.value:.6g}"
        else:
            text = with_error(scale * cell.value, scale * cell.se)
    elif isinstance(cell, int) and not percent:
        text = thousands(cell)
    elif percent:
        text = f"{scale * cell:.4g}"
    else:
        text = f"{cell:,.1f}" if abs(cell) >= 10 else f"{cell:.4g}"
    return (text + unit).replace("-", "−").replace("e−", "e-")


def _title(column: Column, cells: list[Cell]) -> str:
    numbers = any(not isinstance(cell, (str, tuple)) and cell is not None for cell in cells)
    return f"{'>' if numbers else ''}{column.zh} {column.en}"

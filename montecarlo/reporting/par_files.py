"""Files of a PAR sheet: CSV, XLSX and HTML."""

from __future__ import annotations

import csv
import datetime
import io
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from montecarlo.errors import BadInput, nearest
from montecarlo.reporting.lone_pages import finished
from montecarlo.reporting.par_page import par_page
from montecarlo.reporting.par_sections import Cell, Section, names_of, sections
from montecarlo.reporting.workbench import workbench_page
from montecarlo.statistics.clustered import Estimate
from montecarlo.studies.par_sheet import ParSheet

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet


def par_csv(sheet: ParSheet) -> bytes:
    """Return the sheet as CSV (UTF-8), one cell of a section a line, in full precision.

    Columns: section, item (a row's first cell, in English), quantity (the column's title), value
    and standard error.
    """
    paper = io.StringIO()
    writer = csv.writer(paper, lineterminator="\n")
    writer.writerow(("section", "row", "item", "item_zh", "quantity", "quantity_zh", "value", "se"))
    for section in sections(sheet):
        for number, row in enumerate(section.rows, start=1):
            zh, en = row[0] if isinstance(row[0], tuple) else (str(row[0]), str(row[0]))
            first = 1 if isinstance(row[0], tuple) else 0
            for column, cell in list(zip(section.columns, row, strict=True))[first:]:
                value, se = _plain(cell)
                writer.writerow((section.id, number, en, zh, column.en, column.zh, value, se))
    return paper.getvalue().encode()


def par_xlsx(sheet: ParSheet) -> bytes:
    """Return the sheet as an Excel workbook, a worksheet a section; same sheet, same bytes.

    Estimates take two columns, value and standard error.
    """
    import xlsxwriter

    paper = io.BytesIO()
    book = xlsxwriter.Workbook(paper, {"in_memory": True})
    book.set_properties(
        {"title": f"PAR sheet: {sheet.variant.id}", "created": datetime.datetime(2000, 1, 1)}
    )
    bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1})
    title = book.add_format({"bold": True, "font_size": 14})
    soft = book.add_format({"font_color": "#5B6470"})
    percent = book.add_format({"num_format": "0.0000%"})
    for section in sections(sheet):
        page = book.add_worksheet(f"{section.zh} {section.en}"[:31])
        page.write_string(0, 0, f"{sheet.variant.number} {sheet.variant.zh}: {section.zh}", title)
        page.write_string(1, 0, f"{sheet.variant.en}: {section.en}")
        at = _xlsx_rows(page, section, bold, percent)
        for note in section.notes:
            at += 1
            page.write_string(at, 0, " ".join(note), soft)
        page.freeze_panes(4, 1)
    book.close()
    return paper.getvalue()


def par_html(sheet: ParSheet) -> bytes:
    """Return the sheet as a page that needs no network."""
    (page,) = finished([(f"{sheet.variant.id}.html", par_page(sheet))])
    return page.encode()


def workbench_html(sheet: ParSheet) -> bytes:
    """Return the workbench of the sheet's variant: a page in which points are changed."""
    (page,) = finished([(f"{sheet.variant.id}.workbench.html", workbench_page(sheet))])
    return page.encode()


FORMATS: dict[str, Callable[[ParSheet], bytes]] = {
    "html": par_html,
    "csv": par_csv,
    "xlsx": par_xlsx,
    "workbench.html": workbench_html,
}
"""What writes each kind of file."""


def write_par(sheet: ParSheet, folder: Path, formats: Sequence[str] = ()) -> list[Path]:
    """Write a sheet to ``folder``/VARIANT.FORMAT, all formats if none is named; return the paths.

    Raises BadInput for a format that is not known, before anything is written.
    """
    check_formats(formats)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in formats or FORMATS:
        path = folder / f"{sheet.variant.id}.{name}"
        path.write_bytes(FORMATS[name](sheet))
        paths.append(path)
    return paths


def check_formats(formats: Sequence[str]) -> None:
    """Raise BadInput for a format that is not known."""
    for name in formats:
        if name not in FORMATS:
            raise BadInput(
                f"no format '{name}'{nearest(name, FORMATS)} (there are: {', '.join(FORMATS)})"
            )


def _xlsx_rows(page: Worksheet, section: Section, bold: Format, percent: Format) -> int:
    """Write a section's head and rows from the fourth line on; return the last line's number."""
    places, at = [], 0
    for number, title in enumerate(names_of(section.columns)):
        cells = [row[number] for row in section.rows]
        pairs = any(isinstance(cell, tuple) for cell in cells)
        errors = any(isinstance(cell, Estimate) for cell in cells)
        places.append(at)
        page.write_string(3, at, title, bold)
        if errors:
            page.write_string(3, at + 1, "标准误 standard error", bold)
        longest = max((len(str(_plain(cell)[0])) for cell in cells), default=0)
        page.set_column(at, at, min(max(longest + 2, 14), 44) if pairs or longest else 14)
        page.set_column(at + 1, at + 1, 14)
        at += 2 if errors else 1
    for line, row in enumerate(section.rows, start=4):
        for place, column, cell in zip(places, section.columns, row, strict=True):
            style = percent if column.percent else None
            for offset, value in enumerate(_plain(cell)):
                if isinstance(value, str) and value:
                    page.write_string(line, place + offset, value)
                elif isinstance(value, (int, float)):
                    page.write_number(line, place + offset, value, style)
    return 4 + len(section.rows)


def _plain(cell: Cell) -> tuple[str | int | float, str | float]:
    """Return a cell as a plain value and its error, empty where it has none."""
    if cell is None:
        return "", ""
    if isinstance(cell, Estimate):
        return cell.value, cell.se if math.isfinite(cell.se) else ""
    if isinstance(cell, Fraction):
        return float(cell), ""
    if isinstance(cell, tuple):
        return f"{cell[0]} {cell[1]}", ""
    return cell, ""

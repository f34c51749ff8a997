"""Compute again what a page or table of a report shows, and say where it differs, if it does."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from montecarlo.errors import BadInput
from montecarlo.reporting.edition import Note, deal_edition, silent_note
from montecarlo.reporting.games import games_of
from montecarlo.reporting.provenance import Provenance, read_provenance
from montecarlo.reporting.site import Site
from montecarlo.studies.results import Result
from montecarlo.variants import load


@dataclass(frozen=True)
class Difference:
    """One place where a file and what was computed differ; None: the place is not there."""

    where: str
    file: str | None
    computed: str | None


@dataclass(frozen=True)
class Reproduction(Result):
    """Whether a file shows what its rules, policies, seed and deals give."""

    file: Path
    provenance: Provenance
    differences: tuple[Difference, ...]

    @property
    def identical(self) -> bool:
        """Nothing differs."""
        return not self.differences

    def to_data(self) -> dict[str, Any]:
        """Return the result as JSON data."""
        return {
            "file": str(self.file),
            "identical": self.identical,
            "provenance": self.provenance.line,
            "differences": self.rows(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a difference."""
        return [
            {"where": d.where, "file": d.file, "computed": d.computed} for d in self.differences
        ]


def reproduce(
    file: Path | str, *, jobs: int = 1, runs: Path | None = None, note: Note = silent_note
) -> Reproduction:
    """Deal and compute anew what a page (.html) or table (.csv) of a report shows, and compare.

    Nothing that was stored is used, unless ``runs`` names a folder of runs: then what it holds is
    not dealt again. Rules or policies that have changed since are differences that are said without
    a deal. Raises BadInput for a file that does not say where it comes from, or of which the
    report has no such page or table any more; and what `deal_edition` raises.
    """
    file = Path(file)
    origin = read_provenance(file)
    site = Site.read()
    page = next((page for page in site.pages if Path(page.file).stem == origin.page), None)
    if page is None:
        raise BadInput(f"{file}: is of a page '{origin.page}', which this version does not make")
    changed = _changed(origin)
    if changed:
        return Reproduction(file, origin, tuple(changed))
    with tempfile.TemporaryDirectory() as folder:
        edition = deal_edition(
            origin.names, deals=origin.deals, played=origin.played, seed=origin.seed, jobs=jobs,
            out=Path(folder) / "reports", runs=runs or Path(folder) / "runs", note=note,
            with_games=site.needs_games(page),
        )  # fmt: skip
        note(f"page {page.file}")
        for other in site.pages[1:] if page is site.home else ():
            site.write(edition, other)  # the first page lists what the others wrote
        made = site.write(edition, page, origin.claims)
        if file.suffix == ".csv":
            made = edition.out / "tables" / file.name
            if not made.exists():
                raise BadInput(f"{file}: page {page.file} makes no table of this name")
        read = _cells if file.suffix == ".csv" else _shown
        return Reproduction(file, origin, tuple(_compared(read(file), read(made))))


def _changed(origin: Provenance) -> list[Difference]:
    """Return the rules and policies that are not what they were."""
    variants = [load(name) for name in origin.names]
    rules = {variant.id: variant.sha256 for variant in variants}
    found = _compared(_named("rules of {}", origin.variants), _named("rules of {}", rules))
    if found:
        return found
    games = games_of(variants, origin.played, origin.seed, Path())
    before = {name: " ".join(hashes) for name, hashes in origin.policies.items()}
    now = {name: " ".join(game.policy_hashes) for name, game in games.items()}
    return _compared(_named("policies of {}", before), _named("policies of {}", now))


def _named(words: str, hashes: Mapping[str, str]) -> dict[str, str]:
    return {words.format(name): f"sha256 {value}" for name, value in hashes.items()}


def _compared(file: Mapping[str, str], computed: Mapping[str, str]) -> list[Difference]:
    places = list(dict.fromkeys((*file, *computed)))
    return [
        Difference(place, file.get(place), computed.get(place))
        for place in places
        if file.get(place) != computed.get(place)
    ]


def _cells(path: Path) -> dict[str, str]:
    """Return the cells of a CSV table by their place."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    head = lines[0] if lines else []
    cells = {f"column {number}": name for number, name in enumerate(head, start=1)}
    for number, row in enumerate(lines[1:], start=2):
        names = (*head, *(f"column {i}" for i in range(len(head) + 1, len(row) + 1)))
        cells |= {f"line {number}, {name}": cell for name, cell in zip(names, row, strict=False)}
    return cells


def _shown(path: Path) -> dict[str, str]:
    """Return what a page shows, by its place: texts, cells of tables, drawings."""
    parser = _Reader()
    parser.feed(path.read_text(encoding="utf-8"))
    parser.close()
    return {place: " ".join(texts) for place, texts in parser.shown.items()}


class _Reader(HTMLParser):
    """Collects what stands in a page's main part, but for the lines on provenance."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[str, list[str]] = {}
        self._inside = self._skip = False
        self._table = self._row = self._cell = self._figure = self._text = 0
        self._in_cell = self._in_figure = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "main":
            self._inside = True
        elif tag == "table":
            self._table, self._row = self._table + 1, 0
        elif tag == "tr":
            self._row, self._cell = self._row + 1, 0
        elif tag in ("td", "th"):
            self._cell, self._in_cell = self._cell + 1, True
        elif tag == "svg":
            self._figure, self._in_figure = self._figure + 1, True
        elif tag == "p" and ("class", "provenance") in attrs:
            self._skip = True
        if self._inside and self._in_figure:
            self._add(" ".join(f"{name}={value}" for name, value in attrs))

    def handle_endtag(self, tag: str) -> None:
        if tag == "main":
            self._inside = False
        elif tag in ("td", "th"):
            self._in_cell = False
        elif tag == "svg":
            self._in_figure = False
        elif tag == "p":
            self._skip = False

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if self._inside and not self._skip and text:
            self._add(text)

    def _add(self, text: str) -> None:
        if self._in_figure:
            place = f"figure {self._figure}"
        elif self._in_cell:
            place = f"table {self._table}, row {self._row}, cell {self._cell}"
        else:
            self._text += 1
            place = f"text {self._text}"
        self.shown.setdefault(place, []).append(text)

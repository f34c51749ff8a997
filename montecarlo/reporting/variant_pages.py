"""The pages of a report that are about one variant each: PAR sheets and workbenches.

``par/VARIANT.html`` with ``.csv`` and ``.xlsx`` beside it, and ``workbench/VARIANT.html``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from montecarlo.reporting.edition import Edition
from montecarlo.reporting.lone_pages import finished
from montecarlo.reporting.par_files import write_par
from montecarlo.reporting.par_page import par_page
from montecarlo.reporting.workbench import workbench_page
from montecarlo.studies.par_sheet import ParSheet, par_sheet
from montecarlo.variants import Variant

HOME = "../index.html"
PAR, WORKBENCH = Path("par"), Path("workbench")


@dataclass(frozen=True)
class VariantPages:
    """Addresses of a variant's pages, seen from the report's index."""

    variant: Variant

    @property
    def par(self) -> str:
        """The PAR sheet, less its ending: ``.html``, ``.csv``, ``.xlsx``."""
        return (PAR / self.variant.id).as_posix()

    @property
    def workbench(self) -> str:
        """The workbench."""
        return (WORKBENCH / f"{self.variant.id}.html").as_posix()


def variant_pages(edition: Edition) -> list[VariantPages]:
    """Return the pages of an edition's variants, in their order."""
    return [VariantPages(variant) for variant in edition.variants]


def write_variant_pages(edition: Edition) -> list[Path]:
    """Write the PAR sheet and the workbench of every variant; return the pages' paths."""
    sheets = _sheets(edition)
    texts = []
    for sheet in sheets:
        pages = VariantPages(sheet.variant)
        write_par(sheet, edition.out / PAR, ("csv", "xlsx"))
        texts.append((f"{pages.par}.html", par_page(sheet, HOME)))
        texts.append((pages.workbench, workbench_page(sheet, HOME)))
    (edition.out / WORKBENCH).mkdir(parents=True, exist_ok=True)
    written = []
    for (name, _), text in zip(texts, finished(texts), strict=True):
        path = edition.out / name
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def _sheets(edition: Edition) -> list[ParSheet]:
    exclusive: dict[str, Sequence[int]] = {}
    for group in edition.groups():
        counts = [special.exact.exclusive for special in edition.specials[group[0].id]]
        exclusive |= {variant.id: counts for variant in group}
    return [
        par_sheet(game.moments, game.payouts, exclusive.get(name, ()))
        for name, game in edition.games.items()
    ]

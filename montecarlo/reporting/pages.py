"""From executed notebooks to pages: self-contained HTML that asks the network for nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any

from montecarlo.errors import MontecarloError
from montecarlo.reporting.edition import Edition
from montecarlo.reporting.fonts import check_coverage, font_faces
from montecarlo.reporting.notebooks import Notebook
from montecarlo.reporting.provenance import Provenance, meta_element, with_lines
from montecarlo.simulation.provenance import code_commit, package_versions
from montecarlo.variants import variant_files

TEMPLATES = Path(__file__).parent / "templates"
FONT_MARK = "/*font-face*/"

_FETCHED = re.compile(
    r"""(?:\b(?:src|srcset|poster|data|action)\s*=\s*["']?|<link\b[^>]*\bhref\s*=\s*["']?"""
    r"""|\burl\(\s*["']?|@import\s+["']?)(?!data:|#)([^"'\s>)]+)""",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Page:
    """One page of the report."""

    file: str
    title: str
    short: str
    """its name in the line of links"""
    about: str = ""


def page_of(notebook: Notebook, path: Path) -> Page:
    """Return a notebook's page: titled by its first heading, described by its first paragraph."""
    first = next(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    heading, _, rest = first.partition("\n")
    title = heading.lstrip("# ").strip()
    about = " ".join(rest.strip().partition("\n\n")[0].split()).replace("`", "")
    return Page(f"{path.stem}.html", title, title.partition(":")[0], about)


def render_notebook(
    notebook: Notebook, page: Page, pages: Sequence[Page], edition: Edition, origin: Provenance
) -> str:
    """Return an executed notebook as HTML: prose and outputs; its code is folded at the end."""
    cells = [_cell(cell, page.file) for cell in notebook.cells]
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return render(
        "notebook.html.j2", page, pages, edition, origin, cells=cells, source="\n\n".join(code)
    )


def render(
    template: str,
    page: Page,
    pages: Sequence[Page],
    edition: Edition,
    origin: Provenance,
    **content: Any,
) -> str:
    """Fill a template, note where its figures come from, and embed the glyphs its text needs.

    Raises MissingGlyph when the font lacks one, MontecarloError when the page would fetch
    anything.
    """
    text: str = (
        templates()
        .get_template(template)
        .render(
            title=page.title, file=page.file, pages=pages, provenance=footer(edition),
            origin=meta_element(origin),
            css=(TEMPLATES / "style.css").read_text(encoding="utf-8"), **content,
        )
    )  # fmt: skip
    text = with_lines(text, origin)
    check_self_contained(text, page.file)
    shown = unescape(text)
    check_coverage(shown, page.file)
    return text.replace(FONT_MARK, font_faces(shown))


def check_self_contained(text: str, where: str) -> None:
    """Raise MontecarloError when a page would fetch anything."""
    fetched = sorted({match[1] for match in _FETCHED.finditer(text)})
    if fetched:
        raise MontecarloError(f"{where}: would fetch {', '.join(fetched)}")


def footer(edition: Edition) -> dict[str, Any]:
    """Return where a page's figures come from, for its footer."""
    versions = package_versions()
    shipped = edition.names == tuple(variant_files())
    names = "" if shipped else "".join(f" {Path(name).name}" for name in edition.names)
    return {
        "deals": f"{edition.deals:,}",
        "played": f"{edition.played:,}",
        "seed": edition.seed,
        "version": versions["montecarlo"],
        "commit": code_commit(),
        "command": f"montecarlo report{names} --deals {edition.deals:_} "
        f"--played {edition.played:_} --seed {edition.seed}",
        "versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "hashes": [(variant.id, variant.sha256[:16]) for variant in edition.variants],
        "policies": [
            (game.variant.id, ", ".join(sha256[:16] for sha256 in game.policy_hashes))
            for game in edition.games.values()
            if game.policy_hashes
        ],
    }


@lru_cache(maxsize=1)
def templates() -> Any:
    """Return the environment that finds the pages' templates."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
        trim_blocks=False, keep_trailing_newline=True,
    )  # fmt: skip


def _cell(cell: Any, where: str) -> dict[str, Any]:
    from nbconvert.filters.markdown import markdown2html

    if cell.cell_type == "markdown":
        return {"kind": "markdown", "html": markdown2html(cell.source)}
    return {"kind": "code", "outputs": [_output(output, where) for output in cell.outputs]}


def _output(output: Any, where: str) -> str:
    """Return one output as HTML; what is no rich output of ours does not belong in a page."""
    html = output.get("data", {}).get("text/html")
    if html is None:
        shown = output.get("text") or output.get("data", {}).get("text/plain", "")
        raise MontecarloError(f"{where}: a cell printed {str(shown)[:200]!r} instead of a result")
    return str(html)

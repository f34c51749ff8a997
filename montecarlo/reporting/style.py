"""How figures look, and how they are saved: PNG and SVG, never with a missing glyph."""

from __future__ import annotations

import html
import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from montecarlo.reporting.fonts import FAMILY, MissingGlyph, font_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# colours of Okabe and Ito, told apart by the colour-blind, and in print by their lightness
SIMULATED = "#0072B2"
EXACT = "#D55E00"
PUBLISHED = "#000000"
QUIET = "#6b7280"
BAND = "#9ecae8"

WIDTH_INCHES = 8.0
DOTS_PER_INCH = 160

_SETTINGS = {
    "backend": "agg",
    "font.family": [FAMILY],
    "font.size": 10,
    "axes.titlesize": 11.5,
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.labelsize": 10,
    "axes.labelcolor": "#222222",
    "axes.edgecolor": "#555555",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e3e5e8",
    "grid.linewidth": 0.7,
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "legend.frameon": False,
    "lines.solid_capstyle": "butt",
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.12,
    "figure.constrained_layout.h_pad": 0.1,
    "svg.fonttype": "path",
    "svg.hashsalt": "montecarlo",
    "axes.unicode_minus": True,
}


@lru_cache(maxsize=1)
def _register_font() -> None:
    from matplotlib import font_manager

    font_manager.fontManager.addfont(str(font_file()))


@contextmanager
def drawing() -> Iterator[None]:
    """Within this context matplotlib draws in the report's style, on no screen."""
    import matplotlib

    _register_font()
    with matplotlib.rc_context(cast(Any, _SETTINGS)):
        yield


@dataclass(frozen=True)
class Picture:
    """A finished figure: its SVG, the words beside it, and the name it is saved under."""

    name: str
    svg: bytes
    png: bytes
    alt: str
    caption: str = ""

    def save(self, folder: Path) -> None:
        """Write ``NAME.svg`` and ``NAME.png`` to a folder, which is made when missing."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.svg").write_bytes(self.svg)
        (folder / f"{self.name}.png").write_bytes(self.png)

    def _repr_html_(self) -> str:
        drawing = _inline(self.svg.decode("utf-8"), html.escape(self.alt))
        caption = f"<figcaption>{html.escape(self.caption)}</figcaption>" if self.caption else ""
        return (
            f'<figure><div class="scroll" tabindex="0" role="group" aria-label="figure">'
            f"{drawing}</div>{caption}</figure>"
        )


def picture(figure: Figure, name: str, alt: str, caption: str = "") -> Picture:
    """Render a figure as SVG and PNG; call it inside `drawing`.

    Raises MissingGlyph when the font lacks a character that the figure shows.
    """
    return Picture(name, _render(figure, "svg", name), _render(figure, "png", name), alt, caption)


def _inline(svg: str, label: str) -> str:
    """Return an SVG file's drawing as an element of a page.

    Names inside it are hashes of what they name, so drawings of one page may share them.
    """
    element = svg[svg.index("<svg") :]
    for needless in (r"<metadata>.*?</metadata>", r"<style[^>]*>.*?</style>", r"<!--.*?-->"):
        element = re.sub(needless, "", element, flags=re.DOTALL)
    element = re.sub(r"\n\s*", "\n", element)
    element = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", element, count=1)
    element = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", element, count=1)
    return element.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


def _render(figure: Figure, kind: str, name: str) -> bytes:
    out = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="Glyph .* missing from", category=UserWarning)
        try:
            figure.savefig(out, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
        except UserWarning as warning:
            raise MissingGlyph(f"figure {name}: {warning}") from None
    return out.getvalue()

"""The Chinese font of figures and pages: Noto Sans SC (SIL Open Font Licence), from PyPI `zhplot`.

Only the package's font file is used; the package itself is never imported. What the font cannot
show is an error: a page or figure with an empty box in it does not get published.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from unicodedata import east_asian_width

from montecarlo.errors import MontecarloError

FAMILY = "Noto Sans SC"


class MissingGlyph(MontecarloError):
    """The font has no glyph for a character that a figure or page shows."""


@lru_cache(maxsize=1)
def font_file() -> Path:
    """Return the path of the font file; MontecarloError when it is not installed."""
    try:
        listed = files("zhplot") or []
    except PackageNotFoundError:
        listed = []
    for entry in listed:
        if entry.name == "NotoSansSC-Regular.ttf":
            return Path(str(entry.locate()))
    raise MontecarloError("Noto Sans SC is not installed: pip install zhplot (its font is used)")


@lru_cache(maxsize=1)
def covered_characters() -> frozenset[str]:
    """Return every character the font can show."""
    from fontTools.ttLib import TTFont

    with TTFont(font_file(), lazy=True) as font:
        return frozenset(map(chr, font.getBestCmap()))


def shown_beyond_ascii(text: str) -> str:
    """Return the characters of a text beyond ASCII, sorted, each once; no-break spaces left out."""
    return "".join(sorted({c for c in text if ord(c) > 127 and not c.isspace()}))


def check_coverage(text: str, where: str) -> None:
    """Raise MissingGlyph, naming them, when characters of ``text`` beyond ASCII have no glyph."""
    missing = [c for c in shown_beyond_ascii(text) if c not in covered_characters()]
    if missing:
        listing = ", ".join(f"{c} (U+{ord(c):04X})" for c in missing)
        raise MissingGlyph(f"{where}: {FAMILY} has no glyph for {listing}")


def subset_woff(characters: Iterable[str], font_source: bytes | None = None) -> bytes:
    """Return a WOFF font file that holds only the given characters' glyphs.

    They are taken from ``font_source``, such a file itself, or from the whole font if None.
    """
    from fontTools import subset

    options = subset.Options(
        flavor="woff", layout_features=[], hinting=False, notdef_outline=True,
        name_IDs=[0, 1, 2, 13, 14], recalc_timestamp=False,
    )  # fmt: skip
    opened = str(font_file()) if font_source is None else io.BytesIO(font_source)
    font = subset.load_font(opened, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(characters))
    subsetter.subset(font)
    out = io.BytesIO()
    subset.save_font(font, out, options)
    return out.getvalue()


def font_faces_of(texts: Sequence[str]) -> list[str]:
    """Return the `font_faces` of several texts; the large font is read once for all of them."""
    together = subset_woff(shown_beyond_ascii("".join(texts)))
    return [font_faces(text, together) for text in texts]


def font_faces(text: str, font_source: bytes | None = None) -> str:
    """Return CSS ``@font-face`` rules with the glyphs that ``text`` needs beyond ASCII.

    The family "… Han" holds the Chinese ones and belongs first in a list of families: a browser
    that has no other font for a character does not always draw it anew when a later one arrives.
    "… Signs" holds the rest, for machines whose own fonts lack them, and belongs last.
    """
    characters = shown_beyond_ascii(text)
    han = "".join(c for c in characters if _is_wide(c))
    signs = "".join(c for c in characters if not _is_wide(c))
    return _font_face("Han", han, font_source) + _font_face("Signs", signs, font_source)


def _is_wide(character: str) -> bool:
    return east_asian_width(character) in "WF"


def _font_face(name: str, characters: str, font_source: bytes | None) -> str:
    if not characters:
        return ""
    encoded = base64.b64encode(subset_woff(characters, font_source)).decode()
    ranges = ",".join(f"U+{ord(c):X}" for c in characters)
    return (
        f'@font-face{{font-family:"{FAMILY} {name}";font-display:block;'
        f"src:url(data:font/woff;base64,{encoded}) format('woff');unicode-range:{ranges}}}\n"
    )

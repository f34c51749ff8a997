"""Where a page, table or figure of a report comes from, for people and for ``reproduce``.

A page holds it in a ``meta`` element; a CSV table in a file beside it, ``NAME.csv-metadata.json``
(the name that W3C's "CSV on the Web" gives such files); an SVG figure in its ``desc`` element, a
PNG in a text chunk. All say what has to be dealt, by which rules and policies, to get it again.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from montecarlo.errors import BadInput
from montecarlo.reporting.edition import Edition
from montecarlo.simulation.provenance import code_commit, package_versions

SCHEMA = 1
KEY = "montecarlo-provenance"

_META = re.compile(rf'<meta name="{KEY}" content="([^"]*)">')
_PNG_HEADER = 8 + 25
"""Bytes of a PNG before its second chunk: signature and IHDR."""


@dataclass(frozen=True)
class Provenance:
    """What a file of a report was made from."""

    page: str
    """stem of the page it belongs to"""
    names: tuple[str, ...]
    """variants, as ids or paths of rule files"""
    deals: int
    played: int
    seed: int
    claims: tuple[str, ...] | None
    """published figures that were judged; all if None"""
    variants: Mapping[str, str]
    """sha256 of the rules, by id"""
    policies: Mapping[str, tuple[str, ...]]
    """sha256 of the equilibrium policies, by id"""
    version: str
    commit: str | None

    @classmethod
    def of(cls, edition: Edition, page: str, claims: Iterable[str] | None = None) -> Provenance:
        """Return where the files of an edition's page come from."""
        return cls(
            page, edition.names, edition.deals, edition.played, edition.seed,
            None if claims is None else tuple(claims),
            {variant.id: variant.sha256 for variant in edition.variants},
            {name: game.policy_hashes for name, game in edition.games.items()},
            package_versions()["montecarlo"], code_commit(),
        )  # fmt: skip

    @property
    def line(self) -> str:
        """One short line for people."""
        policies = [sha256 for found in self.policies.values() for sha256 in found]
        parts = [
            f"rules {_short(self.variants.values())}",
            f"policies {_short(policies)}" if policies else "no policy",
            f"seed {self.seed}",
            f"{self.deals:,} deals, {self.played:,} played",
            f"montecarlo {self.version}",
            f"commit {self.commit}" if self.commit else "no commit",
        ]
        return " · ".join(parts)

    def to_json(self) -> str:
        """Return it as one line of JSON, ASCII only."""
        return json.dumps({"schema": SCHEMA, **asdict(self)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Provenance:
        """Read what `to_json` wrote; ValueError, KeyError or TypeError when it is not that."""
        data = json.loads(text)
        if data.pop("schema") != SCHEMA:
            raise ValueError("another schema")
        for name in ("names", "claims"):
            data[name] = None if data[name] is None else tuple(data[name])
        data["policies"] = {name: tuple(found) for name, found in data["policies"].items()}
        return cls(**data)


def read_provenance(path: Path) -> Provenance:
    """Return where a page (.html) or table (.csv) comes from.

    Raises BadInput, in one line, for a file that is neither or that does not say.
    """
    try:
        if path.suffix == ".html":
            match = _META.search(path.read_text(encoding="utf-8"))
            text = html.unescape(match[1]) if match else None
        elif path.suffix == ".csv":
            path.read_bytes()
            beside = metadata_of(path)
            text = None
            if beside.exists():
                text = json.dumps(json.loads(beside.read_text(encoding="utf-8"))[KEY])
        else:
            raise BadInput(f"{path}: reproduce takes a page (.html) or a table (.csv) of a report")
        if text is None:
            where = "" if path.suffix == ".html" else f" ({metadata_of(path).name} is missing)"
            raise BadInput(
                f"{path}: does not say where it comes from{where}: not of montecarlo report, or of "
                "a version that did not note it"
            )
        return Provenance.from_json(text)
    except (UnicodeDecodeError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"{path}: what it says of its provenance cannot be read ({error})") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None


def metadata_of(table: Path) -> Path:
    """Return the path of the file that tells where a CSV table comes from."""
    return table.with_name(table.name + "-metadata.json")


def with_lines(page: str, provenance: Provenance) -> str:
    """Return a page's HTML with the short line below each of its tables and figures."""
    line = f'<p class="provenance">{html.escape(provenance.line)}</p>'
    page = page.replace("</table></div>", f"</table></div>{line}")
    return page.replace("</figure>", f"{line}</figure>")


def meta_element(provenance: Provenance) -> str:
    """Return the element that a page's head holds."""
    return f'<meta name="{KEY}" content="{html.escape(provenance.to_json())}">'


def stamp(path: Path, provenance: Provenance) -> None:
    """Note in or beside a table or figure where it comes from."""
    if path.suffix == ".csv":
        data = {
            "@context": "http://www.w3.org/ns/csvw",
            "url": path.name,
            "dc:description": provenance.line,
            KEY: json.loads(provenance.to_json()),
        }
        text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
        metadata_of(path).write_text(text, encoding="utf-8")
    elif path.suffix == ".svg":
        text = path.read_text(encoding="utf-8")
        start = text.index(">", text.index("<svg")) + 1
        note = f'\n <desc id="{KEY}">{html.escape(provenance.to_json(), quote=False)}</desc>'
        path.write_text(text[:start] + note + text[start:], encoding="utf-8")
    elif path.suffix == ".png":
        body = b"tEXt" + KEY.encode() + b"\0" + provenance.to_json().encode()
        size, check = struct.pack(">I", len(body) - 4), struct.pack(">I", zlib.crc32(body))
        data_ = path.read_bytes()
        path.write_bytes(data_[:_PNG_HEADER] + size + body + check + data_[_PNG_HEADER:])


def _short(hashes: Iterable[str]) -> str:
    """Return twelve digits that stand for one hash, or for several in their order."""
    found: list[Any] = list(hashes)
    whole = found[0] if len(found) == 1 else hashlib.sha256(" ".join(found).encode()).hexdigest()
    return str(whole)[:12]

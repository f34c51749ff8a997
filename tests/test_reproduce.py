"""Files of a report say where they come from, and are computed again to the same bytes."""

from __future__ import annotations

import csv
import json
import shutil
import struct
import zlib
from pathlib import Path

import pytest

from montecarlo.cli import run
from montecarlo.errors import BadInput
from montecarlo.reporting.edition import Edition, deal_edition
from montecarlo.reporting.provenance import Provenance, metadata_of, read_provenance
from montecarlo.reporting.reproduce import reproduce
from montecarlo.reporting.site import Site

DEALS = 70_000


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    """A small edition without games, and the one page that tells of its specials."""
    folder = tmp_path_factory.mktemp("edition")
    found = deal_edition(
        ["points123"], deals=DEALS, seed=3, jobs=1, out=folder / "reports", runs=folder / "runs",
        with_games=False,
    )  # fmt: skip
    site = Site.read()
    page = next(page for page in site.pages if page.file == "02_special_hands.html")
    assert not site.needs_games(page)
    assert site.needs_games(site.home)
    site.write(found, page)
    return found


def test_pages_tables_and_figures_carry_it(edition: Edition) -> None:
    page = edition.out / "02_special_hands.html"
    origin = read_provenance(page)
    assert origin == Provenance.of(edition, "02_special_hands")
    assert (origin.deals, origin.seed, origin.names) == (DEALS, 3, ("points123",))
    assert origin.variants["points123"] == edition.variants[0].sha256
    for part in (edition.variants[0].sha256[:12], "seed 3", "70,000 deals", "montecarlo 0."):
        assert part in origin.line
    assert "\n" not in origin.line
    text = page.read_text(encoding="utf-8")
    shown = text.count('<p class="provenance">')
    assert shown == text.count("</table></div>") + text.count("</figure>") > 0
    assert read_provenance(edition.out / "tables" / "special_hands.csv") == origin
    for figure in (edition.out / "figures").iterdir():
        assert json.loads(_note_in(figure)) == json.loads(origin.to_json()), figure


def _note_in(figure: Path) -> str:
    """Read a figure's note by the formats' own rules."""
    data = figure.read_bytes()
    if figure.suffix == ".svg":
        from xml.etree import ElementTree

        (note,) = ElementTree.fromstring(data).findall("{http://www.w3.org/2000/svg}desc")
        return str(note.text)
    at, notes = 8, []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(
            kind + body
        )
        if kind == b"tEXt" and body.startswith(b"montecarlo-provenance\0"):
            notes.append(body.partition(b"\0")[2].decode())
        at += 12 + size
    (text,) = notes
    return text


@pytest.mark.parametrize(
    "name",
    ["tables/special_hands.csv", pytest.param("02_special_hands.html", marks=pytest.mark.slow)],
)
def test_an_edited_file_is_told_where(name: str, edition: Edition, tmp_path: Path) -> None:
    """One page is made anew (from stored runs): identical, or different in the edited place."""
    source = edition.out / name
    copy = tmp_path / source.name
    text = source.read_text(encoding="utf-8")
    if source.suffix == ".csv":
        shutil.copy(metadata_of(source), metadata_of(copy))
        rows = list(csv.reader(text.splitlines()))
        cell = rows[1][rows[0].index("dealt_count")]
        copy.write_text(text.replace(f",{cell},", f",{cell}0,", 1), encoding="utf-8")
        place, before = "line 2, dealt_count", cell
    else:
        before = "no."
        copy.write_text(text.replace(">no.<", ">number<", 1), encoding="utf-8")
        place = "table 1, row 1, cell 1"
    found = reproduce(copy, runs=edition.folder.parent)
    assert not found.identical
    assert [(d.where, d.computed) for d in found.differences] == [(place, before)]


def test_the_command_computes_everything_again(
    edition: Edition, capsys: pytest.CaptureFixture[str]
) -> None:
    table = edition.out / "tables" / "special_hands.csv"
    assert run(["reproduce", str(table), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["identical"]
    assert data["differences"] == []


def test_changed_rules_are_said_without_a_deal(
    edition: Edition, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = edition.out / "tables" / "special_hands.csv"
    copy = tmp_path / source.name
    shutil.copy(source, copy)
    text = metadata_of(source).read_text(encoding="utf-8")
    sha256 = edition.variants[0].sha256
    metadata_of(copy).write_text(text.replace(sha256, "0" * 64), encoding="utf-8")
    assert run(["reproduce", str(copy)]) == 1
    out = capsys.readouterr().out
    assert "rules of points123: sha256 000000" in out
    assert "different in 1 place:" in out


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("x.csv", "a,b\n1,2\n", "x.csv-metadata.json is missing"),
        ("x.html", "<html></html>", "does not say where it comes from"),
        ("x.html", '<meta name="montecarlo-provenance" content="{}">', "cannot be read"),
        ("x.html", '<meta name="montecarlo-provenance" content="[">', "cannot be read"),
        ("x.png", "", "takes a page (.html) or a table (.csv)"),
        ("nowhere.html", None, "cannot be read (No such file"),
        ("nowhere.csv", None, "cannot be read (No such file"),
    ],
)
def test_files_that_do_not_say(name: str, text: str | None, says: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as raised:
        reproduce(path)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_page_there_is_no_more(edition: Edition, tmp_path: Path) -> None:
    text = (edition.out / "02_special_hands.html").read_text(encoding="utf-8")
    old = tmp_path / "old.html"
    old.write_text(text.replace("&quot;02_special_hands&quot;", "&quot;00_gone&quot;"), "utf-8")
    with pytest.raises(BadInput, match="of a page '00_gone'"):
        reproduce(old)

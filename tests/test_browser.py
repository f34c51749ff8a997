"""The report's pages: whole, and in a real browser without network fit to be read.

The browser is asked for console messages, requests, overflow, and the fonts it drew with.
"""

import csv
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver

from montecarlo.reporting import site
from montecarlo.reporting.edition import Edition, deal_edition
from montecarlo.reporting.notebooks import report_notebooks
from montecarlo.studies.claims.schema import load_claims
from montecarlo.variants import load
from tests.twins.chromium import browser, open_page, requested_urls

__all__ = ["browser"]

PAGES = ("index.html", *(f"{path.stem}.html" for path in report_notebooks()))
WIDTHS = (1280, 400)
VARIANTS = ("taiwan", "hongkong", "bidaxiao")
DEALS = 20_000
SEED = 2


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    """A small edition of the variants with the widest tables, and its pages."""
    folder = tmp_path_factory.mktemp("report")
    dealt = deal_edition(
        VARIANTS,
        deals=DEALS, seed=SEED, jobs=1, out=folder / "reports", runs=folder / "runs",
    )  # fmt: skip
    # claims that are judged by playing cost minutes: they are judged in test_claims_played
    claims = [claim.id for claim in load_claims().values() if claim.method != "simulation"]
    written = site.build(dealt, claims=claims)
    lone = [f"{folder}/{v}.html" for v in VARIANTS for folder in ("par", "workbench")]
    found = [path.relative_to(dealt.out).as_posix() for path in written]
    assert found == [*PAGES, *lone]
    return dealt


@pytest.fixture
def report(edition: Edition) -> Path:
    """Return the folder of the pages."""
    return edition.out


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.hrefs: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "a" and found.get("href"):
            self.hrefs.append(str(found["href"]))


def test_a_report_is_whole(edition: Edition) -> None:
    """Links lead somewhere, figures and tables are there, footers say where it comes from."""
    for name in PAGES:
        path = edition.out / name
        text = path.read_text(encoding="utf-8")
        parser = _Links()
        parser.feed(text)
        assert parser.hrefs
        for href in parser.hrefs:
            assert href.startswith("#") or (edition.out / href).is_file(), href
        assert "mathjax" not in text.lower()
        assert "<script" not in text
        assert f"{DEALS:,} deals of four hands, seed {SEED}" in text
        for variant in edition.variants:
            assert variant.sha256[:16] in text
            for sha256 in edition.games[variant.id].policy_hashes:
                assert sha256[:16] in text
    first = (edition.out / PAGES[1]).read_text(encoding="utf-8")
    assert "12,211,799,223" in first
    assert "1 in 9,462" in first
    names = {path.name for path in (edition.out / "figures").iterdir()}
    for stem in (
        "dragon_convergence", "special_hands_taiwan", "special_hands_hongkong", "three_ways",
        "frontier_of_a_hand", "frontier_sizes", "rows_by_policy", "banker_edge", "payout_flow",
        "units_distribution", "coverage", "p_values",
    ):  # fmt: skip
        assert {f"{stem}.png", f"{stem}.svg"} <= names
    with (edition.out / "tables" / "special_hands.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(load("taiwan").specials) + len(load("hongkong").specials)
    for row in rows:
        variant = load(row["variant"])
        assert int(row["exact_exclusive"]) <= int(row["exact_inclusive"])
        assert row["variant_sha256"] == variant.sha256


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_pages_are_quiet_self_contained_and_fit(
    name: str, width: int, report: Path, browser: webdriver.Chrome
) -> None:
    open_page(browser, report / name, width)
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    others = [url for url in requested_urls(browser) if not url.startswith("data:")]
    assert others == [(report / name).as_uri()]
    assert browser.execute_script("return window.innerWidth") == width
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width


@pytest.mark.parametrize("name", PAGES)
def test_every_chinese_character_is_drawn_by_the_embedded_font(
    name: str, report: Path, browser: webdriver.Chrome
) -> None:
    """Ask the browser which fonts it drew each element's own text with.

    The embedded font holds exactly the characters it was asked for, so a character drawn by it
    has a glyph; one drawn by another font, on a machine without Chinese fonts, is an empty box.
    """
    open_page(browser, report / name)
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true })")
    browser.execute_cdp_cmd("DOM.enable", {})
    browser.execute_cdp_cmd("CSS.enable", {})
    drawn = expected = 0
    for element in elements_with_chinese(browser):
        found = browser.execute_cdp_cmd("CSS.getPlatformFontsForNode", {"nodeId": element["id"]})
        drawn += sum(font["glyphCount"] for font in found["fonts"] if is_ours(font))
        expected += element["characters"]
    assert expected > 20
    assert drawn >= expected


def is_ours(font: dict[str, Any]) -> bool:
    return bool(font["isCustomFont"]) and "Noto Sans SC" in font["familyName"]


def elements_with_chinese(browser: webdriver.Chrome) -> list[dict[str, int]]:
    """Return the elements that have Chinese text of their own, with the number of characters."""
    counts = browser.execute_script(
        """
        const found = [];
        for (const element of document.querySelectorAll('body *')) {
          if (element.closest('svg')) continue;
          let own = 0;
          for (const node of element.childNodes)
            if (node.nodeType === Node.TEXT_NODE)
              own += (node.data.match(/\\p{Script=Han}/gu) || []).length;
          if (own) { element.setAttribute('data-han', found.length); found.push(own); }
        }
        return found;
        """
    )
    root = browser.execute_cdp_cmd("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    elements = []
    for place, characters in enumerate(counts):
        selector = {"nodeId": root, "selector": f"[data-han='{place}']"}
        node = browser.execute_cdp_cmd("DOM.querySelector", selector)["nodeId"]
        elements.append({"id": node, "characters": characters})
    return elements


def test_a_box_in_place_of_a_glyph_would_be_noticed(
    tmp_path: Path, browser: webdriver.Chrome
) -> None:
    """The check above can fail: without the embedded font another one draws the text."""
    path = tmp_path / "plain.html"
    path.write_text("<!DOCTYPE html><meta charset=utf-8><p>一条龙</p>", encoding="utf-8")
    open_page(browser, path)
    browser.execute_cdp_cmd("DOM.enable", {})
    browser.execute_cdp_cmd("CSS.enable", {})
    (element,) = elements_with_chinese(browser)
    found = browser.execute_cdp_cmd("CSS.getPlatformFontsForNode", {"nodeId": element["id"]})
    assert element["characters"] == 3
    assert not any(is_ours(font) for font in found["fonts"])


def test_wide_tables_scroll_inside_their_own_box(report: Path, browser: webdriver.Chrome) -> None:
    open_page(browser, report / "02_special_hands.html", 400)
    boxes = browser.execute_script(
        "return [...document.querySelectorAll('.scroll')].map("
        "box => [box.clientWidth, box.scrollWidth, getComputedStyle(box).overflowX, box.tabIndex])"
    )
    assert len(boxes) >= 5
    for seen, whole, overflow, tab in boxes:
        assert seen < whole
        assert overflow == "auto"
        assert tab == 0  # can be reached and scrolled by keyboard

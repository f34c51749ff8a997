"""PAR sheets and workbenches of a report: linked, the same as by command, fit to be read."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from selenium import webdriver

from montecarlo.reporting.edition import Edition, deal_edition
from montecarlo.reporting.par_files import write_par
from montecarlo.reporting.site import Site
from montecarlo.reporting.variant_pages import write_variant_pages
from montecarlo.studies.par_sheet import par
from tests.twins.chromium import browser, open_page, requested_urls

__all__ = ["browser"]

VARIANTS = ("hongkong", "bidaxiao", "shaoxing")
NAMES = [f"{folder}/{variant}.html" for variant in VARIANTS for folder in ("par", "workbench")]
SEED = 2


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    """A small edition, with its index and the pages of its variants."""
    folder = tmp_path_factory.mktemp("report")
    dealt = deal_edition(
        VARIANTS, deals=2000, seed=SEED, jobs=1, out=folder / "reports", runs=folder / "runs"
    )
    written = write_variant_pages(dealt)
    assert [path.relative_to(dealt.out).as_posix() for path in written] == NAMES
    site = Site.read()
    site.write(dealt, site.home, claims=["dragon-odds"])
    return dealt


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.hrefs: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "a" and found.get("href"):
            self.hrefs.append(str(found["href"]))


def links_of(path: Path) -> list[str]:
    parser = _Links()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser.hrefs


def test_the_index_links_all_of_them_and_they_each_other(edition: Edition) -> None:
    home = links_of(edition.out / "index.html")
    for variant in VARIANTS:
        for name in (f"par/{variant}.{kind}" for kind in ("html", "csv", "xlsx")):
            assert name in home
            assert (edition.out / name).is_file()
        assert f"workbench/{variant}.html" in home
    for name in NAMES:
        path = edition.out / name
        hrefs = links_of(path)
        assert "../index.html" in hrefs
        for href in hrefs:
            assert (path.parent / href).is_file(), href


def test_the_command_gives_the_reports_sheet(edition: Edition, tmp_path: Path) -> None:
    """The footer says so: the same deals, tallied by `par`, to the same bytes."""
    sheet = par("hongkong", deals=edition.played, seed=SEED)
    for path in write_par(sheet, tmp_path, ["csv", "xlsx"]):
        assert path.read_bytes() == (edition.out / "par" / path.name).read_bytes()
    command = f"montecarlo par hongkong --deals {edition.played:_} --seed {SEED}"
    for folder in ("par", "workbench"):
        assert command in (edition.out / folder / "hongkong.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", NAMES)
def test_pages_are_quiet_self_contained_and_fit(
    name: str, width: int, edition: Edition, browser: webdriver.Chrome
) -> None:
    open_page(browser, edition.out / name, width)
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    others = [url for url in requested_urls(browser) if not url.startswith("data:")]
    assert others == [(edition.out / name).as_uri()]
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width

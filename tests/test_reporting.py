"""The report: tables, figures, fonts, the edition's run, and the pages of a small one."""

import csv
import json
import re
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from montecarlo.data_files import notebook_path
from montecarlo.errors import BadInput, MontecarloError, StoreError
from montecarlo.reporting import dragon, fonts, notebooks, pages, special_hands
from montecarlo.reporting.dragon_convergence import Point, convergence, trace
from montecarlo.reporting.edition import Edition, deal_edition, opened
from montecarlo.reporting.provenance import Provenance
from montecarlo.reporting.style import drawing, picture
from montecarlo.reporting.tables import Table, paragraph, write_csv
from montecarlo.simulation.all_frequencies import AllFrequencies
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.variants import all_variants, load

DEALS = 150_000
SEED = 11


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    """A small edition of two variants that know specials and one that does not."""
    folder = tmp_path_factory.mktemp("edition")
    return deal_edition(
        ["taiwan", "V8", "bidaxiao"],
        deals=DEALS, seed=SEED, jobs=2, out=folder / "reports", runs=folder / "runs",
    )  # fmt: skip


# --- one pass over the deals ---


def test_one_pass_tabulates_what_each_variant_alone_would() -> None:
    variants = all_variants()
    together = AllFrequencies(variants)
    tally = together.tally_block(seed=3, block=1, deals=5000)
    assert tally.deals == 5000
    for variant in variants:
        if variant.rules:
            alone = FrequencyExperiment(variant, 4).tally_block(seed=3, block=1, deals=5000)
            np.testing.assert_array_equal(
                together.holders_of(variant, tally).arrays["holders"], alone.arrays["holders"]
            )


def test_equal_lists_share_a_tally() -> None:
    together = AllFrequencies((load("taiwan"), load("taiwan_classic"), load("hongkong")))
    assert set(together.tally_block(1, 0, 10).arrays) == {"taiwan", "hongkong"}
    assert together.name_of(load("taiwan_classic")) == "taiwan"


def test_a_variant_of_other_rules_but_the_same_id_is_refused() -> None:
    with pytest.raises(BadInput, match="taiwan"):
        AllFrequencies((load("taiwan"), load("taiwan", ["three_straights.qka=true"])))


# --- editions ---


def test_an_edition_is_read_as_it_was_dealt(edition: Edition) -> None:
    again = opened(edition.folder)
    assert again.names == ("taiwan", "hongkong", "bidaxiao")
    assert again.tally.integers("taiwan") == edition.tally.integers("taiwan")
    assert again.specials == edition.specials
    assert set(again.specials) == {"taiwan", "hongkong"}
    for specials in again.specials.values():
        for special in specials:
            assert special.simulated.hands == 4 * DEALS
            assert special.exact.exclusive <= special.exact.inclusive


def test_a_finished_run_is_not_dealt_again(
    edition: Edition, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise AssertionError("dealt again")

    monkeypatch.setattr(AllFrequencies, "tally_block", refuse)
    again = deal_edition(
        edition.names, deals=DEALS, seed=SEED, jobs=1, out=edition.out,
        runs=edition.folder.parent,
    )  # fmt: skip
    assert again.folder == edition.folder


def test_an_interrupted_edition_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    def deal(runs: str) -> Edition:
        return deal_edition(
            ["points123"], deals=70_000, seed=5, jobs=1, out=tmp_path, runs=tmp_path / runs
        )

    whole = deal("a")
    for shard in (whole.folder / "shards").iterdir():
        shard.unlink()
    (whole.folder / "summary.json").unlink()
    with pytest.raises(StoreError, match="not complete"):
        opened(whole.folder).tally.integers("points123")
    resumed, other = deal("a"), deal("b")
    assert resumed.folder.name == other.folder.name
    for name in ("summary.json", "manifest.json"):
        assert (resumed.folder / name).read_bytes() == (other.folder / name).read_bytes()


@pytest.mark.parametrize(
    ("names", "deals", "message"),
    [
        (["taiwan", "V9"], 1000, "taiwan: named twice"),
        (["taiwam"], 1000, "did you mean 'taiwan'"),
        (["taiwan"], 0, "deals must be between 1"),
    ],
)
def test_bad_requests_are_refused(
    names: list[str], deals: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=message):
        deal_edition(names, deals=deals, seed=1, jobs=1, out=tmp_path, runs=tmp_path)


def test_folders_and_workers_are_checked_before_dealing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise AssertionError("dealt")

    monkeypatch.setattr(AllFrequencies, "tally_block", refuse)
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    wanted = {"deals": 1000, "seed": 1, "runs": tmp_path / "runs"}
    with pytest.raises(StoreError, match="cannot be written"):
        deal_edition(["taiwan"], jobs=1, out=blocked / "reports", **wanted)
    with pytest.raises(BadInput, match="jobs must be 1 or more, not 0"):
        deal_edition(["taiwan"], jobs=0, out=tmp_path, **wanted)


def test_no_edition_to_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MONTECARLO_EDITION", raising=False)
    with pytest.raises(BadInput, match="run `montecarlo report` first"):
        opened()
    with pytest.raises(BadInput, match="no edition"):
        opened(tmp_path)


# --- the dragon's story ---


def test_formula_and_enumeration_give_the_same_odds(edition: Edition) -> None:
    assert dragon.by_formula() == dragon.by_enumeration() == Fraction(67108864, 635013559600)
    found = dragon.by_simulation(edition)
    # |z| > 5 happens once in 1.7 million seeds
    assert abs(found.z) < 5


def test_the_published_figure_is_named_with_its_slip() -> None:
    rows = dragon.where_it_comes_from().rows
    assert {row[3] for row in rows} == {
        "–", "published for the dragon", "published for the suited dragon",
    }  # fmt: skip
    (slip,) = (row for row in rows if row[3] == "published for the dragon")
    assert slip[0] == "C(52, 13) / 52"


def test_the_trace_ends_where_the_run_does(edition: Edition) -> None:
    points = trace(edition)
    deals = [point.deals for point in points]
    assert deals == sorted(set(deals))
    assert deals[0] == 1000
    assert points[-1].deals == DEALS
    assert points[-1].p == dragon.by_simulation(edition).p
    for point in points:
        assert point.interval.low <= point.p <= point.interval.high


@pytest.mark.parametrize("deals", [1, 700])
def test_an_edition_of_few_deals_and_no_specials_is_drawn_too(deals: int, tmp_path: Path) -> None:
    few = deal_edition(
        ["bidaxiao"], deals=deals, seed=1, jobs=1, out=tmp_path, runs=tmp_path / "runs"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert convergence(few).svg
        assert special_hands.z_values(few)._repr_html_()
    none_seen = dragon.by_simulation(few).count == 0
    assert ("0 dragons came" in dragon.headline(few).markup) == none_seen
    assert (dragon.side_by_side(few).rows[2][3] == "–") == none_seen
    assert "no special hands" in special_hands.agreement(few).markup
    assert special_hands.sections(few).markup == ""


def test_the_interval_before_the_first_dragon_is_one_sided() -> None:
    nothing_yet = Point(1000, (1000, 0, 0, 0, 0))
    assert nothing_yet.interval.low == 0
    # closed form: 1 - 0.025^(1/n) for the deals, a quarter of it for a hand
    assert nothing_yet.interval.high == pytest.approx((1 - 0.025 ** (1 / 1000)) / 4)


# --- fonts and figures ---


def test_the_font_is_found_without_importing_its_package() -> None:
    code = (
        "import sys; from montecarlo.reporting.fonts import font_file;"
        "assert font_file().is_file(); assert 'zhplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_subset_holds_the_glyphs_asked_for_and_few_others() -> None:
    import io

    from fontTools.ttLib import TTFont

    data = fonts.subset_woff("一条龙·")
    with TTFont(io.BytesIO(data)) as font:
        assert font.flavor == "woff"
        assert set(map(chr, font.getBestCmap())) == set("一条龙·")
    assert len(data) < 10_000


def test_characters_without_a_glyph_are_named() -> None:
    fonts.check_coverage("plain, 一条龙 ±×–…", "page")
    with pytest.raises(fonts.MissingGlyph, match=r"page: .*U\+1F409"):
        fonts.check_coverage("dragon \N{DRAGON}", "page")


@pytest.mark.parametrize("label", ["一条龙", "dragon \N{DRAGON}"])
def test_a_missing_glyph_in_a_figure_is_an_error(label: str) -> None:
    from matplotlib.figure import Figure

    with drawing():
        figure = Figure()
        figure.subplots().set_title(label)
        if label == "一条龙":
            assert picture(figure, "fine", "a title").svg.startswith(b"<?xml")
        else:
            with pytest.raises(fonts.MissingGlyph, match="figure bad"):
                picture(figure, "bad", "a title")


def test_figures_are_the_same_bytes_every_time() -> None:
    from matplotlib.figure import Figure

    def draw() -> bytes:
        with drawing():
            figure = Figure()
            figure.subplots().plot([1, 2], [3, 4])
            drawn = picture(figure, "line", "a line")
            return drawn.svg + drawn.png

    assert draw() == draw()


# --- tables and pages ---


def test_tables_escape_and_align() -> None:
    text = Table("a < b", ("what", ">n"), [("<x>", "1"), (("龙", "a & b"), "2")])._repr_html_()
    assert "&lt;x&gt;" in text
    assert "a &amp; b" in text
    assert text.count('class="number"') == 3
    assert "<caption>a &lt; b</caption>" in text
    assert paragraph("1 < 2")._repr_html_() == "<p>1 &lt; 2</p>"


def test_csv_keeps_full_precision(tmp_path: Path) -> None:
    write_csv(tmp_path / "t" / "x.csv", [{"zh": "一条龙", "p": 1 / 3}])
    with (tmp_path / "t" / "x.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == [{"zh": "一条龙", "p": repr(1 / 3)}]


@pytest.mark.parametrize(
    "markup",
    [
        '<script src="https://cdn.example/x.js"></script>',
        "<img src=logo.png>",
        '<link rel="stylesheet" href="style.css">',
        "<style>p{background:url(x.png)}</style>",
        '<style>@import "x.css";</style>',
    ],
)
def test_a_page_that_would_fetch_something_is_refused(markup: str, edition: Edition) -> None:
    page = pages.Page("x.html", "x", "x")
    cells = [{"kind": "markdown", "html": markup}]
    with pytest.raises(MontecarloError, match=r"x.html: would fetch"):
        pages.render(
            "notebook.html.j2", page, [page], edition, Provenance.of(edition, "x"),
            cells=cells, source="",
        )  # fmt: skip


def test_plain_output_of_a_cell_is_refused() -> None:
    cell = SimpleNamespace(cell_type="code", source="1", outputs=[{"data": {"text/plain": "1"}}])
    with pytest.raises(MontecarloError, match="a cell printed '1'"):
        pages._cell(cell, "x.html")


def test_a_failing_cell_is_reported_in_one_line(edition: Edition) -> None:
    import nbformat

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    with pytest.raises(MontecarloError, match=r"^bad.ipynb: ZeroDivisionError: division by zero$"):
        notebooks.execute(book, edition, "bad.ipynb")


@pytest.mark.parametrize("path", notebooks.report_notebooks(), ids=lambda path: path.stem)
def test_notebooks_hold_no_outputs_and_no_logic(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert cells[0]["cell_type"] == "markdown"
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
            assert not re.search(r"\b(def|for|if|while|lambda)\b", "".join(cell["source"]))


def test_there_are_the_notebooks_of_the_report() -> None:
    names = [path.name for path in notebooks.report_notebooks()]
    assert names == [
        "01_dragon_odds.ipynb", "02_special_hands.ipynb", "03_settings.ipynb",
        "04_expected_payouts.ipynb", "05_methods_and_validation.ipynb", "06_payout_tuning.ipynb",
        "07_audit_and_ambiguity.ipynb", "08_luck_and_skill.ipynb", "09_banker.ipynb",
    ]  # fmt: skip
    assert notebook_path(names[0]).is_file()


def test_a_file_that_is_no_notebook(tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text("no notebook", encoding="utf-8")
    with pytest.raises(MontecarloError, match=r"x.ipynb: cannot be read as a notebook"):
        notebooks.read(path)

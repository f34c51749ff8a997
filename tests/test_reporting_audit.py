"""What the page on audit and ambiguity shows: tables, charts, and words where there is nothing."""

from dataclasses import replace
from pathlib import Path

import pytest

from montecarlo.reporting import audit_and_ambiguity as page
from montecarlo.reporting.edition import Edition
from montecarlo.reporting.fair_points_chart import fair_points_chart
from montecarlo.reporting.fonts import check_coverage
from montecarlo.reporting.style import Picture, drawing
from montecarlo.reporting.tables import Prose, Table
from montecarlo.reporting.tornado import tornado
from montecarlo.statistics.clustered import Estimate
from montecarlo.studies.ambiguity_result import COMMON, EXACT, GIVEN, Ambiguity, ReadingMoves
from montecarlo.studies.audit import audit
from montecarlo.studies.readings import other_readings
from montecarlo.variants import load

SHOWN = (
    page.headline, page.order_table, page.tiers_table, page.inside_tiers_table,
    page.fair_points_picture, page.fair_points_table, page.worth_sentence, page.paid_tornado,
    page.paid_readings_table, page.banker_tornado, page.banker_readings_table, page.pairs_table,
)  # fmt: skip


def edition(out, *names, played=2000):
    return Edition(names, 20_000, 1, Path(), out, played)


def test_a_ladder_alone_has_tables_of_tiers_and_words_for_the_rest(tmp_path):
    found = edition(tmp_path, "shaoxing")
    assert "shaoxing" in page.headline(found)._repr_html_()
    order, tiers, inside = (
        show(found) for show in (page.order_table, page.tiers_table, page.inside_tiers_table)
    )
    assert order.rows[0][1] == "7 of 79"
    assert [row[4] for row in tiers.rows] == ["", "", "commoner than tier 4", "", "", "", ""]
    assert [row[1] for row in inside.rows] == ["tier 2", "tier 1", "tier 3"]
    assert (tmp_path / "tables" / "inversions.csv").read_text(encoding="utf-8").count("\n") == 8
    for show in SHOWN[4:]:
        assert isinstance(show(found), Prose)


def test_variants_without_specials_get_words(tmp_path):
    found = edition(tmp_path, "bidaxiao")
    assert all(isinstance(show(found), Prose) for show in SHOWN)


def readings_of(name, *, respond):
    """A made-up result: one reading that moves much, one little, one nothing."""
    variant = load(name)
    figures = ("edge", "sd", "flow") if variant.banker else ("sd", "flow")
    moved = [
        ({f: Estimate(v, abs(v) / 10, 100) for f in figures}, method, hands)
        for v, method, hands in ((-2.0, COMMON, 0), (0.004, GIVEN, 65520))
    ]
    moved.append(({f: Estimate(0.0, 0.0, 100) for f in figures}, EXACT, 0))
    singles = tuple(
        ReadingMoves(reading, hands, (), changes, method, changes if respond else None)
        for reading, (changes, method, hands) in zip(other_readings(variant), moved, strict=False)
    )
    base = {figure: Estimate(3.0, 0.1, 100) for figure in figures}
    return Ambiguity(variant, "equilibrium", 4, 100, 1, respond, base, singles, ())


@pytest.mark.parametrize(("name", "respond"), [("taiwan", False), ("hongkong", True)])
def test_tornado_draws_every_reading_and_names_every_character(name, respond):
    found = readings_of(name, respond=respond)
    with drawing():
        drawn = tornado(found)
    assert isinstance(drawn, Picture)
    assert ("Green diamonds" in drawn.caption) == respond
    assert "given such a hand" in drawn.caption
    check_coverage(drawn.alt + drawn.caption, "tornado")
    with drawing():  # the same input gives the same bytes
        assert tornado(found).svg == drawn.svg


def test_tornado_of_nothing_is_drawn_too():
    found = replace(readings_of("taiwan", respond=False), readings=())
    with drawing():
        assert tornado(found).png.startswith(b"\x89PNG")


def test_fair_points_are_drawn_for_few_specials():
    found = audit("points123", deals=200, seed=1, policy="greedy")
    with drawing():
        drawn = fair_points_chart(found)
    assert drawn.name == "fair_points"
    assert "200 deals" in drawn.caption


@pytest.mark.slow
def test_the_whole_page_of_two_games(tmp_path):
    found = edition(tmp_path, "taiwan", "hongkong", "shaoxing")
    kinds = [type(show(found)) for show in SHOWN]
    assert kinds == [Prose, Table, Table, Table, Picture, Table, Prose, Picture, Table, Picture,
                     Table, Table]  # fmt: skip
    assert "gun=none moves most" in page.headline(found)._repr_html_()
    for name in ("audit.csv", "ambiguity_taiwan.csv", "ambiguity_hongkong.csv"):
        assert (tmp_path / "tables" / name).stat().st_size > 500

"""What notebooks 08 and 09 show: figures with all glyphs, tables with errors, files in full."""

import csv
from pathlib import Path
from types import SimpleNamespace

import pytest

from montecarlo.reporting import banker, luck_and_skill
from montecarlo.variants import load


class Edition:
    """As much of an edition as these notebooks read."""

    def __init__(self, out: Path, *names: str) -> None:
        """Hold the games of these variants, two thousand deals each."""
        self.games = {name: SimpleNamespace(variant=load(name)) for name in names}
        self.played, self.seed, self.out = 2000, 1, out


@pytest.fixture(scope="module")
def edition(tmp_path_factory):
    return Edition(tmp_path_factory.mktemp("report"), "hongkong")


def rows_of(edition, name):
    with (edition.out / "tables" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow  # the pages are drawn for the browser's tests as well
def test_luck_and_skill(edition):
    assert "hongkong: greedy after" in luck_and_skill.headline(edition)._repr_html_()
    table = luck_and_skill.matrix(edition)
    assert len(table.rows) == 12
    saved = rows_of(edition, "skill")
    assert [row["lone"] for row in saved[::4]] == ["equilibrium", "balanced", "greedy", "human"]
    shares = rows_of(edition, "variance_components") if luck_and_skill.components(edition) else []
    for row in shares:
        assert sum(float(row[name]) for name in ("cards", "policy", "both")) == pytest.approx(1)
        assert float(row["cards"]) > 0.5
    assert "凡人 human" in luck_and_skill.fans_table(edition)._repr_html_()
    for drawn in (luck_and_skill.fans_picture(edition), luck_and_skill.ahead_picture(edition)):
        assert (edition.out / "figures" / f"{drawn.name}.svg").exists()
        assert drawn._repr_html_().startswith("<figure>")


@pytest.mark.slow  # the pages are drawn for the browser's tests as well
def test_the_banker(edition):
    assert "hongkong" in banker.headline(edition)._repr_html_()
    assert len(banker.readings_table(edition).rows) == 9
    assert [row["value"] for row in rows_of(edition, "banker_readings")][:2] == [
        "draw", "suit_baodao"
    ]  # fmt: skip
    steps = banker.steps_table(edition).rows
    assert steps[0][1] == "all rules fair"
    assert steps[-1][1] == "the variant's edge"
    assert [row[1] for row in banker.players_table(edition).rows] == ["2", "3", "4"]
    assert len(banker.ruin_table(edition).rows) == 4
    assert len(rows_of(edition, "banker_ruin")) == 3 * 4 * 3
    assert len(banker.limits_table(edition).rows) == 3
    for drawn in (banker.readings_picture(edition), banker.ruin_picture(edition)):
        assert (edition.out / "figures" / f"{drawn.name}.png").exists()


def test_a_report_without_such_games(tmp_path):
    empty = Edition(tmp_path, "baibian")
    for page in (luck_and_skill.headline, luck_and_skill.matrix, luck_and_skill.components,
                 luck_and_skill.ahead_picture, luck_and_skill.fans_picture,
                 luck_and_skill.fans_table):  # fmt: skip
        assert "luck alone" in page(empty)._repr_html_()
    for page in (banker.headline, banker.readings_picture, banker.readings_table,
                 banker.steps_table, banker.players_table, banker.ruin_picture, banker.ruin_table,
                 banker.limits_table):  # fmt: skip
        assert "has a banker" in page(empty)._repr_html_()

"""What the page on methods shows is what the coverage study found."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from montecarlo.reporting import validation
from montecarlo.studies import coverage

ROOT = Path(__file__).parent


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All of an edition that the page's first half reads."""
    return SimpleNamespace(deals=1000, seed=2, out=tmp_path_factory.mktemp("out"), games={})


@pytest.fixture(scope="module")
def study(edition: Any) -> coverage.CoverageStudy:
    """A study of few and short runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validation, "FEWEST_RUNS", 12)
        patch.setattr(coverage, "PLAYED_DEALS", 256)
        patch.setattr(coverage, "TRUTH_FACTOR", 8)
        return validation.study(edition)


def test_text_table_and_figure_say_the_same(edition: Any, study: coverage.CoverageStudy) -> None:
    assert study.runs == 12
    shares = [f"{100 * entry.found.share:.1f}" for entry in (*study.fixed, *study.stopped)]
    rows = validation.coverage_table(study).rows
    assert [row[4] for row in rows] == shares
    said = re.findall(r"\d+\.\d", validation.headline(study).markup)
    assert set(said) <= set(shares)
    assert len(said) == 6
    validation.coverage_picture(edition, study)
    assert (edition.out / "figures" / "coverage.png").stat().st_size > 10_000
    with (edition.out / "tables" / "coverage.csv").open(encoding="utf-8") as file:
        saved = list(csv.DictReader(file))
    assert [f"{100 * float(row['coverage']):.1f}" for row in saved] == shares


def test_p_values_are_counted(edition: Any, study: coverage.CoverageStudy) -> None:
    for row, test in zip(validation.p_value_table(study).rows, study.tests, strict=True):
        assert row[0] == test.statistic
        rejected = sum(p <= 0.05 for p in test.p_values)
        assert row[2] == f"{100 * rejected / 12:.1f}"
    assert validation.p_value_picture(edition, study).svg


def test_the_checks_that_are_named_exist() -> None:
    for row in validation.checks_table().rows:
        for name in str(row[-1]).split(", "):
            assert (ROOT / f"{name}.py").is_file(), name


def test_one_run_has_one_digest(edition: Any) -> None:
    assert len({row[1] for row in validation.same_bits_table(edition).rows}) == 1


@pytest.mark.parametrize(
    ("times", "text"),
    [(0.899, "0.90"), (1.21, "1.21"), (31_400, "31,000"), (2.5e14, "2.5e14"), (11.4, "11")],
)
def test_factors(times: float, text: str) -> None:
    assert validation._factor(times) == text

"""Do intervals hold the truth as often as they say, also for whole tables and after stopping?"""

from __future__ import annotations

import pytest

from montecarlo.errors import BadInput
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.runner import run
from montecarlo.statistics.coverage import coverage
from montecarlo.statistics.intervals import Interval, clopper_pearson, normal_interval
from montecarlo.studies import coverage as study
from montecarlo.studies.exact import TOTAL, exact
from montecarlo.studies.frequencies import frequencies
from montecarlo.studies.goals import read_goals
from montecarlo.studies.simulate import simulate
from montecarlo.variants import load

TAIWAN = load("taiwan")
TABULATED = FrequencyExperiment(TAIWAN, 4)


# --- whole tables ---


def test_intervals_of_a_table_are_its_single_ones_at_a_shared_confidence() -> None:
    together = 1 - 0.05 / 12
    for entry in simulate(TAIWAN, deals=50_000, seed=4, policy="none").specials:
        if entry.method == "clustered":
            wide = normal_interval(entry.p, entry.se, together)
        else:
            wide = Interval(
                *(b / 4 for b in clopper_pearson(entry.deals_holding, 50_000, together))
            )
        assert entry.ci95_table == pytest.approx((max(0.0, wide.low), wide.high), rel=1e-3)
        assert entry.ci95_table.low <= entry.ci95.low <= entry.ci95.high < entry.ci95_table.high


def test_a_whole_table_is_held_as_often_as_it_says() -> None:
    """400 runs: fewer than 360 tables held whole would come once in 10 million at 95 %."""
    counts = exact(TAIWAN)
    truth = {entry.id: entry.exclusive / TOTAL for entry in counts.specials}
    held = single = 0
    for number in range(400):
        tally = TABULATED.tally_block(8, number, 2_000)
        found = frequencies(TAIWAN, tally, counts)
        held += all(entry.ci95_table.contains(truth[entry.id]) for entry in found)
        single += all(entry.ci95.contains(truth[entry.id]) for entry in found)
    assert held >= 360
    assert single < held  # intervals for one row are not enough for twelve


def test_quantiles_of_units_come_from_the_distribution() -> None:
    data = simulate("hongkong_edge", deals=4_000, seed=2).to_data()
    units = sorted(
        int(units) for units, count in data["distribution"].items() for _ in range(count)
    )
    for entry in data["quantiles"]:
        rank = -(-round(entry["q"] * 100) * 4_000 // 100)
        assert entry["units"] == units[rank - 1]
        low, high = entry["ci95"]
        assert low <= entry["units"] <= high
    assert {entry["q"] for entry in data["quantiles"]} >= {0.05, 0.5, 0.95}


# --- the study ---


def test_the_study_does_not_depend_on_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "PLAYED_DEALS", 256)
    monkeypatch.setattr(study, "TRUTH_FACTOR", 8)
    monkeypatch.setattr(study, "STOP_GOALS", ("rel(special.three_flushes) < 0.2",))
    one, two = (study.coverage_study(12, seed=3, jobs=jobs) for jobs in (1, 2))
    assert one.to_json() == two.to_json()
    assert len(one.fixed) == 12
    assert {entry.statistic for entry in one.fixed if entry.truth_is_exact} == {
        *study.TABULATED, *study.RARE, "units.seat0", "net.gun",
    }  # fmt: skip
    for test in one.tests:
        assert len(test.p_values) == 12
    with pytest.raises(BadInput, match="2 runs or more"):
        study.coverage_study(1)


def test_a_run_that_stops_is_a_run_of_as_many_deals() -> None:
    """It stops where its goal is met for the first time, and its runs share no deal."""
    counts = exact(TAIWAN)
    goals = read_goals("rel(special.three_flushes) < 0.1", TABULATED)
    ends = [study.stopped_run(TABULATED, counts, goals, 1, number) for number in range(3)]
    for figures in ends:
        assert goals.are_met(figures)
        assert figures.tally.deals % study.STOP_UNIT == 0
        # 100 hands of one in 112 are needed: a quarter more at most, and five errors of 10 %
        assert 0.5 * 2_800 < figures.tally.deals < 1.25 * 1.5 * 2_800
    assert len({tuple(figures.tally.integers("holders")) for figures in ends}) == 3


def test_errors_of_independent_hands_would_be_found_out() -> None:
    """The study can fail: a property of the whole table, its four hands taken for independent.

    Their errors are half of what they should be, and 95 % intervals cover about 67 %.
    """
    intervals = []
    for number in range(300):
        tally = run(Plan(TABULATED, 100 + number, 400))
        held = 400 - tally.integers("holders")[-5 + 4]  # deals whose four hands are not all plain
        p = held / 400
        intervals.append(normal_interval(p, (p * (1 - p) / 1_600) ** 0.5))
    plain = sum(interval.low + interval.high for interval in intervals) / 600
    assert coverage(intervals, plain).share < 0.85


@pytest.mark.slow
def test_coverage_of_two_thousand_runs() -> None:
    """The issue's bounds. An interval that is right leaves them once in 480 studies."""
    found = study.coverage_study(2_000, seed=1, jobs=2)
    assert len(found.fixed) == 12
    for entry in (*found.fixed, *found.stopped):
        share = entry.found.share
        assert share >= 0.935, entry
        assert entry.kind == "exact" or share <= 0.965, entry
    for test in found.tests:
        assert test.verdict > 1e-6, test.statistic

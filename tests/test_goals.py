"""Goals of precision: their grammar, the waves, and runs that stop by themselves."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import pytest

from montecarlo.cli import run
from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import BadInput
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.simulation.payouts import PayoutExperiment
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.runner import run as run_plan
from montecarlo.simulation.tallies import Tally
from montecarlo.simulation.until import Workers, run_until
from montecarlo.simulation.waves import first_wave, wave_sizes
from montecarlo.studies.goals import read_goals
from montecarlo.studies.named_statistics import Figures, find_statistic, statistics_of
from montecarlo.studies.plan_goal import plan_goal
from montecarlo.studies.simulate import simulate
from montecarlo.studies.simulate_until import simulate_until
from montecarlo.variants import load

TAIWAN = load("taiwan")
TABULATED = FrequencyExperiment(TAIWAN, 4)
PLAYED = PayoutExperiment(TAIWAN, 4, ("equilibrium",) * 4)
BANKER = PayoutExperiment(load("hongkong_edge"), 4, ("equilibrium",) * 4)
LADDER = PayoutExperiment(load("shaoxing"), 4, ("equilibrium",) * 4)

GOAL = "rel(special.dragon) < 0.06"
"""met after about 700,000 deals: eleven blocks, so more than one wave"""


# --- what goals may say ---


def test_a_goal_is_read_and_written() -> None:
    goals = read_goals("se(flow.gun)<0.002 and  width( special.dragon ) < 1e-7", PLAYED)
    assert str(goals) == "se(flow.gun) < 0.002 and width(special.dragon) < 1e-7"
    assert [goal.limit for goal in goals.parts] == [0.002, 1e-7]


@pytest.mark.parametrize(
    ("text", "experiment", "says"),
    [
        ("se(flow.gnu) < 1", PLAYED, "did you mean 'flow.gun'"),
        ("se(special.dargon) < 1", TABULATED, "did you mean 'special.dragon'"),
        ("sd(flow.gun) < 1", PLAYED, "no measure 'sd'; did you mean 'se'"),
        ("flow.gun < 1", PLAYED, "is no goal"),
        ("", PLAYED, "is no goal"),
        ("se(flow.gun) < 1 and", PLAYED, "is no goal"),
        ("se(flow.gun) < small", PLAYED, "'small' is no number"),
        ("se(flow.gun) <= 1", PLAYED, "write se(flow.gun) < 1"),
        ("width(special.dragon) < 0", PLAYED, "cannot be reached"),
        ("se(flow.gun) < -1", PLAYED, "cannot be reached"),
        ("se(flow.gun) < nan", PLAYED, "cannot be reached"),
        ("rel(units.seat0) < 0.1", PLAYED, "0 by the symmetry of the seats"),
        ("rel(net.gun) < 0.1", PLAYED, "0 by the symmetry of the seats"),
        ("se(edge) < 1", PLAYED, "edge is null here: taiwan has no banker"),
        ("se(flow.gun) < 1", TABULATED, "nothing is played"),
        ("se(gun_rate) < 1", LADDER, "compares no rows"),
        ("se(flow.gun) < 1", BANKER, "pays nothing"),
    ],
)
def test_what_is_no_goal_is_refused_in_one_line(
    text: str, experiment: PayoutExperiment, says: str
) -> None:
    with pytest.raises(BadInput) as raised:
        read_goals(text, experiment)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_edge_of_a_banker_game_may_be_a_relative_goal() -> None:
    read_goals("rel(edge) < 0.1 and se(edge_per_player) < 0.1", BANKER)


@pytest.mark.parametrize("experiment", [TABULATED, PLAYED, BANKER, LADDER])
def test_every_listed_statistic_is_the_one_in_the_json(
    experiment: FrequencyExperiment | PayoutExperiment,
) -> None:
    deals = 3000
    policy = "none" if isinstance(experiment, FrequencyExperiment) else "equilibrium"
    data = simulate(experiment.variant, deals=deals, seed=5, policy=policy).to_data()
    tally = run_plan(Plan(experiment, 5, deals))
    figures = Figures.of(experiment, tally)
    known = statistics_of(experiment)
    assert len(known) >= len(experiment.variant.specials)
    for name, statistic in known.items():
        measured = statistic.read(figures)
        value, se = _from_json(data, name)
        assert measured.estimate.value == pytest.approx(value, rel=1e-12, abs=1e-300), name
        if se is not None and math.isfinite(measured.estimate.se):
            assert measured.estimate.se == pytest.approx(se, rel=1e-12), name
        assert measured.interval.high >= measured.interval.low


def _from_json(data: dict, name: str) -> tuple[float, float | None]:
    """Find a statistic's value and error in the JSON of a simulation, by the design's words."""
    kind, _, rest = name.partition(".")
    if kind == "special":
        entry = next(e for e in data["specials"] if e["id"] == rest)
        return entry["p"], entry["se"] if entry["method"] == "clustered" else None
    if kind == "value":
        entry = next(e for e in data["values"] if e["id"] == rest)
        return entry["mean"] or 0.0, entry["se"]
    if kind in ("edge", "edge_per_player"):
        key = "mean" if kind == "edge" else "per_player"
        return data["edge"][key], data["edge"]["se" if kind == "edge" else "per_player_se"]
    if kind == "units":
        seat = int(rest.removeprefix("seat"))
        return data["units"]["mean"][seat], data["units"]["se"][seat]
    if kind == "sd":
        return data["units"]["sd"][int(rest.removeprefix("seat") or 0)], None
    if kind in ("gun_rate", "home_run_rate"):
        return data[kind]["p"], data[kind]["se"]
    if kind == "ties":
        return data["row_ties"][rest]["p"], data["row_ties"][rest]["se"]
    if kind in ("flow", "net", "share"):
        keys = {"flow": ("flow", "se"), "net": ("net", "net_se"),
                "share": ("share_of_variance", "share_se")}  # fmt: skip
        line = data["lines"][rest]
        return line[keys[kind][0]], line[keys[kind][1]]
    assert kind == "row"
    group, row, category = rest.rsplit(".", 2) if rest.count(".") == 2 else ("", *rest.split("."))
    entry = data["rows"][group or "equilibrium"][row][category]
    return entry["p"], entry["se"]


def test_what_has_hardly_come_is_not_known_precisely() -> None:
    """A special that was never met has a standard error of 0 in its sums; no goal rests on it."""
    figures = Figures.of(PLAYED, PLAYED.tally_block(1, 0, 500))
    for name in ("flow.special.suited_dragon", "net.special.suited_dragon", "value.suited_dragon",
                 "share.special.suited_dragon", "row.head.three"):  # fmt: skip
        assert find_statistic(PLAYED, name).read(figures).estimate.se == math.inf
    rare = find_statistic(PLAYED, "special.suited_dragon").read(figures)
    assert rare.interval.low == 0
    assert rare.interval.high == pytest.approx((1 - 0.025 ** (1 / 500)) / 4, rel=1e-4)
    assert rare.estimate.relative_error == math.inf


# --- waves ---


def test_waves_are_whole_blocks_that_grow_by_a_quarter() -> None:
    sizes = []
    for size in wave_sizes():
        sizes.append(size)
        if len(sizes) == 60:
            break
    assert [size // BLOCK_DEALS for size in sizes[:9]] == [1, 2, 3, 4, 5, 7, 9, 12, 15]
    assert all(size % BLOCK_DEALS == 0 for size in sizes)
    assert all(1.25 <= b / a < 1.26 for a, b in pairwise(sizes[20:]))
    assert first_wave(sizes[20]) == sizes[20]
    assert first_wave(sizes[20] + 1) == sizes[21]


@pytest.mark.parametrize("workers", [Workers(1), Workers(2), Workers(2, "loky")])
def test_the_stopping_point_and_the_tally_do_not_depend_on_workers(workers: Workers) -> None:
    looked: list[int] = []

    def enough(tally: Tally) -> bool:
        looked.append(tally.deals)
        return tally.integers("holders")[5 + 1] >= 120  # the deals with one dragon

    tally, ending = run_until(Plan(TABULATED, 3, 2_000_000), enough, workers=workers)
    assert ending == "goal"
    assert looked == [n * BLOCK_DEALS for n in (1, 2, 3, 4, 5)]
    plain = run_plan(Plan(TABULATED, 3, tally.deals))
    assert tally.integers("holders") == plain.integers("holders")


def test_what_is_dealt_at_most_need_not_be_whole_blocks() -> None:
    tally, ending = run_until(Plan(TABULATED, 3, 150_000), lambda _tally: False)
    assert (tally.deals, ending) == (150_000, "max_deals")
    plain = run_plan(Plan(TABULATED, 3, 150_000))
    assert tally.integers("holders") == plain.integers("holders")


def test_the_clock_ends_a_run_between_waves() -> None:
    tally, ending = run_until(Plan(TABULATED, 3, 2_000_000), lambda _tally: False, max_seconds=1e-9)
    assert (tally.deals, ending) == (BLOCK_DEALS, "max_time")
    with pytest.raises(BadInput, match="more than 0 seconds"):
        run_until(Plan(TABULATED, 3, 10), lambda _tally: False, max_seconds=0.0)


# --- simulations ---


def test_a_kept_run_is_that_of_as_many_deals(tmp_path: Path) -> None:
    found = simulate_until(TAIWAN, GOAL, seed=1, policy="none", out=tmp_path / "until")
    assert found.stop is not None
    assert found.stop.reached
    assert found.to_data()["until"]["deals"] == found.deals
    entry = next(e for e in found.specials if e.id == "dragon")
    assert entry.se / entry.p < 0.06
    simulate(TAIWAN, deals=found.deals, seed=1, policy="none", out=tmp_path / "plain")
    assert _bytes(tmp_path / "until") == _bytes(tmp_path / "plain")


def test_a_run_that_was_stopped_before_its_goal_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    short = simulate_until(
        TAIWAN, GOAL, seed=1, policy="none", out=folder, max_deals=2 * BLOCK_DEALS
    )
    assert short.stop is not None
    assert not short.stop.reached
    assert "NOT reached" in short.stop.sentence
    resumed = simulate_until(TAIWAN, GOAL, policy="none", out=folder, resume=True)
    whole = simulate_until(TAIWAN, GOAL, seed=1, policy="none", out=tmp_path / "whole")
    assert resumed.to_data() == whole.to_data()
    assert _bytes(folder) == _bytes(tmp_path / "whole")
    with pytest.raises(BadInput, match="more than the 70000 allowed"):
        simulate_until(TAIWAN, GOAL, policy="none", out=folder, resume=True, max_deals=70_000)


def _bytes(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_command_says_whether_the_goal_was_reached(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["simulate", "taiwan", "--policy", "none", "--seed", "1", "--until",
             "rel(special.six_pairs) < 0.02", "--json"]  # fmt: skip
    assert run(words) == 0
    until = json.loads(capsys.readouterr().out)["until"]
    assert until["goal"] == "rel(special.six_pairs) < 0.02"
    assert until["reached"]
    # 2,500 of one in 223 hands: more than two blocks of 262,144, fewer than three
    assert until["deals"] == 3 * BLOCK_DEALS
    assert run([*words[:-2], "rel(special.dragon) < 0.001", "--max-deals", "1000"]) == 0
    assert "Goal NOT reached in the 1,000 deals allowed" in capsys.readouterr().out


def test_help_lists_the_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "V8b", "--until", "help", "--json"]) == 0
    names = [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert {"edge", "edge_per_player", "gun_rate", "sd", "row.head.pair"} <= set(names)
    assert "row.equilibrium:banker.head.pair" in names
    assert run(["plan", "taiwan", "help"]) == 0
    assert "flow.gun" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--until", "se(edge) < 0.1"], "taiwan has no banker"),
        (["--until", "se(gun_rate) < 0.1", "--deals", "10"], "--deals or --until"),
        (["--max-deals", "10"], "--until GOAL"),
        (["--until", "se(gun_rate) < 0.1", "--max-deals", "0"], "deals must be"),
        (["--until", "se(gun_rate) < 0.1", "--jobs", "0"], "jobs must be"),
        (["--until", "se(gun_rate) < 0.1", "--max-time", "-1"], "more than 0 seconds"),
        (["--until", "se(gun_rate) < 0.1", "--resume"], "--out DIR"),
    ],
)
def test_bad_words(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "taiwan", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert says in err


# --- planning ---


@pytest.mark.parametrize(
    "goal",
    [
        "se(special.six_pairs) < 0.0001",
        "width(special.three_flushes) < 0.0006",
        "rel(special.dragon) < 0.05",
    ],
)
def test_a_plan_is_what_the_goal_then_takes(goal: str) -> None:
    """The plan and the run find the deals by different ways: exact counts, and sums of deals.

    The standard error of n deals varies by about 1 / √(2 · hands) from run to run: here by 2.5 %
    at most (400 dragons), the deals by twice that; five such errors are allowed for.
    """
    planned = plan_goal(TAIWAN, goal, pilot=20_000)
    assert planned.policy == "none"
    spread = 5 * 2 / math.sqrt(2 * 400)
    for factor, met in ((1 - spread, False), (1 + spread, True)):
        deals = int(planned.deals * factor)
        figures = Figures.of(TABULATED, run_plan(Plan(TABULATED, 9, deals)))
        assert read_goals(goal, TABULATED).are_met(figures) == met


def test_a_plan_of_play_uses_the_pilots_spread() -> None:
    planned = plan_goal(TAIWAN, "se(units.seat0) < 0.05 and se(gun_rate) < 0.9", pilot=20_000)
    assert planned.policy == "equilibrium"
    figures = Figures.of(PLAYED, run_plan(Plan(PLAYED, 0, 20_000)))
    sd = figures.payouts.units[0].sd
    assert planned.deals == pytest.approx((sd / 0.05) ** 2, abs=1)
    assert dict(planned.parts)["se(gun_rate) < 0.9"] == 1
    assert planned.stops_at == BLOCK_DEALS
    data = planned.to_data()
    assert {"goal", "deals", "seconds", "workers"} <= set(data)
    assert data["seconds"] == pytest.approx(planned.deals / planned.per_second, rel=0.02)


def test_the_plan_of_the_issue(capsys: pytest.CaptureFixture[str]) -> None:
    """width(special.dragon) < 1e-7: by hand, 4 · 1.96² · p (1 - p) / 4 / width² deals."""
    assert run(["plan", "taiwan", "width(special.dragon) < 1e-7", "--pilot", "1e4", "--json"]) == 0
    p = 67108860 / 635013559600
    by_hand = 4 * 1.959963984540054**2 * p * (1 - p) / 4 / 1e-14
    assert json.loads(capsys.readouterr().out)["deals"] == pytest.approx(by_hand, rel=1e-9)


@pytest.mark.parametrize(
    ("goal", "says"),
    [
        ("se(flow.special.suited_dragon) < 1", "too seldom"),
        ("rel(special.suited_dragon) < 1e-4", "one seed has"),
        ("se(flow.gnu) < 1", "did you mean 'flow.gun'"),
    ],
)
def test_plans_that_cannot_be_made(goal: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        plan_goal(TAIWAN, goal, pilot=1000)

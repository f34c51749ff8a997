"""Tuning from end to end on few deals, fair points against scored units, the command."""

import json

import numpy as np
import pytest

from montecarlo.cli import run
from montecarlo.dealing.dealer import deal_block
from montecarlo.errors import BadInput
from montecarlo.scoring.lines import payout_vector
from montecarlo.scoring.many_deals import score_deals
from montecarlo.scoring.seats import STATUS_ROWS
from montecarlo.setting.seating import seat_policies
from montecarlo.simulation.counts import CountExperiment
from montecarlo.simulation.payouts import PayoutExperiment, play_hands, scoring_rules
from montecarlo.studies.exact import exact
from montecarlo.studies.moments import Moments
from montecarlo.studies.simulate import simulate
from montecarlo.studies.tuning.fair_value import fair_value
from montecarlo.studies.tuning.points import free_points, with_points
from montecarlo.studies.tuning.response import settings_differ
from montecarlo.studies.tuning.sensitivities import fixed_sensitivities
from montecarlo.studies.tuning.tune import tune
from montecarlo.variants import load

DEALS = 20_000
GREEDY = ("greedy",) * 4


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    out = tmp_path_factory.mktemp("tuned") / "mine.toml"
    return tune(
        "hongkong", goals=["edge = 0.05", "special.* <= 40"], free="special.*", deals=DEALS, seed=3,
        out=out,
    )  # fmt: skip


def test_a_tuned_table_is_a_rule_file_that_plays_as_the_check_says(tuned):
    variant = load(tuned.toml)
    assert variant.sha256 == tuned.tuned.sha256
    assert {p.name: p.after for p in tuned.points} == tuned.to_data()["payouts"]
    assert all(p.after <= 40 for p in tuned.points)
    # the policy was carried over: specials change no settings
    assert not tuned.retrained
    again = simulate(variant, deals=DEALS, seed=tuned.check.seed)
    checked = tuned.check.goals[0]
    assert (again.payouts.edge.value, again.payouts.edge.se) == (checked.value, checked.se)
    assert checked.met == (checked.ci95.low <= 0.05 <= checked.ci95.high)
    assert tuned.after["edge"].value == checked.value
    before = [
        seat.policy.trained.tables
        for seat in seat_policies(load("hongkong"), ("equilibrium",) * 4, 4)
    ]
    after = [seat.policy.trained.tables for seat in seat_policies(variant, ("equilibrium",) * 4, 4)]
    for one, other in zip(before, after, strict=True):
        assert all(
            np.array_equal(a, b)
            for t, u in zip(one, other, strict=True)
            for a, b in zip(t, u, strict=True)
        )


def test_the_same_seed_gives_the_same_result_and_no_check_shares_deals(tuned):
    again = tune(
        "hongkong", goals=["edge = 0.05", "special.* <= 40"], free="special.*", deals=DEALS, seed=3
    )
    one, other = tuned.to_data(), again.to_data()
    one.pop("toml"), other.pop("toml")
    assert one == other
    assert len({check.seed for check in tuned.checks}) == len(tuned.checks)


def test_specials_rise_with_rarity_at_the_same_spread():
    found = tune("taiwan", goals=["monotone(special.*)", "sd = same"], free=["special.*"],
                 deals=DEALS, seed=2)  # fmt: skip
    counts = {f"special.{s.id}": s.exclusive for s in exact("taiwan").specials}
    points = {p.name: p.after for p in found.points}
    assert all(points[a] >= points[b] for a in points for b in points if counts[a] < counts[b])
    assert any(p.after != p.before for p in found.points)  # the present table has inversions
    assert found.met
    assert not found.retrained


def test_goals_that_cannot_be_met_are_refused_with_what_can_be_reached(capsys):
    words = ["tune", "hongkong", "--goal", "edge_per_player = 2", "--free", "special.*",
             "--max", "13", "--deals", "5000", "--seed", "1"]  # fmt: skip
    assert run(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    line = captured.err.strip().splitlines()[-1]
    assert "edge_per_player = 2" in line
    assert "--max 13" in line
    assert "nearest" in line
    with pytest.raises(BadInput, match=r"'special.dragon >= 9', 'special.dragon <= 8'|cannot be"):
        tune("hongkong", goals=["special.dragon >= 9", "special.dragon <= 8"],
             free="special.dragon", deals=1000, seed=1)  # fmt: skip


@pytest.mark.parametrize("name", ["hongkong", "taiwan"])
def test_fair_points_are_those_at_which_declared_and_set_hands_bring_the_same_units(name):
    variant = load(name)
    experiment = CountExperiment(variant, 4, GREEDY)
    special = "special.three_flushes"
    found = fair_value(experiment, special, seed=8)
    place = [entry.id for entry in variant.specials].index("three_flushes")
    v = payout_vector(variant).astype(float)

    def gain(rules):
        """Units that declaring brings more than setting, a hand: scored, not counted."""
        gains, hands, block = [], 0, 0
        while hands < 20_000:
            masks = deal_block(8, block)
            _, seats = play_hands(variant, rules, masks, seat_policies(variant, GREEDY, 4))
            for seat in range(4):
                table = seats[seats["special"][:, seat] == place]
                hands += len(table)
                declared = score_deals(rules, table, 0)[0][:, seat].sum()
                table["status"][:, seat], table["special"][:, seat] = STATUS_ROWS, -1
                gains.append(declared - score_deals(rules, table, 0)[0][:, seat].sum())
            block += 1
        return sum(gains) / hands, hands

    scored, hands = gain(scoring_rules(variant))
    assert found.hands == hands
    assert float(found.values(v[None, :])[0]) == pytest.approx(scored, rel=1e-9)
    points = found.points(v)
    v[found.place] = points.value
    assert float(found.values(v[None, :])[0]) == pytest.approx(0, abs=1e-9)
    assert 0 < points.se < 0.5
    with pytest.raises(BadInput, match="are needed"):
        fair_value(experiment, "special.suited_dragon", seed=8)


def test_sensitivities_are_what_a_point_more_brings_on_the_same_deals():
    variant = load("hongkong")
    experiment = CountExperiment(variant, 4, GREEDY)
    counted = Moments(experiment, experiment.tally_block(1, 0, DEALS), (1,))
    table = free_points(variant, ["special.six_pairs", "row.tail.base", "row.middle.flush"])

    def played(game):
        sums = PayoutExperiment(game, 4, GREEDY).tally_block(1, 0, DEALS).arrays["sums"][0]
        mean = sums[0] / DEALS
        return mean, ((sums[1] / DEALS - mean**2) * DEALS / (DEALS - 1)) ** 0.5

    base = played(variant)
    v = counted.vector()
    for line in fixed_sensitivities(table, counted):
        more = played(with_points(variant, {line.line: line.points + 1}))
        assert line.edge.value == pytest.approx(more[0] - base[0], abs=1e-9)
        one = free_points(variant, [line.line])
        direction = one.vector(one.present + 1) - v
        up, down = (counted.sd(v + t * direction).value for t in (1e-5, -1e-5))
        assert line.sd.value == pytest.approx((up - down) / 2e-5, rel=1e-6)
        assert 0 < line.sd.se < 0.1


def test_only_what_rows_guns_and_home_runs_pay_asks_for_other_settings():
    hongkong, taiwan = load("hongkong"), load("taiwan")
    assert not settings_differ(hongkong, with_points(hongkong, {"special.dragon": 99}), 4)
    assert settings_differ(hongkong, with_points(hongkong, {"row.middle.four": 9}), 4)
    assert settings_differ(taiwan, with_points(taiwan, {"home_run_add": 2}), 4)
    assert not settings_differ(taiwan, with_points(taiwan, {"home_run_add": 2}), 3)


def test_the_command_prints_the_shape_of_the_design(capsys, tmp_path):
    out = tmp_path / "mine.toml"
    words = ["tune", "hongkong", "--goal", "share(special.*) = same", "--free", "special.*",
             "--deals", "2000", "--seed", "1", "--out", str(out)]  # fmt: skip
    assert run([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert set(data) >= {
        "variant", "goal", "met", "before", "after", "check", "payouts", "toml"
    }  # fmt: skip
    assert set(data["check"]) >= {"seed", "deals", "value", "ci95"}
    assert data["toml"] == str(out)
    assert load(str(out)).specials[0].points == data["payouts"]["special.suited_dragon"]
    assert run(words) == 0
    assert "MET" in capsys.readouterr().out
    assert run(["tune", "hongkong", "--sensitivities", "--free", "special.*", "--deals", "2000",
                "--seed", "1"]) == 0  # fmt: skip
    assert "d edge / d points" in capsys.readouterr().out
    for bad in (["--out", "mine.txt"], ["--out", str(tmp_path / "no" / "mine.toml")],
                ["--rounds", "0"], ["--deals", "10"], ["--response"]):  # fmt: skip
        assert run([*words, *bad]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""


@pytest.mark.slow
def test_players_respond_to_other_rows():
    found = tune("baodao2", goals=["edge = same", "row.middle.full_house = 4"],
                 free=["row.middle.*", "row.head.three", "row.tail.*"], deals=DEALS,
                 seed=1, rounds=2)  # fmt: skip
    assert found.retrained
    assert {p.name: p.after for p in found.points}["row.middle.full_house"] == 4
    provenance = seat_policies(found.tuned, ("equilibrium",) * 4, 4)[0].policy.trained.provenance
    assert provenance["variant"] == "baodao2_tuned"

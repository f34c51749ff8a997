"""Ruin of lattice walks by independent ways; bankrolls played; the banker's study and command."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from montecarlo.cli import run
from montecarlo.errors import BadInput
from montecarlo.setting import policy_files
from montecarlo.setting.policies import load_policy
from montecarlo.setting.seating import seat_policies
from montecarlo.setting.training import Training
from montecarlo.simulation.bankroll import BankrollExperiment
from montecarlo.simulation.paired import Arm, PairedExperiment
from montecarlo.simulation.payouts import PayoutExperiment
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.ruin import Walk, lundberg, ruin_before, ruin_ever
from montecarlo.studies.banker import FAIR, banker
from montecarlo.studies.ruin import TOLERATED, read_ruin
from montecarlo.variants import load

SEED = 3
COUNTS = {-20: 2, -5: 300, -3: 500, 0: 100, 1: 400, 4: 400, 6: 300, 12: 1}
LIMIT = 4.9
"""Standard errors that chance exceeds once in a million."""


def test_gamblers_ruin_in_closed_form():
    """Steps of one unit: ruin ever is (q / p)^u, within n by the reflection formula."""
    walk = Walk.of({-1: 45, 1: 55})
    low, high = ruin_ever(walk, 40)
    exact = (45 / 55) ** np.arange(41)
    assert low == pytest.approx(exact, rel=1e-9)
    assert high == pytest.approx(exact, rel=1e-12)
    assert walk.adjustment.value == pytest.approx(math.log(55 / 45), rel=1e-12)
    (within,) = ruin_before(walk, 10, [15])
    p, q = Fraction(55, 100), Fraction(45, 100)
    for fortune in range(1, 11):  # first passage at step n: u / n · C(n, (n - u) / 2) p^… q^…
        chance = sum(
            Fraction(fortune, n) * math.comb(n, (n - fortune) // 2)
            * p ** ((n - fortune) // 2) * q ** ((n + fortune) // 2)
            for n in range(fortune, 16, 2)
        )  # fmt: skip
        assert within[fortune] == pytest.approx(float(chance), abs=2e-9)


def test_ruin_within_by_exact_recursion():
    walk, steps = Walk.of(COUNTS), 9
    total = sum(COUNTS.values())

    def ruined(fortune, left, known={}):  # noqa: B006  (a cache)
        if fortune <= 0:
            return Fraction(1)
        if left == 0:
            return Fraction(0)
        if (fortune, left) not in known:
            known[fortune, left] = sum(
                Fraction(count, total) * ruined(fortune + step, left - 1)
                for step, count in COUNTS.items()
            )
        return known[fortune, left]

    found = ruin_before(walk, 30, [steps, 4, 0])
    for fortune in (0, 1, 5, 17, 30):
        assert found[0, fortune] == pytest.approx(float(ruined(fortune, steps)), abs=2e-9)
        assert found[1, fortune] == pytest.approx(float(ruined(fortune, 4)), abs=2e-9)
        assert found[2, fortune] == (fortune == 0)


def test_ruin_ever_is_where_ruin_within_ends_and_inside_lundbergs_bounds():
    walk = Walk.of(COUNTS)
    low, high = ruin_ever(walk, 300)
    (within,) = ruin_before(walk, 300, [20_000])
    assert within == pytest.approx(high, abs=2e-9)
    assert (low <= high * (1 + 1e-9)).all()
    for fortune in (1, 10, 100, 300):
        bounds = lundberg(walk, fortune)
        assert bounds.low <= low[fortune] <= high[fortune] * (1 + 1e-9) <= bounds.high * (1 + 1e-9)


def test_ruin_that_is_certain_or_impossible():
    falling = Walk.of({-1: 1, 1: 1})
    assert falling.adjustment is None
    assert (ruin_ever(falling, 5)[0] == 1).all()
    assert lundberg(falling, 5).low == 1
    rising = Walk.of({0: 1, 3: 2})
    assert ruin_ever(rising, 3)[1].tolist() == [1, 0, 0, 0]
    assert lundberg(rising, 3).high == 0
    with pytest.raises(BadInput, match="all 0"):
        Walk.of({1: 0})


def test_error_of_the_adjustment_coefficient():
    """R of many samples spreads as the delta method says (chi-square of 200, 1e-6 each side)."""
    rng = np.random.default_rng(SEED)
    values, chances = np.array(list(COUNTS)), np.array(list(COUNTS.values()), float)
    chances /= chances.sum()
    found = []
    for _ in range(200):
        counts = rng.multinomial(20_000, chances)
        found.append(Walk.of(dict(zip(values.tolist(), counts.tolist(), strict=True))).adjustment)
    spread = np.var([each.value for each in found], ddof=1)
    said = np.mean([each.se**2 for each in found])
    # of the normal law's chi-square the relative standard error is sqrt(2 / 199)
    assert abs(spread / said - 1) < 5.5 * math.sqrt(2 / 199)


def test_a_tilted_walk_has_the_mean_asked_for():
    walk = Walk.of(COUNTS)
    for shift in (-0.5, 0.01, 1.0):
        other = walk.tilted(shift)
        assert other.mean == pytest.approx(walk.mean + shift, abs=1e-10)
        assert other.p.sum() == pytest.approx(1)
    assert walk.tilted(0.0).p == pytest.approx(walk.p)
    with pytest.raises(BadInput, match="no mean of"):
        walk.tilted(100.0)


def test_a_wider_walk_has_one_standard_error_more_of_variance():
    walk = Walk.of(COUNTS)
    other = walk.wider()
    assert other.mean == pytest.approx(walk.mean, abs=1e-9)
    x = walk.steps - walk.mean
    residual = x**2 - walk.sd**2 - (walk.p @ x**3) / walk.sd**2 * x
    se = math.sqrt(walk.p @ residual**2 / walk.n)
    assert other.sd**2 - walk.sd**2 == pytest.approx(se, rel=1e-6)


def test_bankrolls_as_they_are_played_one_by_one():
    experiment = BankrollExperiment(load("hongkong"), 4, ("greedy",) * 4, (7, 100), (1, 10, 60))
    deals = 5000
    tally = experiment.tally_block(SEED, 0, deals)
    plain = PayoutExperiment(load("hongkong"), 4, ("greedy",) * 4).tally_block(SEED, 0, deals)
    assert tally.integers("histogram") == plain.integers("histogram")
    from montecarlo.dealing.streams import block_state

    units = experiment.units(block_state(SEED, 0), deals).tolist()
    for place, length in enumerate(experiment.lengths):
        assert tally.arrays["runs"][place] == deals // length
        for column, bankroll in enumerate(experiment.bankrolls):
            ruined = 0
            for start in range(0, deals // length * length, length):
                left = bankroll
                for won in units[start : start + length]:
                    left += won
                    if left <= 0:
                        ruined += 1
                        break
            assert tally.arrays["ruined"][place, column] == ruined


def test_ruin_worked_out_is_ruin_played():
    experiment = BankrollExperiment(
        load("hongkong_edge"), 3, ("balanced",) * 3, (100, 1000), (20, 40)
    )
    tally = experiment.tally_block(SEED, 0, 65_536)
    found = read_ruin(experiment, tally)
    for bankroll in found.bankrolls:
        for within in bankroll.within:
            p = within.p.value
            spread = math.sqrt(p * (1 - p) / within.runs + within.p.se**2)
            assert abs(within.ruined / within.runs - p) < LIMIT * spread + 1 / within.runs
            assert within.interval.low < within.ruined / within.runs < within.interval.high
        assert bankroll.numerical.low <= bankroll.ever.value <= bankroll.numerical.high
        assert bankroll.lundberg.low <= bankroll.ever.value <= bankroll.lundberg.high
    limit = found.limit(None)
    units = int(limit.units.value)
    assert found.ever[units] <= TOLERATED < found.ever[units - 1]
    assert limit.stake_share.value == 1 / units
    assert -math.log(TOLERATED) / found.adjustment.value >= units - 1


def test_errors_of_ruin_cover_its_spread():
    """Ruin from many samples of a known distribution spreads as its errors say (1e-6)."""
    experiment = BankrollExperiment(load("hongkong_edge"), 2, ("greedy",) * 2, (50,), (30,))
    tally = experiment.tally_block(SEED, 0, 8192)
    rng = np.random.default_rng(SEED)
    chances = np.array(tally.integers("histogram"), float)
    chances /= chances.sum()
    found = []
    for _ in range(60):
        arrays = {**tally.arrays, "histogram": rng.multinomial(tally.deals, chances)}
        risk = read_ruin(experiment, type(tally)(tally.deals, arrays))
        found.append([risk.bankrolls[0].within[0].p, risk.bankrolls[0].ever, risk.adjustment])
    for figures in zip(*found, strict=True):
        spread = np.var([each.value for each in figures], ddof=1)
        said = np.mean([each.se**2 for each in figures])
        # relative error of a variance of 60 values sqrt(2 / 59); a tenth for what two directions
        # (mean and variance) leave out
        assert abs(spread / said - 1) < 5.5 * math.sqrt(2 / 59) + 0.1


@pytest.fixture(scope="module")
def study():
    return banker("baodao2", deals=6000, seed=SEED, bankrolls=(50, 500))


def test_readings_are_those_of_arms_on_the_same_deals(study):
    variant = load("baodao2")
    names = ("equilibrium",) * 4
    by_name = {(r.rule, r.value): r for r in study.readings}
    assert len(by_name) == 4 + 3 + 2
    assert {r.rule for r in study.readings if r.is_own} == {"tie", "compare", "both_special"}
    other = load("baodao2", ["tie=draw"])
    arms = (Arm(variant, names), Arm(other, names, variant))
    sums = PairedExperiment(arms, rotate=True).tally_block(SEED, 0, 6000).integers("sums")
    assert study.edge.value == pytest.approx(sums[0] / 24_000, rel=1e-12)
    draw = by_name["tie", "draw"]
    assert draw.edge.value == pytest.approx(sums[4] / 24_000, rel=1e-12)
    assert draw.change.value == pytest.approx((sums[4] - sums[0]) / 24_000, rel=1e-12)
    assert draw.change.se < draw.edge.se + study.edge.se
    for reading in study.readings:
        if reading.is_own:
            assert (reading.edge, reading.change.value) == (study.edge, 0)


def test_the_steps_add_up(study):
    parts = sum(part.in_order.value for part in study.steps.parts)
    assert study.steps.start.value + parts == pytest.approx(study.edge.value, abs=1e-12)
    assert [part.rule for part in study.steps.parts] == ["tie"]
    assert study.steps.parts[0].before == FAIR["tie"]


def test_each_player_adds_the_same_to_the_edge(study):
    assert [table.players for table in study.tables] == [2, 3, 4]
    for table in study.tables:
        assert table.edge_per_player.value == pytest.approx(table.edge.value / (table.players - 1))
        assert abs(table.difference.value) <= LIMIT * table.difference.se
    assert [risk.players for risk in study.ruin] == [2, 3, 4]
    for risk in study.ruin:
        assert risk.edge.value == pytest.approx(study.edge.value * (risk.players - 1) / 3)
    assert study.tables[0].sd < study.tables[1].sd < study.tables[2].sd


def test_json_and_text(capsys):
    words = ["banker", "hongkong", "--deals", "2000", "--seed", "1", "--players", "2",
             "--bankroll", "20,1e2"]  # fmt: skip
    assert run([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {"edge", "readings", "tables", "steps", "ruin"} <= set(data)
    assert [held["units"] for held in data["ruin"][0]["bankrolls"]] == [20, 100]
    assert data["ruin"][0]["limits"][-1]["deals"] is None
    assert run(words) == 0
    shown = capsys.readouterr().out
    assert "庄家优势" in shown
    assert "Risk of ruin 破产" in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["taiwan"], "has no banker"),
        (["hongkong", "--players", "5"], "players must be 2, 3 or 4"),
        (["hongkong", "--bankroll", "10,x"], "'x' is no number"),
        (["hongkong", "--bankroll", "0"], "1 unit or more"),
        (["hongkong", "--deals", "100"], "100 deals tell nothing of ruin"),
        (["hongkong", "--set", "tie=banker", "--deals", "1000"], "montecarlo train hongkong"),
    ],
)
def test_bad_words(words, says, capsys):
    assert run(["banker", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_players_respond(tmp_path, monkeypatch):
    monkeypatch.setattr(policy_files, "user_folder", lambda: tmp_path)
    monkeypatch.setattr("montecarlo.studies.train.user_folder", lambda: tmp_path)
    monkeypatch.setattr("montecarlo.studies.tuning.response.user_folder", lambda: tmp_path)
    load_policy.cache_clear()
    seat_policies.cache_clear()
    found = banker("hongkong", deals=4000, seed=SEED, players=2, bankrolls=(50,), retrain=True,
                   training=Training(rounds=1, blocks=1))  # fmt: skip
    by_name = {(r.rule, r.value): r.response for r in found.readings}
    for carried_over in (("both_special", "higher"), ("tie", "draw"), ("compare", "grouped")):
        assert by_name[carried_over].value == 0
        assert by_name[carried_over].se == 0
    assert isinstance(by_name["compare", "top_card"], Estimate)
    assert by_name["compare", "top_card"].se > 0
    load_policy.cache_clear()
    seat_policies.cache_clear()

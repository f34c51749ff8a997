"""Two games on the same deals: exact identities, errors by a second way, the command."""

import json

import numpy as np
import pytest

from montecarlo.cli import run
from montecarlo.dealing.dealer import deal_block
from montecarlo.errors import BadInput
from montecarlo.scoring.kernels import EVENTS
from montecarlo.scoring.many_deals import score_deals
from montecarlo.setting.seating import seat_policies
from montecarlo.simulation import runner
from montecarlo.simulation.paired import Arm, PairedExperiment
from montecarlo.simulation.payouts import PayoutExperiment, play_hands, scoring_rules
from montecarlo.simulation.plan import Plan
from montecarlo.studies.attribution import attribute
from montecarlo.studies.compare import compare
from montecarlo.studies.paired_sums import PairedSums
from montecarlo.variants import load

SEED, DEALS = 4, 3000
GREEDY, BALANCED = ("greedy",) * 4, ("balanced",) * 4
PAIRS = {
    "policies": (("taiwan", (), ("greedy", *BALANCED[1:])), ("taiwan", (), BALANCED)),
    "rules": (("hongkong", (), GREEDY), ("hongkong_edge", (), GREEDY)),
    "ladders": (("baibian", (), GREEDY), ("shaoxing", (), GREEDY)),
    "games": (("coins", ("wheel=second",), GREEDY), ("points123", (), BALANCED)),
}


def arms_of(pair):
    return tuple(Arm(load(name, knobs), policies) for name, knobs, policies in PAIRS[pair])


def by_deal(arm, turn=0, deals=DEALS):
    """Units of seat 0, pairs, guns and home runs of each deal, by the one-game path."""
    masks = np.roll(deal_block(SEED, 0, deals), -turn, axis=1)
    rules = scoring_rules(arm.variant)
    _, seats = play_hands(arm.variant, rules, masks, seat_policies(arm.variant, arm.policies, 4))
    units, events = score_deals(rules, seats, 0)
    places = [EVENTS.index(name) for name in ("ordinary_pairs", "guns", "home_runs")]
    return np.column_stack([units[:, 0], events[:, places]])


@pytest.mark.parametrize("pair", PAIRS)
def test_difference_is_that_of_two_runs_on_the_same_seed(pair):
    first, second = arms_of(pair)
    sides = ((first.variant, first.policies), (second.variant, second.policies))
    found = compare(*sides, deals=DEALS, seed=SEED)
    alone = [
        PayoutExperiment(arm.variant, 4, arm.policies).tally_block(SEED, 0, DEALS)
        for arm in (first, second)
    ]
    units = [tally.integers("sums")[0] for tally in alone]
    sums = found.tally.integers("sums")
    assert [sums[0], sums[4]] == units
    assert found.tally.integers("squares") == [tally.integers("sums")[1] for tally in alone]
    assert found.units.difference.value == pytest.approx((units[0] - units[1]) / DEALS, rel=1e-12)
    for place, tally in zip((0, 4), alone, strict=True):
        events = tally.arrays["events"]
        names = ("ordinary_pairs", "guns", "home_runs")
        assert sums[place + 1 : place + 4] == [events[EVENTS.index(n), 0] for n in names]


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("pair", ["policies", "rules"])
def test_errors_are_those_of_the_differences_deal_by_deal(pair, rotate):
    arms = arms_of(pair)
    experiment = PairedExperiment(arms, rotate)
    sums = PairedSums.of(experiment, experiment.tally_block(SEED, 0, DEALS))
    turns = range(4 if rotate else 1)
    one, other = (np.mean([by_deal(arm, turn) for turn in turns], axis=0) for arm in arms)
    for column, measure in ((0, "units"), (3, "home_runs")):
        difference = one[:, column] - other[:, column]
        found = sums.difference(0, 1, measure)
        assert found.value == pytest.approx(difference.mean(), rel=1e-9, abs=1e-12)
        assert found.se == pytest.approx(difference.std(ddof=1) / DEALS**0.5, rel=1e-9)
    if rotate and pair == "policies":  # one policy for all: nothing is won in any deal
        assert sums.correlation(0, 1) == 0 == other[:, 0].std()
    else:
        assert sums.correlation(0, 1) == pytest.approx(np.corrcoef(one[:, 0], other[:, 0])[0, 1])
    singles = np.concatenate([by_deal(arms[0], turn)[:, 0] for turn in turns])
    assert sums.sd(0) == pytest.approx(singles.std(), rel=1e-9)
    # the error of a difference of ratios, by leaving out each deal in turn
    leave = [each.sum(axis=0) - each for each in (one, other)]
    rates = leave[0][:, 2] / leave[0][:, 1] - leave[1][:, 2] / leave[1][:, 1]
    jackknife = ((DEALS - 1) / DEALS * ((rates - rates.mean()) ** 2).sum()) ** 0.5
    guns = sums.gun_rate_difference(0, 1)
    assert guns.value == pytest.approx(rates.mean(), rel=1e-3, abs=1e-9)
    assert guns.se == pytest.approx(jackknife, rel=5e-3)


def test_any_number_of_workers_gives_the_same_bytes(monkeypatch):
    monkeypatch.setattr(runner, "TASK_BLOCKS", 1)
    sides = (("mianbai", "greedy"), ("bidaxiao", "greedy"))
    one, two = (compare(*sides, deals=2 * 65536 + 77, seed=1, jobs=jobs) for jobs in (1, 2))
    assert one.to_json() == two.to_json()
    assert one.deals == one.tally.deals == 2 * 65536 + 77


def test_a_game_compared_with_itself_differs_by_exactly_nothing():
    found = compare(("taiwan", "balanced"), ("taiwan", "balanced"), deals=500, seed=1)
    assert found.units.difference.value == found.units.difference.se == 0
    assert found.gun_rate.difference.se == 0
    assert found.correlation == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "knobs"), [("taiwan", ()), ("hongkong", ("tie=draw", "both_special=higher"))]
)
def test_with_every_hand_in_seat_0s_place_a_fair_game_brings_nothing_in_any_deal(name, knobs):
    experiment = PairedExperiment((Arm(load(name, knobs), GREEDY),), rotate=True)
    tally = experiment.tally_block(SEED, 0, 1000)
    assert tally.integers("sums")[0] == tally.integers("products")[0] == 0
    assert tally.integers("squares")[0] > 0


def test_held_settings_are_the_first_sides_and_say_so():
    found = compare(
        "hongkong", load("hongkong", ["both_special=higher"]), deals=100, seed=1, hold_first=True
    )
    assert found.settings == ("trained for these rules", "held: trained for hongkong")
    hashes = [[seat.policy.sha256 for seat in arm.seats()] for arm in found.arms]
    assert hashes[0] == hashes[1]
    assert found.gun_rate.difference.value == 0  # the rows are the same


def test_settings_of_another_wheel_cannot_be_held():
    arm = Arm(load("taiwan", ["wheel=none"]), GREEDY, settings_of=load("taiwan"))
    with pytest.raises(BadInput, match="wheel=second cannot be held under wheel=none"):
        arm.seats()


@pytest.mark.parametrize("rotate", [False, True])
def test_an_arm_of_fewer_players_leaves_the_last_hands_out(rotate):
    many = Arm(load("hongkong"), GREEDY)
    few = Arm(load("hongkong"), GREEDY[:2])
    tally = PairedExperiment((many, few), rotate).tally_block(SEED, 0, DEALS)
    rules, units = scoring_rules(few.variant), 0
    for turn in range(4 if rotate else 1):
        masks = np.roll(deal_block(SEED, 0, DEALS), -turn, axis=1)[:, :2]
        _, seats = play_hands(few.variant, rules, masks, few.seats())
        units += score_deals(rules, seats, 0)[0][:, 0].sum()
    assert tally.integers("sums")[4] == units


# --- rule by rule ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def split():
    fair = load("hongkong", ["both_special=higher"])
    return attribute(fair, load("hongkong_edge"), deals=DEALS, seed=SEED, policy="greedy")


def test_parts_add_up_to_the_whole_change(split):
    assert [part.rule for part in split.parts] == ["tie", "compare", "both_special"]
    assert [part.after for part in split.parts] == ["banker", "top_card", "banker_pays"]
    for parts in ([p.in_order.value for p in split.parts], [p.average.value for p in split.parts]):
        assert sum(parts) == pytest.approx(split.change.value, rel=1e-12)
    assert split.start.value + split.change.value == pytest.approx(split.end.value, rel=1e-12)
    assert split.parts[0].in_order == split.parts[0].alone


def test_each_part_is_a_comparison_of_two_games(split):
    knobs = {"tie": "tie=suit_top_card", "compare": "compare=grouped"}
    before = load("hongkong_edge", [knobs["compare"], "both_special=higher"])
    after = load("hongkong_edge", ["both_special=higher"])
    found = compare((before, "greedy"), (after, "greedy"), deals=DEALS, seed=SEED, rotate=True)
    compare_part = split.parts[1].in_order
    assert compare_part.value == pytest.approx(-found.units.difference.value, rel=1e-12)
    assert compare_part.se == pytest.approx(found.units.difference.se, rel=1e-12)


def test_average_part_is_the_mean_over_all_orders(split):
    """Two rules: the mean of changing one first and changing it last."""
    fair = load("hongkong", ["tie=draw", "both_special=higher"])
    both = load("hongkong", ["tie=banker"])
    found = attribute(fair, both, deals=500, seed=SEED, policy="greedy")
    tie, report = found.parts
    tie_last = found.change.value - report.alone.value
    assert tie.average.value == pytest.approx((tie.alone.value + tie_last) / 2, rel=1e-12)
    assert tie.alone.value > 0 > report.alone.value


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (("taiwan", ()), ("taiwan", ()), "have the same rules"),
        (("taiwan", ()), ("hongkong", ()), "differ in banker"),
        (("hongkong", ()), ("hongkong", ("wheel=none",)), "differ in wheel"),
    ],
)
def test_what_cannot_be_split_is_refused(first, second, message):
    with pytest.raises(BadInput, match=message):
        attribute(load(*first), load(*second), deals=10, seed=1, policy="greedy")


# --- the command ----------------------------------------------------------------------------

WORDS = ["compare", "hongkong", "hongkong_edge", "--policy", "greedy", "--deals", "2e3"]


def test_command_prints_json_and_nothing_else(capsys):
    assert run([*WORDS, "--seed", "4", "--json"]) == 0
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert data["first"]["variant"] == "hongkong"
    assert data["second"]["settings"] == "not trained for any rules"
    assert data["edge"]["difference"]["mean"] == data["units"]["difference"]["mean"] < 0
    assert data["units"]["difference"]["se"] < data["units"]["independent_se"]
    assert err == ""
    assert run([*WORDS, "--seed", "4", "--json", "--jobs", "2"]) == 0
    assert capsys.readouterr().out == out


def test_command_prints_for_people(capsys):
    assert run([*WORDS, "--seed", "4"]) == 0
    assert "banker's edge" in capsys.readouterr().out
    assert run([*WORDS, "--seed", "4", "--steps", "--set", "both_special=higher"]) == 0
    out = capsys.readouterr().out
    assert "average over orders" in out
    assert "the parts add up to" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["taiwan", "--policy", "gready"], "did you mean 'greedy'?"),
        (["taiwan", "--policy", "greedy,greedy"], "2 policies for 4 players"),
        (["taiwan", "--policy", "greedy", "--players", "5"], "players must be 2, 3 or 4"),
        (["taiwan", "--steps", "--policy", "greedy"], "have the same rules"),
        (["taiwan", "coins", "--steps", "--versus-policy", "greedy"], "one --policy"),
        (["taiwan", "coins", "--policy", "greedy", "--deals", "0"], "deals must be"),
    ],
)
def test_command_refuses_bad_words_in_one_line(words, message, capsys):
    assert run(["compare", "--seed", "1", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


def test_no_deals_are_dealt_before_a_missing_policy_is_named(capsys):
    words = ["compare", "hongkong", "--set", "tie=draw", "--deals", "1e9", "--seed", "1"]
    assert run(words) == 2
    assert "montecarlo train hongkong --set tie=draw" in capsys.readouterr().err


def test_runner_carries_out_paired_plans_block_by_block():
    experiment = PairedExperiment(arms_of("ladders"))
    whole = runner.run(Plan(experiment, SEED, 65536 + 500))
    parts = [experiment.tally_block(SEED, 0, 65536), experiment.tally_block(SEED, 1, 500)]
    for name in ("sums", "products", "squares"):
        total = sum(part.arrays[name].ravel() for part in parts)
        assert whole.integers(name) == total.tolist()

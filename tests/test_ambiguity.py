"""Ambiguity: readings on the same deals by a second way, deals given changed hands, the command."""

import json

import numpy as np
import pytest
from scipy.stats import norm

from montecarlo.cli import run
from montecarlo.dealing.dealer import deal_block
from montecarlo.errors import BadInput
from montecarlo.scoring.many_deals import score_deals, score_deals_by_line
from montecarlo.setting.seating import seat_policies
from montecarlo.simulation import runner
from montecarlo.simulation.many_runs import run_together
from montecarlo.simulation.paired import Arm
from montecarlo.simulation.payouts import play_hands, scoring_rules
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.readings import ReadingsExperiment
from montecarlo.specials.exact import TOTAL_HANDS
from montecarlo.studies.ambiguity import ambiguity
from montecarlo.studies.ambiguity_result import COMMON, EXACT, GIVEN
from montecarlo.studies.rare_readings import given_changes, given_plans, only_calls_hands_otherwise
from montecarlo.studies.reading_sums import ReadingSums
from montecarlo.studies.readings import other_readings, pairs_of, under
from montecarlo.variants import all_variants, load

FALSE_ALARM = 1e-6
SEED, DEALS = 4, 3000
GREEDY = ("greedy",) * 4
GAMES = {
    "taiwan": ("gun=base", "six_pairs.quads=false"),
    "hongkong": ("both_special=higher", "tie=suit_baodao"),
    "shaoxing": ("window_A_10.no_gap=true", "wheel=none"),
}


def arms_of(name):
    """The variant, two readings alone, and both."""
    one, other = GAMES[name]
    base = load(name)
    cases = [(), (one,), (other,), (one, other)]
    return tuple(Arm(load(name, case), GREEDY, base) for case in cases)


def by_deal(arm):
    """Seat 0's units, squares and flow of each deal, by the one-game path."""
    variant = arm.variant
    masks = deal_block(SEED, 0, DEALS)
    rules = scoring_rules(variant)
    _, seats = play_hands(variant, rules, masks, seat_policies(variant, GREEDY, 4))
    units, _ = score_deals(rules, seats, 0)
    flow = score_deals_by_line(rules, seats, 0)[1].sum(axis=1)
    spread = units[:, :1] if variant.banker else units
    return units, (spread**2).sum(axis=1), flow


@pytest.fixture(scope="module", params=GAMES)
def played(request):
    arms = arms_of(request.param)
    together = tuple((i, j) for i in range(4) for j in range(i, 4))
    experiment = ReadingsExperiment(arms, together)
    tally = experiment.tally_block(SEED, 0, DEALS)
    return arms, tally, ReadingSums.of(experiment, tally), [by_deal(arm) for arm in arms]


def test_what_is_summed_is_what_each_game_brings_alone(played):
    _, tally, _, alone = played
    sums = tally.arrays["sums"]
    for place, (units, squares, flow) in enumerate(alone):
        assert sums[place].tolist() == [units[:, 0].sum(), squares.sum(), flow.sum()]
        differ = (units != alone[0][0]).any(axis=1)
        assert tally.arrays["changed"][place] == differ.sum()


def test_errors_of_contrasts_are_those_of_leaving_out_each_deal(played):
    arms, _, sums, alone = played
    weights = {3: 1, 1: -1, 2: -1, 0: 1}
    banker = arms[0].variant.banker

    def sd(units, squares, n):
        return np.sqrt(squares / n - (units / n) ** 2) if banker else np.sqrt(squares / n / 4)

    whole, left = 0.0, 0.0
    for arm, weight in weights.items():
        units, squares, _ = alone[arm]
        first, second = units[:, 0].sum(), squares.sum()
        whole = whole + weight * sd(first, second, DEALS)
        left = left + weight * sd(first - units[:, 0], second - squares, DEALS - 1)
    found = sums.contrast("sd", weights)
    assert found.value == pytest.approx(whole, rel=1e-9, abs=1e-12)
    jackknife = ((DEALS - 1) / DEALS * ((left - left.mean()) ** 2).sum()) ** 0.5
    assert found.se == pytest.approx(jackknife, rel=0.02, abs=1e-9)
    for figure, column in (("edge", 0), ("flow", 2)):
        values = sum(
            w * (alone[arm][0][:, 0] if column == 0 else alone[arm][2])
            for arm, w in weights.items()
        )
        found = sums.contrast(figure, weights)
        assert found.value == pytest.approx(values.mean(), rel=1e-9, abs=1e-12)
        assert found.se == pytest.approx(values.std(ddof=1) / DEALS**0.5, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "reading"),
    [("taiwan", "six_pairs.triple=false"), ("hongkong", "window_A_10.no_gap=true"),
     ("coins", "qka=true")],
)  # fmt: skip
def test_deals_given_a_changed_hand_agree_with_common_deals(name, reading):
    base = load(name)
    arms = (Arm(base, GREEDY), Arm(load(name, [reading]), GREEDY, base))
    assert only_calls_hands_otherwise(base, arms[1].variant)
    experiment = ReadingsExperiment(arms, ((0, 0), (0, 1), (1, 1)))
    sums = ReadingSums.of(experiment, runner.run(Plan(experiment, 8, 65536)))
    figures = ("edge", "sd", "flow") if base.banker else ("sd", "flow")
    slopes = {figure: sums.slopes(figure, 0) for figure in figures}
    plans = given_plans(*arms, seed=9, branch=1)
    given = given_changes(plans, run_together(plans), slopes)
    for figure in figures:
        common = sums.contrast(figure, {1: 1, 0: -1})
        gap = given[figure].value - common.value
        # the linear part leaves (change of SD)^2 / SD out, far below these errors
        assert abs(gap) < norm.isf(FALSE_ALARM / 2) * np.hypot(given[figure].se, common.se)
        if sums.changed[1] < 2000:
            assert given[figure].se < common.se


def test_a_reading_of_payouts_or_rows_does_more_than_call_hands_otherwise():
    for name, reading in (("taiwan", "gun=base"), ("taiwan", "wheel=lowest"),
                          ("shaoxing", "wheel=lowest"), ("hongkong", "tie=draw")):  # fmt: skip
        assert not only_calls_hands_otherwise(load(name), load(name, [reading]))


# --- readings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", all_variants(), ids=lambda variant: variant.id)
def test_every_reading_of_the_rule_files_is_looked_at(variant):
    listed = {text for assumption in variant.assumptions for text in assumption.readings}
    readings = other_readings(variant)
    assert {reading.id for reading in readings} == listed
    for reading in readings:
        loaded = load(variant.id, [reading.id])
        assert under(variant, (reading,)).sha256 == loaded.sha256 != variant.sha256
    pairs = pairs_of(readings)
    assert all(one.knob != other.knob for one, other in pairs)
    knobs = [reading.knob for reading in readings]
    same = sum(knobs.count(knob) * (knobs.count(knob) - 1) // 2 for knob in set(knobs))
    assert len(pairs) == len(readings) * (len(readings) - 1) // 2 - same


def test_a_reading_that_holds_already_is_none():
    readings = {r.id for r in other_readings(load("taiwan", ["gun=none", "a23=false"]))}
    assert "gun=none" not in readings
    assert "a23=false" not in readings
    assert "gun=base" in readings


# --- the study ----------------------------------------------------------------------------------


def with_readings(folder, name, *readings):
    """A rule file of a shipped variant whose assumptions list a few readings only."""
    path = folder / f"{name}_few.toml"
    listed = ", ".join(f'"{reading}"' for reading in readings)
    path.write_text(
        f'like = "{name}"\nassumptions = [{{ text = "some", readings = [{listed}] }}]\n',
        encoding="utf-8",
    )
    return load(str(path))


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return with_readings(
        tmp_path_factory.mktemp("rules"), "taiwan", "six_pairs.quads=false", "gun=base",
        "home_run=none", "twelve_royals.min=12", "gun=none", "wheel=lowest",
    )  # fmt: skip


@pytest.fixture(scope="module")
def taiwan(rules):
    return ambiguity(rules, deals=4000, seed=1, policy="greedy")


def test_taiwan_ranks_its_readings_and_the_guns_move_most(taiwan):
    moved = [abs(moves.changes["sd"].value) for moves in taiwan.readings]
    assert moved == sorted(moved, reverse=True)
    assert [moves.reading.id for moves in taiwan.readings[:3]] == [
        "gun=none", "home_run=none", "gun=base",
    ]  # fmt: skip
    assert taiwan["gun=base"].method == COMMON
    assert taiwan["twelve_royals.min=12"].method == GIVEN
    assert taiwan["twelve_royals.min=12"].hands_changed == 65520
    assert taiwan["twelve_royals.min=12"].changes["sd"].se > 0
    moved = {s.id: s.after - s.before for s in taiwan["twelve_royals.min=12"].specials}
    assert moved.pop("twelve_royals") == 65520
    assert all(after < 0 for after in moved.values())
    # the strongest reading's error leaves no doubt, and pairs of guns and home runs interact
    assert taiwan["gun=none"].changes["sd"].interval(1 - FALSE_ALARM).high < 0
    assert {r.knob for r in taiwan.pairs[0].readings} == {"gun", "home_run"}
    assert len(taiwan.pairs) == 14
    assert "edge" not in taiwan.base


def test_an_interaction_is_what_both_do_beyond_each_alone(taiwan):
    for pair in taiwan.pairs:
        one, other = (taiwan[reading.id] for reading in pair.readings)
        if pair.interaction is None or {one.method, other.method} != {COMMON}:
            continue
        for figure in ("sd", "flow"):
            alone = one.changes[figure].value + other.changes[figure].value
            assert pair.interaction[figure].value == pytest.approx(
                pair.changes[figure].value - alone, abs=1e-9
            )


def test_json_has_ranks_and_shares(taiwan):
    data = json.loads(taiwan.to_json())
    assert data["ranked_by"] == "sd"
    assert [entry["rank"] for entry in data["readings"]] == list(range(1, 7))
    assert sorted(entry["rank_frequency"] for entry in data["readings"]) == list(range(1, 7))
    assert len(taiwan.to_frame()) == 6 + 14
    for entry in data["readings"]:
        assert entry["p_changed"] == entry["hands_changed"] / TOTAL_HANDS


def test_any_number_of_workers_gives_the_same_bytes(tmp_path):
    variant = with_readings(tmp_path, "coins", "compare=cards", "six_pairs.quads=false")
    one, two = (
        ambiguity(variant, deals=65536 + 50, seed=1, policy="greedy", jobs=jobs) for jobs in (1, 2)
    )
    assert one.to_json() == two.to_json()


def test_a_reading_that_changes_nothing_is_said_to_be_exact(tmp_path):
    variant = with_readings(tmp_path, "shaoxing", "six_pairs.triple=false")
    found = ambiguity(variant, deals=2000, seed=1)
    # six pairs with a three of a kind are five pairs and a triple already, a tier above
    still = found["six_pairs.triple=false"]
    assert (still.method, still.hands_changed) == (EXACT, 0)
    assert still.changes["sd"].value == still.changes["sd"].se == 0


def test_banker_games_are_ranked_by_the_edge(tmp_path, capsys):
    with_readings(tmp_path, "baodao2", "tie=draw", "wheel=none")
    path = str(tmp_path / "baodao2_few.toml")
    words = ["ambiguity", path, "--policy", "greedy", "--deals", "3000", "--seed", "2"]
    assert run([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ranked_by"] == "edge"
    assert set(data["base"]) == {"edge", "sd", "flow"}
    assert {entry["reading"] for entry in data["readings"]} == {"tie=draw", "wheel=none"}


def test_command_ranks_prints_and_draws(tmp_path, capsys):
    chart = tmp_path / "drawn" / "tornado.svg"
    words = ["ambiguity", "mianbai", "--policy", "greedy", "--deals", "2000", "--seed", "2"]
    assert run([*words, "--chart", str(chart)]) == 0
    out = capsys.readouterr().out
    assert "wheel=none" in out
    assert "settings held" in out
    assert chart.read_text(encoding="utf-8").startswith("<?xml")


def test_variants_without_readings_say_so(tmp_path, capsys):
    file = tmp_path / "mine.toml"
    file.write_text('like = "bidaxiao"\nid = "mine"\nassumptions = []\n', encoding="utf-8")
    assert run(["ambiguity", str(file), "--policy", "greedy", "--deals", "10", "--seed", "1"]) == 0
    assert "no other readings" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["taiwan", "--chart", "x.jpg"], "ends in .png or .svg"),
        (["taiwan", "--policy", "greedy,greedy"], "one policy for all seats"),
        (["taiwan", "--players", "5"], "players must be 2, 3 or 4"),
        (["taiwan", "--deals", "1"], "deals must be 2 or more"),
        (["taiwan", "--policy", "greedy", "--respond"], "does not respond"),
        (["taiwam"], "did you mean 'taiwan'?"),
    ],
)
def test_command_refuses_bad_words_in_one_line(words, message, capsys):
    assert run(["ambiguity", "--seed", "1", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


def test_units_too_large_for_exact_sums_are_refused():
    arm = Arm(load("taiwan", ["suited_dragon.points=1100"]), GREEDY)
    with pytest.raises(BadInput, match="exact sums"):
        ReadingsExperiment((arm,), ((0, 0),)).prepare()

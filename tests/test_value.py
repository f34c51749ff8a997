"""What specials are worth: against plain simulation, plain deals, exact chances; the command."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2, norm

from montecarlo.cli import run
from montecarlo.dealing.dealer import deal_block
from montecarlo.errors import BadInput
from montecarlo.scoring.many_deals import score_deals, score_deals_by_line
from montecarlo.setting.seating import seat_policies
from montecarlo.simulation import plan as plans
from montecarlo.simulation.measured import (
    Given,
    MeasuredExperiment,
    moments,
    play_given,
)
from montecarlo.simulation.measures import HolderMeasure, OwnMeasure, TableMeasure
from montecarlo.simulation.payouts import play_hands, scoring_rules
from montecarlo.specials.special_hands import SpecialHands
from montecarlo.studies.seat_classes import seat_classes
from montecarlo.studies.simulate import simulate
from montecarlo.studies.value import value
from montecarlo.variants import load
from montecarlo.variants.load import all_variants

FALSE_ALARM = 1e-6
GREEDY = ("greedy",) * 4
MIXED = ("greedy", "balanced", "balanced", "greedy")


def place_of(variant, special):
    return [entry.id for entry in variant.specials].index(special)


@pytest.mark.parametrize(
    ("name", "policy", "players"),
    [
        ("taiwan", "greedy", 4),
        ("hongkong", "greedy", 4),
        pytest.param("baibian", "greedy", 3, marks=pytest.mark.slow),
        pytest.param("mianbai", "balanced", 4, marks=pytest.mark.slow),
        pytest.param("taiwan", ",".join(MIXED), 4, marks=pytest.mark.slow),
    ],
)
def test_common_specials_agree_with_plain_simulation(name, policy, players):
    """Means, flows and shares of variance, each against its own error and the simulation's."""
    common = {"policy": policy, "players": players, "seed": 1}
    plain = simulate(name, deals=120_000, **common).payouts
    found = value(name, deals=6000, variance_deals=60_000, **common)
    lines = {}
    z = []
    for entry, held in zip(found.specials, plain.values, strict=True):
        tier = load(name).specials[place_of(load(name), entry.id)].tier
        lines.setdefault(f"tier.{tier}" if tier else f"special.{entry.id}", []).append(entry)
        if held.holders >= 200:
            difference = entry.units.value - held.units.value
            error = math.hypot(entry.units.se, held.units.se)
            z.append(difference / error if error else (0.0 if difference == 0 else math.inf))
    for line, entries in lines.items():
        if sum(float(e.p) for e in entries) * 120_000 * players < 200:
            continue
        simulated = plain.lines[line]
        error = math.hypot(*(e.flow.se for e in entries), simulated.flow.se)
        z.append((sum(e.flow.value for e in entries) - simulated.flow.value) / error)
        error = math.hypot(sum(e.share_se for e in entries), simulated.share_se)
        z.append((sum(e.share_of_variance for e in entries) - simulated.share_of_variance) / error)
    assert len(z) >= 6
    assert max(map(abs, z)) < norm.isf(FALSE_ALARM / 2 / len(z))


def test_the_holder_measure_by_hand():
    """Every column, from the units and flows by line of the same deals."""
    variant = load("hongkong")
    special = place_of(variant, "three_flushes")
    for policies, classes in ((GREEDY, [(0,), (1, 2, 3)]), (MIXED, [(0,), (1, 2), (3,)])):
        assert [seats.seats for seats in seat_classes(variant, policies)] == classes
        for seats in classes:
            holder = seats[0]
            hands = SpecialHands(variant.rules, special)
            seen = []
            experiment = MeasuredExperiment(
                variant, 4, policies, HolderMeasure(holder, seats), Given(holder, hands), (9,)
            )
            keep = MeasuredExperiment(
                variant, 4, policies,
                OwnMeasure("kept", lambda masks, units, seen=seen: (
                    seen.append(masks), np.zeros(len(masks), int))[1]),
                Given(holder, hands), (9,),
            )  # fmt: skip
            found = moments(experiment, experiment.tally_block(3, 0, 1500))
            keep.tally_block(3, 0, 1500)
            masks = np.concatenate(seen)
            rules = scoring_rules(variant)
            _, table = play_given(
                variant, rules, masks, seat_policies(variant, policies, 4), holder
            )
            units, _ = score_deals(rules, table, 0)
            by_line, flow = score_deals_by_line(rules, table, 0)
            line = int(rules["line_of_special"][special])
            others = (table["special"] == special).sum(axis=1) > 1
            sums = dict(zip(found.names, found.sums, strict=True))
            assert sums["declared"] == len(masks) == 1500
            assert sums["brought"] == units[:, holder].sum()
            # where nobody else holds it, all that the line moves is the holder's
            alone = ~others
            if not others.any():
                assert sums["received"] == flow[:, line].sum()
                assert sums["received_by_flow"] == (flow[:, line] ** 2).sum()
            received = np.where(alone, by_line[:, line, holder], 0).sum()
            assert received <= sums["received"] <= flow[:, line].sum()
            if holder == 0 and len(seats) == 1 and not others.any():
                assert sums["net"] == by_line[:, line, 0].sum()
                assert sums["net_by_units"] == (by_line[:, line, 0] * units[:, 0]).sum()
            if holder and not others.any():
                assert sums["net"] == len(seats) * by_line[:, line, 0].sum()
                net_by_units = len(seats) * (by_line[:, line, 0] * units[:, 0]).sum()
                assert sums["net_by_units"] == net_by_units


@pytest.mark.parametrize(
    ("name", "policy"),
    [
        ("taiwan", "greedy"),
        ("baodao", "greedy"),
        ("hongkong", "balanced:declare=best"),
        ("mianbai", "balanced:declare=best"),
        ("baibian", "greedy"),
    ],
)
def test_a_declared_hand_needs_no_setting(name, policy):
    """`play_given` scores as `play_hands`, which sets every hand."""
    variant = load(name)
    policies = seat_policies(variant, (policy,) * 4, 4)
    rules = scoring_rules(variant)
    masks = deal_block(4, 0, 30_000)
    firsts, seats = play_hands(variant, rules, masks, policies)
    for holder in (0, 2):
        held = firsts[:, holder] >= 0
        assert held.sum() > 100
        own, given = play_given(variant, rules, masks[held], policies, holder)
        assert np.array_equal(own, firsts[held])
        for mine, theirs in zip(
            score_deals(rules, given, 0), score_deals(rules, seats[held], 0), strict=True
        ):
            assert np.array_equal(mine, theirs)


def test_conditional_deals_are_those_of_plain_deals_with_the_special():
    """What the other seats hold and what the holder nets, given six pairs in seat 1."""
    variant = load("taiwan")
    special = place_of(variant, "six_pairs")
    rules, policies = scoring_rules(variant), seat_policies(variant, GREEDY, 4)
    plain = np.concatenate([deal_block(7, block) for block in range(8)])
    firsts, seats = play_hands(variant, rules, plain, policies)
    chosen = firsts[:, 1] == special
    seen = []
    keep = OwnMeasure("units", lambda masks, units: (seen.append((masks, units)), units[:, 1])[1])
    hands = SpecialHands(variant.rules, special)
    MeasuredExperiment(variant, 4, GREEDY, keep, Given(1, hands), (9,)).tally_block(7, 0, 40_000)
    units = np.concatenate([part for _, part in seen])[:, 1]
    others = score_deals(rules, seats[chosen], 0)[0][:, 1]
    assert others.size > 2000
    values = np.unique(np.concatenate([units, others]))
    table = np.array([[(side == x).sum() for x in values] for side in (units, others)])
    rare = table.sum(axis=0) < 100
    if rare.any():
        table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    statistic = ((table - expected) ** 2 / expected).sum()
    assert statistic < chi2.isf(FALSE_ALARM, table.shape[1] - 1)


def test_two_dragons_draw_exactly_as_often_as_they_meet():
    """points123: only the dragon pays, and two of them draw; its flow is known exactly."""
    found = value("points123", ["dragon"], policy="greedy", seed=2, variance_deals=2)["dragon"]
    meets = Fraction(3**13, math.comb(39, 13))
    p = Fraction(4**13, math.comb(52, 13))
    assert found.p == p
    exact = 4 * p * 36 * 3 * (1 - meets)
    assert abs(found.flow.value - float(exact)) < norm.isf(FALSE_ALARM / 2) * found.flow.se
    assert abs(found.units.value - 108 * float(1 - meets)) < 5 * found.units.se
    assert found.units.se < 0.01 * found.units.value


def test_plain_variance_of_a_flow_is_what_plain_deals_show():
    found = value("taiwan", ["six_pairs"], policy="greedy", seed=3, deals=20_000, variance_deals=2)
    variant = load("taiwan")
    rules, policies = scoring_rules(variant), seat_policies(variant, GREEDY, 4)
    masks = np.concatenate([deal_block(9, block) for block in range(3)])
    _, seats = play_hands(variant, rules, masks, policies)
    line = int(rules["line_of_special"][place_of(variant, "six_pairs")])
    flow = np.concatenate(
        [score_deals_by_line(rules, part, 0)[1][:, line] for part in np.array_split(seats, 40)]
    ).astype(float)
    square = (flow - flow.mean()) ** 2
    error = square.std() / np.sqrt(flow.size)
    assert abs(found["six_pairs"].plain_variance - square.mean()) < norm.isf(5e-7) * error


def test_an_event_rarer_than_one_in_ten_million_costs_a_thousandth_or_less():
    rare = value("taiwan", policy="greedy", deals=3000, seed=1, variance_deals=3000)
    seen = [entry for entry in rare.specials if entry.p < Fraction(1, 10**7)]
    assert [entry.id for entry in seen] == [
        "suited_dragon", "twelve_royals", "three_straight_flushes", "three_quads",
    ]  # fmt: skip
    for entry in seen:
        assert entry.plain_deals / entry.deals > 1000
        assert 0 < entry.units.se < 0.01 * entry.units.value
        assert 0 < entry.flow.se < 0.01 * entry.flow.value


def test_the_result_does_not_depend_on_workers():
    options = {"policy": "greedy", "deals": 70_000, "seed": 5, "variance_deals": 70_000}
    one = value("mianbai", ["has_quads"], jobs=1, **options).to_json()
    assert value("mianbai", ["has_quads"], jobs=2, **options).to_json() == one


def test_declaring_by_choice_counts_the_deals_in_which_he_declares():
    """With three flushes in coins some hands are worth more as rows."""
    options = {"deals": 2000, "seed": 1, "variance_deals": 2}
    always, best = (
        value("coins", ["three_flushes"], policy=f"equilibrium:declare={when}", **options)
        for when in ("always", "best")
    )
    assert best["three_flushes"].flow.value < always["three_flushes"].flow.value
    # who declares gets three units from each opponent, but for those with a special of their own
    assert 8.5 < best["three_flushes"].units.value <= 9


def test_a_special_that_no_hand_declares_is_worth_nothing(tmp_path):
    path = tmp_path / "shadow.toml"
    path.write_text(
        'id = "shadow"\nnumber = "X1"\nzh = "影"\nen = "shadow"\nformat = "rows"\n'
        "[rows.head]\nbase = 1\n[rows.middle]\nbase = 1\n[rows.tail]\nbase = 1\n"
        '[[specials]]\nid = "dragon"\npoints = 13\n[[specials]]\nid = "suited_dragon"\npoints = 9\n'
        '[[sources]]\nfile = "none"\npassage = "none"\n'
    )
    found = value(str(path), policy="greedy", deals=100, variance_deals=100, seed=1)
    assert found["suited_dragon"].p == 0
    assert found["suited_dragon"].units is None
    assert found["suited_dragon"].flow.value == 0
    assert json.loads(found.to_json())[1]["mean"] is None


def test_the_command_prints_the_contract(capsys):
    words = ["value", "taiwan", "dragon", "six_pairs", "--policy", "greedy", "--deals", "2000"]
    assert run([*words, "--seed", "1", "--json"]) == 0
    first = capsys.readouterr().out
    data = json.loads(first)
    assert [entry["id"] for entry in data] == ["dragon", "six_pairs"]
    keys = ("id", "points", "p", "mean", "se", "flow", "flow_se", "share_of_variance")
    assert all(key in entry for entry in data for key in keys)
    assert run([*words, "--seed", "1", "--json", "--jobs", "2"]) == 0
    assert capsys.readouterr().out == first
    assert run([*words, "--seed", "1"]) == 0
    assert "one in" in capsys.readouterr().out


@pytest.mark.slow
def test_all_variants_make_one_table(capsys):
    words = ["value", "all", "--policy", "greedy", "--deals", "500", "--seed", "1", "--json"]
    assert run(words) == 0
    data = json.loads(capsys.readouterr().out)
    specials = [(v.id, entry.id) for v in all_variants() for entry in v.specials]
    assert [(entry["variant"], entry["id"]) for entry in data] == specials
    assert all(entry["se"] > 0 and entry["flow_se"] > 0 for entry in data)


def test_roles_are_told_apart_in_banker_games(capsys):
    words = ["value", "V8", "dragon", "--policy", "greedy", "--deals", "1000", "--seed", "1"]
    assert run([*words, "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    banker, player = entry["roles"]["banker"], entry["roles"]["player"]
    assert (banker["seats"], player["seats"]) == ([0], [1, 2, 3])
    assert banker["mean"] > 30 > player["mean"] > 12
    assert entry["mean"] == pytest.approx((banker["mean"] + 3 * player["mean"]) / 4)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["taiwan", "suited_dragn"], "did you mean 'suited_dragon'?"),
        (["bidaxiao", "dragon"], "it has none"),
        (["taiwan", "--deals", "1"], "2 or more"),
        (["taiwan", "--players", "5"], "2, 3 or 4"),
        (["taiwan", "--jobs", "0", "--policy", "greedy"], "jobs must be 1 or more"),
        (["taiwan", "dragon", "--total"], "--total"),
        (["all", "dragon"], "name one variant"),
        (["taiwan", "--total", "--deals", "10"], "128 or more"),
    ],
)
def test_bad_words_get_one_line(words, complaint, capsys):
    assert run(["value", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert complaint in captured.err


def test_a_measure_of_ones_own_must_return_integers():
    bad = OwnMeasure("half", lambda masks, units: units[:, 0] / 2)
    with pytest.raises(BadInput, match="one integer a deal"):
        MeasuredExperiment(load("taiwan"), 4, GREEDY, bad).tally_block(1, 0, 10)


def test_table_measure_is_what_payout_runs_add_up():
    variant = load("taiwan")
    experiment = MeasuredExperiment(variant, 4, GREEDY, TableMeasure())
    found = moments(experiment, plans.tally_span(experiment, 1, plans.Span(0, 1, 5000)))
    run_of_payouts = simulate(variant, deals=5000, seed=1, policy="greedy")
    tally = run_of_payouts.tally
    lines = run_of_payouts.payouts.lines
    flows = sum(line.flow.value for name, line in lines.items() if name.startswith("special."))
    sums = dict(zip(found.names, found.sums, strict=True))
    assert [sums["units"], sums["units_squared"]] == tally.integers("sums")[:2]
    assert sums["special_flow"] == pytest.approx(5000 * flows)
    assert sums["home_runs"] / 5000 == pytest.approx(run_of_payouts.payouts.home_run_rate.value)

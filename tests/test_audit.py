"""Audit: exact rarities against counts and deals, fair points by a second way, the command."""

import json
import math

import numpy as np
import pytest
from scipy.stats import norm

from montecarlo.cli import run
from montecarlo.dealing.dealer import deal_block
from montecarlo.scoring.lines import payout_vector
from montecarlo.simulation.counts import CountExperiment
from montecarlo.specials.exact import TOTAL_HANDS
from montecarlo.specials.kernels import first_special, satisfied
from montecarlo.specials.program import compile_rules
from montecarlo.studies.audit import audit
from montecarlo.studies.exact import exact
from montecarlo.studies.rarity import rarities
from montecarlo.studies.tuning.fair_value import fair_value
from montecarlo.studies.value import value
from montecarlo.variants import load

FALSE_ALARM = 1e-6
Z = norm.isf(FALSE_ALARM / 2)


@pytest.fixture(scope="module")
def taiwan():
    return audit("taiwan", deals=1024, seed=1)


@pytest.fixture(scope="module")
def shaoxing():
    return audit("shaoxing")


# --- rarity -------------------------------------------------------------------------------------


def pairs_by_hand(variant):
    """Inversions written down pair by pair, from the exact study's counts."""
    found = set()
    entries = exact(variant).specials
    ranks = [entry.rank for entry in variant.specials]
    for i, one in enumerate(entries):
        for j, other in enumerate(entries):
            by = tuple(
                name
                for name in ("inclusive", "exclusive")
                if getattr(one, name) > getattr(other, name)
            )
            if by and ranks[i] < ranks[j]:
                found.add(("rank", one.id, other.id, by))
            if by and one.points > other.points and variant.format != "ladder":
                found.add(("points", one.id, other.id, by))
    return found


@pytest.mark.parametrize("name", ["taiwan", "hongkong", "baodao", "shaoxing"])
def test_inversions_are_those_found_pair_by_pair(name):
    variant = load(name)
    found = rarities(variant)
    listed = {(pair.kind, pair.higher, pair.lower, pair.by) for pair in found.inversions}
    assert listed == pairs_by_hand(variant)
    assert len(listed) == len(found.inversions)
    factors = [pair.factor for pair in found.inversions]
    assert factors == sorted(factors, reverse=True)
    counts = exact(variant)
    assert found.none == counts.none
    for entry in counts.specials:
        rarity = found.specials[entry.id]
        assert (rarity.inclusive, rarity.exclusive) == (entry.inclusive, entry.exclusive)


def test_shaoxing_has_one_tier_that_is_commoner_than_the_next(shaoxing):
    tiers = {tier.tier: tier for tier in shaoxing.rarities.tiers}
    assert {n: t.commoner_than_next for n, t in tiers.items() if t.commoner_than_next} == {
        3: ("inclusive", "exclusive")
    }
    assert tiers[3].rarity.exclusive == 18_632_358_920 > tiers[4].rarity.exclusive == 9_802_304_652
    assert sum(t.rarity.exclusive for t in tiers.values()) + shaoxing.rarities.none == TOTAL_HANDS
    assert shaoxing.fair == ()


def test_shaoxing_treats_hands_alike_that_differ_eightfold(shaoxing):
    widest = shaoxing.rarities.spreads[0]
    assert (widest.group, widest.commonest, widest.rarest) == ("tier 2", "six_pairs", "window_6_K")
    assert [s.group for s in shaoxing.rarities.spreads] == ["tier 2", "tier 1", "tier 3"]
    # written down from exact counts that are published in the tests of the counts themselves
    assert widest.factor == pytest.approx(2_856_863_152 / math.comb(32, 13), rel=1e-12)


def test_tiers_are_as_frequent_in_deals_as_they_are_counted(shaoxing):
    variant = shaoxing.variant
    masks = deal_block(6, 0, 40_000)
    program = compile_rules(variant.rules)
    holds, first = satisfied(masks, program), first_special(masks, program)
    for tier in shaoxing.rarities.tiers:
        places = [i for i, entry in enumerate(variant.specials) if entry.tier == tier.tier]
        bits = sum(1 << place for place in places)
        for hands, dealt in (
            (tier.rarity.inclusive, (holds & bits) != 0),
            (tier.rarity.exclusive, np.isin(first, places)),
        ):
            per_deal = dealt.sum(axis=1)
            se = per_deal.std(ddof=1) / len(masks) ** 0.5
            assert abs(per_deal.mean() - 4 * hands / TOTAL_HANDS) < Z * se


# --- fair points --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["taiwan", "hongkong"])
def test_worth_agrees_with_holders_met_in_ordinary_deals(name):
    variant = load(name)
    policies = ("greedy",) * 4
    found = audit(variant, deals=4096, seed=2, policy="greedy")
    special = next(s for s in found.fair if s.id == "three_flushes")
    met = fair_value(CountExperiment(variant, 4, policies), "special.three_flushes", seed=8)
    points = met.points(payout_vector(variant).astype(float))
    gap = special.by_worth.value - points.value
    assert abs(gap) < Z * math.hypot(special.by_worth.se, points.se)
    assert special.by_worth.se < 0.3


def test_flows_and_units_declared_agree_with_the_value_study(taiwan):
    other = value("taiwan", ["six_pairs", "one_colour"], deals=2048, seed=11)
    for special in taiwan.fair:
        if special.id in ("six_pairs", "one_colour"):
            held = other[special.id]
            for one, two in ((special.flow, held.flow), (special.declared, held.units)):
                assert abs(one.value - two.value) < Z * math.hypot(one.se, two.se)


def test_fair_points_have_the_property_they_are_named_for(taiwan):
    fair = taiwan.fair
    chances = {s.id: taiwan.rarities.specials[s.id].p for s in fair}
    assert len({s.by_rarity * chances[s.id] for s in fair}) == 1  # exact: Fractions
    commonest = max(fair, key=lambda s: chances[s.id])
    assert commonest.by_rarity == commonest.points
    flows = [s.flow.value / s.points * s.equal_flow.value for s in fair]
    assert flows == pytest.approx([flows[0]] * len(flows), rel=1e-9)
    assert sum(flows) == pytest.approx(sum(s.flow.value for s in fair), rel=1e-9)


def test_at_its_worth_a_special_is_as_good_set_as_declared(taiwan):
    special = next(s for s in taiwan.fair if s.id == "window_8_A")
    points = round(special.by_worth.value)
    again = audit(load("taiwan", [f"window_8_A.points={points}"]), deals=1024, seed=1,
                  hold_policy=True)  # fmt: skip
    changed = next(s for s in again.fair if s.id == "window_8_A")
    # the same deals: only the points differ, and with them only what is declared
    assert changed.set_out == special.set_out
    assert abs(changed.gain.value) < abs(special.gain.value)
    assert abs(changed.gain.value - 3 * (points - special.by_worth.value)) < 0.05


def test_taiwan_pays_some_hands_less_than_they_bring_when_set(taiwan):
    # the source itself counts 84 units for twelve royals that are set, declared they bring 72
    assert {s.id for s in taiwan.better_set} == {"twelve_royals", "three_quads", "four_triples"}
    assert ("dragon", "twelve_royals") in {
        (p.higher.id, p.lower.id) for p in taiwan.worth_inversions
    }
    assert len(taiwan.inversions("points")) == 10
    assert all(s.gain.se > 0 and s.declared.se > 0 for s in taiwan.fair)


def test_json_is_the_same_for_any_number_of_workers(taiwan):
    again = audit("taiwan", deals=1024, seed=1, jobs=2)
    assert again.to_json() == taiwan.to_json()
    assert len(taiwan.to_frame()) == 12


# --- the command --------------------------------------------------------------------------------


def test_command_lists_tiers_and_hands_inside_them(capsys):
    assert run(["audit", "shaoxing", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [t["tier"] for t in data["tiers"] if t["commoner_than_next"]] == [3]
    assert data["spreads"][0]["commonest"]["id"] == "six_pairs"
    assert data["specials"][0]["fair"] is None
    assert data["total"] == TOTAL_HANDS


@pytest.mark.parametrize(("name", "says"), [("bidaxiao", "no special hands"),
                                            ("points123", "one hand in")])  # fmt: skip
def test_variants_with_few_specials_are_audited(name, says, capsys):
    assert run(["audit", name, "--policy", "greedy", "--deals", "200", "--seed", "1"]) == 0
    assert says in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["taiwan", "--policy", "gready"], "did you mean 'greedy'?"),
        (["taiwan", "--policy", "greedy:declare=best"], "declares every special"),
        (["taiwan", "--players", "5"], "players must be 2, 3 or 4"),
        (["taiwan", "--deals", "1"], "deals must be 2 or more"),
        (["taiwan", "--set", "gun=none"], "montecarlo train taiwan --set gun=none"),
    ],
)
def test_command_refuses_bad_words_in_one_line(words, message, capsys):
    assert run(["audit", "--seed", "1", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err

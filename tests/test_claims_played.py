"""Claims that need played deals: their computations on few deals, by a second way, and verdicts."""

from collections import Counter

import numpy as np
import pytest

from montecarlo.cards import FULL_DECK
from montecarlo.dealing.dealer import deal_block
from montecarlo.scoring.many_deals import score_deals
from montecarlo.setting.policies import load_policy
from montecarlo.setting.seating import seat_policies
from montecarlo.simulation.payouts import play_hands, scoring_rules
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.intervals import Interval
from montecarlo.studies.claims import bankers, royals_played, setups, skill
from montecarlo.studies.claims.findings import Finding
from montecarlo.studies.claims.judgement import judge
from montecarlo.studies.claims.registry import find_computation
from montecarlo.studies.claims.royals import OPPONENTS, best_units
from montecarlo.studies.claims.schema import load_claims
from montecarlo.studies.claims.signs import above_zero, below_zero
from montecarlo.studies.compare import compare
from montecarlo.studies.verify import verify
from montecarlo.variants import load
from montecarlo.variants.schema import CATEGORIES
from tests.twins import rows as twin

PLAYED = {
    "royals-84-expected": "confirmed",
    "declare-royals": "confirmed",
    "common-setup": "refuted",
    "skill-long-run": "confirmed",
    "banker-edge": "confirmed",
    "both-report-cost": "confirmed",
}
LETTERS = dict(zip("AKQJ", (12, 11, 10, 9), strict=True))


@pytest.mark.parametrize("name", PLAYED)
def test_claim_files_name_simulations(name):
    claim = load_claims()[name]
    assert claim.method == "simulation"
    assert find_computation(claim)


# --- royals ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def royals():
    return royals_played.played_royals("balanced", 4)


def test_royals_are_dealt_each_hand_equally_often_and_the_rest_to_the_others():
    hands = [tuple(range(36, 49)), tuple(range(39, 52))]
    masks = royals_played.deals_of_royals(hands, 5)
    assert masks.shape == (10, 4)
    assert [f"{mask:b}".count("1") for mask in masks.ravel().tolist()] == [13] * 40
    assert np.bitwise_or.reduce(masks, axis=1).tolist() == [FULL_DECK] * 10
    assert len(set(masks[:5, 0].tolist())) == 1
    assert len(set(masks[:, 0].tolist())) == 2
    assert len(set(masks[:, 1].tolist())) == 10


def test_declared_royals_bring_their_points_from_each_opponent(royals):
    """No hand beats them: three royals are left, so nobody else holds four ranks above the ten."""
    points = next(entry.points for entry in load("taiwan").specials if entry.id == "twelve_royals")
    assert royals.declared.value == OPPONENTS * points
    assert royals.declared.se == 0
    assert royals.difference.value == pytest.approx(royals.best.value - royals.declared.value)


def test_played_royals_never_bring_more_than_winning_everything(royals):
    assert royals.deals == 560 * 4
    assert len(royals.by_ranks) == 20
    for name, units in royals.by_ranks.items():
        ranks = tuple(LETTERS[word[0]] for word in name.split() for _ in range(int(word[1])))
        assert units.value <= OPPONENTS * best_units(load("taiwan"), ranks)
    assert 0.5 < royals.home_runs.value < 1
    assert royals.best.value > 60


def test_the_best_setting_is_chosen_on_the_other_half():
    units = np.array([[9, 0, 9, 0], [0, 1, 0, 1]])  # even deals like the first, odd the second
    chosen = royals_played._best_held_out(units, np.array(["A"] * 4))
    assert chosen.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("difference", "verdict"), [(12.0, "confirmed"), (-12.0, "refuted"), (0.1, "undecided")]
)
def test_declaring_is_judged_by_the_difference(monkeypatch, royals, difference, verdict):
    made = royals_played.PlayedRoyals(
        royals.declared, royals.best, royals.policy, Estimate(difference, 1.0, 9),
        royals.home_runs, royals.by_ranks, 9,
    )  # fmt: skip
    monkeypatch.setattr(royals_played, "played_royals", lambda: made)
    claim = load_claims()["declare-royals"]
    assert royals_played.declare_royals(claim).verdict == verdict


# --- set-ups --------------------------------------------------------------------------------


def test_shares_of_setups_agree_with_plain_counting():
    deals, variant = 200, load("taiwan")
    found = setups.setups("greedy", "taiwan", "any", deals)
    masks = deal_block(setups.SEED, 0, deals)
    plain = first_special(masks, compile_rules(variant.rules)) < 0
    rows = load_policy(variant, "greedy", "any", 4).set_rows(masks.ravel(), "draw")
    rows = rows.reshape(deals, 4, 3)
    counts = [Counter() for _ in range(deals)]
    for deal, seat in zip(*np.nonzero(plain), strict=True):
        counts[deal][tuple(_category(mask) for mask in rows[deal, seat].tolist())] += 1
    total = sum(counts, Counter())
    held = plain.sum(axis=1)
    assert found.hands == held.sum() == total.total()
    assert set(found.shares) == set(total)
    for triple, share in found.shares.items():
        here = np.array([count[triple] for count in counts])
        assert share.value == pytest.approx(total[triple] / held.sum())
        residual = here - share.value * held
        error = (deals / (deals - 1) * (residual**2).sum()) ** 0.5 / held.sum()
        assert share.se == pytest.approx(error)
    shares = [share.value for share in found.shares.values()]
    assert shares == sorted(shares, reverse=True)
    assert found.place(next(iter(found.shares))) == 1


@pytest.mark.parametrize(
    ("places", "verdict"),
    [([1, 5, 2], "confirmed"), ([6, 40, 9], "refuted"), ([1, 6, 2], "undecided")],
)
def test_very_common_means_among_the_five_commonest(places, verdict):
    assert setups._verdict(places) == verdict


def _category(mask):
    codes = [4 * (bit % 16) + bit // 16 for bit in range(64) if mask >> bit & 1]
    return CATEGORIES[twin.category(twin.cards_of_codes(codes), "second")]


# --- luck and skill -------------------------------------------------------------------------


def test_gains_are_those_of_one_player_in_every_seat(monkeypatch):
    monkeypatch.setattr(skill, "POLICIES", ("greedy", "balanced"))
    deals, variant = 400, load("taiwan")
    table = skill.gains.__wrapped__("taiwan", deals)
    assert set(table) == {("greedy", "balanced"), ("balanced", "greedy")}
    masks = deal_block(skill.SEED, 0, deals)
    for (one, other), found in table.items():
        units = np.zeros((deals, 4))
        for seat in range(4):  # the lone player moves; the deal stays
            names = tuple(one if place == seat else other for place in range(4))
            _, seats = play_hands(
                variant, scoring_rules(variant), masks, seat_policies(variant, names, 4)
            )
            units[:, seat] = score_deals(scoring_rules(variant), seats, 0)[0][:, seat]
        assert found.gain.value == pytest.approx(units.mean())
        assert found.gain.se == pytest.approx(units.mean(axis=1).std(ddof=1) / deals**0.5)
        assert found.sd == pytest.approx(units.std())


def test_deals_until_the_better_is_ahead():
    made = skill.Gain(Estimate(-0.5, 0.01, 100), 4.0)
    assert made.deals_until_ahead == pytest.approx((1.6449 * 4 / 0.5) ** 2, rel=1e-3)
    assert skill.Gain(Estimate(-0.01, 0.01, 100), 4.0).deals_until_ahead is None


@pytest.mark.parametrize(
    ("gains", "verdict"),
    [
        ([(-2, 0.1), (-3, 0.1)], "confirmed"),
        ([(-2, 0.1), (3, 0.1)], "refuted"),
        ([(-2, 0.1), (-7, 0.1)], "refuted"),
        ([(-2, 0.1), (-0.1, 0.1)], "undecided"),
    ],
)
def test_skill_is_judged_in_every_game(gains, verdict):
    made = [skill.Gain(Estimate(gain, se, 9), 5.0) for gain, se in gains]
    assert skill._verdict(made) == verdict


# --- bankers --------------------------------------------------------------------------------


def test_what_both_reporting_costs_follows_from_the_specials_alone():
    deals = 20_000
    rules = load("hongkong"), load("hongkong", ["both_special=higher"])
    found = compare(*((v, "greedy") for v in rules), deals=deals, seed=bankers.SEED, rotate=True)
    firsts = first_special(
        deal_block(bankers.SEED, 0, deals), compile_rules(load("hongkong").rules)
    )
    entries, total = load("hongkong").specials, 0
    for held in firsts[(firsts >= 0).sum(axis=1) > 1].tolist():
        for banker, own in enumerate(held):
            for player, his in enumerate(held):
                if player == banker or own < 0 or his < 0:
                    continue
                mine, theirs = entries[own], entries[his]
                higher = (mine.rank < theirs.rank) * mine.points
                higher -= (mine.rank > theirs.rank) * theirs.points
                total += -theirs.points - higher
    assert total < 0
    assert found.units.difference.value == pytest.approx(total / (4 * deals), rel=1e-12)


@pytest.mark.parametrize(
    ("cost", "verdict"), [(-1.0, "confirmed"), (1.0, "refuted"), (-0.1, "undecided")]
)
def test_the_cost_is_judged_by_its_interval(monkeypatch, cost, verdict):
    found = compare(("hongkong", "greedy"), ("hongkong", "greedy"), deals=10, seed=1)
    object.__setattr__(found.units, "difference", Estimate(cost, 0.1, 9))
    monkeypatch.setattr(bankers, "cost_of_both_report", lambda deals: found)
    assert bankers.both_report_cost(load_claims()["both-report-cost"]).verdict == verdict


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [((0.1, 0.2), "confirmed"), ((-0.2, -0.1), "refuted"), ((-0.1, 0.2), "undecided")],
)
def test_a_sign_is_judged_by_the_whole_interval(interval, verdict):
    low, high = interval
    assert above_zero(Interval(low, high)) == verdict
    assert below_zero(Interval(-high, -low)) == verdict


# --- as shipped -----------------------------------------------------------------------------


@pytest.mark.slow
def test_verdicts_and_errors_as_shipped():
    answers = verify(PLAYED)
    for name, verdict in PLAYED.items():
        assert answers[name].verdict == verdict, name
        assert isinstance(answers[name].finding, Finding)
        assert judge(answers[name].claim, answers[name].finding)
    split = bankers.edge_by_rule(bankers.DEALS)
    assert split.largest_se < 0.002
    assert max(split.change.se, split.response.se) < 0.002
    lone = {game: skill.gains(game, skill.DEALS)["greedy", "equilibrium"] for game in skill.GAMES}
    for game, found in lone.items():
        most = -3 if game in skill.GUNS else -1
        assert found.gain.interval().high < most, game

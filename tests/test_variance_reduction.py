"""Strata and control variates: unbiased, errors that hold, and as much better as they say."""

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2, norm
from scipy.stats import f as f_ratio

from montecarlo.cli import run
from montecarlo.dealing.dealer import deal_block
from montecarlo.errors import BadInput
from montecarlo.scoring.many_deals import score_deals
from montecarlo.setting.seating import seat_policies
from montecarlo.simulation.controls import ControlMeasure
from montecarlo.simulation.measures import OwnMeasure, PlayedDeals
from montecarlo.simulation.payouts import play_hands, scoring_rules
from montecarlo.specials.special_hands import SpecialHands
from montecarlo.statistics.clustered import PairSums, PowerSums
from montecarlo.statistics.control_variates import control_coefficients, controlled_mean
from montecarlo.statistics.moments import Moments
from montecarlo.statistics.stratified import (
    Stratum,
    deals_needed,
    error_of_equal_totals,
    neyman_allocation,
    stratified_mean,
    stratified_ratio,
)
from montecarlo.studies.simulate import simulate
from montecarlo.studies.variance_reduction import reduced_means
from montecarlo.variants import load

FALSE_ALARM = 1e-6
SEEDS = 200


def moments_of(names, rows):
    rows = np.asarray(rows, dtype=object)
    products = rows.T @ rows
    return Moments(tuple(names), len(rows), tuple(rows.sum(axis=0)), tuple(map(tuple, products)))


def test_the_stratified_error_is_that_of_all_possible_samples():
    """Two strata, three and two values, two draws from each: every sample is listed."""
    strata = [(Fraction(1, 3), (0, 2, 7)), (Fraction(2, 3), (1, 4))]
    values, variances = [], []
    for one in product(strata[0][1], repeat=2):
        for other in product(strata[1][1], repeat=2):
            sampled = [
                Stratum(strata[0][0], PowerSums.of(one)),
                Stratum(strata[1][0], PowerSums.of(other)),
            ]
            found = stratified_mean(sampled)
            assert found.deals == 4
            values.append(found.value)
            variances.append(found.se**2)
    truth = sum(float(weight) * np.mean(stratum) for weight, stratum in strata)
    assert np.mean(values) == pytest.approx(truth)
    assert np.mean(variances) == pytest.approx(np.var(values))


def test_a_ratio_of_one_stratum_is_the_ratio_of_its_totals():
    rng = np.random.default_rng(1)
    pairs = PairSums.of(zip(*rng.integers(1, 20, (2, 300)).tolist(), strict=True))
    found, plain = stratified_ratio([(Fraction(1), pairs)]), pairs.ratio()
    assert found.value == pytest.approx(plain.value)
    assert found.se == pytest.approx(plain.se)
    double = stratified_ratio([(Fraction(1, 7), pairs), (Fraction(1, 7), pairs)])
    assert double.value == pytest.approx(plain.value)
    assert double.se == pytest.approx(plain.se / np.sqrt(2))
    assert stratified_ratio([(Fraction(1), PairSums(5))]) is None


def test_neyman_allocation_is_the_best_of_all():
    weights, sds = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [1.0, 4.0, 2.0]
    best = min(
        sum(float(w) ** 2 * s**2 / n for w, s, n in zip(weights, sds, split, strict=True))
        for split in ((a, b, 60 - a - b) for a in range(1, 59) for b in range(1, 60 - a))
    )
    found = neyman_allocation(weights, sds, 60)
    parts = zip(weights, sds, found, strict=True)
    assert sum(float(w) ** 2 * s**2 / n for w, s, n in parts) <= best * 1.001
    assert 60 <= sum(found) <= 62
    assert neyman_allocation(weights, [0.0, 0.0, 0.0], 60, 5) == (5, 5, 5)
    se = np.sqrt(sum(float(w) * s for w, s in zip(weights, sds, strict=True)) ** 2 / 60)
    assert deals_needed(weights, sds, se) in (60, 61)
    for bad in (
        lambda: neyman_allocation(weights, sds, 60, 1),
        lambda: neyman_allocation([], sds, 9),
    ):
        with pytest.raises(BadInput):
            bad()


def test_the_error_of_equal_totals_leaves_a_third_to_chance():
    share = error_of_equal_totals(1.0, 500)
    assert (1 - share) ** 500 == pytest.approx(1 - 0.6827)


def test_control_coefficients_are_those_of_least_squares():
    rng = np.random.default_rng(2)
    controls = rng.integers(-9, 10, (400, 3))
    y = controls @ [3, -2, 0] + rng.integers(-2, 3, 400)
    constant = np.full(400, 4)
    repeated = 2 * controls[:, 0]
    rows = np.column_stack([y, controls, constant, repeated])
    pilot = moments_of(["y", "a", "b", "c", "d", "e"], rows.tolist())
    found = control_coefficients(pilot, "y", ["a", "b", "c"])
    centred = controls - controls.mean(axis=0)
    expected = np.linalg.lstsq(centred, y - y.mean())[0]
    assert [float(found[name]) for name in "abc"] == pytest.approx(list(expected))
    assert control_coefficients(pilot, "y", ["d"]) == {"d": 0}
    both = control_coefficients(pilot, "y", ["a", "e"])
    alone = control_coefficients(pilot, "y", ["a"])
    assert float(both["a"] + 2 * both["e"]) == pytest.approx(float(alone["a"]))


def test_a_controlled_mean_is_that_of_the_corrected_totals():
    rng = np.random.default_rng(3)
    control = rng.integers(0, 10, 500)
    y = 5 * control + rng.integers(0, 3, 500)
    main = moments_of(["y", "c"], np.column_stack([y, control]).tolist())
    beta, mean = Fraction(49, 10), Fraction(9, 2)
    found = controlled_mean(main, "y", {"c": beta}, {"c": mean})
    corrected = y - 4.9 * (control - 4.5)
    assert found.value == pytest.approx(corrected.mean())
    assert found.se == pytest.approx(corrected.std(ddof=1) / np.sqrt(500))
    with pytest.raises(BadInput, match="not measured"):
        main.power("z")


@pytest.mark.parametrize(("name", "players"), [("taiwan", 4), ("coins", 3), ("bidaxiao", 2)])
def test_controls_have_the_means_that_are_claimed(name, players):
    variant = load(name)
    measure = ControlMeasure(variant, players)
    masks = np.concatenate([deal_block(3, 0, 65536, players), deal_block(3, 1, 65536, players)])
    rules, policies = scoring_rules(variant), seat_policies(variant, ("greedy",) * players, players)
    firsts, seats = play_hands(variant, rules, masks, policies)
    found = measure(PlayedDeals(masks, firsts, seats, rules))
    known = measure.known_means
    assert found.shape == (len(masks), len(known))
    for column, mean in zip(found.T, known.values(), strict=True):
        if column.std() == 0:
            assert column[0] == mean  # no specials: no points
            continue
        z = (column.mean() - float(mean)) / (column.std() / np.sqrt(len(masks)))
        assert abs(z) < norm.isf(FALSE_ALARM / 2 / len(known))


def test_controls_count_the_entries_of_a_ladder():
    variant = load("baibian")
    masks = deal_block(3, 0, 5000)
    rules, policies = scoring_rules(variant), seat_policies(variant, ("greedy",) * 4, 4)
    firsts, seats = play_hands(variant, rules, masks, policies)
    measure = ControlMeasure(variant, 4)
    found = measure(PlayedDeals(masks, firsts, seats, rules))
    assert found.shape[1] == len(measure.names) == 7 + 2 * len(variant.specials)
    for place, entry in enumerate(variant.specials):
        own = found[:, measure.names.index(f"own.{entry.id}")]
        others = found[:, measure.names.index(f"others.{entry.id}")]
        assert np.array_equal(own, firsts[:, 0] == place)
        assert np.array_equal(own + others, (firsts == place).sum(axis=1))
        chance = SpecialHands(variant.rules, place).chance
        assert measure.known_means[f"others.{entry.id}"] == 3 * chance


def cards_of(seat):
    """Sum of the ranks of a seat's cards, 2 counting 0: 78 on average."""
    lanes = (16 * np.arange(4)).astype(np.uint64)

    def function(masks, units):
        bits = masks[:, seat, None, None] >> (lanes[:, None] + np.arange(13, dtype=np.uint64))
        return ((bits & np.uint64(1)).astype(np.int64) * np.arange(13)).sum(axis=(1, 2))

    return function


@pytest.mark.parametrize("seat", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_strata_put_plain_deals_together_again(seat):
    """A mean that is known exactly: the ranks of thirteen cards add up to 78."""
    found = reduced_means(
        "taiwan", measure=OwnMeasure("ranks", cards_of(seat)), deals=20_000, seed=4, policy="greedy"
    )
    for method in ("plain", "control variates", "stratified"):
        estimate = found.of("ranks", method).estimate
        assert abs(estimate.value - 78) < norm.isf(FALSE_ALARM / 2) * estimate.se
    assert found.of("ranks", "plain").factor == pytest.approx(1)


@pytest.fixture(scope="module")
def many_seeds():
    """Estimates of one small game by 200 seeds, with the statistics that are checked."""
    options = {"policy": "greedy", "statistics": ("units", "special_flow"), "deals": 1600}
    methods = ("control variates", "stratified")
    return [
        reduced_means("mianbai", seed=seed, methods=methods, **options) for seed in range(SEEDS)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["control variates", "stratified"])
def test_unbiased_over_200_seeds(method, many_seeds):
    """False-alarm rate 1e-6 a check. Units are worth 0 to every seat: the game is symmetric."""
    plain = simulate("mianbai", deals=400_000, seed=10**6, policy="greedy").payouts
    lines = [line.flow for name, line in plain.lines.items() if name.startswith("special.")]
    flow, flow_se = sum(line.value for line in lines), sum(line.se for line in lines)
    for statistic, truth, truth_se in (("units", 0.0, 0.0), ("special_flow", flow, flow_se)):
        found = [result.of(statistic, method).estimate for result in many_seeds]
        values = np.array([estimate.value for estimate in found])
        error = np.hypot(values.std(ddof=1) / np.sqrt(SEEDS), truth_se)
        assert abs(values.mean() - truth) < norm.isf(FALSE_ALARM / 2) * error
        # and the errors are those that the estimates have among themselves
        scaled = ((values - values.mean()) / np.array([estimate.se for estimate in found])) ** 2
        low, high = chi2.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], SEEDS - 1)
        assert low < scaled.sum() < high


def test_the_flow_through_specials_takes_a_twentieth_of_the_deals():
    found = reduced_means(
        "taiwan", statistics=("special_flow",), deals=30_000, seed=6, policy="greedy"
    )
    plain = found.of("special_flow", "plain").estimate
    for method in ("control variates", "stratified"):
        reduced = found.of("special_flow", method)
        assert reduced.factor > 20
        assert reduced.estimate.deals < 1.2 * 30_000
        difference = abs(reduced.estimate.value - plain.value)
        assert difference < norm.isf(FALSE_ALARM / 2) * np.hypot(reduced.estimate.se, plain.se)


@pytest.mark.slow
def test_what_the_factor_says_is_what_plain_deals_need():
    """The factor, from the spread of 40 estimates against the spread of plain ones."""
    options = {"policy": "greedy", "statistics": ("special_flow",), "deals": 1600}
    found = [reduced_means("mianbai", seed=seed, **options) for seed in range(40)]
    claimed = np.mean([result.of("special_flow", "stratified").factor for result in found])
    spreads = [
        np.var([result.of("special_flow", method).estimate.value for result in found], ddof=1)
        for method in ("plain", "stratified")
    ]
    spent = found[0].of("special_flow", "stratified").estimate.deals / 1600
    seen = spreads[0] / spreads[1] / spent
    # the ratio of two variances of 40 values each is F-distributed around the true one
    low, high = f_ratio.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], 39, 39)
    assert low < seen / claimed < high


def test_a_game_without_specials_is_stratified_too():
    found = reduced_means("bidaxiao", deals=2000, seed=1, policy="greedy")
    assert found.of("special_flow", "stratified").estimate.value == 0
    units = found.of("units", "stratified").estimate
    assert abs(units.value) < norm.isf(FALSE_ALARM / 2) * units.se


def test_units_are_those_of_the_scored_deals():
    measure = OwnMeasure("units", lambda masks, units: units[:, 0])
    found = reduced_means(
        "taiwan", measure=measure, methods=("plain",), deals=5000, seed=2, policy="greedy"
    )
    variant = load("taiwan")
    policies = seat_policies(variant, ("greedy",) * 4, 4)
    rules = scoring_rules(variant)
    _, seats = play_hands(variant, rules, deal_block(2, 0, 5000), policies)
    expected = score_deals(rules, seats, 0)[0][:, 0].mean()
    assert found.of("units", "plain").estimate.value == pytest.approx(expected)


def test_the_command_prints_each_mean_by_each_method(capsys):
    words = ["value", "mianbai", "--total", "--policy", "greedy", "--deals", "2000", "--seed", "1"]
    assert run([*words, "--json"]) == 0
    first = capsys.readouterr().out
    data = json.loads(first)
    assert len(data) == 5 * 3
    assert set(data[0]) == {"statistic", "method", "mean", "se", "deals", "factor"}
    assert run([*words, "--json", "--jobs", "2"]) == 0
    assert capsys.readouterr().out == first
    assert run(words) == 0
    assert "special_flow" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"deals": 100}, "128 or more"),
        ({"players": 1}, "2, 3 or 4"),
        ({"methods": ("magic",)}, "unknown method"),
        ({"statistics": ("edge",)}, "not measured"),
    ],
)
def test_bad_input_is_named(options, complaint):
    with pytest.raises(BadInput, match=complaint):
        reduced_means("taiwan", policy="greedy", **options)

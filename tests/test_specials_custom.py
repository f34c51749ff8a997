"""Predicates of one's own: building blocks, examples against exact answers, intervals."""

import doctest
import json
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from montecarlo.cards import FULL_DECK, masks_from_codes
from montecarlo.errors import BadInput
from montecarlo.specials import custom
from montecarlo.specials.custom import (
    frequency,
    held_at_least,
    rank_counts,
    suit_lengths,
)
from montecarlo.statistics.hypothesis_tests import z_test
from montecarlo.statistics.intervals import clopper_pearson
from tests.twins.special_hands import random_hands

FALSE_ALARM = 1e-6
DEALS = 200_000


def five_spades(hands):
    return suit_lengths(hands)[..., 3] == 5


def three_adjacent_pairs(hands):
    pairs = held_at_least(hands, 2)
    return (pairs & pairs >> 1 & pairs >> 2) != 0


def exact_three_adjacent_pairs():
    """Count hands rank by rank, carrying the cards so far and the run of pairs that ends here."""
    ways = {(0, 0): 1}
    for _ in range(13):
        following = {}
        for (cards, run), number in ways.items():
            for held in range(min(4, 13 - cards) + 1):
                longer = 3 if run == 3 else (run + 1 if held >= 2 else 0)
                key = cards + held, longer
                following[key] = following.get(key, 0) + number * comb(4, held)
        ways = following
    return Fraction(ways[13, 3], comb(52, 13))


def test_building_blocks_count_the_cards():
    hands = random_hands(np.random.default_rng(1), 500)
    masks = masks_from_codes(hands).reshape(50, 10)
    ranks = np.array([np.bincount(hand // 4, minlength=13) for hand in hands]).reshape(50, 10, 13)
    suits = np.array([np.bincount(hand % 4, minlength=4) for hand in hands]).reshape(50, 10, 4)
    np.testing.assert_array_equal(rank_counts(masks), ranks)
    np.testing.assert_array_equal(suit_lengths(masks), suits)
    assert rank_counts(masks).dtype == suit_lengths(masks).dtype == np.uint8
    for times in (1, 2, 3, 4):
        found = held_at_least(masks, times)
        assert found.dtype == np.uint16
        np.testing.assert_array_equal(found, (ranks >= times) @ (1 << np.arange(13)))


def test_building_blocks_on_single_hands():
    assert list(suit_lengths(FULL_DECK)) == [13] * 4
    assert list(rank_counts(FULL_DECK)) == [4] * 13
    assert held_at_least(FULL_DECK, 4) == 0x1FFF
    with pytest.raises(BadInput, match="times"):
        held_at_least(FULL_DECK, 5)


def test_the_documented_examples_run():
    assert doctest.testmod(custom).failed == 0


def test_five_spades_against_the_hypergeometric_chance():
    found = frequency(five_spades, deals=DEALS, seed=11)
    exact = Fraction(comb(13, 5) * comb(39, 8), comb(52, 13))
    assert z_test(found.p, found.se, float(exact)).p_value > FALSE_ALARM


def test_three_adjacent_pairs_against_the_exact_chance():
    found = frequency(three_adjacent_pairs, deals=DEALS, seed=12)
    assert z_test(found.p, found.se, float(exact_three_adjacent_pairs())).p_value > FALSE_ALARM


@pytest.mark.slow
def test_examples_with_many_deals_and_other_numbers_of_players():
    five = float(Fraction(comb(13, 5) * comb(39, 8), comb(52, 13)))
    for players in (2, 3, 4):
        for predicate, exact in (
            (five_spades, five),
            (three_adjacent_pairs, float(exact_three_adjacent_pairs())),
        ):
            found = frequency(predicate, deals=2_000_000, seed=players, players=players)
            assert found.hands == players * found.deals
            assert z_test(found.p, found.se, exact).p_value > FALSE_ALARM


def test_errors_come_from_totals_a_deal():
    """Somebody always holds the ace of spades: its frequency has no error at all."""
    found = frequency(lambda hands: np.ones(hands.shape, bool), deals=100, seed=1)
    assert (found.p, found.se, found.count, found.hands) == (1.0, 0.0, 400, 400)
    holds_the_ace = frequency(lambda hands: hands >> np.uint64(60) != 0, deals=1000, seed=1)
    assert (holds_the_ace.p, holds_the_ace.se) == (0.25, 0.0)
    assert holds_the_ace.deals_by_count == (0, 1000, 0, 0, 0)


def test_rare_predicates_have_the_exact_interval_of_deals():
    none = frequency(lambda hands: np.zeros(hands.shape, bool), deals=1000, seed=1)
    assert (none.p, none.count, none.ci95.low) == (0.0, 0, 0.0)
    assert none.ci95.high == pytest.approx(-np.expm1(np.log(0.025) / 1000) / 4, rel=1e-12)
    every = frequency(lambda hands: np.ones(hands.shape, bool), deals=1000, seed=1)
    assert (every.ci95.low, every.ci95.high) == (1.0 - none.ci95.high, 1.0)
    dragons = frequency(lambda hands: held_at_least(hands, 1) == 0x1FFF, deals=20_000, seed=1)
    assert 0 < dragons.count < 30
    holding = dragons.deals - dragons.deals_by_count[0]
    scale = dragons.count / holding / 4
    wanted = clopper_pearson(holding, dragons.deals)
    assert dragons.ci95 == pytest.approx((wanted.low * scale, wanted.high * scale))
    assert dragons.ci95.contains(4**13 / comb(52, 13))


def test_the_interval_of_a_common_predicate_is_normal():
    found = frequency(five_spades, deals=5000, seed=2)
    assert found.ci95 == pytest.approx(
        (found.p - 1.959964 * found.se, found.p + 1.959964 * found.se)
    )


def test_the_same_seed_gives_the_same_answer_and_more_deals_begin_alike():
    assert frequency(five_spades, deals=3000, seed=5) == frequency(five_spades, deals=3000, seed=5)
    assert frequency(five_spades, deals=3000, seed=6) != frequency(five_spades, deals=3000, seed=5)
    seen = []

    def watch(hands):
        seen.append(hands.copy())
        return five_spades(hands)

    frequency(watch, deals=1000, seed=5)
    frequency(watch, deals=65536 + 10, seed=5)
    assert [block.shape for block in seen] == [(1000, 4), (65536, 4), (10, 4)]
    np.testing.assert_array_equal(seen[0], seen[1][:1000])


def test_results_as_json_and_as_a_frame():
    found = frequency(five_spades, deals=1000, seed=5)
    data = json.loads(found.to_json())
    assert data["count"] == found.count
    assert data["ci95"] == list(found.ci95)
    assert data["deals_by_count"] == list(found.deals_by_count)
    frame = found.to_frame()
    assert len(frame) == 1
    assert frame.ci95_low[0] == found.ci95.low
    assert frame.hands[0] == 4000


@pytest.mark.parametrize(
    ("predicate", "options", "message"),
    [
        (five_spades, {"deals": 1}, "deals"),
        (five_spades, {"deals": 10.5}, "deals"),
        (five_spades, {"deals": 10, "players": 5}, "players"),
        (five_spades, {"deals": 10, "seed": -1}, "seed"),
        (lambda hands: suit_lengths(hands) == 5, {"deals": 10}, "shape"),
        (lambda hands: hands, {"deals": 10}, "booleans"),
        (lambda hands: True, {"deals": 10}, "shape"),
    ],
)
def test_bad_input_is_refused(predicate, options, message):
    with pytest.raises(BadInput, match=message):
        frequency(predicate, **options)

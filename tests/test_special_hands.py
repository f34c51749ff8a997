"""Uniform hands of specials, deals around a given hand: against lists, twins and plain deals."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import chi2, norm
from twins import exact_hands as twin

from montecarlo.cards import BIT_OF_CODE, FULL_DECK
from montecarlo.dealing.dealer import deal_block
from montecarlo.dealing.given_hand import hands_around
from montecarlo.dealing.streams import block_state
from montecarlo.errors import BadInput
from montecarlo.specials.custom import rank_counts, suit_lengths
from montecarlo.specials.exact import TOTAL_HANDS, count_specials
from montecarlo.specials.kernels import first_special, satisfied
from montecarlo.specials.numbered_hands import HandsWithStraightFlush, numbered_hands
from montecarlo.specials.predicates import PREDICATES, rule
from montecarlo.specials.program import compile_rules
from montecarlo.specials.special_hands import NO_SPECIAL, SpecialHands, draw_numbers
from montecarlo.variants.load import all_variants, load

FALSE_ALARM = 1e-6
RULES = sorted(
    {r for variant in all_variants() for r in variant.rules}
    | {rule(name) for name in PREDICATES}
    | {
        rule("twelve_royals", min=12),
        rule("six_pairs", quads=False, triple=False),
        rule("five_pairs_triple", quads=False),
        rule("three_straights", wheel="none", qka=True),
        rule("three_straight_flushes", qka=True),
        rule("has_straight_flush", wheel="none"),
        rule("three_flushes", distinct=True),
    },
    key=str,
)
VARIANTS = [variant for variant in all_variants() if variant.specials]


def held(masks):
    """Hands as the twins take them: (hands, 4 suits, 13 ranks)."""
    bits = masks[:, None, None] >> (16 * np.arange(4)[:, None] + np.arange(13)).astype(np.uint64)
    return (bits & np.uint64(1)) == 1


def two_sample_chi_square(one, other):
    """Return the statistic and the threshold of equal cell distributions, rare cells pooled."""
    cells = np.unique(np.concatenate([one, other]), return_inverse=True)[1]
    first = np.bincount(cells[: one.size], minlength=cells.max() + 1).astype(float)
    second = np.bincount(cells[one.size :], minlength=cells.max() + 1).astype(float)
    rare = np.minimum(first, second) < 10
    if rare.any():
        first = np.append(first[~rare], first[rare].sum())
        second = np.append(second[~rare], second[rare].sum())
    share, rest = np.sqrt(second.sum() / first.sum()), np.sqrt(first.sum() / second.sum())
    kept = first + second > 0
    statistic = ((share * first - rest * second)[kept] ** 2 / (first + second)[kept]).sum()
    return statistic, chi2.isf(FALSE_ALARM, kept.sum() - 1)


@pytest.fixture(scope="module")
def inclusive():
    """The exact number of hands of every rule."""
    return dict(zip(RULES, count_specials(RULES).inclusive, strict=True))


@pytest.mark.parametrize("asked", RULES, ids=str)
def test_numbers_are_as_many_as_the_exact_count_and_stand_for_hands_of_the_rule(asked, inclusive):
    numbered = numbered_hands(asked)
    exact = inclusive[asked]
    drawn = np.random.default_rng(1).integers(0, numbered.size, 20_000)
    numbers = np.unique(np.concatenate([drawn, [0, numbered.size - 1]]))
    hands = numbered.hands_of(numbers)
    real = hands[hands != 0]
    if isinstance(numbered, HandsWithStraightFlush):
        p = exact / numbered.size
        z = (np.count_nonzero(hands) - numbers.size * p) / np.sqrt(numbers.size * p * (1 - p))
        assert abs(z) < norm.isf(FALSE_ALARM / 2)
    else:
        assert numbered.size == exact
        assert real.size == hands.size
    assert np.unique(real).size == real.size, "two numbers stand for one hand"
    assert np.all(np.bitwise_count(real) == 13)
    assert not np.any(real & ~np.uint64(FULL_DECK))
    assert np.all(satisfied(real, compile_rules([asked])) == 1)
    assert np.all(twin.hand_rule(asked, held(real[:3000])))


def test_all_hands_are_numbered_too():
    numbered = numbered_hands(None)
    assert numbered.size == TOTAL_HANDS
    numbers = np.random.default_rng(2).integers(0, numbered.size, 50_000)
    hands = numbered.hands_of(np.unique(numbers))
    assert np.unique(hands).size == hands.size
    assert np.all(np.bitwise_count(hands) == 13)


def masks_of(cards):
    """Masks of hands given as card codes (hands, 13), by addition of bits."""
    return set(BIT_OF_CODE[np.array(cards)].sum(axis=1).tolist())


def test_hands_that_are_few_are_those_of_a_list():
    royals = list(combinations(range(36, 52), 13))
    nearly = [(*twelve, other) for twelve in combinations(range(36, 52), 12) for other in range(36)]
    quads = [
        (*(4 * rank + suit for rank in ranks for suit in range(4)), card)
        for ranks in combinations(range(13), 3)
        for card in range(52)
        if card // 4 not in ranks
    ]
    lists = {
        rule("suited_dragon"): masks_of([range(suit, 52, 4) for suit in range(4)]),
        rule("twelve_royals"): masks_of(royals),
        rule("twelve_royals", min=12): masks_of(royals + nearly),
        rule("three_quads"): masks_of(quads),
        rule("three_straight_flushes", qka=True): {
            sum(1 << 16 * suit + rank for suit, rank in hand)
            for hand in twin.three_straight_flush_hands(
                {"wheel": "second", "a23": True, "qka": True}
            )
        },
    }  # fmt: skip
    for asked, listed in lists.items():
        numbered = numbered_hands(asked)
        assert set(numbered.hands_of(np.arange(numbered.size)).tolist()) == listed, asked
        assert numbered.size == len(listed)


def test_numbers_and_hands_of_four_triples_match_one_to_one():
    numbered = numbered_hands(rule("four_triples"))
    hands = np.sort(numbered.hands_of(np.arange(numbered.size)))
    assert np.all(hands[1:] > hands[:-1])


def test_a_straight_flush_hand_has_exactly_one_number():
    numbered = numbered_hands(rule("has_straight_flush"))
    several = 0
    for hand in (
        SpecialHands((rule("has_straight_flush"),), 0).draw(block_state(3, 0), 400).tolist()
    ):
        found = []
        for place, run in enumerate(numbered.runs.tolist()):
            if hand & run == run:
                cards = [1 << bit for bit in range(64) if (FULL_DECK & ~run) >> bit & 1]
                chosen = [i for i, card in enumerate(cards) if hand & card]
                number = sum(comb(46 - i, 8 - j) for j, i in enumerate(chosen))
                found.append(place * comb(47, 8) + number)
        assert numbered.hands_of(np.array(found)).tolist() == [hand] + [0] * (len(found) - 1)
        several += len(found) > 1
    assert several


@pytest.mark.parametrize(
    "variant",
    [
        # its rules are nearly those of the other ladder
        pytest.param(variant, marks=[pytest.mark.slow] if variant.id == "shaoxing" else [])
        for variant in VARIANTS
    ],
    ids=lambda variant: variant.id,
)
def test_drawn_hands_are_declared_as_the_special_and_the_acceptance_is_right(variant):
    program = compile_rules(variant.rules)
    places = range(NO_SPECIAL, len(variant.rules))
    assert sum(SpecialHands(variant.rules, special).chance for special in places) == 1
    for special in places:
        hands = SpecialHands(variant.rules, special)
        if hands.count == 0:
            with pytest.raises(BadInput, match="no hand is"):
                hands.draw(block_state(1, 0), 1)
            continue
        drawn = hands.draw(block_state(1, 0, special + 1), 3000)
        assert np.all(first_special(drawn, program) == special)
        # nothing in the shipped rules needs more than four candidates a hand
        assert hands.acceptance > 0.25
        numbers = np.random.default_rng(special + 1).integers(0, hands.numbered.size, 5000)
        found = hands.numbered.hands_of(numbers)
        kept = np.zeros(numbers.size, np.bool_)
        kept[found != 0] = first_special(found[found != 0], program) == special
        p = float(hands.acceptance)
        spread = np.sqrt(numbers.size * p * (1 - p))
        assert abs(kept.sum() - numbers.size * p) <= norm.isf(FALSE_ALARM / 2) * spread + 1e-6


@pytest.mark.parametrize(
    ("name", "special"),
    [
        ("taiwan", "six_pairs"),
        ("taiwan", "three_straights"),
        ("taiwan", "three_flushes"),
        ("hongkong", "window_5_A"),
        ("mianbai", "has_straight_flush"),
        ("mianbai", "has_quads"),
        ("shaoxing", "has_triple"),
        ("shaoxing", "has_pair"),
    ],
)
def test_common_specials_look_like_those_of_plain_deals(name, special):
    rules = load(name).rules
    place = [entry.id for entry in load(name).specials].index(special)
    plain = np.concatenate([deal_block(5, block).ravel() for block in range(6)])
    plain = plain[first_special(plain, compile_rules(rules)) == place][:20_000]
    drawn = SpecialHands(rules, place).draw(block_state(5, 0, 1), 20_000)
    assert plain.size > 2000

    def cells(hands):
        lengths = np.sort(suit_lengths(hands), axis=1).astype(np.int64) @ [1, 16, 256, 4096]
        counts = rank_counts(hands)
        held_by = [(counts == times).sum(axis=1) for times in (1, 2, 3)]
        return lengths, held_by[0] + 16 * held_by[1] + 256 * held_by[2], counts.argmax(axis=1)

    for one, other in zip(cells(plain), cells(drawn), strict=True):
        statistic, threshold = two_sample_chi_square(one, other)
        assert statistic < threshold


def test_every_hand_of_a_rare_special_comes_equally_often():
    quads = SpecialHands((rule("three_quads"),), 0)
    drawn = quads.draw(block_state(6, 0), 40 * quads.count)
    _, seen = np.unique(drawn, return_counts=True)
    statistic = ((seen - 40) ** 2 / 40).sum() + 40 * (quads.count - seen.size)
    assert statistic < chi2.isf(FALSE_ALARM, quads.count - 1)


def test_numbers_are_the_upper_bits_of_the_generators_words_below_the_size():
    sequence = np.random.SeedSequence(7, spawn_key=(2, 5))
    words = np.random.SFC64(sequence).random_raw(400).tolist()
    for size in (1, 2, 3, 1000, 2**40 + 1, 2**63 - 1):
        bits = max(1, (size - 1).bit_length())
        expected = [w >> 64 - bits for w in words if w >> 64 - bits < size][:50]
        numbers = np.empty(50, np.int64)
        draw_numbers(block_state(7, 2, 5), size, numbers)
        assert numbers.tolist() == expected


def test_the_first_hands_do_not_depend_on_how_many_are_drawn():
    hands = SpecialHands(load("taiwan").rules, 11)
    many = hands.draw(block_state(1, 3, 2), 9000)
    assert np.array_equal(hands.draw(block_state(1, 3, 2), 700), many[:700])
    assert not np.array_equal(hands.draw(block_state(1, 3, 1), 700), many[:700])
    assert not np.array_equal(hands.draw(block_state(1, 4, 2), 700), many[:700])


def test_inclusive_hands_may_satisfy_a_rule_before():
    rules = load("taiwan").rules
    flushes = SpecialHands(rules, 11, exclusive=False)
    firsts = first_special(flushes.draw(block_state(2, 0), 20_000), compile_rules(rules))
    p = 1 - float(SpecialHands(rules, 11).acceptance)
    assert flushes.acceptance == 1
    spread = np.sqrt(20_000 * p * (1 - p))
    assert abs((firsts != 11).sum() - 20_000 * p) < norm.isf(FALSE_ALARM / 2) * spread


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("holder", [0, 1])
def test_deals_around_a_hand_are_disjoint_and_uniform(players, holder):
    deals = 20_000
    given = SpecialHands((rule("suited_dragon"),), 0).draw(block_state(8, 0), 1)
    masks = hands_around(block_state(8, 0, 1), np.repeat(given, deals), holder, players)
    assert np.all(masks[:, holder] == given)
    assert np.all(np.bitwise_count(masks) == 13)
    together = np.bitwise_or.reduce(masks, axis=1)
    assert np.all(np.bitwise_count(together) == 13 * players)
    left = np.array([bit for bit in BIT_OF_CODE.tolist() if not bit & int(given[0])], np.uint64)
    threshold = norm.isf(FALSE_ALARM / (2 * 39 * players))
    for seat in set(range(players)) - {holder}:
        holds = (masks[:, seat, None] & left) != 0
        z = (holds.sum(axis=0) - deals / 3) / np.sqrt(deals * 2 / 9)
        assert np.abs(z).max() < threshold
        # pairs of cards: hypergeometric covariance of two of 39 cards in a hand of 13
        both = (holds[:, :-1] & holds[:, 1:]).mean(axis=0)
        p = 13 * 12 / (39 * 38)
        assert np.abs(both - p).max() < threshold * np.sqrt(p * (1 - p) / deals)

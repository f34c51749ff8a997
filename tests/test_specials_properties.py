"""What must hold for any 13 cards, whatever the predicate."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from montecarlo.cards import masks_from_codes
from montecarlo.specials.kernels import first_special, satisfied
from montecarlo.specials.predicates import PREDICATES, rule
from montecarlo.specials.program import MAX_RULES, compile_rules
from tests.twins.special_hands import every_rule, inside

RULES = every_rule()
PROGRAMS = [compile_rules(RULES[at : at + MAX_RULES]) for at in range(0, len(RULES), MAX_RULES)]

POOL = np.concatenate(
    [inside(name, np.random.default_rng(place), 40) for place, name in enumerate(PREDICATES)]
)
ANY_HAND = st.lists(st.integers(0, 51), min_size=13, max_size=13, unique=True)
SPECIAL_HAND = st.integers(0, len(POOL) - 1).map(lambda place: [int(c) for c in POOL[place]])
HANDS = ANY_HAND | SPECIAL_HAND
SUIT_ORDERS = st.permutations(range(4))


def held(hand):
    """Return the rules a hand (card codes) satisfies."""
    mask = masks_from_codes(np.array([hand], dtype=np.uint8))
    found = [int(satisfied(mask, program)[0]) for program in PROGRAMS]
    return {one for at, one in enumerate(RULES) if found[at // MAX_RULES] >> at % MAX_RULES & 1}


def relabelled(hand, suits):
    return [4 * (card // 4) + suits[card % 4] for card in hand]


@given(HANDS, SUIT_ORDERS)
def test_suits_may_be_relabelled_unless_colours_count(hand, suits):
    colours = {"one_colour", "one_off_colour"}
    red_stay_together = suits[0] % 2 == suits[2] % 2
    before, after = held(hand), held(relabelled(hand, suits))
    assert {one for one in before ^ after if one.predicate not in colours} == set()
    if red_stay_together:
        assert before == after


@given(HANDS, st.permutations(range(13)))
def test_the_order_of_the_cards_does_not_matter(hand, order):
    assert held(hand) == held([hand[place] for place in order])


@given(HANDS)
def test_a_more_generous_option_never_loses_a_hand(hand):
    """True gives more than false, except no_gap and distinct, which ask for more."""
    found = held(hand)
    for one in found:
        options = dict(one.options)
        for name, value in options.items():
            generous = {name: name not in ("no_gap", "distinct")}
            if isinstance(value, bool):
                assert rule(one.predicate, **{**options, **generous}) in found
        if options.get("wheel") == "none":
            assert rule(one.predicate, **{**options, "wheel": "second"}) in found
        if options.get("wheel") == "second":
            assert rule(one.predicate, **{**options, "wheel": "lowest"}) in found
        if options.get("min") == 13:
            assert rule("twelve_royals", min=12) in found


IMPLIED = (
    ("suited_dragon", "dragon"),
    ("suited_dragon", "three_straight_flushes"),
    ("suited_dragon", "one_colour"),
    ("dragon", "three_straights"),
    ("three_straight_flushes", "three_straights"),
    ("three_straight_flushes", "three_flushes"),
    ("three_straight_flushes", "has_straight_flush"),
    ("three_quads", "six_pairs"),
    ("three_quads", "has_quads"),
    ("five_pairs_triple", "six_pairs"),
    ("four_triples", "has_triple"),
    ("has_quads", "has_triple"),
    ("has_triple", "has_pair"),
)


@given(HANDS)
def test_what_implies_what(hand):
    found = held(hand)
    for stronger, weaker in IMPLIED:
        assert rule(stronger) not in found or rule(weaker) in found


@given(HANDS, st.lists(st.sampled_from(RULES), max_size=MAX_RULES))
def test_the_first_special_is_the_first_of_the_list_that_is_held(hand, rules):
    found = held(hand)
    mask = masks_from_codes(np.array(hand, dtype=np.uint8))
    expected = next((place for place, one in enumerate(rules) if one in found), -1)
    assert first_special(mask, compile_rules(rules)) == expected

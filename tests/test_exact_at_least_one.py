"""The chance that someone at the table holds a special: whole small decks, and random deals."""

from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom

from montecarlo.errors import BadInput
from montecarlo.specials.at_least_one import WAYS, Deck, chance_at_least_one
from montecarlo.specials.exact import TOTAL_HANDS, count_specials
from montecarlo.specials.predicates import Rule, rule

FALSE_ALARM = 1e-6


def chance_by_dealing(deck, players, satisfied):
    """Deal every deal of a small deck; ``satisfied`` judges a hand of (rank, suit) cards."""
    cards = [(rank, suit) for rank in range(deck.ranks) for suit in range(deck.suits)]
    good = {hand: satisfied(hand) for hand in combinations(cards, deck.hand)}

    @cache
    def deals(left, seats):
        """Return the deals of ``left``, and those where nobody holds the special."""
        if not seats:
            return 1, 1
        total = nobody = 0
        for hand in combinations(left, deck.hand):
            more, none = deals(tuple(card for card in left if card not in hand), seats - 1)
            total += more
            nobody += 0 if good[hand] else none
        return total, nobody

    total, nobody = deals(tuple(cards), players)
    return 1 - Fraction(nobody, total)


def ranks_of(hand):
    return [rank for rank, _ in hand]


def reds(hand):
    return sum(suit % 2 == 0 for _, suit in hand)


def quads_of(hand, suits):
    return sum(ranks_of(hand).count(rank) == suits for rank in set(ranks_of(hand)))


TINY = Deck(ranks=3, suits=4, hand=3)
WINDOW = rule("rank_window", low="2", high="3")
FULL_WINDOW = rule("rank_window", low="2", high="3", no_gap=True)
SMALL_CASES = [
    (TINY, rule("dragon"), lambda h: len(set(ranks_of(h))) == 3),
    (TINY, rule("suited_dragon"), lambda h: len({suit for _, suit in h}) == 1),
    (TINY, WINDOW, lambda h: max(ranks_of(h)) <= 1),
    (TINY, FULL_WINDOW, lambda h: set(ranks_of(h)) == {0, 1}),
    (TINY, rule("one_colour"), lambda h: reds(h) in (0, 3)),
    (TINY, rule("one_off_colour"), lambda h: reds(h) in (1, 2)),
    (Deck(2, 4, 4), rule("one_off_colour"), lambda h: reds(h) in (1, 3)),
    (Deck(4, 3, 4), FULL_WINDOW, lambda h: set(ranks_of(h)) == {0, 1}),
    (Deck(6, 2, 4), Rule("twelve_royals", (("min", 3),)), lambda h: sum(r > 1 for r, _ in h) >= 3),
    (Deck(6, 2, 3), Rule("twelve_royals", (("min", 3),)), lambda h: sum(r > 1 for r, _ in h) >= 3),
    (Deck(7, 2, 7), rule("three_quads"), lambda h: quads_of(h, 2) == 3),
    (Deck(6, 2, 6), rule("three_quads"), lambda h: quads_of(h, 2) == 3),
]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("deck", "special", "satisfied"), SMALL_CASES)
def test_small_decks_dealt_in_full(deck, special, satisfied, players):
    if players * deck.hand > deck.cards:
        with pytest.raises(BadInput, match="cannot be dealt"):
            chance_at_least_one(special, players, deck)
        return
    expected = chance_by_dealing(deck, players, satisfied)
    assert expected > 0
    assert chance_at_least_one(special, players, deck) == expected


FULL_CASES = [
    rule("dragon"),
    rule("suited_dragon"),
    rule("rank_window"),
    rule("rank_window", low="A", high="10", no_gap=True),
    rule("one_colour"),
    rule("one_off_colour"),
    rule("twelve_royals", min=12),
    rule("three_quads"),
]


@pytest.mark.parametrize("special", FULL_CASES, ids=str)
def test_between_one_hand_and_the_sum_over_hands(special):
    one = Fraction(count_specials([special]).inclusive[0], TOTAL_HANDS)
    chances = [chance_at_least_one(special, players) for players in (2, 3, 4)]
    assert one < chances[0] < chances[1] < chances[2]
    for players, chance in zip((2, 3, 4), chances, strict=True):
        # at most the sum over hands, and two specials at a table are rare beside one
        assert Fraction(98, 100) * players * one < chance < players * one or chance == players * one


def test_two_hands_by_conditioning():
    """P(both are dragons) = P(first) x P(second | first), worked out by hand."""
    one = Fraction(4**13, TOTAL_HANDS)
    both = one * Fraction(3**13, 8_122_425_444)  # C(39, 13)
    assert chance_at_least_one(rule("dragon"), 2) == 2 * one - both


def test_unknown_and_bad():
    assert chance_at_least_one(rule("six_pairs"), 4) is None
    assert set(WAYS) == {special.predicate for special in FULL_CASES}
    for players in (1, 5):
        with pytest.raises(BadInput, match="2 to 4"):
            chance_at_least_one(rule("dragon"), players)


@pytest.mark.parametrize("players", [2, 4])
def test_random_deals(players):
    rng = np.random.default_rng(23)
    deals = 60_000
    order = np.argsort(rng.random((deals, 52)), axis=1)[:, : 13 * players]
    hands = order.reshape(deals, players, 13)
    red = (hands % 4 % 2 == 0).sum(axis=2)
    ranks = np.sort(hands // 4, axis=2)
    steps = np.diff(ranks, axis=2)
    window = (ranks[..., 0] == 0) & (ranks[..., -1] == 8) & (steps <= 1).all(axis=2)
    seen = {
        rule("one_off_colour"): np.isin(red, (1, 12)),
        rule("rank_window", low="2", high="10"): ranks[..., -1] <= 8,
        rule("rank_window", low="2", high="10", no_gap=True): window,
        rule("rank_window", low="5", high="A"): ranks[..., 0] >= 3,
    }
    for special, holds in seen.items():
        tables = holds.any(axis=1).sum()
        expected = binom(deals, float(chance_at_least_one(special, players)))
        assert min(expected.cdf(tables), expected.sf(tables - 1)) > FALSE_ALARM / 8, special

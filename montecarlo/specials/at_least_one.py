"""The exact chance that at least one player at a table holds a given special.

Inclusion and exclusion over seats: with n players the chance is the sum over j of
(-1)^(j+1) C(n, j) P(j given seats all hold it). So it is enough to count the ways to deal j hands
that all satisfy the rule, which products over ranks or colours give for the rules below. For other
rules no such form is known here, and the answer is None (simulate instead).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb, factorial, perm, prod
from typing import NamedTuple

from montecarlo.errors import BadInput
from montecarlo.specials.predicates import Rule, window_ranks

ROYAL_RANKS = 4  # J Q K A
QUADS_NEEDED = 3


class Deck(NamedTuple):
    """A deck of ``ranks`` x ``suits`` cards, dealt in hands of ``hand`` cards; half is red.

    Small decks serve to check the counts by dealing every deal there is.
    """

    ranks: int = 13
    suits: int = 4
    hand: int = 13

    @property
    def cards(self) -> int:
        """Cards in the deck."""
        return self.ranks * self.suits


FULL_DECK = Deck()


def chance_at_least_one(rule: Rule, players: int, deck: Deck = FULL_DECK) -> Fraction | None:
    """Return the chance that some of ``players`` hands satisfies ``rule``; None if not known.

    "Satisfies" is inclusive: a hand counts whatever stronger special it also is. Raises BadInput
    for a number of players other than 2 to 4, or more hands than the deck has.
    """
    if not 2 <= players <= 4 or players * deck.hand > deck.cards:
        raise BadInput(f"{players} players cannot be dealt {deck.hand} cards each: 2 to 4 can")
    ways = WAYS.get(rule.predicate)
    if ways is None:
        return None
    return sum(
        (
            (-1) ** (seats + 1) * comb(players, seats) * Fraction(ways(rule, deck, seats), deals)
            for seats in range(1, players + 1)
            if (deals := _ways_to_deal(deck.cards, [deck.hand] * seats))
        ),
        start=Fraction(0),
    )


def _ways_to_deal(cards: int, hands: list[int]) -> int:
    """Return the ways to give disjoint hands of these sizes from ``cards`` cards (0 if too few)."""
    ways = 1
    for size in hands:
        ways *= comb(cards, size) if size <= cards else 0
        cards -= size
    return ways


def _dragon(rule: Rule, deck: Deck, seats: int) -> int:
    return int(perm(deck.suits, seats) ** deck.ranks)


def _suited_dragon(rule: Rule, deck: Deck, seats: int) -> int:
    return perm(deck.suits, seats)


def _rank_window(rule: Rule, deck: Deck, seats: int) -> int:
    window = len(window_ranks(str(rule.option("low")), str(rule.option("high"))))
    if not rule.option("no_gap"):
        return _ways_to_deal(window * deck.suits, [deck.hand] * seats)
    # polynomial in the seats' card counts: each rank of the window gives every seat 1 card or more
    shares = [s for s in product(range(1, deck.suits + 1), repeat=seats) if sum(s) <= deck.suits]
    ways = {(0,) * seats: 1}
    for _ in range(window):
        longer: dict[tuple[int, ...], int] = {}
        for held, number in ways.items():
            for share in shares:
                sizes = tuple(a + b for a, b in zip(held, share, strict=True))
                if max(sizes) <= deck.hand:
                    more = number * _ways_to_deal(deck.suits, list(share))
                    longer[sizes] = longer.get(sizes, 0) + more
        ways = longer
    return ways.get((deck.hand,) * seats, 0)


def _one_colour(rule: Rule, deck: Deck, seats: int) -> int:
    return _by_colour(deck, seats, off=0)


def _one_off_colour(rule: Rule, deck: Deck, seats: int) -> int:
    return _by_colour(deck, seats, off=1)


def _by_colour(deck: Deck, seats: int, off: int) -> int:
    """Count deals in which every seat has all but ``off`` cards of one colour."""
    colour, most = deck.cards // 2, deck.hand - off
    return sum(
        comb(seats, red)
        * _ways_to_deal(colour, [most] * red + [off] * (seats - red))
        * _ways_to_deal(colour, [off] * red + [most] * (seats - red))
        for red in range(seats + 1)
    )


def _royals(rule: Rule, deck: Deck, seats: int) -> int:
    royals = ROYAL_RANKS * deck.suits
    return sum(
        _ways_to_deal(royals, list(held))
        * _ways_to_deal(deck.cards - royals, [deck.hand - number for number in held])
        for held in product(range(int(rule.option("min")), deck.hand + 1), repeat=seats)
        if sum(held) <= royals
    )


def _three_quads(rule: Rule, deck: Deck, seats: int) -> int:
    needed = QUADS_NEEDED * seats
    if needed > deck.ranks:
        return 0
    spare = deck.hand - QUADS_NEEDED * deck.suits  # too few cards for one quads more
    quads = perm(deck.ranks, needed) // prod([factorial(QUADS_NEEDED)] * seats)
    return quads * _ways_to_deal(deck.cards - needed * deck.suits, [spare] * seats)


WAYS: dict[str, Callable[[Rule, Deck, int], int]] = {
    "dragon": _dragon,
    "suited_dragon": _suited_dragon,
    "rank_window": _rank_window,
    "one_colour": _one_colour,
    "one_off_colour": _one_off_colour,
    "twelve_royals": _royals,
    "three_quads": _three_quads,
}

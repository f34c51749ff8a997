"""How many cards each suit has: exact distributions, and the rules that read nothing else.

The suits of a hand of type (n1, n2, n3, n4) can be chosen in as many ways with lengths
(l1, l2, l3, l4) as the coefficient of x1^l1 x2^l2 x3^l3 x4^l4 in e1^n1 e2^n2 e3^n3 e4^n4, where
e_k is the k-th elementary symmetric polynomial: a rank held k times takes k different suits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, product
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from montecarlo.specials.predicates import Rule
from montecarlo.specials.rank_vectors import CARDS, TYPES, Integers

Lengths = tuple[int, int, int, int]

LENGTHS: tuple[Lengths, ...] = tuple(
    (a, b, c, CARDS - a - b - c)
    for a in range(CARDS + 1)
    for b in range(CARDS + 1 - a)
    for c in range(CARDS + 1 - a - b)
)
"""All 560 ways to have thirteen cards by suit, in the order of `montecarlo.cards` (♦ ♣ ♥ ♠)."""

TOTAL_HANDS = comb(52, 13)


@lru_cache(maxsize=1)
def assignments_by_lengths() -> Integers:
    """Return how many suit assignments have which lengths: (types, lengths) = (39, 560).

    Rows are `TYPES` (for ONE rank vector of the type), columns `LENGTHS`; exact integers.
    """
    first_three = tuple(np.array(LENGTHS).T[:3])
    return np.stack([_product_of(counts)[first_three] for counts in TYPES])


@cache
def _product_of(counts: tuple[int, ...]) -> Integers:
    """Return the coefficients of e1^n1 … e4^n4 by the first three lengths (the rest follows)."""
    held = next((k for k in (1, 2, 3, 4) if counts[k - 1]), 0)
    if not held:
        one = np.zeros((CARDS + 1,) * 3, dtype=np.int64)
        one[0, 0, 0] = 1
        return one
    fewer = _product_of(tuple(n - (k == held) for k, n in enumerate(counts, start=1)))
    result = np.zeros_like(fewer)
    for suits in combinations(range(4), held):
        target = tuple(slice(1, None) if suit in suits else slice(None) for suit in range(3))
        source = tuple(slice(None, -1) if suit in suits else slice(None) for suit in range(3))
        result[target] += fewer[source]
    return result


def length_signatures(rules: Sequence[Rule | None]) -> Integers:
    """Return which rules each of `LENGTHS` satisfies, shape (560,); bit i is rule i.

    None is a rule left out. Raises KeyError for a predicate that reads more than suit lengths.
    """
    signatures = np.zeros(len(LENGTHS), dtype=np.int64)
    for number, rule in enumerate(rules):
        if rule is not None:
            signatures[_LENGTH_RULES[rule.predicate](rule)] |= 1 << number
    return signatures


def _red_cards() -> Integers:
    return np.array([diamonds + hearts for diamonds, _, hearts, _ in LENGTHS])


def _three_flushes(rule: Rule) -> NDArray[np.bool_]:
    made = set()
    for suits in product(range(4), repeat=3):
        if len(set(suits)) == 3 or not rule.option("distinct"):
            rows = zip((3, 5, 5), suits, strict=True)
            lengths = [0, 0, 0, 0]
            for size, suit in rows:
                lengths[suit] += size
            made.add(tuple(lengths))
    return np.array([lengths in made for lengths in LENGTHS])


_LENGTH_RULES = {
    # thirteen cards of a suit are all of it: the suited dragon needs no look at ranks
    "suited_dragon": lambda rule: np.array([max(lengths) == CARDS for lengths in LENGTHS]),
    "one_colour": lambda rule: np.isin(_red_cards(), (0, CARDS)),
    "one_off_colour": lambda rule: np.isin(_red_cards(), (1, CARDS - 1)),
    "three_flushes": _three_flushes,
}
LENGTH_RULES = frozenset(_LENGTH_RULES)


def suit_shapes() -> dict[Lengths, int]:
    """Return the number of hands of each suit shape, lengths longest first (39 shapes)."""
    hands: dict[Lengths, int] = {}
    for lengths in LENGTHS:
        a, b, c, d = sorted(lengths, reverse=True)
        number = prod(comb(13, length) for length in lengths)
        hands[a, b, c, d] = hands.get((a, b, c, d), 0) + number
    return hands


def suit_shape_chances() -> dict[Lengths, Fraction]:
    """Return the chance of each suit shape, commonest first."""
    ordered = sorted(suit_shapes().items(), key=lambda item: -item[1])
    return {shape: Fraction(number, TOTAL_HANDS) for shape, number in ordered}

"""Exact figures about thirteen cards that no special names, but published tables quote."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from montecarlo.errors import BadInput
from montecarlo.specials.predicates import RANK_NAMES
from montecarlo.specials.rank_signatures import run_masks
from montecarlo.specials.rank_vectors import hands_of_types
from montecarlo.specials.suit_shapes import TOTAL_HANDS, suit_shapes


def hands_with_flush() -> int:
    """Return how many hands hold five cards of one suit (412,247,470,340)."""
    return sum(hands for shape, hands in suit_shapes().items() if max(shape) >= 5)


def hands_with_straight(wheel: bool = True) -> int:
    """Return how many hands hold five consecutive ranks; ``wheel``: A-2-3-4-5 is among them.

    All sets of equally many ranks are held by equally many hands, so sets of ranks are counted.
    """
    straights = run_masks(5, ace_low=wheel, ace_high=True).tolist()
    sets_with = [0] * 14
    for ranks in range(1 << 13):
        sets_with[ranks.bit_count()] += any(ranks & run == run for run in straights)
    hands = sum(
        (
            Fraction(number * sets_with[sum(counts)], comb(13, sum(counts)))
            for counts, number in hands_of_types()
        ),
        start=Fraction(0),
    )
    return int(hands)


def hands_with_quads() -> int:
    """Return how many hands hold a four of a kind, one or more (21,717,689,136)."""
    return sum(number for (_, _, _, fours), number in hands_of_types() if fours)


def hands_up_to(rank: str) -> int:
    """Return how many hands hold no card above ``rank`` (aces are high); "9" is the Yarborough.

    Raises BadInput for a rank that is none of 2 … 10, J, Q, K, A.
    """
    if rank not in RANK_NAMES:
        raise BadInput(f"'{rank}' is no rank: one of {', '.join(RANK_NAMES)}")
    return comb(4 * (RANK_NAMES.index(rank) + 1), 13)


def mean_distinct_ranks(cards: int = 13) -> Fraction:
    """Return the mean number of different ranks among ``cards`` cards of 52."""
    return 13 * (1 - Fraction(comb(48, cards), comb(52, cards)))


def chance(hands: int) -> Fraction:
    """Return a number of hands as a chance, out of C(52, 13)."""
    return Fraction(hands, TOTAL_HANDS)

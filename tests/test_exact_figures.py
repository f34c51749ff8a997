"""Exact figures that published tables quote, against golden counts and plain enumeration."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest

from montecarlo.errors import BadInput
from montecarlo.specials.exact_figures import (
    chance,
    hands_up_to,
    hands_with_flush,
    hands_with_quads,
    hands_with_straight,
    mean_distinct_ranks,
)
from montecarlo.specials.rank_vectors import TYPES, hands_of_types
from montecarlo.specials.suit_shapes import (
    LENGTHS,
    TOTAL_HANDS,
    assignments_by_lengths,
    suit_shape_chances,
    suit_shapes,
)


def test_flushes_straights_and_quads(golden):
    expected = golden("exact_counts.json")["inclusive"]
    assert hands_with_flush() == expected["has_flush"]
    assert hands_with_straight() == expected["straight_wheel=True"]
    assert hands_with_straight(wheel=False) < hands_with_straight()
    assert hands_with_quads() == expected["quads>=1"]


def test_straights_by_inclusion_and_exclusion():
    """Hands that hold ALL ranks of a set: sum over subsets left out; straights from ranks held."""
    straights = [set(range(first, first + 5)) for first in range(9)]
    without = 0
    for held in product([False, True], repeat=13):
        ranks = {rank for rank, there in enumerate(held) if there}
        if not any(run <= ranks for run in straights):
            size = len(ranks)
            without += sum(
                (-1) ** gone * comb(size, gone) * comb(4 * (size - gone), 13)
                for gone in range(size + 1)
            )
    assert hands_with_straight(wheel=False) == TOTAL_HANDS - without


def test_bridge_tables():
    chances = suit_shape_chances()
    assert sum(chances.values()) == 1
    assert len(chances) == 39
    assert next(iter(chances)) == (4, 4, 3, 2)
    assert round(100 * float(chances[4, 4, 3, 2]), 2) == 21.55
    assert round(100 * float(chances[5, 3, 3, 2]), 2) == 15.52
    assert round(100 * float(chances[4, 3, 3, 3]), 2) == 10.54
    assert suit_shapes()[13, 0, 0, 0] == 4


def test_yarborough():
    assert hands_up_to("9") == comb(32, 13)
    assert round(float(1 / chance(hands_up_to("9")))) == 1828
    assert chance(hands_up_to("A")) == 1
    with pytest.raises(BadInput, match="no rank"):
        hands_up_to("1")


def test_mean_distinct_ranks():
    mean = mean_distinct_ranks()
    assert round(float(mean), 6) == 9.050372
    assert mean == sum(Fraction(n * sum(counts), TOTAL_HANDS) for counts, n in hands_of_types())
    assert mean_distinct_ranks(52) == 13


def test_types_and_lengths_add_up():
    hands = dict(hands_of_types())
    assert sum(hands.values()) == TOTAL_HANDS
    assert hands[13, 0, 0, 0] == 4**13
    assert hands[1, 0, 0, 3] == 11440
    ways = assignments_by_lengths()
    assert ways.shape == (39, len(LENGTHS)) == (len(TYPES), 560)
    for counts, row in zip(TYPES, ways, strict=True):
        assert row.sum() == 4 ** (counts[0] + counts[2]) * 6 ** counts[1]
        assert row[LENGTHS.index((13, 0, 0, 0))] == (counts == (13, 0, 0, 0))

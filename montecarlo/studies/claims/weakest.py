"""The weakest thirteen cards: how strong a five-card row does every hand allow?

A hand with a rank held three times allows more than two pairs. So hands are weak only if they hold
no rank three times, no five consecutive ranks and no five cards of a suit. The first two depend on
the set of ranks and on which of them are pairs, and the number of suit assignments without a flush
depends on the number of pairs alone: all such hands are covered by the 8,192 sets of ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from montecarlo.cards import HAND_SIZE, format_cards
from montecarlo.specials.predicates import RANK_NAMES
from montecarlo.specials.rank_vectors import TYPES
from montecarlo.specials.suit_shapes import LENGTHS, TOTAL_HANDS, assignments_by_lengths
from montecarlo.statistics.rounding import one_in
from montecarlo.studies.claims.findings import Finding
from montecarlo.studies.claims.registry import computation
from montecarlo.studies.claims.schema import Claim

ACE, FIVE_LONG = 12, 0b11111
_WHEEL = 1 << ACE | 0b1111
_MOST_OF_A_SUIT = 4


@dataclass(frozen=True)
class WeakestHand:
    """The weakest hand under a wheel rule, by the strongest row it allows."""

    category: str
    row: tuple[int, ...]
    """Ranks of its best row, pairs first."""
    hand: tuple[int, ...]
    """Card codes of one such hand, highest first."""
    hands_as_weak: int
    """Hands whose best row is of these ranks."""
    hands_of_category: int
    """Hands whose best row is of this category."""


@computation("weakest_hand")
def weakest_hand_claim(claim: Claim) -> Finding:
    """The category of the best row of the weakest hand, for each wheel named in the figures."""
    found = {
        figure.name: weakest_hand(figure.name.removeprefix("wheel=")) for figure in claim.figures
    }
    shown = next(iter(found.values()))
    row = " ".join(RANK_NAMES[rank] for rank in shown.row)
    shares = "; ".join(
        f"{name}: {one_in(weak.hands_of_category / TOTAL_HANDS)}" for name, weak in found.items()
    )
    return Finding(
        tuple(weak.category for weak in found.values()),
        f"With 12 or 13 different ranks five are always consecutive, with 11 or fewer there are "
        f"two pairs or a three of a kind. The weakest hand's best row is {row}, as in "
        f"{format_cards(shown.hand)}. How many hands allow no more than two pairs: {shares}.",
        details={
            name: {
                "category": weak.category,
                "best_row": [RANK_NAMES[rank] for rank in weak.row],
                "hand": format_cards(weak.hand),
                "hands_as_weak": weak.hands_as_weak,
                "hands_of_category": weak.hands_of_category,
            }
            for name, weak in found.items()
        },
    )


def weakest_hand(wheel: str) -> WeakestHand:
    """Return the weakest hand under a wheel rule, by exhaustion of all sets of ranks.

    Hands with a three of a kind need no look as long as a weaker one exists, which it does.
    """
    weakest: tuple[int, tuple[int, ...]] = (9, ())
    example: tuple[int, tuple[int, ...]] = (0, ())
    as_weak = 0
    by_category = [0, 0, 0]
    for ranks, pairs in _without_straight(wheel):
        assignments = assignments_without_flush(len(pairs))
        if not assignments:
            continue
        category = min(len(pairs), 2)
        size = ranks.bit_count()
        by_category[category] += comb(size, len(pairs)) * assignments
        strength = (category, _best_row(ranks, pairs))
        if example[0] == 0 or strength < weakest:
            weakest, example, as_weak = strength, (ranks, pairs), 0
        if strength == weakest:
            as_weak += _hands_as_weak(ranks, pairs, strength[1]) * assignments
    category = weakest[0]
    return WeakestHand(
        ("high_card", "pair", "two_pairs")[category],
        weakest[1],
        _deal_suits(*example),
        as_weak,
        by_category[category],
    )


@lru_cache(maxsize=7)
def assignments_without_flush(pairs: int) -> int:
    """Return in how many ways suits can be given to 13 cards with that many pairs, no flush."""
    place = TYPES.index((HAND_SIZE - 2 * pairs, pairs, 0, 0))
    short = np.array([max(lengths) <= _MOST_OF_A_SUIT for lengths in LENGTHS])
    return int(assignments_by_lengths()[place, short].sum())


def _without_straight(wheel: str) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield sets of ranks (bit masks) without a straight, each with its weakest choice of pairs.

    The best row of two pairs is the two highest pairs and the highest other rank, so the lowest
    ranks make the weakest pairs.
    """
    runs = [FIVE_LONG << low for low in range(9)] + ([_WHEEL] if wheel != "none" else [])
    for ranks in range(1 << 13):
        pairs = HAND_SIZE - ranks.bit_count()
        if not 0 <= pairs <= ranks.bit_count() or any(ranks & run == run for run in runs):
            continue
        yield ranks, tuple(_ranks(ranks)[:pairs])


def _best_row(ranks: int, pairs: tuple[int, ...]) -> tuple[int, ...]:
    """Return the ranks of the best row without straight or flush: pairs, then kickers."""
    sets = sorted(pairs, reverse=True)[:2]
    kickers = sorted(set(_ranks(ranks)) - set(sets), reverse=True)[: 5 - 2 * len(sets)]
    return (*(rank for rank in sets for _ in range(2)), *kickers)


def _hands_as_weak(ranks: int, pairs: tuple[int, ...], row: tuple[int, ...]) -> int:
    """Count the choices of pairs, for a set of ranks, whose best row is the same."""
    return sum(
        _best_row(ranks, chosen) == row for chosen in combinations(_ranks(ranks), len(pairs))
    )


def _ranks(mask: int) -> list[int]:
    return [rank for rank in range(13) if mask >> rank & 1]


def _deal_suits(ranks: int, pairs: tuple[int, ...]) -> tuple[int, ...]:
    """Return card codes of a hand of these ranks with at most four cards of a suit."""
    cards = [rank for rank in _ranks(ranks) for _ in range(1 + (rank in pairs))]
    lengths = [0, 0, 0, 0]
    codes = []
    for place, rank in enumerate(cards):
        # a pair's second card follows at once and takes the next suit: never the same one
        suit = place % 4
        lengths[suit] += 1
        codes.append(4 * rank + suit)
    assert max(lengths) <= _MOST_OF_A_SUIT
    return tuple(sorted(codes, reverse=True))

"""Twelve royals played as a normal hand under V9: what they bring when they win everything.

No five royals are of one suit or consecutive, so the ranks of 13 royals decide alone. With 12
royals and one lower card a straight flush needs the ten; flushes need the lower card and four
royals of its suit. A flush never pays: beside it no row can be a four of a kind or, in the middle,
a full house, so at most the head's three of a kind is paid, and `best_units` relies on that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from montecarlo.studies.claims.findings import Finding
from montecarlo.studies.claims.registry import computation
from montecarlo.studies.claims.schema import Claim
from montecarlo.studies.claims.units import OPPONENTS, units_won
from montecarlo.variants import Variant, load
from montecarlo.variants.schema import CATEGORIES

ROYALS = tuple(code for code in range(52) if code // 4 >= 9)
TEN, JACK, ACE = 8, 9, 12
Ranks = tuple[int, ...]
Strength = tuple[int, Ranks]

ROYAL_FLUSH: Strength = (CATEGORIES.index("straight_flush"), (ACE,))

_CATEGORY_OF_COUNTS = {
    (1, 1, 1): "high_card", (2, 1): "pair", (3,): "three",
    (1, 1, 1, 1, 1): "high_card", (2, 1, 1, 1): "pair", (2, 2, 1): "two_pairs",
    (3, 1, 1): "three", (3, 2): "full_house", (4, 1): "four",
}  # fmt: skip


@computation("royals_thirteen")
def royals_thirteen(claim: Claim) -> Finding:
    """The least that 13 royals, set best, bring by winning everything: over all 560 hands."""
    hands = Counter((_ranks(hand), False) for hand in combinations(ROYALS, 13))
    return _least(load("taiwan"), hands, "13 royals")


@computation("royals_twelve")
def royals_twelve(claim: Claim) -> Finding:
    """The same for 12 royals and one lower card: over all 65,520 hands."""
    hands = Counter((_ranks(hand), _straight_flush(hand)) for hand in twelve_royal_hands())
    return _least(load("taiwan"), hands, "12 royals and a lower card")


def twelve_royal_hands() -> Iterator[tuple[int, ...]]:
    """Yield the card codes of all hands of 12 royals and one lower card, the lower card last."""
    for royals in combinations(ROYALS, 12):
        for code in range(4 * JACK):
            yield (*royals, code)


def best_units(variant: Variant, ranks: Ranks, straight_flush: bool = False) -> int:
    """Return the most units that thirteen ranks win from ONE opponent by a home run.

    ``straight_flush``: ten, jack, queen, king and ace of one suit are among the cards.
    """
    settings = {
        (_strength(head), _strength(middle), _strength(tail))
        for head, rest in _parts(ranks, 3)
        for middle, tail in _parts(rest, 5)
    }
    if straight_flush:
        left = list(ranks)
        for rank in range(TEN, ACE + 1):
            left.remove(rank)
        settings |= {
            (_strength(head), _strength(middle), ROYAL_FLUSH)
            for head, middle in _parts(tuple(left), 3)
        }
    legal = {
        (CATEGORIES[head[0]], CATEGORIES[middle[0]], CATEGORIES[tail[0]])
        for head, middle, tail in settings
        if _fits(head, middle) and middle <= tail
    }
    return max(units_won(variant, categories).home_run for categories in legal)


def _least(variant: Variant, held: Counter[tuple[Ranks, bool]], what: str) -> Finding:
    hands: Counter[int] = Counter()
    for (ranks, straight_flush), number in held.items():
        hands[OPPONENTS * best_units(variant, ranks, straight_flush)] += number
    declared = OPPONENTS * next(e.points for e in variant.specials if e.id == "twelve_royals")
    spread = ", ".join(f"{units} units for {hands[units]:,}" for units in sorted(hands))
    return Finding(
        (min(hands),),
        f"All {sum(hands.values()):,} hands of {what}, set to win most from three opponents by a "
        f"home run, bring {spread} hands. (Declaring 13 royals brings {declared}.)",
        details={"hands_by_units": {str(units): hands[units] for units in sorted(hands)}},
    )


def _ranks(hand: tuple[int, ...]) -> Ranks:
    return tuple(sorted((code // 4 for code in hand), reverse=True))


def _straight_flush(hand: tuple[int, ...]) -> bool:
    ten = hand[-1]
    return ten // 4 == TEN and all(ten + 4 * step in hand for step in range(1, 5))


@lru_cache(maxsize=65536)
def _parts(ranks: Ranks, size: int) -> tuple[tuple[Ranks, Ranks], ...]:
    """Return each different way to take ``size`` of the ranks, with what is left."""
    parts = {}
    for places in combinations(range(len(ranks)), size):
        taken = tuple(ranks[place] for place in places)
        if taken not in parts:
            parts[taken] = tuple(r for p, r in enumerate(ranks) if p not in places)
    return tuple(parts.items())


@lru_cache(maxsize=65536)
def _strength(row: Ranks) -> Strength:
    """Return category and grouped ranks, suits left out of account."""
    counts = Counter(row)
    grouped = tuple(sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True))
    category = _CATEGORY_OF_COUNTS[tuple(counts[rank] for rank in grouped)]
    if len(grouped) == 5 and grouped[0] - grouped[4] == 4:
        category = "straight"
    return CATEGORIES.index(category), grouped


def _fits(head: Strength, middle: Strength) -> bool:
    """Tell whether a head may stand over a middle: category, then ranks as far as the head goes."""
    return head <= (middle[0], middle[1][: len(head[1])])

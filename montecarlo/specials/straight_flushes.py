"""Straight flushes where the cards of single suits matter: with given suit lengths, and in threes.

* Hands of at most three suits, the third short (5-5-3, 12 cards of a colour and one more, one
  colour), are met suit mask by suit mask: these are all the shapes that a rule on suit lengths
  asks about.
* Hands that split into three straight flushes are so few (about 20,000) that they are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import LANE, LANE_MASK
from montecarlo.specials.predicates import Rule
from montecarlo.specials.rank_signatures import run_masks, straight_rows
from montecarlo.specials.rank_vectors import (
    CARDS,
    Integers,
    packed_codes,
    packed_codes_of_ranks,
    rank_vectors,
)
from montecarlo.specials.suit_shapes import LENGTHS, Lengths

SUIT_MASKS = np.arange(1 << CARDS)


def holds_straight_flush(wheel: bool) -> NDArray[np.bool_]:
    """Return whether each 13-bit mask of one suit's ranks holds five in a row: shape (8192,)."""
    runs = run_masks(5, ace_low=wheel, ace_high=True)
    holds: NDArray[np.bool_] = np.any(SUIT_MASKS[:, None] & runs == runs, axis=1)
    return holds


def straight_flush_vectors(
    shapes: Mapping[Lengths, int], wheel: bool
) -> Iterator[tuple[Integers, Integers]]:
    """Yield where hands with a straight flush and such suit lengths stand, and how many.

    ``shapes`` maps lengths, longest first, to the number of ways to give them to suits. Yields
    flat places of rank vectors (one may come again later) and the hands at each, in portions.
    The fourth suit must be empty, the third too short for a straight flush: NotImplementedError.
    """
    by_third: dict[int, dict[tuple[int, int], int]] = {}
    for (first, second, third, fourth), ways in shapes.items():
        if fourth or third > 4:
            raise NotImplementedError(f"suit lengths {first}-{second}-{third}-{fourth}")
        by_third.setdefault(third, {})[first, second] = ways
    for third, pairs in by_third.items():
        codes, hands = _straight_flush_pairs(pairs, wheel)
        for third_suit in packed_codes_of_ranks()[_of_length(third)]:
            yield rank_vectors().places(codes + third_suit), hands


def _straight_flush_pairs(
    pairs: Mapping[tuple[int, int], int], wheel: bool
) -> tuple[Integers, Integers]:
    """Return packed codes of two suits' cards, one of them a straight flush, and how many ways."""
    ternary = (SUIT_MASKS[:, None] >> np.arange(CARDS) & 1) @ 3 ** np.arange(CARDS)
    holds = holds_straight_flush(wheel)
    hands = np.zeros(3**CARDS, dtype=np.int64)
    for (first, second), ways in pairs.items():
        ours, theirs = _of_length(first), _of_length(second)
        for one, other in ((ours & holds, theirs), (ours & ~holds, theirs & holds)):
            codes = ternary[one][:, None] + ternary[other]
            hands += ways * np.bincount(codes.ravel(), minlength=3**CARDS)
    met = np.flatnonzero(hands)
    counts = met[:, None] // 3 ** np.arange(CARDS) % 3
    return packed_codes(counts), hands[met]


def _of_length(cards: int) -> NDArray[np.bool_]:
    fits: NDArray[np.bool_] = np.bitwise_count(SUIT_MASKS) == cards
    return fits


def three_straight_flushes(rule: Rule) -> Integers:
    """Return every hand of `three_straight_flushes` once, as hand masks (int64, ascending)."""
    heads, fives = straight_rows(rule)
    lanes = LANE * np.arange(4)
    heads, fives = ((rows[:, None] << lanes).ravel() for rows in (heads, fives))
    one, other = np.triu_indices(len(fives), k=1)
    apart = fives[one] & fives[other] == 0
    tens = fives[one[apart]] | fives[other[apart]]
    clear = heads[:, None] & tens == 0
    return np.unique((heads[:, None] | tens)[clear])


def suits_of_masks(masks: Integers) -> Integers:
    """Return the 13-bit rank masks of the four suits of hand masks: shape (…, 4)."""
    suits: Integers = masks[..., None] >> LANE * np.arange(4) & LANE_MASK
    return suits


def length_places(suits: Integers) -> Integers:
    """Return where the suit lengths of suit masks, shape (…, 4), stand in `LENGTHS`."""
    place_of = {lengths: place for place, lengths in enumerate(LENGTHS)}
    sizes = np.bitwise_count(suits).reshape(-1, 4)
    places = np.array([place_of[a, b, c, d] for a, b, c, d in sizes.tolist()], dtype=np.int64)
    return places.reshape(suits.shape[:-1])

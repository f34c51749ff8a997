"""All hands of a special, numbered: which thirteen cards have number k.

A uniform number is then a uniform hand, however rare the special is. The ways to number hands
are those of the exact counts, so the size of a numbering IS the special's exact count:

* rules that read ranks: rank vectors by multiplicity type, then a choice of suits for each rank;
* rules that read suit lengths: the lengths, then a choice of ranks for each suit;
* three straight flushes: a list of all hands;
* a straight flush among thirteen cards: a straight flush and eight other cards. Hands with several
  straight flushes would come several times; all but one of their numbers stand for no hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import HAND_SIZE, LANE, Masks
from montecarlo.specials.numbered_kernels import (
    DIGIT_BITS,
    REST_CARDS,
    REST_SIZE,
    Numbers,
    hands_of_length_numbers,
    hands_of_rank_numbers,
    hands_of_straight_flush_numbers,
)
from montecarlo.specials.predicates import Rule
from montecarlo.specials.rank_signatures import rank_signatures, run_masks
from montecarlo.specials.rank_vectors import (
    ACE,
    CARDS,
    HIGH_RANKS,
    LOW_RANKS,
    TYPES,
    Integers,
    half_counts,
    rank_vectors,
)
from montecarlo.specials.straight_flushes import three_straight_flushes
from montecarlo.specials.suit_shapes import LENGTH_RULES, LENGTHS, length_signatures


class NumberedHands(Protocol):
    """The hands of a rule, numbered from 0."""

    @property
    def size(self) -> int:
        """How many numbers there are (below 2^62)."""

    def hands_of(self, numbers: Numbers) -> Masks:
        """Return the hand masks (n,) with the numbers (n,); 0 for a number that has no hand."""


@dataclass(frozen=True, eq=False)
class HandsByRanks:
    """Hands whose rank vectors are listed, by multiplicity type (see `hands_of_rank_numbers`)."""

    bounds: Numbers
    starts: Numbers
    words: NDArray[np.uint64]

    @property
    def size(self) -> int:
        """The number of hands."""
        return int(self.bounds[-1])

    def hands_of(self, numbers: Numbers) -> Masks:
        """Return the hand masks (n,) with the numbers (n,)."""
        out = np.empty(numbers.size, np.uint64)
        hands_of_rank_numbers(numbers, self.bounds, self.starts, self.words, out)
        return out


@dataclass(frozen=True, eq=False)
class HandsByLengths:
    """Hands whose suit lengths are listed (see `hands_of_length_numbers`)."""

    bounds: Numbers
    lengths: Numbers

    @property
    def size(self) -> int:
        """The number of hands."""
        return int(self.bounds[-1])

    def hands_of(self, numbers: Numbers) -> Masks:
        """Return the hand masks (n,) with the numbers (n,)."""
        starts, ranks = _rank_sets_by_size()
        out = np.empty(numbers.size, np.uint64)
        hands_of_length_numbers(numbers, self.bounds, self.lengths, starts, ranks, out)
        return out


@dataclass(frozen=True, eq=False)
class ListedHands:
    """Hands that are few enough to be listed, as masks."""

    masks: Masks

    @property
    def size(self) -> int:
        """The number of hands."""
        return self.masks.size

    def hands_of(self, numbers: Numbers) -> Masks:
        """Return the hand masks (n,) with the numbers (n,)."""
        return self.masks[numbers]


@dataclass(frozen=True, eq=False)
class HandsWithStraightFlush:
    """Hands that hold one of the straight flushes ``runs`` (masks), not all numbers having one."""

    runs: Masks

    @property
    def size(self) -> int:
        """The number of pairs of a straight flush and eight other cards."""
        return self.runs.size * comb(REST_CARDS, REST_SIZE)

    def hands_of(self, numbers: Numbers) -> Masks:
        """Return the hand masks (n,) with the numbers (n,), 0 for a number that has none."""
        out = np.empty(numbers.size, np.uint64)
        hands_of_straight_flush_numbers(numbers, self.runs, out)
        return out


@lru_cache(maxsize=8)
def numbered_hands(rule: Rule | None) -> NumberedHands:
    """Return the numbered hands of a rule, before precedence; None: of all C(52, 13) hands."""
    if rule is None:
        return _by_lengths(np.ones(len(LENGTHS), dtype=np.bool_))
    if rule.predicate in LENGTH_RULES:
        return _by_lengths(length_signatures([rule]) != 0)
    if rule.predicate == "three_straight_flushes":
        return ListedHands(three_straight_flushes(rule).astype(np.uint64))
    if rule.predicate == "has_straight_flush":
        runs = run_masks(5, ace_low=rule.option("wheel") != "none", ace_high=True)
        lanes = np.arange(0, 4 * LANE, LANE, dtype=np.uint64)
        return HandsWithStraightFlush((runs.astype(np.uint64)[:, None] << lanes).ravel())
    return _by_ranks(rule)


def _by_ranks(rule: Rule) -> HandsByRanks:
    vectors = rank_vectors()
    places = np.flatnonzero(rank_signatures([rule]).of_places(np.arange(len(vectors))))
    types = vectors.types[places]
    members = np.bincount(types, minlength=len(TYPES))
    assignments = [4 ** (ones + threes) * 6**twos for ones, twos, threes, _ in TYPES]
    words = _multiplicity_words(places[np.argsort(types, kind="stable")])
    return HandsByRanks(_bounds(members * assignments), _bounds(members), words)


def _multiplicity_words(places: Integers) -> NDArray[np.uint64]:
    """Return the multiplicities at flat places of `rank_vectors` as words (see `DIGIT_BITS`)."""
    vectors = rank_vectors()
    low_words, high_words = (
        (half_counts() << DIGIT_BITS * np.array(ranks)).sum(axis=1)
        for ranks in (LOW_RANKS, HIGH_RANKS)
    )
    firsts = np.array([product.first for product in vectors.products])
    of_product = np.searchsorted(firsts, places, side="right") - 1
    words = np.empty(places.size, np.uint64)
    for number in np.unique(of_product):
        product = vectors.products[number]
        here = of_product == number
        row, column = np.divmod(places[here] - product.first, len(product.high))
        aces = product.aces << DIGIT_BITS * ACE
        words[here] = low_words[product.low[row]] | high_words[product.high[column]] | aces
    return words


def _by_lengths(chosen: NDArray[np.bool_]) -> HandsByLengths:
    lengths = np.array(LENGTHS)[chosen]
    hands = np.prod(np.array([comb(CARDS, n) for n in range(HAND_SIZE + 1)])[lengths], axis=1)
    return HandsByLengths(_bounds(hands), lengths)


@lru_cache(maxsize=1)
def _rank_sets_by_size() -> tuple[Numbers, NDArray[np.uint64]]:
    """Return all 13-bit masks by number of ranks, and where those of each number start (15,)."""
    masks = np.arange(1 << CARDS, dtype=np.uint64)
    sizes = np.bitwise_count(masks)
    return _bounds(np.bincount(sizes)), masks[np.argsort(sizes, kind="stable")]


def _bounds(counts: Integers) -> Numbers:
    bounds: Numbers = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return bounds

"""Every way to hold thirteen cards by rank alone: 3,598,180 vectors of thirteen multiplicities.

A vector is cut where runs are scanned from: the ace, the *low half* (2, 3 … 7) and the *high half*
(K, Q … 8), both read outward from the ace. A half is a base-5 number, its digits the
multiplicities, and only cards are shared between the parts; so for each number of aces and each
size of the low half all vectors form a full product (low halves) x (high halves). The flat order
of vectors is these products one after another.

Suits are counted apart (`suit_shapes`, `suit_runs`): a rank vector of type (n1, n2, n3, n4), that
is n1 ranks held once, n2 twice and so on, stands for 4^n1 · 6^n2 · 4^n3 hands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from montecarlo.specials.predicates import RANK_NAMES, Rule, window_ranks

Integers = NDArray[np.int64]

CARDS = 13
ACE = 12
HALF = 6
HALF_CODES = 5**HALF
LOW_RANKS = (0, 1, 2, 3, 4, 5)
HIGH_RANKS = (11, 10, 9, 8, 7, 6)

Type = tuple[int, int, int, int]
TYPES: tuple[Type, ...] = tuple(
    (CARDS - 2 * twos - 3 * threes - 4 * fours, twos, threes, fours)
    for fours in range(4)
    for threes in range(5)
    for twos in range(7)
    if 2 * twos + 3 * threes + 4 * fours <= CARDS
)


def half_counts() -> Integers:
    """Return the multiplicities of every half code: shape (15625, 6), nearest the ace first."""
    codes = np.arange(HALF_CODES)[:, None]
    return codes // 5 ** np.arange(HALF) % 5


def packed_codes(counts: Integers) -> Integers:
    """Return multiplicities by rank, shape (…, 13), 2 first, as packed codes, shape (…).

    Packed codes (aces, high half, low half) of parts of a hand add up to the hand's own.
    """
    powers = 5 ** np.arange(HALF)
    low = counts[..., LOW_RANKS] @ powers
    high = counts[..., HIGH_RANKS] @ powers
    packed: Integers = low | high << 16 | counts[..., ACE].astype(np.int64) << 32
    return packed


@lru_cache(maxsize=1)
def packed_codes_of_ranks() -> Integers:
    """Return the packed code of every set of ranks held once each, by 13-bit mask: (8192,)."""
    return packed_codes(np.arange(1 << CARDS)[:, None] >> np.arange(CARDS) & 1)


class Product(NamedTuple):
    """One product of half vectors: flat place ``first + i * len(high) + j`` is (low i, high j)."""

    aces: int
    low: Integers
    high: Integers
    first: int

    @property
    def place(self) -> slice:
        """Where the product's vectors stand in the flat order."""
        return slice(self.first, self.first + len(self.low) * len(self.high))


@dataclass(frozen=True)
class RankVectors:
    """The flat order of all rank vectors and the multiplicity type (place in `TYPES`) of each."""

    products: tuple[Product, ...]
    types: NDArray[np.uint8]
    half_sizes: Integers
    half_places: Integers
    firsts: Integers
    widths: Integers

    def __len__(self) -> int:
        return len(self.types)

    def places(self, packed: Integers) -> Integers:
        """Return the flat places of packed codes of thirteen cards, same shape."""
        low, high, aces = packed & 0xFFFF, packed >> 16 & 0xFFFF, packed >> 32
        size = self.half_sizes[low]
        found: Integers = self.half_places[high] + self.firsts[aces, size]
        return found + self.half_places[low] * self.widths[aces, size]


@lru_cache(maxsize=1)
def rank_vectors() -> RankVectors:
    """Return the order of all rank vectors, made once a process (about 0.05 s)."""
    counts = half_counts()
    sizes = counts.sum(axis=1)
    of_size = [np.flatnonzero(sizes == size) for size in range(CARDS + 1)]
    places = np.zeros(HALF_CODES, dtype=np.int64)
    for codes in of_size:
        places[codes] = np.arange(len(codes))
    products = []
    firsts = np.zeros((5, CARDS + 1), dtype=np.int64)
    widths = np.zeros_like(firsts)
    first = 0
    for aces in range(5):
        for size in range(CARDS + 1 - aces):
            product = Product(aces, of_size[size], of_size[CARDS - aces - size], first)
            products.append(product)
            firsts[aces, size] = first
            widths[aces, size] = len(product.high)
            first = product.place.stop
    return RankVectors(
        tuple(products), _flat_types(products, counts, first), sizes, places, firsts, widths
    )


def _flat_types(products: list[Product], counts: Integers, total: int) -> NDArray[np.uint8]:
    key_of_count = np.array([0, 0, 1, 7, 35])  # n2 + 7 n3 + 35 n4; n1 follows from 13 cards
    type_of_key = np.zeros(256, dtype=np.uint8)
    for place, (_, twos, threes, fours) in enumerate(TYPES):
        type_of_key[twos + 7 * threes + 35 * fours] = place
    keys = key_of_count[counts].sum(axis=1).astype(np.uint8)
    types = np.empty(total, dtype=np.uint8)
    for product in products:
        own = np.uint8(key_of_count[product.aces])
        key = (keys[product.low] + own)[:, None] + keys[product.high]
        types[product.place] = type_of_key[key].ravel()
    return types


# ---- rules that read ranks only ------------------------------------------------------------

TYPE_RULES: dict[str, Callable[[Rule, Type], bool]] = {
    "dragon": lambda rule, n: n[0] == CARDS,
    "three_quads": lambda rule, n: n[3] == 3,
    "four_triples": lambda rule, n: n[2] + n[3] >= 4,
    "five_pairs_triple": lambda rule, n: (
        n[0] == 0 and n[2] == 1 and (n[3] == 0 or bool(rule.option("quads")))
    ),
    # thirteen cards: six pairs and one card left means a single rank held an odd number of times
    "six_pairs": lambda rule, n: (
        n[0] + n[2] == 1
        and (n[2] == 0 or bool(rule.option("triple")))
        and (n[3] == 0 or bool(rule.option("quads")))
    ),
    "has_quads": lambda rule, n: n[3] > 0,
    "has_triple": lambda rule, n: n[2] + n[3] > 0,
    "has_pair": lambda rule, n: n[1] + n[2] + n[3] > 0,
}


@dataclass(frozen=True)
class RankSignatures:
    """Which rank-only rules each rank vector satisfies, as bits of an integer.

    The bits that depend on the type alone are ``by_type`` (39,); the other bits of flat place v
    are ``by_rank[ids[v]]``; `of_places` joins the two.
    """

    ids: NDArray[np.uint16]
    by_rank: Integers
    by_type: Integers

    def of_places(self, places: Integers) -> Integers:
        """Return the signatures at flat places, same shape."""
        types = rank_vectors().types[places]
        signatures: Integers = self.by_rank[self.ids[places]] | self.by_type[types]
        return signatures


def rank_signatures(rules: Sequence[Rule | None]) -> RankSignatures:
    """Return the signatures of all rank vectors; bit i is rule i, None a rule left out.

    Raises KeyError for a predicate that reads suits.
    """
    by_type = np.zeros(len(TYPES), dtype=np.int64)
    low = np.zeros(HALF_CODES, dtype=np.int64)
    high = np.zeros((5, HALF_CODES), dtype=np.int64)
    listed: list[tuple[int, Integers]] = []
    for number, rule in enumerate(rules):
        if rule is None:
            continue
        bit = 1 << number
        if rule.predicate == "three_straights":
            listed.append((bit, _three_straights(rule)))
        elif rule.predicate in ("rank_window", "twelve_royals"):
            make = _window if rule.predicate == "rank_window" else _royals
            low_holds, high_holds = make(rule)
            low[low_holds] |= bit
            high[high_holds] |= bit
        else:
            holds = TYPE_RULES[rule.predicate]
            by_type[[holds(rule, counts) for counts in TYPES]] |= bit
    ids, by_rank = _joined(low, high)
    for bit, places in listed:
        by_rank = _with_bit(ids, by_rank, bit, places)
    return RankSignatures(ids, by_rank, by_type)


def _joined(low: Integers, high: Integers) -> tuple[NDArray[np.uint16], Integers]:
    """Return ids and signatures of all vectors: a bit stands where it stands in both halves."""
    vectors = rank_vectors()
    ids = np.zeros(len(vectors), dtype=np.uint16)
    low_kinds, low_kind = np.unique(low, return_inverse=True)
    high_kinds, high_kind = np.unique(high, return_inverse=True)
    both = low_kinds[:, None] & high_kinds
    signatures, inverse = np.unique(both, return_inverse=True)
    id_of_kinds = inverse.reshape(both.shape).astype(np.uint16)
    if len(signatures) > 1:
        for product in vectors.products:
            rows = id_of_kinds[low_kind[product.low]]
            ids[product.place] = rows[:, high_kind[product.aces, product.high]].ravel()
    return ids, signatures


def _with_bit(
    ids: NDArray[np.uint16], by_rank: Integers, bit: int, places: Integers
) -> Integers:
    """Set one more bit at some places: changes ``ids`` there, returns the longer signatures."""
    old, inverse = np.unique(ids[places], return_inverse=True)
    ids[places] = (len(by_rank) + inverse).astype(np.uint16)
    return np.concatenate([by_rank, by_rank[old] | bit])


def _window(rule: Rule) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    ranks = set(window_ranks(str(rule.option("low")), str(rule.option("high"))))
    no_gap = bool(rule.option("no_gap"))
    held = half_counts() > 0

    def holds(half: tuple[int, ...]) -> NDArray[np.bool_]:
        inside = np.array([rank in ranks for rank in half])
        fits: NDArray[np.bool_] = ~np.any(held & ~inside, axis=1)
        return fits & ~np.any(inside & ~held, axis=1) if no_gap else fits

    aces = np.arange(5) > 0
    ace_inside = ACE in ranks
    ace_fits = (aces | (not no_gap)) if ace_inside else ~aces
    return holds(LOW_RANKS), ace_fits[:, None] & holds(HIGH_RANKS)


def _royals(rule: Rule) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    royal = [rank >= RANK_NAMES.index("J") for rank in HIGH_RANKS]
    royals = half_counts()[:, royal].sum(axis=1)
    enough = np.arange(5)[:, None] + royals >= int(rule.option("min"))
    return np.ones(HALF_CODES, dtype=bool), enough


def run_masks(length: int, ace_low: bool, ace_high: bool) -> Integers:
    """Return the 13-bit rank masks of ``length`` consecutive ranks, lowest first."""
    runs = [{rank % 13 for rank in range(first, first + length)} for first in range(-1, 14 - length)]
    keep = runs[0 if ace_low else 1 : len(runs) if ace_high else -1]
    return np.array([sum(1 << rank for rank in run) for run in keep])


def straight_rows(rule: Rule) -> tuple[Integers, Integers]:
    """Return rank masks of the heads and of the five-card rows a straights rule allows."""
    heads = run_masks(3, bool(rule.option("a23")), bool(rule.option("qka")))
    fives = run_masks(5, rule.option("wheel") != "none", True)
    return heads, fives


def _three_straights(rule: Rule) -> Integers:
    heads, fives = (packed_codes_of_ranks()[rows] for rows in straight_rows(rule))
    hands = heads[:, None, None] + fives[:, None] + fives
    return rank_vectors().places(np.unique(hands))


def hands_of_types() -> Iterator[tuple[Type, int]]:
    """Yield each multiplicity type with the number of hands of it among all of C(52, 13)."""
    vectors = np.bincount(rank_vectors().types, minlength=len(TYPES))
    for counts, number in zip(TYPES, vectors, strict=True):
        yield counts, int(number) * 4 ** (counts[0] + counts[2]) * 6 ** counts[1]

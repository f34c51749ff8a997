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

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    counts: Integers = np.arange(HALF_CODES)[:, None] // 5 ** np.arange(HALF) % 5
    return counts


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
        rows, columns = self.half_places[low], self.half_places[high]
        places: Integers = self.firsts[aces, size] + rows * self.widths[aces, size] + columns
        return places


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


def hands_of_types() -> Iterator[tuple[Type, int]]:
    """Yield each multiplicity type with the number of hands of it among all of C(52, 13)."""
    vectors = np.bincount(rank_vectors().types, minlength=len(TYPES))
    for counts, number in zip(TYPES, vectors, strict=True):
        yield counts, int(number) * 4 ** (counts[0] + counts[2]) * 6 ** counts[1]

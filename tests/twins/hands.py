"""Hands of 13 card codes to test settings on: random ones, and ones that chance hardly deals."""

from __future__ import annotations

import numpy as np


def random_hands(count, seed):
    """Codes (count, 13) of uniformly random hands."""
    rng = np.random.default_rng(seed)
    return np.argsort(rng.random((count, 52)), axis=1)[:, :13].astype(np.uint8)


def _sets(rng, *counts):
    """A hand of sets of the given sizes on different ranks."""
    ranks = rng.permutation(13)[: len(counts)]
    return [
        4 * rank + suit
        for rank, count in zip(ranks, counts, strict=True)
        for suit in rng.permutation(4)[:count]
    ]


def _suits(rng, *lengths):
    """A hand of so many cards of one suit, of another, …"""
    suits = rng.permutation(4)
    return [
        4 * rank + suit
        for suit, length in zip(suits, lengths, strict=False)
        for rank in rng.permutation(13)[:length]
    ]


def _from(rng, cards):
    return rng.permutation(cards)[:13]


def _runs(rng):
    """Thirteen of a few runs: straights, straight flushes, A-5 among them."""
    cards = set()
    while len(cards) < 13:
        first, suit = int(rng.integers(-1, 9)), int(rng.integers(4))
        one_suit = rng.random() < 0.5
        for step in range(5):
            cards.add(4 * ((first + step) % 13) + (suit if one_suit else int(rng.integers(4))))
    return _from(rng, sorted(cards))


_KINDS = (
    lambda rng: _suits(rng, 13),
    lambda rng: _suits(rng, 12, 1),
    lambda rng: _suits(rng, 11, 2),
    lambda rng: _suits(rng, 10, 3),
    lambda rng: _suits(rng, 9, 4),
    lambda rng: _suits(rng, 8, 5),
    lambda rng: _suits(rng, 7, 6),
    lambda rng: _suits(rng, 7, 3, 3),
    lambda rng: _suits(rng, 6, 5, 2),
    lambda rng: _suits(rng, 5, 5, 3),
    lambda rng: _suits(rng, 5, 4, 4),
    lambda rng: 4 * np.arange(13) + rng.integers(4, size=13),
    lambda rng: _sets(rng, 2, 2, 2, 2, 2, 2, 1),
    lambda rng: _sets(rng, 4, 2, 2, 2, 2, 1),
    lambda rng: _sets(rng, 3, 3, 3, 3, 1),
    lambda rng: _sets(rng, 3, 2, 2, 2, 2, 2),
    lambda rng: _sets(rng, 4, 4, 4, 1),
    lambda rng: _sets(rng, 4, 4, 3, 2),
    lambda rng: _sets(rng, 4, 3, 3, 3),
    lambda rng: _sets(rng, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    lambda rng: _from(rng, np.arange(36, 52)),
    lambda rng: _from(rng, np.arange(24, 52)),
    lambda rng: _from(rng, np.arange(0, 28)),
    lambda rng: _from(rng, np.flatnonzero(np.arange(52) % 4 < 2)),
    _runs,
    _runs,
)


def all_kinds(each, seed):
    """Codes (26 * each, 13): long suits, sets, dragons, windows, one colour, runs."""
    rng = np.random.default_rng(seed)
    hands = [kind(rng) for _ in range(each) for kind in _KINDS]
    return np.array(hands).astype(np.uint8)

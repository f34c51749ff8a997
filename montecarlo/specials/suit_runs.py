"""In how many ways the suits of a rank vector avoid every straight flush.

A scan over the ranks carries the four current run lengths, one a suit, 0 to 4 (a fifth card in a
row ends the branch). Suits that hold the ace are fixed first, because the ace stands at both ends
(A-2-3-4-5 and 10-J-Q-K-A); then suits are alike inside the two groups, so ordered run lengths
fall into at most 225 classes. Both half vectors are scanned outward from the ace and joined in
the middle: runs that meet there must add up to four or less. The join is a matrix product over
classes; all numbers are whole and far below 2^53, so float64 is exact.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from montecarlo.specials.rank_vectors import HALF, rank_vectors

Floats = NDArray[np.float64]

ORDERED = np.array(np.unravel_index(np.arange(625), (5, 5, 5, 5))).T
"""All ordered run lengths (625, 4); by number: the first suit's is the most significant digit."""


class Classes(NamedTuple):
    """Ordered run lengths that differ only by swapping suits alike.

    ``of_ordered`` (625,) is the class of each; ``member`` (625, classes) is 1.0 where an ordered
    state belongs to the class; ``sample`` (classes, 4) one state of each class; ``just_held``
    (5, classes) tells how many suits run on, which is how often the last rank is held.
    """

    of_ordered: NDArray[np.int64]
    member: Floats
    sample: NDArray[np.int64]
    just_held: NDArray[np.bool_]


def _classes(aces: int) -> Classes:
    holders = np.sort(ORDERED[:, :aces], axis=1)
    others = np.sort(ORDERED[:, aces:], axis=1)
    alike = np.concatenate([holders, others], axis=1) @ 5 ** np.arange(4)
    _, first, of_ordered = np.unique(alike, return_index=True, return_inverse=True)
    member = np.zeros((625, len(first)))
    member[np.arange(625), of_ordered] = 1.0
    sample = ORDERED[first]
    just_held = (sample > 0).sum(axis=1) == np.arange(5)[:, None]
    return Classes(of_ordered, member, sample, just_held)


def _half_scan(aces: int, classes: Classes, ace_counts: bool) -> Floats:
    """Return, for every half code (15625) and class, the suit choices for one ordered state."""
    # a suit that takes a card was one shorter before; a suit that does not can have had any run
    after = classes.sample
    follows = np.all((after == 0) | (ORDERED[:, None] == after - 1), axis=2)
    steps = classes.member.T @ follows
    start = sum(5 ** (3 - suit) for suit in range(aces)) if ace_counts else 0
    ways = np.zeros((1, len(after)))
    ways[0, classes.of_ordered[start]] = 1.0
    for _ in range(HALF):
        longer = np.zeros((5, *ways.shape))
        for count, columns in enumerate(classes.just_held):
            longer[count][:, columns] = ways @ steps[:, columns]
        ways = longer.reshape(-1, ways.shape[1])
    return ways


def _joined(low: Floats, join: Floats, classes: Classes) -> Floats:
    """Return ``low @ join``, a block for each count of the last rank: the rest of a row is 0."""
    by_last_count = low.reshape(5, -1, low.shape[1])
    return np.concatenate(
        [
            block[:, columns] @ join[columns]
            for block, columns in zip(by_last_count, classes.just_held, strict=True)
        ]
    )


def assignments_without_straight_flush(wheel: bool) -> Floats:
    """Return the suit choices free of a straight flush for every rank vector, flat order.

    Whole numbers, shape (3598180,); ``wheel``: A-2-3-4-5 counts as a straight flush.
    """
    vectors = rank_vectors()
    result = np.empty(len(vectors))
    runs = np.arange(5)
    fit = (runs[:, None] + runs <= 4).astype(np.float64)
    pairs_fit = np.kron(np.kron(fit, fit), np.kron(fit, fit))
    for aces in range(5):
        classes = _classes(aces)
        high = _half_scan(aces, classes, ace_counts=True)
        low = high if wheel else _half_scan(aces, classes, ace_counts=False)
        join = classes.member.T @ pairs_fit @ classes.member * comb(4, aces)
        joined = _joined(low, join, classes)
        for product in vectors.products:
            if product.aces == aces:
                ways = joined[product.low] @ high[product.high].T
                result[product.place] = ways.ravel()
    return result

"""Kernels that turn the number of a hand into its cards: mixed radix, one digit a choice.

A set of hands is cut into *cells* of equally many hands a member (a multiplicity type, a choice of
suit lengths); ``bounds`` says at which number each cell starts. Division by the choices of a cell
then leaves one digit for each choice, so that numbers and hands match one to one.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import FULL_DECK, LANE, Masks
from montecarlo.compiled import kernel

Numbers = NDArray[np.int64]
Words = NDArray[np.uint64]

DIGIT_BITS = 3
"""Bits a rank takes in a multiplicity word: rank r is held ``word >> 3 r & 7`` times."""

REST_CARDS = 47
REST_SIZE = 8

_SUIT_SETS = tuple(
    [sum(1 << LANE * suit for suit in suits) for suits in combinations(range(4), size)]
    for size in range(5)
)
SUITS_HELD: Masks = np.array([sets + [0] * (6 - len(sets)) for sets in _SUIT_SETS], dtype=np.uint64)
"""Masks of the deuces in the suits of each set of k suits: (5, 6), row k, zeros behind."""

_CHOICES = np.array([len(sets) for sets in _SUIT_SETS])
_BINOMIALS = np.array([[comb(n, k) for k in range(REST_SIZE + 1)] for n in range(REST_CARDS + 1)])
_LANE_BITS = np.uint64(LANE)

_DECK = np.uint64(FULL_DECK)
_DIGIT = np.uint64(DIGIT_BITS)
_DIGIT_MASK = np.uint64(7)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@kernel
def cell_of(number: int, bounds: Numbers) -> int:
    """Return the cell i with ``bounds[i] <= number < bounds[i + 1]``, by bisection."""
    low, high = 0, bounds.size - 1
    while high - low > 1:
        middle = (low + high) // 2
        if number < bounds[middle]:
            high = middle
        else:
            low = middle
    return low


@kernel
def hands_of_rank_numbers(
    numbers: Numbers, bounds: Numbers, starts: Numbers, words: Words, out: Masks
) -> None:
    """Write the hands with the given numbers to ``out``, both (n,).

    Cell t holds the multiplicity words ``words[starts[t]]`` … ``words[starts[t + 1] - 1]``, each
    with equally many suit assignments.
    """
    for place in range(np.uint64(numbers.size)):
        cell = cell_of(numbers[place], bounds)
        members = starts[cell + 1] - starts[cell]
        rest = numbers[place] - bounds[cell]
        word = words[np.uint64(starts[cell] + rest % members)]
        rest //= members
        mask = _ZERO
        for rank in range(np.uint64(13)):
            held = word & _DIGIT_MASK
            word >>= _DIGIT
            if held:
                choices = _CHOICES[held]
                mask |= SUITS_HELD[held, np.uint64(rest % choices)] << rank
                rest //= choices
        out[place] = mask


@kernel
def hands_of_length_numbers(
    numbers: Numbers, bounds: Numbers, lengths: Numbers, starts: Numbers, ranks: Words, out: Masks
) -> None:
    """Write the hands with the given numbers to ``out``, both (n,).

    Cell i holds the hands of suit lengths ``lengths[i]`` (4,). The 13-bit masks of l ranks are
    ``ranks[starts[l]]`` … ``ranks[starts[l + 1] - 1]``.
    """
    for place in range(np.uint64(numbers.size)):
        cell = np.uint64(cell_of(numbers[place], bounds))
        rest = numbers[place] - bounds[cell]
        mask = _ZERO
        for suit in range(np.uint64(4)):
            length = np.uint64(lengths[cell, suit])
            choices = starts[length + _ONE] - starts[length]
            held = ranks[np.uint64(starts[length] + rest % choices)]
            mask |= held << (suit * _LANE_BITS)
            rest //= choices
        out[place] = mask


@kernel
def hands_of_straight_flush_numbers(numbers: Numbers, runs: Masks, out: Masks) -> None:
    """Write the hands with the given numbers to ``out``, both (n,); 0 where a number has none.

    A number names one of the straight flushes ``runs`` and eight of the other 47 cards. A hand
    that holds several straight flushes has as many numbers; only the one that names the first of
    them stands for it.

    Source: coverage of a union, Karp, Luby & Madras (1989), J. Algorithms 10, 429-448.
    """
    rests = _BINOMIALS[REST_CARDS, REST_SIZE]
    for place in range(np.uint64(numbers.size)):
        named = np.uint64(numbers[place] // rests)
        chosen = numbers[place] % rests
        mask = runs[named]
        left = _DECK & ~mask
        # the combinatorial number system, cards of the rest from the last to the first
        needed = REST_SIZE
        for later in range(REST_CARDS - 1, -1, -1):
            card = left & (~left + _ONE)
            left ^= card
            ways = _BINOMIALS[later, needed]
            if chosen >= ways:
                chosen -= ways
                mask |= card
                needed -= 1
                if needed == 0:
                    break
        for earlier in range(named):
            if mask & runs[earlier] == runs[earlier]:
                mask = _ZERO
                break
        out[place] = mask

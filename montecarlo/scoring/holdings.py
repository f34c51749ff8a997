"""What compares two declared specials of one id: a suit, a straight flush, a four, three or pair.

Straight flushes, fours, threes and pairs are the best in all 13 cards; no kickers (rulebook §3.4).
"""

from __future__ import annotations

import numpy as np

from montecarlo.bits import highest_bit
from montecarlo.compiled import kernel
from montecarlo.scoring.seats import Whole

_U = np.uint64
_LANE = _U(16)
_RANKS = _U(0x1FFF)
_WHEEL_RANKS = _U(0x100F)
_KING, _FIVE = 11, 3

(
    STRENGTH_NONE,
    STRENGTH_SUIT,
    STRENGTH_WHEEL_SECOND,
    STRENGTH_WHEEL_LOWEST,
    STRENGTH_WHEEL_NONE,
    STRENGTH_FOUR,
    STRENGTH_THREE,
    STRENGTH_PAIR,
) = range(8)
"""The places of `montecarlo.scoring.tables.STRENGTHS`."""


@kernel
def special_strength(mask: Whole, kind: Whole) -> Whole:
    """Return the strength of a hand mask's special; ``kind`` is its place in `STRENGTHS`.

    Higher wins, equal draws. Suits count 1 … 4; other holdings by rank, straight flushes by the
    wheel rule; 0 where the hand holds no such thing or nothing is compared.
    """
    if kind == STRENGTH_NONE:
        return 0
    diamonds = _U(mask) & _RANKS
    clubs = (_U(mask) >> _LANE) & _RANKS
    hearts = (_U(mask) >> (_LANE + _LANE)) & _RANKS
    spades = (_U(mask) >> (_LANE + _LANE + _LANE)) & _RANKS
    if kind == STRENGTH_SUIT:
        if spades:
            return 4
        if hearts:
            return 3
        return 2 if clubs else 1
    if kind == STRENGTH_FOUR:
        return highest(diamonds & clubs & hearts & spades)
    both_low, any_low = diamonds & clubs, diamonds | clubs
    both_high, any_high = hearts & spades, hearts | spades
    if kind == STRENGTH_THREE:
        return highest((both_low & any_high) | (both_high & any_low))
    if kind == STRENGTH_PAIR:
        return highest(both_low | both_high | (any_low & any_high))
    return straight_flush_strength(diamonds, clubs, hearts, spades, kind)


@kernel
def straight_flush_strength(
    diamonds: Whole, clubs: Whole, hearts: Whole, spades: Whole, kind: Whole
) -> Whole:
    """Return 2 * (highest card's rank) of the best straight flush, A-5 placed by the wheel rule."""
    tops = runs_of_five(diamonds) | runs_of_five(clubs)
    tops |= runs_of_five(hearts) | runs_of_five(spades)
    best = 0
    if tops:
        best = 2 * (highest(tops) + 3)  # highest() counts from 1, the run's top is 4 above its foot
    wheel = (
        (diamonds & _WHEEL_RANKS) == _WHEEL_RANKS
        or (clubs & _WHEEL_RANKS) == _WHEEL_RANKS
        or (hearts & _WHEEL_RANKS) == _WHEEL_RANKS
        or (spades & _WHEEL_RANKS) == _WHEEL_RANKS
    )
    if wheel and kind == STRENGTH_WHEEL_SECOND:
        return max(best, 2 * _KING + 1)
    if wheel and kind == STRENGTH_WHEEL_LOWEST:
        return max(best, 2 * _FIVE)
    return best


@kernel
def runs_of_five(ranks: Whole) -> np.uint64:
    """Return the ranks at which five consecutive ranks of a suit start."""
    word = _U(ranks)
    pairs = word & (word >> _U(1))
    return pairs & (pairs >> _U(2)) & (word >> _U(4))


@kernel
def highest(ranks: Whole) -> Whole:
    """Return 1 + the highest rank of a set of ranks (bit = rank), 0 for none."""
    if ranks == _U(0):
        return 0
    return np.int64(highest_bit(_U(ranks))) + 1

"""Deals in which one seat's hand is given: the other seats' hands come from the other 39 cards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import DECK_SIZE, FULL_DECK, HAND_SIZE, Masks
from montecarlo.compiled import kernel
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import State

_LEFT = DECK_SIZE - HAND_SIZE
_PLACES = np.uint64((1 << _LEFT) - 1)
_DECK = np.uint64(FULL_DECK)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@kernel
def deal_around(state: State, hands: Masks, holder: int, masks: Masks) -> None:
    """Fill ``masks`` (deals, players) with deals in which seat ``holder`` holds ``hands`` (deals,).

    ``state`` (4,) comes from `block_state` and is advanced in place. Given the hands, all deals of
    the other 39 cards are equally likely: places 0 … 38 are dealt, the same for every hand, and
    place i stands for the i-th card that the holder does not hold.
    """
    deals, players = masks.shape
    others = np.empty((deals, players - 1), np.uint64)
    deal_into(state, others, _PLACES, HAND_SIZE)
    for deal in range(np.uint64(deals)):
        left = _DECK & ~hands[deal]
        for player in range(np.uint64(players)):
            masks[deal, player] = _ZERO
        place = _ZERO
        while left:
            card = left & (~left + _ONE)
            left ^= card
            for other in range(np.uint64(players - 1)):
                seat = other + np.uint64(other >= np.uint64(holder))
                if (others[deal, other] >> place) & _ONE:
                    masks[deal, seat] |= card
            place += _ONE
        masks[deal, np.uint64(holder)] = hands[deal]


def hands_around(state: State, hands: NDArray[np.uint64], holder: int, players: int) -> Masks:
    """Return what `deal_around` fills: masks (deals, players)."""
    masks = np.empty((hands.size, players), np.uint64)
    deal_around(state, hands, holder, masks)
    return masks

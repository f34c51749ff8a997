"""Deals of a block as hand masks: the checked entry in front of the dealing kernels."""

from __future__ import annotations

import numpy as np

from montecarlo.cards import DECK_SIZE, FULL_DECK, HAND_SIZE, SEATS, Masks
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import BLOCK_DEALS, block_state, require_integer
from montecarlo.errors import BadInput

FEWEST_PLAYERS = 2


def deal_block(
    seed: int,
    block: int,
    deals: int = BLOCK_DEALS,
    players: int = SEATS,
    hand_size: int = HAND_SIZE,
    known: int = 0,
) -> Masks:
    """Return the first ``deals`` deals of block ``block``: uint64 masks, shape (deals, players).

    Hands are drawn without replacement from the 52 cards less those of the mask ``known``. The
    first n deals of a block do not depend on ``deals``; it may exceed `BLOCK_DEALS`.

    Raises BadInput for a seed or block that `block_state` refuses, fewer than one deal, players
    outside 2 … 4, bits of ``known`` that are no card, and hands the cards do not suffice for.
    """
    state = block_state(seed, block)
    require_integer("deals", deals, 1)
    available = available_cards(players, hand_size, known)
    masks: Masks = np.empty((deals, players), dtype=np.uint64)
    deal_into(state, masks, available, hand_size)
    return masks


def available_cards(players: int = SEATS, hand_size: int = HAND_SIZE, known: int = 0) -> np.uint64:
    """Return the mask, as uint64, of the cards left to deal when those of ``known`` are removed.

    It is what `deal_into` wants. Raises BadInput as `deal_block` does.
    """
    require_integer("players", players, FEWEST_PLAYERS, SEATS)
    known = int(known)
    if known < 0 or known & ~FULL_DECK:
        raise BadInput(f"known cards {known:#x} are no hand mask: bits outside the 52 cards")
    left = DECK_SIZE - known.bit_count()
    if left < players:
        raise BadInput(f"{left} cards are left: too few for {players} players")
    among = f"hand size ({left} cards left, {players} players)"
    require_integer(among, hand_size, 1, left // players)
    return np.uint64(FULL_DECK & ~known)

"""Kernels: deal, find each hand's first special, count holders a deal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import Masks
from montecarlo.compiled import kernel
from montecarlo.dealing.shuffle import deal_into
from montecarlo.specials.kernels import first_special_one

CHUNK = 512
"""Deals made before they are tabulated: small enough to stay in the first-level cache."""


@kernel
def add_holders(
    masks: Masks, program: NDArray[np.uint64], seen: NDArray[np.int64], holders: NDArray[np.int64]
) -> None:
    """Add deals (deals, players) to ``holders`` (specials + 1, players + 1), int64.

    Row i counts deals by how many of their hands have rule i of ``program`` as first special, the
    last row by how many have none. Column 0 is left alone but in the last row: see `fill_none`.
    ``seen`` (specials + 1,) holds zeros before and after.
    """
    deals, players = masks.shape
    rows = holders.shape[0]
    for deal in range(deals):
        plain = 0
        for player in range(players):
            first = first_special_one(masks[deal, player], program)
            if first < 0:
                plain += 1
            else:
                seen[first] += 1
        if plain < players:
            for row in range(rows - 1):
                if seen[row]:
                    holders[row, seen[row]] += 1
                    seen[row] = 0
        holders[rows - 1, plain] += 1


@kernel
def fill_none(deals: int, holders: NDArray[np.int64]) -> None:
    """Write to column 0 of each special's row the deals in which no hand has it."""
    rows, columns = holders.shape
    for row in range(rows - 1):
        holding = 0
        for count in range(1, columns):
            holding += holders[row, count]
        holders[row, 0] = deals - holding


@kernel
def tally_first_specials(
    state: NDArray[np.uint64],
    deals: int,
    available: np.uint64,
    program: NDArray[np.uint64],
    holders: NDArray[np.int64],
) -> None:
    """Add ``deals`` deals of 13-card hands to ``holders`` (specials + 1, players + 1), int64.

    ``state`` is the generator state of a block and is advanced; row i of ``holders`` counts deals
    by how many of their hands have rule i of ``program`` as first special, the last row by how
    many have none.
    """
    rows, columns = holders.shape
    masks = np.empty((CHUNK, columns - 1), dtype=np.uint64)
    seen = np.zeros(rows, dtype=np.int64)
    for start in range(0, deals, CHUNK):
        dealt = masks[: min(CHUNK, deals - start)]
        deal_into(state, dealt, available, 13)
        add_holders(dealt, program, seen, holders)
    fill_none(deals, holders)

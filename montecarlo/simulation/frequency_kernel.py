"""Kernel: deal, find each hand's first special, count holders a deal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel
from montecarlo.dealing.shuffle import deal_into
from montecarlo.specials.kernels import first_special_one

CHUNK = 512
"""Deals made before they are tabulated: small enough to stay in the first-level cache."""


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
    players = columns - 1
    masks = np.empty((CHUNK, players), dtype=np.uint64)
    seen = np.zeros(rows, dtype=np.int64)
    for start in range(0, deals, CHUNK):
        count = min(CHUNK, deals - start)
        deal_into(state, masks[:count], available, 13)
        for deal in range(count):
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
    for row in range(rows - 1):
        holding = 0
        for count in range(1, columns):
            holding += holders[row, count]
        holders[row, 0] = deals - holding

"""Random streams: block b of seed s is a generator of its own that depends on (s, b) only.

So deals are the same whatever the number of workers, the backend, the order of blocks, or an
interruption.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput

BLOCK_DEALS = 65536
"""Deals in a block, the unit of work."""

BLOCKS = 2**32
"""Blocks a seed has: up to here no two pairs (seed, block) can share a stream."""

State = NDArray[np.uint64]


def block_state(seed: int, block: int) -> State:
    """Return the state of block ``block`` of ``seed``: uint64, shape (4,).

    It is the state of numpy's SFC64 (C. Doty-Humphrey, PractRand) seeded by
    ``SeedSequence(seed, spawn_key=(block,))``: three words and a counter. Each call returns a
    new array; kernels advance it in place.

    Raises BadInput unless ``seed`` is an integer from 0 and ``block`` one in 0 … 2**32 - 1.
    """
    if not _is_integer(seed) or seed < 0:
        raise BadInput(f"seed must be an integer, 0 or more, not {seed!r}")
    if not _is_integer(block) or not 0 <= block < BLOCKS:
        raise BadInput(f"block must be an integer in 0 … {BLOCKS - 1}, not {block!r}")
    sequence = np.random.SeedSequence(int(seed), spawn_key=(int(block),))
    state: State = np.random.SFC64(sequence).state["state"]["state"].copy()
    return state


def _is_integer(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)

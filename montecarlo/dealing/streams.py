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


def block_state(seed: int, block: int, *branch: int) -> State:
    """Return the state of block ``block`` of ``seed``: uint64, shape (4,).

    It is the state of numpy's SFC64 (C. Doty-Humphrey, PractRand) seeded by
    ``SeedSequence(seed, spawn_key=(block, *branch))``: three words and a counter. Each call
    returns a new array; kernels advance it in place. A ``branch`` (one or more integers) is a
    stream of its own beside the block's, for work that must not share the block's words.

    Raises BadInput unless ``seed`` is an integer from 0, and ``block`` and ``branch`` integers in
    0 … 2**32 - 1.
    """
    require_integer("seed", seed, 0)
    for name, number in (("block", block), *(("branch", part) for part in branch)):
        require_integer(name, number, 0, BLOCKS - 1)
    sequence = np.random.SeedSequence(int(seed), spawn_key=(int(block), *map(int, branch)))
    state: State = np.random.SFC64(sequence).state["state"]["state"].copy()
    return state


def require_integer(name: str, value: object, low: int, high: int | None = None) -> None:
    """Raise BadInput unless ``value`` is an integer from ``low`` to ``high`` (None: no limit)."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        too_high = high is not None and value > high
        if value >= low and not too_high:
            return
    limits = f"{low} or more" if high is None else f"{low} to {high}"
    raise BadInput(f"{name} must be an integer, {limits}, not {value!r}")

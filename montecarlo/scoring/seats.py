"""What is scored of a hand: the record that the scoring kernels read, and its fields."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel

Whole = int | np.integer[Any]
"""A whole number in a kernel, of any width."""

STATUS_ROWS, STATUS_SPECIAL, STATUS_FOUL = range(3)

SUIT_BITS = 3
"""A row's key is its comparison value, shifted by this, plus the tie rule's suit value 0 … 4."""

SEAT = np.dtype(
    [
        ("keys", np.uint32, 3),  # comparison keys of head, middle, tail (row_key)
        ("categories", np.uint8, 3),  # categories 0 … 8 of head, middle, tail
        ("status", np.uint8),  # STATUS_…; STATUS_ROWS in a ladder: no entry reached
        ("special", np.int8),  # place of the declared special in variant.specials
        ("strength", np.int8),  # what compares specials of one id (holdings.special_strength)
    ],
    align=True,
)
"""What is scored of a hand. Deals are arrays (deals, players) of it."""

Seats = NDArray[np.void]


@kernel
def row_key(value: Whole, suit: Whole) -> np.uint32:
    """Return a row's comparison key: value under ``compare``, then suit value (0: no suit rule)."""
    return np.uint32((np.uint32(value) << np.uint32(SUIT_BITS)) | np.uint32(suit))

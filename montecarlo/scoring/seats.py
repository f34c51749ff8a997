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


@kernel
def seat_setting(
    seats: Seats,
    deal: Whole,
    seat: Whole,
    values: tuple[Whole, Whole, Whole],
    suits: tuple[Whole, Whole, Whole],
    categories: tuple[Whole, Whole, Whole],
) -> None:
    """Write a legal setting to ``seats[deal, seat]``: head, middle, tail of each tuple.

    ``values`` as compared (`RowTables.head_value`, ``value``), ``suits`` 0 … 4 of the tie rule (0
    where suits decide nothing), ``categories`` 0 … 8.
    """
    record = seats[deal, seat]
    record["status"] = STATUS_ROWS
    record["special"] = -1
    record["strength"] = 0
    for row in range(3):
        record["keys"][row] = row_key(values[row], suits[row])
        record["categories"][row] = np.uint8(categories[row])


@kernel
def seat_special(seats: Seats, deal: Whole, seat: Whole, special: Whole, strength: Whole) -> None:
    """Write a declared special to ``seats[deal, seat]``.

    ``special`` is its place in ``variant.specials``, ``strength`` comes from
    `holdings.special_strength`; -1 and 0 for a hand that reaches no entry of a ladder.
    """
    record = seats[deal, seat]
    record["status"] = STATUS_SPECIAL if special >= 0 else STATUS_ROWS
    record["special"] = special
    record["strength"] = strength

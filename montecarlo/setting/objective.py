"""What a setting is worth: units U(head, middle, tail) that do not decrease in any row.

    U = head[h, 0] + middle[m, 0] + tail[t, 0]
        + Σ head[h, r] · middle[m, r] · tail[t, r]  over r = 1, 2, …

over the classes h, m, t of the rows. The first line is what each row earns by itself; the products
are winning (and losing) all three rows or two of three. What depends on the rows jointly is a sum
of several such products (`low_rank`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from montecarlo.compiled import inner_kernel, kernel
from montecarlo.errors import BadInput
from montecarlo.strength.tables import HEAD_CLASSES, ROW_CLASSES, RowTables

Floats = NDArray[np.float64]
Product = tuple[ArrayLike, ArrayLike, ArrayLike]

HEADS, ROWS = HEAD_CLASSES + 1, ROW_CLASSES + 1

_TOGETHER = 4
"""Products are added up four at a time (`units`), so there is a multiple of four of them."""
_ONE, _STEP = np.uint64(1), np.uint64(_TOGETHER)


class Objective(NamedTuple):
    """Arrays by class; class 0 is no row. See the module for the formula."""

    head: Floats  #: (456, 1 + products): what a head earns by itself, then its factors
    middle: Floats  #: (7463, 1 + products)
    tail: Floats  #: (7463, 1 + products); products are a multiple of four (the last may be zeros)


def objective(
    rows: RowTables,
    head: ArrayLike = 0.0,
    middle: ArrayLike = 0.0,
    tail: ArrayLike = 0.0,
    products: Sequence[Product] = (),
) -> Objective:
    """Return an objective from arrays by class: (456,) for heads, (7463,) for the other rows.

    ``products`` are (head, middle, tail) triples of such arrays; a factor may be negative.
    The whole must not decrease when a row's value rises: that is the caller's promise, since best
    settings are found by it. Classes that tie under ``rows`` must be worth the same; raises
    BadInput when they are not, for wrong shapes and for numbers that are not finite.
    """
    nothing: Product = (0.0, 0.0, 0.0)
    products = [*products, *[nothing] * (-len(products) % _TOGETHER)]
    result = Objective(
        _columns("head", HEADS, head, [factors[0] for factors in products]),
        _columns("middle", ROWS, middle, [factors[1] for factors in products]),
        _columns("tail", ROWS, tail, [factors[2] for factors in products]),
    )
    first_head = _first_of_equals(rows.head_value)
    first_row = _first_of_equals(rows.value)
    for name, array in result._asdict().items():
        first = first_head if name == "head" else first_row
        if not np.array_equal(array[1:], array[first][1:]):
            raise BadInput(f"objective: '{name}' differs between rows that tie")
    return result


def lexicographic(rows: RowTables) -> Objective:
    """Return the objective of the beginner: the best tail, with it the best middle, then head."""
    value, head_value = rows.value.astype(np.float64), rows.head_value.astype(np.float64)
    return objective(rows, head_value, value * HEADS, value * (HEADS * ROWS))


@inner_kernel
def units(
    head: np.uint64,
    middle: np.uint64,
    tail: np.uint64,
    heads: Floats,
    middles: Floats,
    tails: Floats,
) -> np.float64:
    """U of three row classes (uint64)."""
    total = heads[head, 0] + middles[middle, 0] + tails[tail, 0]
    # four sums side by side: one after the other, each addition would wait for the last
    second = third = fourth = 0.0
    for r in range(np.uint64(1), np.uint64(heads.shape[1]), _STEP):
        total += heads[head, r] * middles[middle, r] * tails[tail, r]
        next_r = np.uint64(r) + _ONE
        second += heads[head, next_r] * middles[middle, next_r] * tails[tail, next_r]
        next_r += _ONE
        third += heads[head, next_r] * middles[middle, next_r] * tails[tail, next_r]
        next_r += _ONE
        fourth += heads[head, next_r] * middles[middle, next_r] * tails[tail, next_r]
    return np.float64((total + second) + (third + fourth))


@kernel
def units_of_settings(objective: Objective, classes: NDArray[np.uint16]) -> Floats:
    """U (N,) of settings given as classes (N, 3) of head, middle and tail."""
    out = np.empty(classes.shape[0], np.float64)
    for i in range(classes.shape[0]):
        head, middle, tail = classes[i, 0], classes[i, 1], classes[i, 2]
        out[i] = units(
            np.uint64(head),
            np.uint64(middle),
            np.uint64(tail),
            objective.head,
            objective.middle,
            objective.tail,
        )
    return out


def _columns(name: str, size: int, own: ArrayLike, factors: Sequence[ArrayLike]) -> Floats:
    return np.stack([_by_class(name, column, size) for column in (own, *factors)], axis=1)


def _by_class(name: str, array: ArrayLike, size: int) -> Floats:
    try:
        full = np.array(np.broadcast_to(np.asarray(array, np.float64), (size,)))
    except ValueError:
        raise BadInput(f"objective: '{name}' must have {size} numbers, one a class") from None
    if not np.isfinite(full).all():
        raise BadInput(f"objective: '{name}' holds a number that is not finite")
    return full


def _first_of_equals(value: NDArray[np.uint16]) -> NDArray[np.intp]:
    _, first, place = np.unique(value, return_index=True, return_inverse=True)
    return first[place]

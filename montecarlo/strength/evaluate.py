"""Row strengths of arrays of rows, given as card codes or as hand masks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from montecarlo.cards import DECK_SIZE, FULL_DECK
from montecarlo.errors import BadInput
from montecarlo.strength import kernels
from montecarlo.strength.tables import RowTables, deciding_ranks

ROW_SIZE = 5
HEAD_SIZE = 3


def row_classes(codes: ArrayLike, tables: RowTables) -> NDArray[np.uint16]:
    """Return classes, shape (…), of five-card rows given as card codes, shape (…, 5).

    Classes are the grouped strength, 1..7462; ``tables.value[classes]`` is what is compared. The
    five cards of a row must be distinct, which is not checked (five of one rank have class 0).
    Raises BadInput for other shapes and for codes outside 0..51.
    """
    array = _codes(codes, ROW_SIZE)
    found = kernels.row_classes_of_codes(array.reshape(-1, ROW_SIZE), tables)
    return found.reshape(array.shape[:-1])


def head_classes(codes: ArrayLike, tables: RowTables) -> NDArray[np.uint16]:
    """Return head classes 1..455, shape (…), of heads given as card codes, shape (…, 3).

    ``tables.head_value[classes]`` is what is compared. Raises BadInput as `row_classes`.
    """
    array = _codes(codes, HEAD_SIZE)
    found = kernels.head_classes_of_codes(array.reshape(-1, HEAD_SIZE), tables)
    return found.reshape(array.shape[:-1])


def row_classes_from_masks(masks: ArrayLike, tables: RowTables) -> NDArray[np.uint16]:
    """Return classes, shape (…), of hand masks, shape (…), of five cards each.

    Raises BadInput when a mask holds another number of cards or stray bits.
    """
    array = _masks(masks, ROW_SIZE)
    return kernels.row_classes_of_masks(array.reshape(-1), tables).reshape(array.shape)


def head_classes_from_masks(masks: ArrayLike, tables: RowTables) -> NDArray[np.uint16]:
    """Return head classes, shape (…), of hand masks, shape (…), of three cards each.

    Raises BadInput when a mask holds another number of cards or stray bits.
    """
    array = _masks(masks, HEAD_SIZE)
    return kernels.head_classes_of_masks(array.reshape(-1), tables).reshape(array.shape)


def suit_values(
    masks: ArrayLike, classes: ArrayLike, wheel: str, tie: str, head: bool = False
) -> NDArray[np.uint8]:
    """Return what breaks ties between rows of equal value: 0 (draw) or 1 ♦ … 4 ♠, shape (…).

    ``masks`` and ``classes`` (head classes when ``head``) have the same shape. Rows of equal value
    are compared by these numbers; when either is 0 they draw (rulebook §3.3). Raises BadInput for
    masks of another size or an unknown ``wheel`` or ``tie``.
    """
    array = _masks(masks, HEAD_SIZE if head else ROW_SIZE)
    deciding = deciding_ranks(wheel, tie)[1 if head else 0]
    flat = np.ascontiguousarray(classes, np.uint16).reshape(-1)
    if flat.size != array.size or (flat.size and int(flat.max()) >= deciding.size):
        raise BadInput("suit values need one valid class for each mask")
    found = kernels.suit_values_of_masks(array.reshape(-1), flat, deciding)
    return found.reshape(array.shape)


def legal(
    head: ArrayLike, middle: ArrayLike, tail: ArrayLike, tables: RowTables
) -> NDArray[np.bool_]:
    """Return whether settings are legal, given the classes of their rows (arrays that broadcast).

    Head ≤ middle ≤ tail by grouped strength and the wheel rule alone (rulebook §1).
    """
    below = np.asarray(head) <= tables.head_limit[np.asarray(middle)]
    return np.asarray(below & (np.asarray(middle) <= np.asarray(tail)))


def _codes(codes: ArrayLike, size: int) -> NDArray[np.uint8]:
    array = np.asarray(codes)
    if array.ndim < 1 or array.shape[-1] != size:
        raise BadInput(f"rows of {size} cards need codes of shape (…, {size}), not {array.shape}")
    if array.size and (array.max() >= DECK_SIZE or (array.dtype.kind != "u" and array.min() < 0)):
        raise BadInput("card codes must lie in 0 (2d) to 51 (As)")
    return np.ascontiguousarray(array, np.uint8)


def _masks(masks: ArrayLike, size: int) -> NDArray[np.uint64]:
    array = np.asarray(masks, np.uint64)
    if np.any(array & ~np.uint64(FULL_DECK)) or np.any(np.bitwise_count(array) != size):
        raise BadInput(f"each row mask must hold exactly {size} cards")
    return array

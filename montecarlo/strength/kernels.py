"""Kernels that evaluate rows: scalar ones to inline elsewhere, and loops over arrays.

The scalar kernels take a uint64 hand mask that holds exactly five (three) cards, or ranks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.bits import lowest_bit
from montecarlo.compiled import kernel
from montecarlo.strength.tables import RowTables


@kernel
def row_class_of_mask(mask: np.uint64, tables: RowTables) -> np.uint16:
    """Class 1..7462 of the five cards of a mask."""
    lane = np.uint64(0xFFFF)
    low = lowest_bit(mask)
    suit = low & np.uint64(48)
    if (mask >> suit) & ~lane == np.uint64(0):
        return np.uint16(tables.flush[mask >> suit])
    a = low & np.uint64(15)
    mask &= mask - np.uint64(1)
    b = lowest_bit(mask) & np.uint64(15)
    mask &= mask - np.uint64(1)
    c = lowest_bit(mask) & np.uint64(15)
    mask &= mask - np.uint64(1)
    d = lowest_bit(mask) & np.uint64(15)
    mask &= mask - np.uint64(1)
    e = lowest_bit(mask) & np.uint64(15)
    return row_class_of_ranks(a, b, c, d, e, tables)


@kernel
def row_class_of_ranks(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, e: np.uint64, tables: RowTables
) -> np.uint16:
    """Class 1..7462 of five ranks (uint64, any order) that are not one suit."""
    three = np.uint64(tables.triple[a << np.uint64(8) | b << np.uint64(4) | c])
    two = np.uint64(tables.pair[d << np.uint64(4) | e])
    return np.uint16(tables.five[three * np.uint64(91) + two])


@kernel
def head_class_of_mask(mask: np.uint64, tables: RowTables) -> np.uint16:
    """Head class 1..455 of the three cards of a mask."""
    a = lowest_bit(mask) & np.uint64(15)
    mask &= mask - np.uint64(1)
    b = lowest_bit(mask) & np.uint64(15)
    mask &= mask - np.uint64(1)
    c = lowest_bit(mask) & np.uint64(15)
    return np.uint16(tables.triple[a << np.uint64(8) | b << np.uint64(4) | c])


@kernel
def suit_value_of_mask(mask: np.uint64, deciding_rank: np.int8) -> np.uint8:
    """Best suit, 1 (diamonds) to 4 (spades), of the deciding rank in a row; 0 when rank is -1."""
    if deciding_rank < 0:
        return np.uint8(0)
    held = mask >> np.uint64(deciding_rank)
    for suit in range(3, -1, -1):
        if (held >> np.uint64(16 * suit)) & np.uint64(1):
            return np.uint8(suit + 1)
    return np.uint8(0)


@kernel
def row_classes_of_codes(codes: NDArray[np.uint8], tables: RowTables) -> NDArray[np.uint16]:
    """Classes (N,) of card codes (N, 5)."""
    triple, pair, five, flush = tables.triple, tables.pair, tables.five, tables.flush
    count = codes.shape[0]
    out = np.empty(count, np.uint16)
    for i in range(count):
        a, b, c = np.uint32(codes[i, 0]), np.uint32(codes[i, 1]), np.uint32(codes[i, 2])
        d, e = np.uint32(codes[i, 3]), np.uint32(codes[i, 4])
        if ((a ^ b) | (a ^ c) | (a ^ d) | (a ^ e)) & np.uint32(3) == np.uint32(0):
            one = np.uint32(1)
            two = np.uint32(2)
            bits = one << (a >> two) | one << (b >> two) | one << (c >> two)
            bits |= one << (d >> two) | one << (e >> two)
            out[i] = flush[bits & np.uint32(8191)]
        else:
            # 4 * rank + suit: the rank's nibble is moved into place, the suit bits masked off
            three = (a << np.uint32(6) & np.uint32(0xF00)) | (b << np.uint32(2) & np.uint32(0xF0))
            three |= c >> np.uint32(2) & np.uint32(15)
            two_ranks = (d << np.uint32(2) & np.uint32(0xF0)) | (e >> np.uint32(2) & np.uint32(15))
            out[i] = five[np.uint32(triple[three]) * np.uint32(91) + np.uint32(pair[two_ranks])]
    return out


@kernel
def row_classes_of_masks(masks: NDArray[np.uint64], tables: RowTables) -> NDArray[np.uint16]:
    """Classes (N,) of masks (N,) of five cards each."""
    out = np.empty(masks.shape[0], np.uint16)
    for i in range(masks.shape[0]):
        out[i] = row_class_of_mask(masks[i], tables)
    return out


@kernel
def head_classes_of_codes(codes: NDArray[np.uint8], tables: RowTables) -> NDArray[np.uint16]:
    """Head classes (N,) of card codes (N, 3)."""
    out = np.empty(codes.shape[0], np.uint16)
    for i in range(codes.shape[0]):
        a, b, c = np.uint32(codes[i, 0]), np.uint32(codes[i, 1]), np.uint32(codes[i, 2])
        three = (a << np.uint32(6) & np.uint32(0xF00)) | (b << np.uint32(2) & np.uint32(0xF0))
        out[i] = tables.triple[three | (c >> np.uint32(2) & np.uint32(15))]
    return out


@kernel
def head_classes_of_masks(masks: NDArray[np.uint64], tables: RowTables) -> NDArray[np.uint16]:
    """Head classes (N,) of masks (N,) of three cards each."""
    out = np.empty(masks.shape[0], np.uint16)
    for i in range(masks.shape[0]):
        out[i] = head_class_of_mask(masks[i], tables)
    return out


@kernel
def suit_values_of_masks(
    masks: NDArray[np.uint64], classes: NDArray[np.uint16], deciding: NDArray[np.int8]
) -> NDArray[np.uint8]:
    """Suit values (N,) 0..4 of rows, given their masks, classes and the table of deciding ranks."""
    out = np.empty(masks.shape[0], np.uint8)
    for i in range(masks.shape[0]):
        out[i] = suit_value_of_mask(masks[i], deciding[classes[i]])
    return out

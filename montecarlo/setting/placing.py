"""From the classes of a setting to its cards.

Flush rows are placed first, the others by rank. A setting that no other one of the hand beats
(from `best_setting`, `compiled_policy` or `frontier`) has the classes of its cards: were a row
placed by rank one suit by accident, a better setting would exist. Among the placements of the same
classes the best suits go to the tail, then the middle, then the head, where a tie rule looks at
suits; whatever it does not look at takes the lowest suits first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from montecarlo.compiled import kernel
from montecarlo.setting.static_tables import SettingTables
from montecarlo.strength.kernels import suit_value_of_mask
from montecarlo.strength.tables import FLUSH, STRAIGHT_FLUSH, RowTables, deciding_ranks

_ONE = np.uint64(1)
_ROW = np.uint64(16)
_TAIL = np.uint64(32)
_CLASS = np.uint64(0xFFFF)
_COUNT = np.uint64(15)


def place_settings(
    masks: ArrayLike,
    settings: ArrayLike,
    tables: SettingTables,
    wheel: str = "second",
    tie: str = "draw",
) -> NDArray[np.uint64]:
    """Return row masks (N, 3) of head, middle and tail of packed settings (N,) of hands (N,).

    ``tie`` (under ``wheel``) says which suits matter: with ``draw`` and ``banker`` none do.
    Raises BadInput for unknown names.
    """
    rows, heads = deciding_ranks(wheel, tie)
    hands = np.ascontiguousarray(masks, np.uint64).reshape(-1)
    packed = np.ascontiguousarray(settings, np.uint64).reshape(-1)
    out = np.empty((hands.size, 3), np.uint64)
    place_into(hands, packed, tables.rows, rows, heads, out)
    return out


@kernel
def place_into(
    masks: NDArray[np.uint64],
    settings: NDArray[np.uint64],
    rows: RowTables,
    deciding: NDArray[np.int8],
    deciding_head: NDArray[np.int8],
    out: NDArray[np.uint64],
) -> None:
    """Write row masks (N, 3) of packed settings (N,); `deciding_ranks` gives the two tables."""
    category, ranks = rows.category, rows.ranks
    for n in range(masks.size):
        head = settings[n] & _CLASS
        middle, tail = (settings[n] >> _ROW) & _CLASS, settings[n] >> _TAIL
        tail_flush = category[tail] == FLUSH or category[tail] == STRAIGHT_FLUSH
        middle_flush = category[middle] == FLUSH or category[middle] == STRAIGHT_FLUSH
        tail_ranks, middle_ranks = one_each(ranks[tail]), one_each(ranks[middle])
        tail_rank, middle_rank = deciding[tail], deciding[middle]
        head_rank = deciding_head[head]
        best_score = -1
        for suit in range(3 if tail_flush else 0, -1, -1):
            tail_row = tail_ranks << np.uint64(16 * suit) if tail_flush else np.uint64(0)
            if masks[n] & tail_row != tail_row:
                continue
            for other in range(3 if middle_flush else 0, -1, -1):
                left = masks[n] ^ tail_row
                middle_row = middle_ranks << np.uint64(16 * other) if middle_flush else np.uint64(0)
                if left & middle_row != middle_row:
                    continue
                left ^= middle_row
                tail_cards, middle_cards = tail_row, middle_row
                head_cards = np.uint64(0)
                if not tail_flush and tail_rank >= 0:
                    tail_cards = highest_of_rank(left, tail_rank)
                    left ^= tail_cards
                if not middle_flush and middle_rank >= 0:
                    middle_cards = highest_of_rank(left, middle_rank)
                    left ^= middle_cards
                if head_rank >= 0:
                    head_cards = highest_of_rank(left, head_rank)
                    left ^= head_cards
                if not tail_flush:
                    cards = lowest_of_ranks(left, ranks[tail], tail_rank)
                    tail_cards |= cards
                    left ^= cards
                if not middle_flush:
                    cards = lowest_of_ranks(left, ranks[middle], middle_rank)
                    middle_cards |= cards
                    left ^= cards
                head_cards |= left
                score = 25 * int(suit_value_of_mask(tail_cards, tail_rank))
                score += 5 * int(suit_value_of_mask(middle_cards, middle_rank))
                score += int(suit_value_of_mask(head_cards, head_rank))
                if score > best_score:
                    best_score = score
                    out[n, 0], out[n, 1], out[n, 2] = head_cards, middle_cards, tail_cards


@kernel
def one_each(counts: np.uint64) -> np.uint64:
    """13-bit mask of the ranks whose nibble is not 0."""
    mask = np.uint64(0)
    for rank in range(13):
        if (counts >> np.uint64(4 * rank)) & _COUNT:
            mask |= _ONE << np.uint64(rank)
    return mask


@kernel
def highest_of_rank(cards: np.uint64, rank: np.int8) -> np.uint64:
    """Mask of the card of a rank in the highest suit held; 0 when none is held."""
    for suit in range(3, -1, -1):
        bit = _ONE << np.uint64(16 * suit + rank)
        if cards & bit:
            return bit
    return np.uint64(0)


@kernel
def lowest_of_ranks(cards: np.uint64, counts: np.uint64, one_less: np.int8) -> np.uint64:
    """Mask of the cards wanted by rank (nibbles), lowest suits first; one less of one rank."""
    taken = np.uint64(0)
    for rank in range(13):
        wanted = (counts >> np.uint64(4 * rank)) & _COUNT
        if rank == one_less:
            wanted -= _ONE
        for suit in range(4):
            bit = _ONE << np.uint64(16 * suit + rank)
            if wanted and cards & bit:
                taken |= bit
                wanted -= _ONE
    return taken

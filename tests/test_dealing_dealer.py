"""`deal_block`: deals are deals, repeatable, and bad input is refused in one line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from montecarlo.cards import BIT_OF_CODE, FULL_DECK, mask_of_codes
from montecarlo.dealing.dealer import available_cards, deal_block
from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import BadInput


@st.composite
def tables(draw: st.DrawFn) -> dict[str, int]:
    """Any table the dealer must serve: players, hand size, known cards."""
    players = draw(st.integers(2, 4))
    codes = draw(st.sets(st.integers(0, 51), max_size=52 - players))
    hand_size = draw(st.integers(1, (52 - len(codes)) // players))
    return {"players": players, "hand_size": hand_size, "known": mask_of_codes(codes)}


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1, 200), st.integers(0, 2**70), st.integers(0, 2**32 - 1))
def test_every_deal_is_distinct_unknown_cards(
    table: dict[str, int], deals: int, seed: int, block: int
) -> None:
    masks = deal_block(seed, block, deals, **table)
    assert masks.shape == (deals, table["players"])
    assert masks.dtype == np.uint64
    assert (np.bitwise_count(masks) == table["hand_size"]).all()
    together = np.bitwise_or.reduce(masks, axis=1)
    assert (np.bitwise_count(together) == table["players"] * table["hand_size"]).all()
    assert not (together & np.uint64(table["known"])).any()
    assert not (together & np.uint64(~FULL_DECK & (2**64 - 1))).any()


@settings(max_examples=30, deadline=None)
@given(tables(), st.integers(1, 300), st.integers(1, 300))
def test_first_deals_do_not_depend_on_how_many(table: dict[str, int], few: int, more: int) -> None:
    long = deal_block(5, 1, few + more, **table)
    assert np.array_equal(deal_block(5, 1, few, **table), long[:few])


def test_full_block_is_a_partition_of_the_deck_and_repeatable() -> None:
    masks = deal_block(1, 2)
    assert masks.shape == (BLOCK_DEALS, 4)
    assert (np.bitwise_or.reduce(masks, axis=1) == FULL_DECK).all()
    assert (np.bitwise_count(masks) == 13).all()
    assert np.array_equal(masks, deal_block(1, 2))
    assert len(np.unique(masks)) == masks.size


def test_blocks_and_seeds_deal_different_hands() -> None:
    hands = [deal_block(seed, block, 500) for seed in (1, 2) for block in (0, 1, 2)]
    assert len(np.unique(np.concatenate(hands))) == 6 * 500 * 4


def test_stream_is_pinned() -> None:
    """Published results name seeds: the same seed must deal the same cards in every version."""
    assert deal_block(1, 0, 2).tolist() == PINNED


PINNED = [
    [0x0103180C01880C04, 0x00E8067004500008, 0x1C14000102260221, 0x02000182180111D2],
    [0x1805016200080618, 0x002A04000EA01901, 0x04101095100600E0, 0x03C00A0801510006],
]


def test_available_cards_is_the_rest_of_the_deck() -> None:
    known = int(BIT_OF_CODE[51] | BIT_OF_CODE[0])
    available = available_cards(2, 25, known)
    assert isinstance(available, np.uint64)
    assert int(available) == FULL_DECK ^ known


BAD: list[tuple[dict[str, Any], str]] = [
    ({"deals": 0}, "deals must be an integer, 1 or more, not 0"),
    ({"deals": -5}, "deals must be an integer, 1 or more, not -5"),
    ({"deals": 2.5}, "deals must be an integer, 1 or more, not 2.5"),
    ({"seed": -1}, "seed must be an integer"),
    ({"block": -1}, "block must be an integer"),
    ({"players": 1}, "players must be an integer, 2 to 4, not 1"),
    ({"players": 5, "hand_size": 10}, "players must be an integer, 2 to 4, not 5"),
    ({"hand_size": 14}, r"\(52 cards left, 4 players\) must be an integer, 1 to 13, not 14"),
    ({"hand_size": 0}, "1 to 13, not 0"),
    ({"hand_size": 18, "players": 3}, "1 to 17, not 18"),
    ({"known": 1}, r"\(51 cards left, 4 players\) must be an integer, 1 to 12, not 13"),
    ({"known": 1 << 13}, "known cards 0x2000 are no hand mask"),
    ({"known": -1}, "known cards .* are no hand mask"),
    ({"known": FULL_DECK & ~7, "hand_size": 1}, "3 cards are left: too few for 4 players"),
]


@pytest.mark.parametrize(("changes", "message"), BAD)
def test_bad_input_is_refused_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        deal_block(**{"seed": 1, "block": 0, "deals": 10, **changes})
    assert "\n" not in str(caught.value)

"""Cards: every form of text, codes and masks, both ways."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from montecarlo.cards import (
    FULL_DECK,
    Hand,
    codes_from_masks,
    codes_of_mask,
    format_card,
    format_cards,
    format_mask,
    mask_of_codes,
    masks_from_codes,
    parse_cards,
    parse_hand,
)
from montecarlo.errors import BadInput

card_sets = st.sets(st.integers(0, 51))


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("2d", (0,)),
        ("As", (51,)),
        ("aS Kh 10d 2c", (51, 46, 32, 1)),
        ("AsKhTd2c", (51, 46, 32, 1)),
        ("A♠K♥10♦2♣", (51, 46, 32, 1)),
        ("A♠️ K♡, t♢ / 2♧", (51, 46, 32, 1)),
        ("", ()),
    ],
)
def test_every_form_of_text(text: str, codes: tuple[int, ...]) -> None:
    assert parse_cards(text) == codes


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("As 1d", "'1d' is not a card"),
        ("As Kx", "'Kx' is not a card"),
        ("As As", "As stands twice"),
        ("As A♠", "As stands twice"),
        ("A", "'A' is not a card"),
        ("红心A", "is not a card"),
    ],
)
def test_bad_text_is_named(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        parse_cards(text)


def test_twelve_cards_are_no_hand() -> None:
    with pytest.raises(BadInput, match=r"12 cards .* 13 are needed"):
        parse_hand("2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks")


def test_all_cards_round_trip() -> None:
    for code in range(52):
        assert parse_cards(format_card(code)) == (code,)
    assert mask_of_codes(range(52)) == FULL_DECK
    assert codes_of_mask(FULL_DECK) == tuple(range(51, -1, -1))


@given(card_sets)
def test_text_codes_and_masks_agree(cards: set[int]) -> None:
    mask = mask_of_codes(cards)
    assert set(codes_of_mask(mask)) == cards
    assert list(codes_of_mask(mask)) == sorted(cards, reverse=True)
    assert set(parse_cards(format_mask(mask))) == cards
    assert Hand.from_mask(mask) == Hand.parse(format_cards(cards), size=None)
    assert len(Hand.from_mask(mask)) == len(cards)


def test_arrays_agree_with_single_hands() -> None:
    rng = np.random.default_rng(1)
    codes = np.stack([rng.permutation(52)[:13] for _ in range(200)]).reshape(50, 4, 13)
    masks = masks_from_codes(codes)
    assert masks.shape == (50, 4)
    assert masks.dtype == np.uint64
    back = codes_from_masks(masks)
    assert back.dtype == np.uint8
    assert np.array_equal(back, -np.sort(-codes.astype(int), axis=-1))
    assert int(masks[3, 2]) == mask_of_codes(codes[3, 2])


def test_arrays_refuse_what_is_no_hand() -> None:
    with pytest.raises(BadInput, match="twice"):
        masks_from_codes([[1, 1, 2]])
    with pytest.raises(BadInput, match=r"0 .2d. to 51"):
        masks_from_codes([[52]])
    with pytest.raises(BadInput, match="different sizes"):
        codes_from_masks(np.array([1, 3], dtype=np.uint64))
    with pytest.raises(BadInput, match="outside the 52 cards"):
        codes_of_mask(1 << 14)
    with pytest.raises(BadInput, match="given twice"):
        mask_of_codes([3, 3])

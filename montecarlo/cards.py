"""Cards: text <-> codes <-> hand masks. Shapes and dtypes are defined here, once.

* A *card code* is ``4 * rank + suit`` as uint8: rank 0 is the 2, 12 the ace; suits in the order
  the sources rank them, 0 diamonds, 1 clubs, 2 hearts, 3 spades.
* A *hand mask* is one uint64 holding any set of cards: four 16-bit lanes, one a suit (diamonds
  lowest); inside a lane, bit = rank.
* Text is ``As Kh Td 2c``: ranks in either case, ``10`` for ``T``, suits as letters or symbols,
  with or without spaces or commas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from montecarlo.errors import BadInput

RANKS = "23456789TJQKA"
SUITS = "dchs"
SYMBOLS = "♦♣♥♠"
SUITS_ZH = ("方块", "梅花", "红心", "黑桃")
DECK_SIZE = 52
HAND_SIZE = 13
SEATS = 4
LANE = 16
LANE_MASK = 0x1FFF
FULL_DECK = sum(LANE_MASK << (LANE * suit) for suit in range(4))

Codes = NDArray[np.uint8]
Masks = NDArray[np.uint64]

_TOKEN = re.compile(r"(10|[2-9TJQKA])([dchs♦♣♥♠♢♧♡♤])\ufe0f?", re.IGNORECASE)
_SUIT_OF = {s: i % 4 for i, s in enumerate(SUITS + SYMBOLS + "♢♧♡♤")}

BIT_OF_CODE: Masks = np.array(
    [1 << (LANE * (code % 4) + code // 4) for code in range(DECK_SIZE)], dtype=np.uint64
)
BIT_OF_CODE.flags.writeable = False


def parse_cards(text: str) -> tuple[int, ...]:
    """Return the card codes written in ``text``, in the order written.

    Raises BadInput for text that is not cards and for a card that stands twice.
    """
    codes: list[int] = []
    position = 0
    while position < len(text):
        if text[position].isspace() or text[position] in ",/":
            position += 1
            continue
        token = _TOKEN.match(text, position)
        if token is None:
            bad = re.split(r"[\s,/]", text[position:], maxsplit=1)[0][:12]
            raise BadInput(
                f"'{bad}' is not a card: write rank and suit, as in 'As Kh Td 2c' "
                f"(ranks {RANKS}, 10 = T; suits d c h s or {SYMBOLS})"
            )
        rank = RANKS.index("T" if token[1] == "10" else token[1].upper())
        code = 4 * rank + _SUIT_OF[token[2].lower()]
        if code in codes:
            raise BadInput(f"card {format_card(code)} stands twice in '{_shorten(text)}'")
        codes.append(code)
        position = token.end()
    return tuple(codes)


def parse_hand(text: str, size: int = HAND_SIZE) -> tuple[int, ...]:
    """As `parse_cards`, and raises BadInput unless there are exactly ``size`` cards."""
    codes = parse_cards(text)
    if len(codes) != size:
        raise BadInput(f"{len(codes)} cards in '{_shorten(text)}': {size} are needed")
    return codes


def format_card(code: int) -> str:
    """Return the text of one card code, as ``'As'``; raises BadInput outside 0..51."""
    if not 0 <= int(code) < DECK_SIZE:
        raise BadInput(f"{code} is no card code: 0 (2d) to 51 (As)")
    return RANKS[int(code) // 4] + SUITS[int(code) % 4]


def format_cards(codes: Iterable[int]) -> str:
    """Return the text of card codes in the order given, separated by spaces."""
    return " ".join(format_card(code) for code in codes)


def format_mask(mask: int) -> str:
    """Return the cards of a hand mask as text, by rank then suit, highest first."""
    return format_cards(codes_of_mask(mask))


def mask_of_codes(codes: Iterable[int]) -> int:
    """Return the hand mask of card codes; raises BadInput for a card given twice or no card."""
    mask = 0
    for code in codes:
        if not 0 <= int(code) < DECK_SIZE:
            raise BadInput(f"{code} is no card code: 0 (2d) to 51 (As)")
        bit = int(BIT_OF_CODE[code])
        if mask & bit:
            raise BadInput(f"card {format_card(code)} is given twice")
        mask |= bit
    return mask


def codes_of_mask(mask: int) -> tuple[int, ...]:
    """Return the card codes of a hand mask, highest first; raises BadInput for stray bits."""
    mask = int(mask)
    if mask & ~FULL_DECK or mask < 0:
        raise BadInput(f"{mask:#x} is no hand mask: it has bits outside the 52 cards")
    return tuple(c for c in reversed(range(DECK_SIZE)) if mask >> (LANE * (c % 4) + c // 4) & 1)


def masks_from_codes(codes: ArrayLike) -> Masks:
    """Return hand masks, shape (…), of card codes, shape (…, n); cards must be distinct.

    Raises BadInput for a code outside 0..51 or a hand that holds a card twice.
    """
    array = np.asarray(codes)
    if array.size and (array.min() < 0 or array.max() >= DECK_SIZE):
        raise BadInput("card codes must lie in 0 (2d) to 51 (As)")
    masks: Masks = np.bitwise_or.reduce(BIT_OF_CODE[array], axis=-1)
    if np.any(np.bitwise_count(masks) != array.shape[-1]):
        raise BadInput("a hand holds the same card twice")
    return masks


def codes_from_masks(masks: ArrayLike) -> Codes:
    """Return card codes, shape (…, n), highest first, of hand masks, shape (…), of n cards each.

    Raises BadInput when the masks hold different numbers of cards.
    """
    array = np.asarray(masks, dtype=np.uint64)
    sizes = np.bitwise_count(array)
    size = int(sizes.flat[0]) if array.size else 0
    if np.any(sizes != size):
        raise BadInput("hand masks of different sizes cannot share one array of codes")
    held = (array[..., None] & BIT_OF_CODE[::-1]) != 0
    places = np.nonzero(held)[-1].reshape(*array.shape, size)
    return (DECK_SIZE - 1 - places).astype(np.uint8)


def _shorten(text: str, limit: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


@dataclass(frozen=True)
class Hand:
    """A set of cards, kept highest first.

    >>> str(Hand.parse("2c As 10h"))
    'As Th 2c'
    """

    codes: tuple[int, ...]

    @classmethod
    def parse(cls, text: str, size: int | None = HAND_SIZE) -> Hand:
        """Read a hand; raises BadInput for bad text, a card twice or a wrong number of cards."""
        codes = parse_cards(text) if size is None else parse_hand(text, size)
        return cls(tuple(sorted(codes, reverse=True)))

    @classmethod
    def from_mask(cls, mask: int) -> Hand:
        """Return the hand of a mask; raises BadInput for stray bits."""
        return cls(codes_of_mask(mask))

    @property
    def mask(self) -> int:
        """The hand mask as a Python integer."""
        return mask_of_codes(self.codes)

    @property
    def ranks(self) -> Sequence[int]:
        """Ranks 0 (2) … 12 (A), highest first."""
        return [code // 4 for code in self.codes]

    def __str__(self) -> str:
        return format_cards(self.codes)

    def __len__(self) -> int:
        return len(self.codes)

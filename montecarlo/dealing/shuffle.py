"""Kernels that deal: generator words, bounded draws without bias, partial Fisher-Yates.

A deal shuffles only as far as it must: the order inside a hand does not matter, and when every
card is dealt the last hand is what the others leave (39 draws deal 52 cards to four hands).

Several draws share one 64-bit word (N. Brackett-Rozinsky and D. Lemire, "Batched ranged random
integer generation", 2024): multiply the word by a bound, take the high half as the draw, go on
with the low half and the next bound. This is exactly uniform if words whose product with all the
bounds has a low half below 2**64 mod (product of the bounds) are thrown away.

`IN_FLIGHT` decks are shuffled side by side, one step of all of them after another. Their memory
accesses do not wait for one another then, and the arithmetic between them is done by vector
instructions. The words belong to the deals in order, so the deals do not depend on `IN_FLIGHT`.
The decks lie in one flat array: place p of deck d at ``p * IN_FLIGHT + d``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import Masks
from montecarlo.compiled import kernel
from montecarlo.dealing.streams import State

IN_FLIGHT = 64

BATCH_LIMIT = 1 << 51
"""Bounds share a word while their product is at most this: one word in 8192 or fewer is redrawn
or looked at twice, and the deal of 52 cards takes four words, the fewest possible."""

MOST_BATCHES = 6

Words = NDArray[np.uint64]
Places = NDArray[np.uint64]
Bounds = NDArray[np.int64]
Decks = NDArray[np.uint32]  # bit positions in a hand mask; narrower items are slower to store

_STEP = np.uint64(IN_FLIGHT)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@kernel
def next_word(
    a: np.uint64, b: np.uint64, c: np.uint64, counter: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the next word of an SFC64 state, then the state after it."""
    word = a + b + counter
    rotated = (c << np.uint64(24)) | (c >> np.uint64(40))
    return word, b ^ (b >> np.uint64(11)), c + (c << np.uint64(3)), rotated + word, counter + _ONE


@kernel
def plan_batches(cards: int, draws: int, limit: int, last_bounds: Bounds, products: Words) -> int:
    """Share the bounds ``cards``, ``cards`` - 1, … of ``draws`` draws out among words.

    Writes for each word the last bound (included) it serves and the product of its bounds, at
    most ``limit``; returns the number of words.
    """
    batches = 0
    product = 1
    for bound in range(cards, cards - draws, -1):
        if product * bound > limit:
            last_bounds[batches] = bound + 1
            products[batches] = np.uint64(product)
            batches += 1
            product = 1
        product *= bound
    last_bounds[batches] = cards - draws + 1
    products[batches] = np.uint64(product)
    return batches + 1


@kernel
def accepted_words(state: State, products: Words, words: Words, deals: int) -> None:
    """Write the next words fit for batched draws to ``words`` (batches * IN_FLIGHT,).

    The words are those of ``SFC64.random_raw`` of numpy, less the ones thrown away.

    Batch b of deal d gets item ``b * IN_FLIGHT + d``; all batches of a deal are drawn before the
    next deal's. ``products`` (batches,) are the products of the bounds that each batch serves.
    """
    a, b, c, counter = state[0], state[1], state[2], state[3]
    for deal in range(np.uint64(deals)):
        for batch in range(np.uint64(products.size)):
            product = products[batch]
            while True:
                word, a, b, c, counter = next_word(a, b, c, counter)
                low = word * product
                # The remainder, a slow division, is needed only below the product itself.
                if low >= product or low >= (_ZERO - product) % product:
                    break
            words[batch * _STEP + deal] = word
    state[0], state[1], state[2], state[3] = a, b, c, counter


@kernel
def draw_places(words: Words, bound: int, places: Places) -> None:
    """Take one draw below ``bound`` out of each of IN_FLIGHT words and keep the rest in the word.

    ``places[d]`` becomes the draw's place in deck d. The 96-bit product is put together from
    two products of 32 bits, which vector instructions can do.
    """
    factor = np.uint64(bound)
    for deck in range(_STEP):
        low = (words[deck] & _LOW_HALF) * factor
        high = (words[deck] >> _HALF) * factor + (low >> _HALF)
        places[deck] = (high >> _HALF) * _STEP + deck
        words[deck] = (high << _HALF) | (low & _LOW_HALF)


@kernel
def swap_cards(decks: Decks, places: Places, last: int) -> None:
    """Exchange, in each deck, the card at ``places[deck]`` and the one at place ``last``."""
    start = np.uint64(last) * _STEP
    for deck in range(_STEP):
        card = decks[places[deck]]
        decks[places[deck]] = decks[start + deck]
        decks[start + deck] = card


@kernel
def collect_hands(decks: Decks, first: int, last: int, hands: Masks) -> None:
    """Write the masks of the cards in places ``first`` … ``last`` - 1 of each deck."""
    for deck in range(_STEP):
        hands[deck] = _ZERO
    for place in range(np.uint64(first), np.uint64(last)):
        for deck in range(_STEP):
            hands[deck] |= _ONE << np.uint64(decks[place * _STEP + deck])


@kernel
def positions_of(available: int | np.uint64, positions: Decks) -> int:
    """Write the bit positions of the mask ``available``, in order; return their number."""
    cards = 0
    for position in range(64):
        if (np.uint64(available) >> np.uint64(position)) & _ONE:
            positions[cards] = position
            cards += 1
    return cards


@kernel
def fill_decks(decks: Decks, positions: Decks) -> None:
    """Lay ``positions`` (cards,) out in order in every deck."""
    for place in range(np.uint64(positions.size)):
        for deck in range(_STEP):
            decks[place * _STEP + deck] = positions[place]


@kernel
def deal_into(state: State, masks: Masks, available: int | np.uint64, hand_size: int = 13) -> None:
    """Fill ``masks`` (deals, players) with hands of ``hand_size`` of the ``available`` cards.

    ``state`` (4,) comes from `block_state` and is advanced in place: dealing n and then m gives
    the same deals as n + m at once. ``available`` is a hand mask, as uint64.
    Raises ValueError when it does not hold ``hand_size`` cards for each player.
    """
    deals, players = masks.shape
    positions = np.empty(64, np.uint32)
    cards = positions_of(available, positions)
    if players * hand_size > cards:
        raise ValueError("too few cards for these hands")
    all_dealt = players * hand_size == cards
    drawn_hands = players - 1 if all_dealt else players

    last_bounds = np.empty(MOST_BATCHES, np.int64)
    products = np.empty(MOST_BATCHES, np.uint64)
    batches = plan_batches(cards, drawn_hands * hand_size, BATCH_LIMIT, last_bounds, products)
    products = products[:batches]

    decks = np.empty(cards * IN_FLIGHT, np.uint32)
    words = np.zeros(batches * IN_FLIGHT, np.uint64)
    places = np.empty(IN_FLIGHT, np.uint64)
    hands = np.empty((players, IN_FLIGHT), np.uint64)
    for start in range(0, deals, IN_FLIGHT):
        together = min(IN_FLIGHT, deals - start)
        accepted_words(state, products, words, together)
        fill_decks(decks, positions[:cards])
        bound = cards
        for batch in range(batches):
            batch_words = words[batch * IN_FLIGHT : (batch + 1) * IN_FLIGHT]
            while bound >= last_bounds[batch]:
                draw_places(batch_words, bound, places)
                swap_cards(decks, places, bound - 1)
                bound -= 1
        hands[players - 1] = np.uint64(available)
        for player in range(drawn_hands):
            top = cards - player * hand_size
            collect_hands(decks, top - hand_size, top, hands[player])
            if all_dealt:
                hands[players - 1] ^= hands[player]
        for i in range(together):
            for player in range(players):
                masks[start + i, player] = hands[player, i]

"""Dealing kernels against plain Python: the same words, big integers, one deck, real swaps."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from montecarlo.cards import FULL_DECK
from montecarlo.dealing.shuffle import (
    BATCH_LIMIT,
    IN_FLIGHT,
    MOST_BATCHES,
    accepted_words,
    deal_into,
    draw_places,
    plan_batches,
)
from montecarlo.dealing.streams import block_state


def raw_words(seed: int, block: int) -> Iterator[int]:
    """Words of numpy's own bit generator, without end."""
    generator = np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(block,)))
    while True:
        yield from generator.random_raw(4096).tolist()


def batch_of(word: int, bounds: list[int], bits: int = 64) -> list[int] | None:
    """Draws below each bound from one word of ``bits`` bits; None: the word is thrown away.

    The word over 2**bits is a fraction; times the product of the bounds, its whole part is one
    draw among all combinations, written in mixed radix.
    """
    product = math.prod(bounds)
    combination, low = divmod(word * product, 2**bits)
    if low < 2**bits % product:
        return None
    draws = []
    for bound in reversed(bounds):
        combination, draw = divmod(combination, bound)
        draws.append(draw)
    return draws[::-1]


def batches_of(cards: int, draws: int) -> list[list[int]]:
    """Bounds that share a word: as many as keep the product within the limit."""
    batches: list[list[int]] = [[]]
    for bound in range(cards, cards - draws, -1):
        if math.prod(batches[-1]) * bound > BATCH_LIMIT:
            batches.append([])
        batches[-1].append(bound)
    return batches


def plain_deals(
    seed: int, block: int, deals: int, players: int, hand_size: int, available: int
) -> list[list[int]]:
    """Deals by list swaps from numpy's words, hand by hand from the end of the deck."""
    words = raw_words(seed, block)
    bits = [bit for bit in range(64) if available >> bit & 1]
    draws = players * hand_size
    if draws == len(bits):
        draws -= hand_size
    result = []
    for _ in range(deals):
        deck = list(bits)
        chosen: list[int] = []
        for bounds in batches_of(len(deck), draws):
            batch = None
            while batch is None:
                batch = batch_of(next(words), bounds)
            chosen += batch
        for step, place in enumerate(chosen):
            last = len(deck) - 1 - step
            deck[place], deck[last] = deck[last], deck[place]
        from_the_end = deck[::-1]
        result.append(
            [
                sum(1 << bit for bit in from_the_end[p * hand_size : (p + 1) * hand_size])
                for p in range(players)
            ]
        )
    return result


NEARLY_HALF = 2**63 + 5  # a product for which nearly half of all words are thrown away

SOME_KNOWN = 0x1014_0F30_0001_1003  # 13 cards

TABLES = [
    (4, 13, 0), (3, 17, 0), (2, 26, 0), (4, 1, 0), (2, 1, 0), (3, 13, 0), (4, 12, 0),
    (4, 9, SOME_KNOWN), (3, 13, SOME_KNOWN), (2, 13, SOME_KNOWN),
    (2, 2, FULL_DECK & ~0b1111), (3, 1, FULL_DECK & ~0b111),
]  # fmt: skip


@pytest.mark.parametrize(("players", "hand_size", "known"), TABLES)
def test_deals_equal_plain_swaps_on_numpys_words(players: int, hand_size: int, known: int) -> None:
    deals = 3 * IN_FLIGHT + 5
    available = FULL_DECK & ~known
    masks = np.zeros((deals, players), np.uint64)
    deal_into(block_state(9, 4), masks, np.uint64(available), hand_size)
    assert masks.tolist() == plain_deals(9, 4, deals, players, hand_size, available)


def test_too_few_cards_are_refused() -> None:
    with pytest.raises(ValueError, match="too few cards"):
        deal_into(block_state(0, 0), np.empty((1, 4), np.uint64), np.uint64(FULL_DECK), 14)


def test_state_after_dealing_is_that_of_numpys_generator() -> None:
    state = block_state(3, 3)
    deal_into(state, np.empty((1000, 4), np.uint64), np.uint64(FULL_DECK))
    used = int(state[3]) - int(block_state(3, 3)[3])
    generator = np.random.SFC64(np.random.SeedSequence(3, spawn_key=(3,)))
    generator.random_raw(used)
    assert state.tolist() == generator.state["state"]["state"].tolist()
    assert 4000 <= used <= 4010


@pytest.mark.parametrize("pieces", [(1, 299), (63, 1, 236), (64, 65, 171), (150, 150)])
def test_dealing_in_pieces_equals_dealing_at_once(pieces: tuple[int, ...]) -> None:
    whole = np.empty((300, 4), np.uint64)
    state_at_once = block_state(2, 8)
    deal_into(state_at_once, whole, np.uint64(FULL_DECK))
    state = block_state(2, 8)
    parts = []
    for size in pieces:
        parts.append(np.empty((size, 4), np.uint64))
        deal_into(state, parts[-1], np.uint64(FULL_DECK))
    assert np.array_equal(np.concatenate(parts), whole)
    assert np.array_equal(state, state_at_once)


def test_words_equal_numpys_when_none_is_thrown_away() -> None:
    words = np.zeros(IN_FLIGHT, np.uint64)
    state = block_state(5, 6)
    accepted_words(state, np.ones(1, np.uint64), words, IN_FLIGHT)
    assert words.tolist() == list(itertools.islice(raw_words(5, 6), IN_FLIGHT))


@pytest.mark.parametrize("product", [52 * 51, math.prod(range(44, 53)), 2**51 - 1, NEARLY_HALF])
def test_exactly_the_words_that_would_bias_are_thrown_away(product: int) -> None:
    products = np.array([product, 3], np.uint64)
    state = block_state(7, 0)
    words = np.zeros((2, IN_FLIGHT), np.uint64)
    source = raw_words(7, 0)
    thrown = 0
    for _ in range(500):
        accepted_words(state, products, words.reshape(-1), IN_FLIGHT)
        for deal in range(IN_FLIGHT):
            for batch, factor in enumerate(products.tolist()):
                while batch_of(word := next(source), [factor]) is None:
                    thrown += 1
                assert words[batch, deal] == word
    if product == NEARLY_HALF:
        assert thrown > 10_000


def test_full_deal_meets_thrown_words_and_skips_them() -> None:
    """In a whole block some words are thrown away: 262,144 at a chance of about 1 in 25,000."""
    products = [math.prod(bounds) for bounds in batches_of(52, 39)]
    source = raw_words(1, 0)
    thrown = 0
    for _ in range(65536):
        for product in products:
            while (next(source) * product) % 2**64 < 2**64 % product:
                thrown += 1
    state = block_state(1, 0)
    deal_into(state, np.empty((65536, 4), np.uint64), np.uint64(FULL_DECK))
    assert int(state[3]) - int(block_state(1, 0)[3]) == 4 * 65536 + thrown
    assert thrown > 0


@pytest.mark.parametrize("bounds", [[52, 51, 50], [44, 43, 42, 41, 40, 39, 38, 37, 36], [2, 1]])
def test_draws_equal_big_integer_arithmetic(bounds: list[int]) -> None:
    words = np.array(list(itertools.islice(raw_words(11, 0), IN_FLIGHT - 3)), np.uint64)
    words = np.concatenate([words, np.array([0, 1, 2**64 - 1], np.uint64)])
    expected = [list(high_halves(word, bounds)) for word in words.tolist()]
    places = np.zeros(IN_FLIGHT, np.uint64)
    for step, bound in enumerate(bounds):
        draw_places(words, bound, places)
        decks = places % np.uint64(IN_FLIGHT)
        assert decks.tolist() == list(range(IN_FLIGHT))
        assert (places // np.uint64(IN_FLIGHT)).tolist() == [draws[step] for draws in expected]


def high_halves(word: int, bounds: list[int]) -> Iterator[int]:
    for bound in bounds:
        draw, word = divmod(word * bound, 2**64)
        yield draw


@pytest.mark.parametrize("bounds", [[7, 6, 5, 4], [13, 12, 11], [52, 51], [3], [251, 241]])
def test_batched_draws_are_exactly_uniform(bounds: list[int]) -> None:
    """All 65,536 words of 16 bits: every combination of draws comes from equally many words."""
    counts = Counter(
        tuple(draws) for word in range(2**16) if (draws := batch_of(word, bounds, 16)) is not None
    )
    assert len(counts) == math.prod(bounds)
    assert set(counts.values()) == {2**16 // math.prod(bounds)}


def test_plan_serves_every_bound_in_few_words() -> None:
    last_bounds = np.empty(MOST_BATCHES, np.int64)
    products = np.empty(MOST_BATCHES, np.uint64)
    for cards in range(2, 53):
        for draws in range(1, cards + 1):
            batches = plan_batches(cards, draws, BATCH_LIMIT, last_bounds, products)
            planned = batches_of(cards, draws)
            assert batches == len(planned) <= MOST_BATCHES
            assert last_bounds[:batches].tolist() == [bounds[-1] for bounds in planned]
            assert products[:batches].tolist() == [math.prod(bounds) for bounds in planned]
    assert len(batches_of(52, 39)) == 4

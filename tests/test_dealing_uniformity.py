"""Are deals uniform? Chi-squares with fixed seeds against exact chances.

Each test states its false-alarm rate, `FALSE_ALARM`, shared out among its statistics (Bonferroni);
the bounds follow from it and from n alone. Sizes: a tenth by default, all of it when slow.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

from montecarlo.cards import BIT_OF_CODE, FULL_DECK, LANE, LANE_MASK, codes_from_masks
from montecarlo.dealing.dealer import deal_block
from montecarlo.dealing.streams import BLOCK_DEALS

FALSE_ALARM = 1e-6
FEWEST_EXPECTED = 20

BLOCKS = [pytest.param(2, id="tenth"), pytest.param(20, id="full", marks=pytest.mark.slow)]

Counts = NDArray[np.int64]
Masks = NDArray[np.uint64]


def some_deals(blocks: int, **table: int) -> Masks:
    """Deals of the first blocks of seed 2024."""
    return np.concatenate([deal_block(2024, block, **table) for block in range(blocks)])


def assert_fits(counts: dict[object, int], chances: dict[object, Fraction], share: int) -> None:
    """Chi-square goodness of fit; cells with few expected are put together.

    ``share``: among how many statistics the test's false-alarm rate is divided.
    """
    assert sum(chances.values()) == 1
    assert set(counts) <= {cell for cell, chance in chances.items() if chance}
    total = sum(counts.values())
    cells = sorted(chances, key=lambda cell: chances[cell])
    observed, expected = [0.0], [0.0]
    for cell in cells:  # rarest first, gathered until enough are expected
        if expected[-1] >= FEWEST_EXPECTED:
            observed.append(0.0)
            expected.append(0.0)
        observed[-1] += counts.get(cell, 0)
        expected[-1] += float(total * chances[cell])
    assert expected[-1] >= FEWEST_EXPECTED
    statistic = float(np.sum((np.array(observed) - expected) ** 2 / np.array(expected)))
    assert statistic < chi2.isf(FALSE_ALARM / share, len(expected) - 1)


def suit_lengths(masks: Masks) -> NDArray[np.uint8]:
    """Cards a suit, shape (…, 4)."""
    lanes = [masks >> np.uint64(LANE * suit) & np.uint64(LANE_MASK) for suit in range(4)]
    return np.bitwise_count(np.stack(lanes, axis=-1))


def shape_chances() -> dict[object, Fraction]:
    """Exact chance of each suit shape of 13 cards, longest suit first."""
    chances: Counter[object] = Counter()
    for lengths in itertools.product(range(14), repeat=4):
        if sum(lengths) == 13:
            hands = math.prod(math.comb(13, length) for length in lengths)
            chances[tuple(sorted(lengths, reverse=True))] += Fraction(hands, math.comb(52, 13))
    return dict(chances)


def test_exact_shape_chances_are_the_bridge_tables() -> None:
    chances = shape_chances()
    assert len(chances) == 39
    in_percent = {(4, 4, 3, 2): 21.5512, (5, 3, 3, 2): 15.5168, (4, 3, 3, 3): 10.5361}
    for shape, percent in in_percent.items():
        assert round(float(100 * chances[shape]), 4) == percent


@pytest.mark.parametrize("blocks", BLOCKS)
def test_suit_shapes_of_each_seat(blocks: int) -> None:
    ordered = np.sort(suit_lengths(some_deals(blocks)).astype(np.int64), axis=-1)[..., ::-1]
    keys = ordered @ [14**3, 14**2, 14, 1]
    key_of = {shape: int(np.dot(shape, [14**3, 14**2, 14, 1])) for shape in shape_chances()}
    for seat in range(4):
        counts = np.bincount(keys[:, seat], minlength=14**4)
        observed = {shape: int(counts[key]) for shape, key in key_of.items()}
        assert sum(observed.values()) == len(keys)
        assert_fits(observed, shape_chances(), share=4)


@pytest.mark.parametrize("blocks", BLOCKS)
def test_joint_suit_lengths_of_two_seats(blocks: int) -> None:
    """How many cards of a suit two seats hold, against the exact two-fold hypergeometric."""
    chances: dict[object, Fraction] = {
        (first, second): Fraction(
            math.comb(13, first) * math.comb(39, 13 - first), math.comb(52, 13)
        )
        * Fraction(
            math.comb(13 - first, second) * math.comb(26 + first, 13 - second), math.comb(39, 13)
        )
        for first in range(14)
        for second in range(14 - first)
    }
    lengths = suit_lengths(some_deals(blocks)).astype(np.int64)
    for one, other in itertools.combinations(range(4), 2):
        for suit in range(4):
            joint = np.bincount(14 * lengths[:, one, suit] + lengths[:, other, suit])
            observed: dict[object, int] = {
                divmod(cell, 14): int(count) for cell, count in enumerate(joint) if count
            }
            assert_fits(observed, chances, share=24)


@pytest.mark.parametrize("blocks", BLOCKS)
def test_successive_deals_and_blocks_are_independent(blocks: int) -> None:
    """Cards a seat holds again in the next deal, or in the same deal of the next block."""
    chances: dict[object, Fraction] = {
        common: Fraction(math.comb(13, common) * math.comb(39, 13 - common), math.comb(52, 13))
        for common in range(14)
    }
    deals = some_deals(blocks)
    by_block = deals.reshape(blocks // 2, 2, BLOCK_DEALS, 4)
    pairs = [(deals[0::2], deals[1::2]), (by_block[:, 0], by_block[:, 1])]
    for before, after in pairs:
        for seat in range(4):
            again = np.bitwise_count(before[..., seat] & after[..., seat])
            observed = {k: int(n) for k, n in enumerate(np.bincount(again.ravel())) if n}
            assert_fits(observed, chances, share=8)


SOME_KNOWN = 0x1001_0410_0080_0300  # seven cards

PLACES = [
    pytest.param({}, id="4x13"),
    pytest.param({"players": 3, "hand_size": 17}, id="3x17"),
    pytest.param({"players": 2, "known": SOME_KNOWN}, id="2x13 known"),
    pytest.param({"players": 3, "hand_size": 15, "known": SOME_KNOWN}, id="3x15 known"),
]


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("table", PLACES)
def test_pairs_of_cards_in_pairs_of_seats(table: dict[str, int], blocks: int) -> None:
    """For every two cards, who holds the one and who the other; undealt cards are one seat more.

    Each pair of cards is a chi-square of its own; the seats of single cards are implied.
    """
    known = table.get("known", 0)
    codes = [code for code in range(52) if not known & int(BIT_OF_CODE[code])]
    cards = len(codes)
    players, hand_size = table.get("players", 4), table.get("hand_size", 13)
    sizes = [hand_size] * players
    if cards > players * hand_size:
        sizes.append(cards - players * hand_size)
    seats = len(sizes)

    together: Counts = np.zeros((cards * seats, cards * seats), np.int64)
    for block in range(blocks):
        masks = deal_block(99, block, **table)
        if seats > players:
            rest = np.uint64(FULL_DECK & ~known) ^ np.bitwise_or.reduce(masks, axis=1)
            masks = np.column_stack([masks, rest])
        holds = (masks[:, None, :] & BIT_OF_CODE[codes][:, None]) != 0
        flat = holds.reshape(len(masks), -1).astype(np.float32)  # counts below 2**24 are exact
        together += (flat.T @ flat).astype(np.int64)

    counts = together.reshape(cards, seats, cards, seats).transpose(0, 2, 1, 3)
    ways = np.array(
        [[a * (b - (i == j)) for j, b in enumerate(sizes)] for i, a in enumerate(sizes)]
    )
    expected = blocks * BLOCK_DEALS * ways / (cards * (cards - 1))
    pairs = counts[np.triu_indices(cards, 1)].reshape(-1, seats * seats)
    possible = expected.ravel() > 0  # a single undealt card cannot be two
    assert not pairs[:, ~possible].any()
    assert (expected.ravel()[possible] >= FEWEST_EXPECTED).all()
    statistics = np.sum(
        (pairs[:, possible] - expected.ravel()[possible]) ** 2 / expected.ravel()[possible], axis=1
    )
    bound = chi2.isf(FALSE_ALARM / len(pairs), int(possible.sum()) - 1)
    assert len(pairs) == math.comb(cards, 2)
    assert statistics.max() < bound


TRIPLES = np.array(list(itertools.combinations(range(52), 3)))


def triple_variances(hand_size: int) -> dict[int, float]:
    """Variances of the 22,100 triple counts of one hand, by eigenspace.

    The covariance of "the hand holds A" and "it holds B" depends on the size of A ∩ B only, so
    its matrix lies in the Johnson scheme J(52, 3): it has one eigenvalue for each j = 1, 2, 3 on
    C(52, j) - C(52, j - 1) dimensions (and 0 for the constants, as the number of triples is
    fixed). They are those of its 4 x 4 quotient by the distance from one triple.
    Returned as {dimensions: eigenvalue}.
    """
    holds_both = [
        math.comb(52 - (6 - common), hand_size - (6 - common)) / math.comb(52, hand_size)
        for common in range(4)
    ]
    from_first = np.isin(TRIPLES, TRIPLES[0]).sum(axis=1)
    quotient = np.zeros((4, 4))
    for common in range(4):
        example = TRIPLES[np.argmax(from_first == common)]
        overlap = np.isin(TRIPLES, example).sum(axis=1)
        np.add.at(quotient[common], from_first, np.array(holds_both)[overlap])
    values = np.sort(np.linalg.eigvals(quotient).real)[::-1]
    dimensions = [math.comb(52, j) - math.comb(52, j - 1) for j in (1, 2, 3)]
    chance = holds_both[3]
    trace = values[0] + sum(m * v for m, v in zip(dimensions, values[1:], strict=True))
    assert math.isclose(trace, len(TRIPLES) * chance, rel_tol=1e-9)
    return dict(zip(dimensions, values[1:].tolist(), strict=True))


@pytest.mark.parametrize("blocks", BLOCKS)
def test_all_three_card_sets_of_one_seat(blocks: int) -> None:
    """All 22,100 three-card sets inside seat 2, each counted in every hand that holds it.

    A hand holds 286 sets at once, so the sum of squares is no chi-square: for n deals it is the
    sum of n · variance · chi-square(dimensions) over the three eigenspaces. Bounds of the three
    parts, each at a third of the false-alarm rate, bound the whole from either side.
    """
    rank_of = np.zeros((52, 52, 52), np.int64)
    rank_of[tuple(TRIPLES.T)] = np.arange(len(TRIPLES))
    counts: Counts = np.zeros(len(TRIPLES), np.int64)
    for block in range(blocks):
        codes = codes_from_masks(deal_block(77, block)[:, 2])[:, ::-1]  # lowest first
        for places in itertools.combinations(range(13), 3):
            held = rank_of[tuple(codes[:, list(places)].T)]
            counts += np.bincount(held, minlength=len(TRIPLES))
    deals = blocks * BLOCK_DEALS
    assert counts.sum() == 286 * deals
    squares = float(np.sum((counts - 286 * deals / len(TRIPLES)) ** 2)) / deals
    variances = triple_variances(13)
    tail = FALSE_ALARM / 6
    high = sum(value * chi2.isf(tail, m) for m, value in variances.items())
    low = sum(value * chi2.ppf(tail, m) for m, value in variances.items())
    assert low < squares < high

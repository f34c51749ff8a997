"""Row strengths against independent evaluators and a plain key from the rulebook."""

from __future__ import annotations

from itertools import combinations, product, starmap

import numpy as np
import pytest

from montecarlo.cards import masks_from_codes, parse_cards
from montecarlo.errors import BadInput
from montecarlo.strength.evaluate import (
    head_classes,
    head_classes_from_masks,
    legal,
    row_classes,
    row_classes_from_masks,
    suit_values,
)
from montecarlo.strength.tables import COMPARES, WHEELS, row_tables
from tests.twins import rows as twin

KNOBS = list(product(WHEELS, COMPARES))


@pytest.fixture(scope="module")
def all_rows():
    """Codes (2598960, 5) of all five-card rows."""
    return np.array(list(combinations(range(52), 5)), np.uint8)


@pytest.fixture(scope="module")
def all_heads():
    """Codes (22100, 3) of all heads."""
    return np.array(list(combinations(range(52), 3)), np.uint8)


@pytest.fixture(scope="module")
def kinds(all_rows):
    """One row of every rank multiset, mixed in suits and in one suit where it can be."""
    ranks = np.sort(all_rows >> 2, axis=1).astype(np.int64)
    one_suit = ((all_rows & 3) == (all_rows[:, :1] & 3)).all(axis=1)
    name = (ranks * 13 ** np.arange(5)).sum(axis=1) * 2 + one_suit
    _, first, kind = np.unique(name, return_index=True, return_inverse=True)
    return [twin.cards_of_codes(codes) for codes in all_rows[first]], kind


def dense_rank(keys):
    place = {k: i for i, k in enumerate(sorted(set(keys)))}
    return np.array([place[k] for k in keys])


def test_all_rows_agree_with_phevaluator(all_rows):
    """Every one of the 2,598,960 rows, in order and in ties, for the wheel of ordinary poker."""
    from phevaluator._pheval import evaluate_5cards

    classes = row_classes(all_rows, row_tables("lowest"))
    theirs = np.fromiter(starmap(evaluate_5cards, combinations(range(52), 5)), np.int64)
    assert np.array_equal(classes, 7463 - theirs)  # theirs: 1 is the best
    assert len(np.unique(classes)) == 7462


@pytest.mark.parametrize("wheel", WHEELS)
def test_classes_of_all_rows_agree_with_the_rulebook(all_rows, kinds, wheel):
    """Classes of all 2,598,960 rows are the places of their plain keys, without a gap."""
    cards, kind = kinds
    tables = row_tables(wheel)
    places = dense_rank([_hashable(twin.key(row, wheel, "grouped")) for row in cards])
    assert np.array_equal(row_classes(all_rows, tables), (places + 1)[kind])
    categories = tables.category[places + 1]
    assert categories.tolist() == [twin.category(row, wheel) for row in cards]


@pytest.mark.parametrize(("wheel", "compare"), KNOBS)
def test_values_of_all_classes_agree_with_the_rulebook(kinds, wheel, compare):
    tables = row_tables(wheel, compare)
    cards, _ = kinds
    classes = row_classes([[4 * rank + suit for rank, suit in row] for row in cards], tables)
    places = dense_rank([_hashable(twin.key(row, wheel, compare)) for row in cards])
    assert np.array_equal(tables.value[classes], places + 1)


def _hashable(key):
    return key[0], tuple(key[1]) if isinstance(key[1], list) else (key[1],)


@pytest.mark.parametrize("compare", COMPARES)
def test_all_heads_agree_with_the_rulebook(all_heads, compare):
    tables = row_tables("second", compare)
    classes = head_classes(all_heads, tables)
    cards = [twin.cards_of_codes(codes) for codes in all_heads]
    keys = [_hashable(twin.key(head, "second", compare)) for head in cards]
    assert np.array_equal(tables.head_value[classes], dense_rank(keys) + 1)
    assert np.array_equal(tables.head_category[classes], [key[0] for key in keys])
    if compare == "grouped":
        assert np.array_equal(classes, dense_rank(keys) + 1)
    for wheel in WHEELS:
        other = row_tables(wheel, compare)
        assert np.array_equal(other.triple, tables.triple)
        assert np.array_equal(other.head_value, tables.head_value)


@pytest.mark.parametrize("step", [61, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("wheel", WHEELS)
def test_legality_of_heads_over_middles(all_heads, kinds, wheel, step):
    """`head_limit` against the plain comparison: all 455 head classes over every step-th middle."""
    tables = row_tables(wheel)
    head_class = head_classes(all_heads, tables)
    _, first = np.unique(head_class, return_index=True)
    heads = [twin.cards_of_codes(codes) for codes in all_heads[first]]
    cards, _ = kinds
    for middle in cards[::step]:
        codes = [4 * rank + suit for rank, suit in middle]
        limit = int(tables.head_limit[row_classes(codes, tables)])
        fits = [twin.head_under_middle(head, middle, wheel) for head in heads]
        assert fits == [c <= limit for c in range(1, 456)]


def test_masks_and_codes_agree(all_heads):
    rng = np.random.default_rng(5)
    codes = np.argsort(rng.random((200_000, 52)), axis=1)[:, :5].astype(np.uint8)
    flush = np.argsort(rng.random((20_000, 13)), axis=1)[:, :5] * 4 + rng.integers(
        4, size=(20_000, 1)
    )
    codes = np.concatenate([codes, flush.astype(np.uint8)])
    for wheel in WHEELS:
        tables = row_tables(wheel)
        assert np.array_equal(
            row_classes(codes, tables), row_classes_from_masks(masks_from_codes(codes), tables)
        )
        assert np.array_equal(
            head_classes(all_heads, tables),
            head_classes_from_masks(masks_from_codes(all_heads), tables),
        )


@pytest.mark.parametrize(
    ("wheel", "tie"), list(product(WHEELS, ["suit_baodao", "suit_top_card", "draw"]))
)
def test_suits_that_break_ties(wheel, tie):
    """Random rows and heads, with flushes, straights and A-5 dealt on purpose."""
    rng = np.random.default_rng(11)
    rows = np.argsort(rng.random((3000, 52)), axis=1)[:, :5]
    runs = (rng.integers(9, size=(500, 1)) + np.arange(5)) * 4 + rng.integers(4, size=(500, 5))
    a5 = np.array([12, 0, 1, 2, 3]) * 4 + rng.integers(4, size=(300, 5))
    one_suit = np.argsort(rng.random((300, 13)), axis=1)[:, :5] * 4 + rng.integers(4, size=(300, 1))
    few_ranks = np.argsort(rng.random((1500, 12)), axis=1)[:, :5] + 4 * rng.integers(
        11, size=(1500, 1)
    )
    codes = np.concatenate([rows, runs, a5, one_suit, few_ranks]).astype(np.uint8)
    tables = row_tables(wheel)
    found = suit_values(masks_from_codes(codes), row_classes(codes, tables), wheel, tie)
    wanted = [twin.suit_of_tie(twin.cards_of_codes(c), wheel, tie) for c in codes]
    assert found.tolist() == [0 if suit is None else suit + 1 for suit in wanted]

    heads = codes[:, :3]
    found = suit_values(masks_from_codes(heads), head_classes(heads, tables), wheel, tie, head=True)
    wanted = [twin.suit_of_tie(twin.cards_of_codes(c), wheel, tie) for c in heads]
    assert found.tolist() == [0 if suit is None else suit + 1 for suit in wanted]


def strengths(*texts, wheel="second", compare="grouped"):
    tables = row_tables(wheel, compare)
    return [int(tables.value[row_classes(parse_cards(text), tables)]) for text in texts]


def test_named_comparisons_of_the_rulebook():
    a5, ten_ace, nine_king, two_six = (
        "Ac 2d 3d 4d 5d",
        "Tc Jd Qd Kd Ad",
        "9c Td Jd Qd Kd",
        "2c 3d 4d 5d 6d",
    )
    second = strengths(two_six, nine_king, a5, ten_ace)
    assert second == sorted(set(second))
    lowest = strengths(a5, two_six, nine_king, ten_ace, wheel="lowest")
    assert lowest == sorted(set(lowest))
    none = strengths(a5, "Ac Kd Qd Jd 9d", "2c 2d 3d 4d 5d", two_six, wheel="none")
    assert none == sorted(set(none))
    kings, aces = "Kc Kd Kh 2c 2d", "Ac Ad 3h 3c 3d"
    assert np.diff(strengths(kings, aces)) < 0
    assert np.diff(strengths(kings, aces, compare="cards")) > 0
    assert np.diff(strengths("Ac Kd Qd Jd 9d", "Ah 2d 3c 4c 6c", compare="top_card")) == 0


def test_a_head_may_equal_the_first_cards_of_the_middle():
    tables = row_tables("second")
    for head, middle, fits in [
        ("Ac Kc Qc", "Ad Kd Qd 3c 2c", True),
        ("Ac Kc Qc", "Ad Kd Jd Tc 2c", False),
        ("9c 9d Ac", "9h 9s Ad 3c 2c", True),
        ("9c 9d Ac", "9h 9s Kd 3c 2c", False),
        ("2c 2d 2h", "Ah As Kd Kc 2s", False),
    ]:
        h = head_classes(parse_cards(head), tables)
        m = row_classes(parse_cards(middle), tables)
        assert bool(legal(h, m, 7462, tables)) is fits


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda t: row_classes([[0, 1, 2, 3]], t), r"shape \(…, 5\)"),
        (lambda t: row_classes([0, 1, 2, 3, 52], t), r"0 \(2d\) to 51"),
        (lambda t: head_classes([0, 1, -2], t), r"0 \(2d\) to 51"),
        (lambda t: row_classes_from_masks([15], t), "exactly 5 cards"),
        (lambda t: head_classes_from_masks([7 << 13], t), "exactly 3 cards"),
        (lambda t: row_tables("secnd"), "did you mean 'second'"),
        (lambda t: row_tables("second", "card"), "did you mean 'cards'"),
        (lambda t: suit_values([31], [1], "second", "suits"), "tie must be one of"),
        (lambda t: suit_values([31], [9999], "second", "draw"), "one valid class"),
    ],
)
def test_bad_input_is_named(call, says):
    with pytest.raises(BadInput, match=says):
        call(row_tables())

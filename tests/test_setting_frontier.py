"""Frontiers and their cards against brute force over all 72,072 splits."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from montecarlo.cards import codes_from_masks, masks_from_codes, parse_hand
from montecarlo.errors import BadInput
from montecarlo.setting.best_setting import unpack
from montecarlo.setting.frontier import frontier, frontier_many
from montecarlo.setting.placing import place_settings
from montecarlo.setting.static_tables import setting_tables
from montecarlo.strength.evaluate import (
    head_classes_from_masks,
    row_classes_from_masks,
    suit_values,
)
from montecarlo.strength.tables import COMPARES, WHEELS, row_tables
from tests.twins import settings as twin
from tests.twins.hands import all_kinds, random_hands

KNOBS = list(product(WHEELS, COMPARES))


def as_twin(settings, tables):
    """Packed settings as rows of (tail, middle, head) values, then classes."""
    classes = np.asarray(unpack(settings)).astype(np.int64)
    head, middle, tail = classes.T
    rows = tables.rows
    values = [rows.value[tail], rows.value[middle], rows.head_value[head]]
    return np.stack([*values, tail, middle, head], axis=1).astype(np.int64)


def check(codes, wheel, compare):
    tables = setting_tables(wheel, compare)
    offsets, settings = frontier_many(masks_from_codes(codes), tables)
    found = as_twin(settings, tables)
    for i, hand in enumerate(codes):
        wanted = twin.frontier(hand, wheel, compare)
        assert np.array_equal(found[offsets[i] : offsets[i + 1]], wanted), hand


@pytest.mark.parametrize(("wheel", "compare"), KNOBS)
def test_random_hands(wheel, compare):
    check(random_hands(60, seed=1), wheel, compare)


@pytest.mark.parametrize(("wheel", "compare"), KNOBS)
def test_hands_of_all_kinds(wheel, compare):
    check(all_kinds(2, seed=2), wheel, compare)


@pytest.mark.slow
@pytest.mark.parametrize(("wheel", "compare"), KNOBS)
def test_many_hands(wheel, compare):
    first = (wheel, compare) == KNOBS[0]
    check(random_hands(20_000 if first else 3_000, seed=3), wheel, compare)
    check(all_kinds(200 if first else 40, seed=4), wheel, compare)


@pytest.mark.parametrize(("wheel", "compare"), KNOBS)
def test_cards_of_a_frontier_have_its_classes(wheel, compare):
    """Placed rows partition the hand, are of the classes said, with and without suits."""
    codes = np.concatenate([random_hands(300, seed=5), all_kinds(3, seed=6)])
    masks = masks_from_codes(codes)
    tables = setting_tables(wheel, compare)
    offsets, settings = frontier_many(masks, tables)
    hands = np.repeat(masks, np.diff(offsets))
    classes = unpack(settings)
    for tie in ("draw", "suit_baodao", "suit_top_card"):
        placed = place_settings(hands, settings, tables, wheel, tie)
        assert np.array_equal(np.bitwise_or.reduce(placed, axis=1), hands)
        assert np.array_equal(head_classes_from_masks(placed[:, 0], tables.rows), classes[:, 0])
        for row in (1, 2):
            rows = row_classes_from_masks(placed[:, row], tables.rows)
            assert np.array_equal(rows, classes[:, row])


@pytest.mark.parametrize("tie", ["suit_baodao", "suit_top_card"])
def test_suits_go_to_the_tail_then_the_middle(tie):
    """Against every split of the hand that has the same classes."""
    wheel, tables, rows = "second", setting_tables("second"), row_tables("second")
    rng = np.random.default_rng(7)
    splits = []
    for tail in combinations(range(13), 5):
        rest = [i for i in range(13) if i not in tail]
        splits += [(*tail, *m, *(i for i in rest if i not in m)) for m in combinations(rest, 5)]
    splits = np.array(splits)
    for hand in np.concatenate([random_hands(12, seed=8), all_kinds(1, seed=9)]):
        mask = masks_from_codes(hand)
        _, settings = frontier_many(mask[None], tables)
        setting = settings[rng.integers(settings.size)]
        head, middle, tail = (int(c) for c in unpack(np.array([setting]))[0])
        cards = hand[splits]
        t, m, h = (masks_from_codes(cards[:, a:b]) for a, b in ((0, 5), (5, 10), (10, 13)))
        same = row_classes_from_masks(t, rows) == tail
        same &= row_classes_from_masks(m, rows) == middle
        t, m, h = t[same], m[same], h[same]
        suits = np.stack(
            [
                suit_values(t, np.full(t.shape, tail), wheel, tie),
                suit_values(m, np.full(m.shape, middle), wheel, tie),
                suit_values(h, np.full(h.shape, head), wheel, tie, head=True),
            ],
            axis=1,
        )
        placed = place_settings(mask[None], [setting], tables, wheel, tie)[0]
        found = [
            int(suit_values(placed[2], tail, wheel, tie)),
            int(suit_values(placed[1], middle, wheel, tie)),
            int(suit_values(placed[0], head, wheel, tie, head=True)),
        ]
        assert found == max(suits.tolist())


def test_one_hand_from_text():
    codes = parse_hand("As Ks Qs Js Ts 9h 9d 9c 2s 3h 4d 5c 7h")
    classes, rows = frontier(int(masks_from_codes(codes)), setting_tables())
    assert classes.shape == rows.shape == (len(classes), 3)
    assert classes[0, 2] == 7462  # the royal flush leads
    assert np.array_equal(np.sort(codes_from_masks(np.bitwise_or.reduce(rows[0]))), np.sort(codes))


def test_bad_hands_are_named():
    with pytest.raises(BadInput, match="exactly 13 cards"):
        frontier_many([0b1111], setting_tables())

"""Card removal by the setter's own cards: classes of hands, and what knowing them gains."""

from __future__ import annotations

import numpy as np
import pytest

from montecarlo.cards import Hand
from montecarlo.dealing.dealer import deal_block
from montecarlo.errors import BadInput
from montecarlo.setting.seating import seat_policies
from montecarlo.studies.card_removal import aces_held, every_hand, longest_suit, removal_gain
from montecarlo.variants import load


def test_classes_of_hands():
    hands = ["As Ah Ad Ac Ks Qs Js 2d 3d 4c 5c 6h 7h", "2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks Ah"]
    masks = np.array([Hand.parse(hand).mask for hand in hands], np.uint64)
    assert aces_held(masks).tolist() == [3, 1]
    assert longest_suit(masks).tolist() == [0, 3]


def test_aces_are_counted_as_dealt():
    """A hand holds one ace on average; five sigma would be left once in 1.7 million."""
    masks = deal_block(3, 0)[:, 0]
    aces = np.bitwise_count(masks & np.uint64(0x1000_1000_1000_1000))
    assert abs(aces.mean() - 1) < 5 * aces.std() / np.sqrt(masks.size)
    assert np.array_equal(aces_held(masks), np.minimum(aces, 3))


def test_ladders_are_not_set():
    ladder = seat_policies(load("shaoxing"), ("equilibrium",) * 4, 4)
    with pytest.raises(BadInput, match="nothing to set"):
        removal_gain(ladder, 0, every_hand)


@pytest.mark.slow
def test_aces_tell_more_than_nothing():
    """In plain rows the aces held bring several times what the population alone leaves."""
    seats = seat_policies(load("coins"), ("equilibrium",) * 4, 4)
    alone, aces = removal_gain(seats, 0, every_hand), removal_gain(seats, 0, aces_held)
    assert aces.gain - alone.gain > 5 * (alone.se + aces.se)
    assert 0 < aces.gain < 0.01

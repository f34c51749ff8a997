"""Checks of dealing that the report shows: they pass for the dealer, and fail for a bad one."""

from __future__ import annotations

import numpy as np
import pytest

from montecarlo.cards import Masks
from montecarlo.studies import fair_deals

FALSE_ALARM = 1e-6


def test_one_run_carried_out_in_four_ways() -> None:
    found = fair_deals.same_bits(270_000, 5)
    assert len({way.how for way in found}) == 4
    assert len({way.digest for way in found}) == 1
    other = fair_deals.same_bits(270_000, 6)
    assert other[0].digest != found[0].digest


def test_the_dealer_is_fair() -> None:
    cards = fair_deals.seats_of_cards(1, 1)
    assert len(cards) == 52
    assert min(card.p_value for card in cards) > FALSE_ALARM / 52
    assert fair_deals.suit_shapes(1, 1).p_value > FALSE_ALARM


def test_shapes_and_chances_are_the_bridge_tables() -> None:
    shapes = fair_deals._shapes()
    assert len(shapes) == 39
    assert sum(fair_deals._chance(shape) for shape in shapes) == pytest.approx(1, rel=1e-12)
    assert fair_deals._chance((2, 3, 4, 4)) == pytest.approx(0.21551, abs=5e-6)
    assert fair_deals._chance((0, 0, 0, 13)) == pytest.approx(4 / 635013559600)


def test_an_unfair_dealer_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = fair_deals.deal_block

    def sorted_hands(seed: int, block: int) -> Masks:
        masks = deal(seed, block)
        return np.sort(masks, axis=1)  # the highest spades always in the last seat

    monkeypatch.setattr(fair_deals, "deal_block", sorted_hands)
    assert min(card.p_value for card in fair_deals.seats_of_cards(1, 1)) < FALSE_ALARM
    assert fair_deals.suit_shapes(1, 1).p_value < FALSE_ALARM

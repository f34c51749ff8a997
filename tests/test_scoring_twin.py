"""Whole tables against the plain twin: every variant, random knobs, rigged tables."""

from __future__ import annotations

import numpy as np
import pytest

from montecarlo.cards import format_cards
from montecarlo.scoring.kernels import EVENTS
from montecarlo.scoring.lines import line_ids, payout_ids, payout_vector
from montecarlo.scoring.many_deals import count_deals, score_deals, score_deals_by_line
from montecarlo.scoring.reading import read_table
from montecarlo.scoring.seating import seat_table
from montecarlo.scoring.tables import compile_scoring
from montecarlo.scoring.whole_tables import score_lines
from montecarlo.variants.load import load, variant_files
from tests.twins import scoring as twin
from tests.twins.random_tables import deal_hands, random_knobs, set_hand
from tests.twins.specials import satisfies


def first_satisfied(variant, hands: list[list[int]]) -> list[int | None]:
    """Return the place of the special each hand declares, by the specials' own twin."""
    codes = np.array(hands, dtype=np.uint8)
    held = [satisfies(codes, rule) for rule in variant.rules]
    return [
        next((place for place, found in enumerate(held) if found[hand]), None)
        for hand in range(len(hands))
    ]


def random_tables(rng, variant, knobs: dict, number: int):
    """Yield tables as JSON data, the same for the twin, and the banker's seat."""
    predicates = sorted({entry.predicate for entry in variant.specials})
    deals = [deal_hands(rng, predicates, int(rng.integers(2, 5))) for _ in range(number)]
    declared = iter(first_satisfied(variant, [hand for hands in deals for hand in hands]))
    for dealt in deals:
        specials = [next(declared) for _ in dealt]
        yield random_table(rng, variant, knobs, dealt, specials)


def random_table(rng, variant, knobs: dict, dealt, specials) -> tuple[dict, list[twin.Hand], int]:
    mirror = rng.permutation(13) if rng.random() < 0.6 else None
    hands, players = [], []
    for place in rng.permutation(len(dealt)):
        cards, special = dealt[place], specials[place]
        order = mirror if place < 2 else None
        hand = set_hand(rng, cards, variant.wheel, order)
        entry = {
            row: format_cards(4 * rank + suit for rank, suit in held)
            for row, held in zip(twin.ROW_NAMES, hand.rows, strict=True)
        }
        if variant.format == "ladder":
            hand = twin.Hand(special=special, cards=hand.cards)
            if rng.random() < 0.5:
                entry = {"hand": format_cards(cards)}
                if special is not None and rng.random() < 0.7:
                    entry["special"] = variant.specials[special].id
        elif special is not None and rng.random() < 0.7:
            hand = twin.Hand(special=special, cards=hand.cards)
            entry = {"special": variant.specials[special].id, "hand": format_cards(cards)}
        elif rng.random() < 0.5:
            entry["foul"] = hand.is_foul(variant.wheel)
        hands.append(hand)
        players.append(entry)
    banker = int(rng.integers(len(dealt)))
    return {"players": players, "banker": banker, "knobs": knobs}, hands, banker


def check_tables(name: str, seed: int, number: int, batch: int) -> dict[str, int]:
    """Compare ``number`` tables with the twin; return how often what matters happened."""
    rng = np.random.default_rng(seed)
    seen = dict.fromkeys((*EVENTS, "fouls", "specials", "both_special", "refused"), 0)
    for start in range(0, number, batch):
        knobs = random_knobs(rng, load(name))
        variant = load(name, knobs.items())
        rules = compile_scoring(variant)
        lines, payouts, vector = line_ids(variant), payout_ids(variant), payout_vector(variant)
        for data, hands, banker in random_tables(rng, variant, knobs, min(batch, number - start)):
            try:
                expected = twin.score(variant, hands, banker)
            except twin.Refused:
                (found,) = score_lines(name, [data])
                assert found["units"] is None
                assert "which coins refuses" in found["error"]
                seen["refused"] += 1
                continue
            seats = seat_table(read_table(data, name), rules)
            units, events = score_deals(rules, seats, banker)
            by_line, flow = score_deals_by_line(rules, seats, banker)
            assert units[0].tolist() == expected.units, data
            assert sum(expected.units) == 0
            nothing = [0] * len(hands)
            for place, line in enumerate(lines):
                assert by_line[0, place].tolist() == expected.lines.get(line, nothing), (line, data)
                assert flow[0, place] == expected.flow[line], (line, data)
            assert set(expected.lines) <= set(lines)
            assert events[0].tolist() == [expected.events[event] for event in EVENTS], data
            for seat in range(len(hands)):
                counts = count_deals(rules, seats, banker, seat)[0]
                wanted = [expected.counts[seat][payout] for payout in payouts]
                assert counts.tolist() == wanted, data
                assert int(counts @ vector) == expected.units[seat]
            for place, event in enumerate(EVENTS):
                seen[event] += int(events[0, place])
            specials = sum(hand.special is not None for hand in hands)
            seen["specials"] += specials
            seen["both_special"] += specials > 1
            if variant.format != "ladder":
                rows = [hand for hand in hands if hand.rows is not None]
                seen["fouls"] += sum(hand.is_foul(variant.wheel) for hand in rows)
    return seen


def check_met(name: str, seen: dict[str, int]) -> None:
    """The rigged tables must reach what the comparison is for."""
    variant = load(name)
    if variant.format != "ladder":
        for event in EVENTS:
            assert seen[event] or (event == "home_runs" and variant.banker), (name, seen)
        assert seen["refused" if variant.fouls == "refused" else "fouls"], (name, seen)
    if variant.specials:
        assert seen["specials"], (name, seen)
        assert seen["both_special"], (name, seen)


@pytest.mark.parametrize("name", variant_files())
def test_tables_agree_with_the_twin(name: str) -> None:
    check_met(name, check_tables(name, seed=1, number=100, batch=10))


@pytest.mark.slow
@pytest.mark.parametrize("name", variant_files())
def test_twenty_thousand_tables_agree_with_the_twin(name: str) -> None:
    check_met(name, check_tables(name, seed=2, number=20_000, batch=100))

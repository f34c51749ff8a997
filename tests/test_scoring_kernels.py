"""Parts of the scoring kernels on their own: holdings, seats, sums over awards, ties, home runs."""

from __future__ import annotations

import numpy as np
import pytest

from montecarlo.cards import masks_from_codes
from montecarlo.scoring.awards import add_seat_lines
from montecarlo.scoring.holdings import special_strength
from montecarlo.scoring.kernels import EVENTS, MOST_AWARDS, score_deal
from montecarlo.scoring.many_deals import score_deals, score_deals_by_line
from montecarlo.scoring.seating import seat_rows
from montecarlo.scoring.seats import SEAT, STATUS_FOUL, STATUS_SPECIAL, seat_setting, seat_special
from montecarlo.scoring.tables import STRENGTHS, compile_scoring
from montecarlo.strength.evaluate import (
    head_classes_from_masks,
    row_classes_from_masks,
    suit_values,
)
from montecarlo.strength.tables import row_tables
from montecarlo.variants.load import load
from tests.twins.rows import cards_of_codes
from tests.twins.scoring import best_holding
from tests.twins.special_hands import inside, random_hands


@pytest.mark.parametrize("wheel", ["second", "lowest", "none"])
@pytest.mark.parametrize("place", range(4))
def test_holdings_compare_as_the_twin(wheel: str, place: int) -> None:
    """The best straight flush, four, three and pair of V4, for each wheel rule."""
    rng = np.random.default_rng(8)
    variant = load("baibian", [f"wheel={wheel}"])
    entry = variant.specials[-4 + place]
    kind = int(compile_scoring(variant)["special_strength"][len(variant.specials) - 4 + place])
    hands = [*inside(entry.predicate, rng, 300), *random_hands(rng, 100)]
    found, expected = [], []
    for hand in hands:
        try:
            best = best_holding(cards_of_codes(hand), entry)
        except ValueError:
            continue  # the hand holds no such thing under this wheel rule
        expected.append(best)
        found.append(special_strength(masks_from_codes(hand), kind))
    assert len(set(expected)) >= 9
    assert min(found) > 0
    order = np.sign(np.subtract.outer(found, found))
    assert np.array_equal(order, np.sign(np.subtract.outer(expected, expected)))


def test_suits_of_dragons() -> None:
    dragons = masks_from_codes([[4 * rank + suit for rank in range(13)] for suit in range(4)])
    kind = STRENGTHS.index("suit")
    assert [special_strength(mask, kind) for mask in dragons] == [1, 2, 3, 4]
    assert special_strength(dragons[3], STRENGTHS.index("none")) == 0


@pytest.mark.parametrize("tie", ["draw", "suit_baodao", "suit_top_card"])
def test_seats_written_one_by_one_equal_those_of_arrays(tie: str) -> None:
    rng = np.random.default_rng(9)
    variant = load("taiwan", [f"tie={tie}", "compare=top_card"])
    hands = random_hands(rng, 200)
    rows = np.stack([masks_from_codes(part) for part in np.split(hands, [3, 8], axis=1)], axis=1)
    expected, _ = seat_rows(variant, rows)
    tables = row_tables(variant.wheel, variant.compare)
    seats = np.zeros((len(hands), 1), dtype=SEAT)
    for deal, (head, middle, tail) in enumerate(rows):
        classes = [head_classes_from_masks([head], tables)[0]]
        classes += row_classes_from_masks([middle, tail], tables).tolist()
        suits = [
            suit_values([mask], [place], variant.wheel, tie, head=row == 0)[0]
            for row, (mask, place) in enumerate(zip((head, middle, tail), classes, strict=True))
        ]
        seat_setting(
            seats,
            deal,
            0,
            (
                tables.head_value[classes[0]],
                tables.value[classes[1]],
                tables.value[classes[2]],
            ),
            tuple(suits),
            (
                tables.head_category[classes[0]],
                tables.category[classes[1]],
                tables.category[classes[2]],
            ),
        )
    assert np.array_equal(seats["keys"][:, 0], expected["keys"])
    assert np.array_equal(seats["categories"][:, 0], expected["categories"])
    assert (seats["special"] == -1).all()
    seat_special(seats, 3, 0, 5, 2)
    assert seats[3, 0][["status", "special", "strength"]].tolist() == (STATUS_SPECIAL, 5, 2)


def wins_everything(players: int, winner: int = 0) -> np.ndarray:
    """Seats in which one beats all others in all rows, and the others draw."""
    seats = np.zeros((1, players), dtype=SEAT)
    seats["special"] = -1
    seats["keys"] = 8
    seats["keys"][0, winner] = 80
    return seats


def events_of(name: str, seats: np.ndarray, banker: int = 0, **rules: int) -> dict[str, int]:
    compiled = compile_scoring(load(name))
    for field, value in rules.items():
        compiled[field] = value
    _, events = score_deals(compiled, seats, banker)
    return dict(zip(EVENTS, events[0].tolist(), strict=True))


def test_home_runs_are_a_matter_of_four_ordinary_hands() -> None:
    for name in ("taiwan", "bidaxiao", "bidaxiao2", "hongkong"):
        assert events_of(name, wins_everything(4))["home_runs"] == 1
        assert events_of(name, wins_everything(3))["home_runs"] == 0
    with_special = wins_everything(4)
    with_special["status"][0, 2], with_special["special"][0, 2] = STATUS_SPECIAL, 0
    assert events_of("taiwan", with_special)["home_runs"] == 0
    with_foul = wins_everything(4)
    with_foul["status"][0, 2] = STATUS_FOUL
    found = events_of("taiwan", with_foul)
    assert found["home_runs"] == 1, "a fouled player can be gunned"
    assert (found["ordinary_pairs"], found["guns"]) == (3, 2), "but its pairs are no ordinary ones"
    assert events_of("taiwan", with_foul)["ties_head"] == 1


def test_in_banker_games_only_the_banker_meets_everybody() -> None:
    found = events_of("hongkong", wins_everything(4), banker=0)
    assert (found["ordinary_pairs"], found["guns"], found["home_runs"]) == (3, 3, 1)
    found = events_of("hongkong", wins_everything(4), banker=1)
    assert (found["ordinary_pairs"], found["guns"], found["home_runs"]) == (3, 1, 0)


def test_equal_rows_go_to_the_banker_and_to_nobody_else() -> None:
    seats = np.zeros((1, 3), dtype=SEAT)
    seats["special"] = -1
    seats["keys"] = 8
    rules = compile_scoring(load("bidaxiao"))
    assert score_deals(rules, seats, 1)[0].tolist() == [[0, 0, 0]]
    rules["tie_to_banker"] = 1
    assert score_deals(rules, seats, 1)[0].tolist() == [[-1, 2, -1]]
    assert events_of("bidaxiao", seats, 1, tie_to_banker=1)["guns"] == 2


def test_one_seats_lines() -> None:
    rules = compile_scoring(load("taiwan"))
    seats = wins_everything(4, winner=2)
    by_line, _ = score_deals_by_line(rules, seats, 0)
    awards = np.zeros((MOST_AWARDS, 4), np.int64)
    events = np.zeros((1, len(EVENTS)), np.int64)
    made = score_deal(rules, seats, np.uint64(0), 4, 0, awards, events)
    assert by_line.any()
    for seat in range(4):
        units = np.zeros(int(rules["lines"]), np.int64)
        add_seat_lines(awards, made, seat, units)
        assert np.array_equal(units, by_line[0, :, seat])

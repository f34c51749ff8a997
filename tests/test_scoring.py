"""Scoring of tables: golden cases, payout lines, results, and what is refused with which words."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import montecarlo.scoring
from montecarlo.errors import BadInput
from montecarlo.scoring.lines import line_ids, payout_ids, payout_vector
from montecarlo.scoring.many_deals import count_deals, score_deals, score_deals_by_line
from montecarlo.scoring.reading import read_table
from montecarlo.scoring.seating import seat_table
from montecarlo.scoring.seats import SEAT, STATUS_FOUL, STATUS_SPECIAL
from montecarlo.scoring.settlement import settle
from montecarlo.scoring.tables import compile_scoring
from montecarlo.scoring.whole_tables import score, score_lines
from montecarlo.variants.load import all_variants, load, variant_files
from montecarlo.variants.schema import Settlement
from tests.twins.scoring import money as twin_money

SPLIT = {
    "players": [
        {"head": "Js Jh 5d", "middle": "8s 8h 7s 7h 2c", "tail": "As Ah Ad 4c 3c"},
        {"head": "Ks Qs 9d", "middle": "Qd Qc 6s 6h 3d", "tail": "Ts 9s 8d 7d 6d"},
    ]
}
DRAGON = "2h 3d 4c 5h 6d 7c 8h 9d Tc Jh Qd Kc Ah"
LEGAL = {"head": "Kd Jd 7s", "middle": "3h 3s Qs Th 5s", "tail": "Ac Ad 8d 8c 7h"}
FOUL = {"head": "As Ad Qs", "middle": "Ks Kh 9s 6s 3s", "tail": "Js Jd 8d 8c 2d"}


@pytest.mark.parametrize("file", ["score_cases.jsonl", "settlement_cases.jsonl"])
def test_golden_cases(golden, file: str) -> None:
    for case, found in zip(golden(file), score_lines(None, golden(file)), strict=True):
        assert found["units"] == case["units"], (case, found)
        if case["units"] is None:
            assert "refuses" in found["error"]
            continue
        assert [sum(seat) for seat in zip(*found["lines"].values(), strict=True)] == case["units"]
        variant = load(case["variant"], case.get("knobs", {}).items())
        assert tuple(found["lines"]) == line_ids(variant)
        if "settlement" in case:
            assert found["money"] == case["settlement"]["money"], case
        else:
            assert "money" not in found


def test_lines_of_one_table() -> None:
    """A home run under V9: rows unmultiplied, the multiplications in lines of their own."""
    table = {
        "players": [
            {"head": "Qs Qh Qd", "middle": "Ks Kh Kd Js Jh", "tail": "As Ah Ad Ac Jd"},
            {"head": "Kc 9s 4d", "middle": "2s 2h 8c 7d 5h", "tail": "Ts Th 6s 6h 3c"},
            {"head": "Qc 8h 3s", "middle": "4s 4h 9h 6d 2d", "tail": "7s 7h 5s 5c Td"},
            {"head": "3h 3d 5d", "middle": "9d 9c 8d 8s 6c", "tail": "Jc Tc 7c 4c 2c"},
        ]
    }
    (found,) = score("taiwan", [table])
    paid = {line: units for line, units in found.lines.items() if any(units)}
    assert paid == {
        "row.head.high_card": (0, 1, -1, 0),
        "row.head.pair": (0, -1, -1, 2),
        "row.head.three": (6, -2, -2, -2),
        "row.middle.pair": (0, -1, 1, 0),
        "row.middle.two_pairs": (0, -1, -1, 2),
        "row.middle.full_house": (6, -2, -2, -2),
        "row.tail.two_pairs": (0, 1, -1, 0),
        "row.tail.flush": (0, -1, -1, 2),
        "row.tail.four": (9, -3, -3, -3),
        "gun": (21, -10, -10, -1),
        "home_run": (42, -14, -14, -14),
    }
    assert found.units == (84, -33, -35, -16)


@pytest.mark.parametrize(
    ("gun", "home_run", "from_each"),
    [
        ("none", "none", 3 + 4 + 5 + 7),
        ("none", "base", 2 * 3 + 4 + 5 + 7),
        ("none", "pair", 2 * (3 + 4 + 5) + 7),
        ("base", "none", 3 * 3 + 4 + 5 + 7),
        ("base", "base", 2 * 3 * 3 + 4 + 5 + 7),
        ("base", "pair", 2 * (3 * 3 + 4 + 5) + 7),
        ("pair", "none", 3 * (3 + 4) + 5 + 7),
        ("pair", "base", 2 * 3 * 3 + 3 * 4 + 5 + 7),
        ("pair", "pair", 2 * (3 * (3 + 4) + 5) + 7),
    ],
)
def test_what_guns_and_home_runs_multiply(golden, gun: str, home_run: str, from_each: int) -> None:
    """Base 3, extras 4; a gun times 3 and 5 more, a home run times 2 and 7 more."""
    (case,) = [one for one in golden("score_cases.jsonl") if one["id"] == "V9-royals"]
    sweep = {"gun": gun, "gun_times": 3, "gun_add": 5}
    sweep |= {"home_run": home_run, "home_run_times": 2, "home_run_add": 7}
    variant = load("taiwan", sweep.items())
    (found,) = score(variant, [{"players": case["players"]}])
    assert found.units[0] == 3 * from_each
    rules = compile_scoring(variant)
    seats = seat_table(read_table({"players": case["players"]}, variant), rules)
    for seat in range(4):
        counts = count_deals(rules, seats, 0, seat)[0]
        assert counts @ payout_vector(variant) == found.units[seat]


def test_banker_decides_who_settles() -> None:
    """The same three hands, each as banker: P1 and P2 meet only when one of them deals."""
    players = [
        {"head": "8s 6s 3s", "middle": "7s 7h Js 5h 2h", "tail": "Td Jd Qs Ks As"},
        {"head": "8h 6h 4h", "middle": "9s 9h Qd Jh 7c", "tail": "Ah 2d 3d 4s 5s"},
        {"head": "8d 7d 2c", "middle": "6d 6c Ts 4c 3c", "tail": "9d Th Jc Qh Kh"},
    ]
    tables = [{"players": players, "banker": seat} for seat in range(3)]
    units = [result.units for result in score("hongkong_edge", tables)]
    assert units == [(4, -1, -3), (-1, 4, -3), (1, 1, -2)]


def test_results_are_frozen_and_print_themselves() -> None:
    scores = montecarlo.scoring.score("points123", [SPLIT, SPLIT | {"settlement": {"stake": 2}}])
    assert json.loads(scores.to_json())[1]["money"] == [-8.0, 8.0]
    frame = scores.to_frame()
    assert frame["units"].tolist() == [-4, 4, -4, 4]
    assert frame.filter(regex=r"^(row|special|gun|home)").sum(axis=1).tolist() == [-4, 4, -4, 4]
    with pytest.raises(AttributeError):
        scores[0].units = (0, 0)


def test_variant_knobs_and_overrides() -> None:
    lines = [
        json.dumps(SPLIT | {"variant": "points123"}),
        "",
        json.dumps(SPLIT | {"knobs": {"row.tail.straight": 5}}),
    ]
    found = list(score_lines("V9", lines, ["row.tail.straight=4", "stake=2"]))
    assert [result["units"] for result in found] == [[-5, 5], [-5, 5]]
    assert found[1]["money"] == [-10.0, 10.0]
    tuned = load("taiwan", ["row.tail.straight=4"])
    assert score(tuned, [SPLIT])[0].units == (-4, 4)
    assert score(tuned, [SPLIT | {"knobs": {"row.middle.two_pairs": 3}}])[0].units == (-6, 6)


def test_a_changed_rule_file_is_read_again(tmp_path) -> None:
    path = tmp_path / "own.toml"
    for units in (1, 7):
        path.write_text(
            f'like = "bidaxiao"\nid = "own"\nnumber = "X"\nmajority = {units}\n', encoding="utf-8"
        )
        (found,) = score_lines(str(path), [SPLIT])
        assert found["units"] == [-units, units]


@pytest.mark.parametrize(
    ("variant", "change", "words"),
    [
        ("taiwan", {"player": []}, "unknown key 'player'; did you mean 'players'?"),
        ("taiwan", {"players": SPLIT["players"] * 3}, "2 to 4 players"),
        ("taiwan", {"players": SPLIT["players"][:1]}, "2 to 4 players"),
        (
            "taiwan",
            {"players": [SPLIT["players"][0]] * 2},
            "player 1: As Ah Ad Js Jh 8s 8h 7s 7h 5d 4c 3c 2c dealt twice",
        ),
        ("taiwan", {"banker": 2}, "'banker' must be a seat 0 to 1, not 2"),
        ("taiwan", {"banker": True}, "'banker' must be a seat"),
        ("taiwam", {}, "did you mean 'taiwan'?"),
        (None, {}, "'variant' is missing"),
        ("taiwan", {"knobs": {"whel": "none"}}, "did you mean 'wheel'?"),
        ("taiwan", {"knobs": {"wheel": "low"}}, "second, lowest, none"),
        ("taiwan", {"knobs": ["wheel"]}, "'knobs' must be a JSON object"),
        ("taiwan", {"settlement": {"steak": 2}}, "did you mean 'stake'?"),
        ("taiwan", {"settlement": {"wheel": "none"}}, "settlement: unknown key 'wheel'"),
        ("taiwan", {"settlement": {"stake": 0}}, "stake must be above 0"),
        ("taiwan", {"settlement": {"stake": [1, 2]}}, "banker game"),
        ("hongkong", {"settlement": {"stake": [1, 2, 3]}}, "3 numbers for 2 players"),
        ("hongkong", {"settlement": {"stake": 1e308, "fee_flat": 1e308}}, "too large"),
        ("mianbai", {"knobs": {"gun_add": 1}}, "paid only where rows are"),
    ],
)
def test_bad_tables_are_told_apart(variant, change, words: str) -> None:
    (found,) = score_lines(variant, [SPLIT | change])
    if "settlement" in change and change["settlement"].get("stake") == 1e308:
        (found,) = score_lines(variant, [royal_table() | change])
    assert found["units"] is None
    assert words in found["error"]
    assert "\n" not in found["error"]


def royal_table() -> dict:
    """A table at which more than one unit moves, so that the stake multiplies."""
    return {
        "players": [
            {"head": "6s 6h 6d", "middle": "8s 8h 8d 3s 3h", "tail": "Js Jh Jd Jc 2d"},
            {"head": "Ks Qs 9d", "middle": "9s 9h 5s 4d 2s", "tail": "As Ah Ts Th 7d"},
        ]
    }


@pytest.mark.parametrize(
    ("variant", "player", "words"),
    [
        ("taiwan", {"special": "six_pairs", "hand": DRAGON}, "it declares 'dragon'"),
        ("points123", {"special": "six_pairs", "hand": DRAGON}, "has no special 'six_pairs'"),
        ("taiwan", {"special": "dragoon", "hand": DRAGON}, "did you mean 'dragon'?"),
        ("taiwan", {"hand": DRAGON}, "'special' must name the special"),
        ("taiwan", {"special": 3, "hand": DRAGON}, "must be a special's id, not 3"),
        ("taiwan", {"special": "dragon", "hand": DRAGON[:-3]}, "12 cards"),
        ("taiwan", {"special": "dragon"}, "'special' and 'hand'"),
        ("taiwan", {"special": "dragon", "hand": DRAGON, "foul": False}, "'foul' needs rows"),
        ("taiwan", LEGAL | {"special": "dragon"}, "'special' beside rows"),
        ("taiwan", LEGAL | {"foul": True}, "'foul' is true, but the setting is legal"),
        ("taiwan", FOUL | {"foul": False}, "'foul' is false, but the setting is illegal"),
        ("taiwan", LEGAL | {"foul": "yes"}, "'foul' must be true or false"),
        ("taiwan", LEGAL | {"tial": "As"}, "did you mean 'tail'?"),
        ("taiwan", {k: v for k, v in LEGAL.items() if k != "tail"}, "'tail' is missing"),
        ("taiwan", LEGAL | {"head": "Kd Jd"}, "player 0: head: 2 cards"),
        ("taiwan", LEGAL | {"head": "Kd Jd 7x"}, "'7x' is not a card"),
        ("taiwan", LEGAL | {"head": ["Kd", "Jd", "7s"]}, "must be cards as text"),
        ("taiwan", LEGAL | {"head": "Kd Jd 7h"}, "7h stands in two rows"),
        ("taiwan", "rows", "player 0 must be a JSON object"),
        ("coins", FOUL, "illegal, which coins refuses"),
        ("baibian", LEGAL | {"foul": True}, "no rows, so no fouls"),
        ("baibian", {"special": "dragon", "hand": "2h 2s " + DRAGON[6:]}, "does not declare"),
    ],
)
def test_bad_players_are_told_apart(variant: str, player, words: str) -> None:
    other = {"head": "9c 5c 4s", "middle": "4d 4h Jc Ts 6h", "tail": "Qc Qh 9h 5d 3c"}
    (found,) = score_lines(variant, [{"players": [player, other]}])
    assert found["units"] is None
    assert words in found["error"], found["error"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ("[]", "must be a JSON object"),
        ('{"players": [], "players": []}', "'players' stands twice"),
        ('{"settlement": {"stake": NaN}}', "NaN is no number"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_lines_that_are_no_tables(line: str, words: str) -> None:
    bad, good = score_lines("taiwan", [line, json.dumps(SPLIT)])
    assert words in bad["error"]
    assert good["units"] == [-1, 1], "the other tables are scored all the same"


def test_python_surface_raises_with_the_table() -> None:
    with pytest.raises(BadInput, match="table 1: player 0"):
        score("taiwan", [SPLIT, {"players": [{}, {}]}])


def test_ladder_hands_are_given_in_three_ways() -> None:
    """By the entry reached, by cards alone, or by rows, whose cards count and nothing else."""
    cards = " ".join(FOUL.values())
    other = {"hand": "Kd Jh 7s 3h 3d Qd Th 5h Ac Ah 8s 8h 7h"}
    first = ({"special": "has_pair", "hand": cards}, {"hand": cards}, FOUL)
    found = [score("baibian", [{"players": [one, other]}])[0] for one in first]
    assert {result.units for result in found} == {(0, 0)}, "aces against aces"


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["gun=pair", "gun_times=1000000", "home_run=pair", "home_run_times=1000000"], "too large"),
    ],
)
def test_units_that_would_not_fit_are_refused(overrides, words: str) -> None:
    compile_scoring(load("taiwan", overrides[:2]))
    with pytest.raises(BadInput, match=words):
        compile_scoring(load("taiwan", [*overrides, "row.tail.four=1000000"]))


def random_seats(rng: np.random.Generator, variant, deals: int, players: int):
    """Draw seats without cards: few values, so that ties, guns and home runs are frequent."""
    seats = np.zeros((deals, players), dtype=SEAT)
    strength = rng.integers(1, 6, (deals, players, 1)) + rng.integers(0, 3, (deals, players, 3))
    seats["keys"] = 8 * strength + rng.integers(0, 2, (deals, players, 3))
    seats["categories"] = np.array([0, 1, 3])[rng.integers(0, 3, (deals, players, 3))]
    if variant.specials:
        special = rng.random((deals, players)) < (0.9 if variant.format == "ladder" else 0.1)
        seats["status"][special] = STATUS_SPECIAL
        seats["special"] = np.where(
            special, rng.integers(0, len(variant.specials), special.shape), -1
        )
        seats["strength"] = rng.integers(1, 4, (deals, players))
    if variant.format != "ladder":
        fouled = (rng.random((deals, players)) < 0.05) & (seats["status"] == 0)
        seats["status"][fouled] = STATUS_FOUL
    return seats


@pytest.mark.parametrize("name", variant_files())
def test_identities_on_many_deals(name: str) -> None:
    """Zero sum, lines add up, counts · payouts, flows, and seats may change places."""
    rng = np.random.default_rng(5)
    variant = load(name)
    rules, vector = compile_scoring(variant), payout_vector(variant)
    for players in (2, 3, 4):
        seats = random_seats(rng, variant, 3000, players)
        banker = int(rng.integers(players))
        units, events = score_deals(rules, seats, banker)
        by_line, flow = score_deals_by_line(rules, seats, banker)
        assert np.array_equal(by_line.sum(axis=1), units)
        assert not by_line.sum(axis=2).any()
        assert (flow >= np.abs(by_line).sum(axis=2) // 2).all()
        for seat in range(players):
            counts = count_deals(rules, seats, banker, seat)
            assert np.array_equal(counts @ vector, units[:, seat])
        order = rng.permutation(players)
        moved = np.ascontiguousarray(seats[:, order])
        new_banker = int(np.flatnonzero(order == banker)[0])
        moved_units, moved_events = score_deals(rules, moved, new_banker)
        assert np.array_equal(moved_units, units[:, order])
        assert np.array_equal(moved_events, events)
        if not variant.banker:
            elsewhere, _ = score_deals(rules, seats, (banker + 1) % players)
            assert np.array_equal(elsewhere, units), "the banker's seat means nothing"


@given(st.data())
def test_payout_tables_are_linear(data) -> None:
    """Counts do not depend on the payouts: any payout table gives units = counts · payouts."""
    name = data.draw(st.sampled_from(["taiwan", "points123", "hongkong", "baodao", "bidaxiao2"]))
    own = load(name)
    seats = random_seats(np.random.default_rng(data.draw(st.integers(0, 99))), own, 20, 4)
    knobs = {}
    for payout in data.draw(st.lists(st.sampled_from(payout_ids(own)), max_size=4)):
        value = data.draw(st.integers(0, 30))
        if payout.startswith("special."):
            knobs[f"{payout}.points"] = value
        elif payout in ("gun_add", "home_run_add"):
            knobs[payout] = value
        elif payout == "tail":
            knobs["row.tail.base"] = value
        else:
            knobs[payout] = value
    other = load(name, knobs.items())
    assert payout_ids(other) == payout_ids(own)
    counts = count_deals(compile_scoring(own), seats, 0, 0)
    units, _ = score_deals(compile_scoring(other), seats, 0)
    assert np.array_equal(counts @ payout_vector(other), units[:, 0])


@given(
    units=st.lists(st.integers(-200, 200), min_size=2, max_size=4),
    stakes=st.lists(st.sampled_from(["0.1", "1", "2.5", "0.7", "1000"]), min_size=4, max_size=4),
    rate=st.sampled_from(["0", "0.05", "0.1", "0.3", "1"]),
    flat=st.sampled_from(["0", "0.2", "3"]),
    pot=st.booleans(),
    banker=st.one_of(st.none(), st.integers(0, 1)),
)
def test_money_is_exact(units, stakes, rate, flat, pot, banker) -> None:
    units[-1] -= sum(units)
    stakes = stakes[: len(units)] if banker is not None else stakes[:1] * len(units)
    given_stake = tuple(map(float, stakes)) if banker is not None else float(stakes[0])
    settlement = Settlement(
        stake=given_stake,
        fee_rate=float(rate),
        fee_flat=float(flat),
        settle="pot" if pot else "units",
    )
    expected = twin_money(units, stakes, rate, flat, pot, banker)
    assert settle(units, settlement, banker) == tuple(map(float, expected))
    if (rate, flat) == ("0", "0"):
        assert sum(expected) == 0


def test_every_variant_has_lines_and_payouts_of_its_own() -> None:
    for variant in all_variants():
        ids = payout_ids(variant)
        assert len(set(ids)) == len(ids) == len(payout_vector(variant))
        assert len(set(line_ids(variant))) == len(line_ids(variant))
    assert line_ids(load("bidaxiao")) == ("majority",)
    assert line_ids(load("bidaxiao2")) == ("tail",)
    assert line_ids(load("shaoxing")) == tuple(f"tier.{tier}" for tier in range(1, 8))
    apart = load("shaoxing", ["dragon.points=3"])
    assert payout_ids(apart)[:4] == (
        "special.one_off_colour",
        "special.dragon",
        "special.five_pairs_triple",
        "tier.2",
    )

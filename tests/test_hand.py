"""`montecarlo hand`: shapes, the frontier against brute force, settings that `score` accepts."""

from __future__ import annotations

import io
import json
import random

import numpy as np
import pytest

from montecarlo import hand, score
from montecarlo.cards import FULL_DECK, Hand, format_mask, parse_cards, parse_hand
from montecarlo.cli import run
from montecarlo.errors import BadInput
from montecarlo.setting.policies import load_policy
from montecarlo.variants import load
from tests.twins import rows as row_twin
from tests.twins import settings as twin
from tests.twins.hands import all_kinds, random_hands

PLAIN = "As Ks Qs Jd Td 9h 9d 8c 6c 5s 4h 3d 2c"
FLUSHES = "As Ks Qs Js Ts 9h 7h 5h 3h 2h 4d 5c 7c"
STRAIGHTS = "As Kd Qs Js Ts 9h 9d 8c 2s 3h 4d 5c 7h"
MANY = "Ac Kc Qh Qc Qd Js Jh Jc Td 9c 6h 5c 2h"  # a long frontier


def places(cards, wheel, compare):
    """Strengths (tail, middle, head) of a setting's rows under the twin's keys."""
    return tuple(
        row_twin.key(row_twin.cards_of_codes(parse_cards(cards[row])), wheel, compare)
        for row in ("tail", "middle", "head")
    )


@pytest.mark.parametrize(
    ("variant", "options", "policies"),
    [
        ("coins", {}, ["equilibrium", "balanced", "greedy"]),
        ("taiwan", {"players": 3}, ["equilibrium", "balanced", "greedy"]),
        ("V8", {"role": "banker"}, ["equilibrium", "balanced", "greedy"]),
        ("V3", {"players": 2}, ["equilibrium", "balanced", "greedy"]),
    ],
)
def test_the_agreed_shape(variant, options, policies):
    sheet = hand(variant, FLUSHES, **options)
    data = sheet.to_data()
    assert json.loads(sheet.to_json()) == data
    keys = ["variant", "hand", "specials", "declared", "frontier", "policies"]
    assert list(data) == keys
    assert data["variant"] == load(variant).id
    assert data["hand"] == str(Hand.parse(FLUSHES))
    assert list(data["policies"]) == policies
    for setting in [*data["frontier"], *data["policies"].values()]:
        assert list(setting) == ["head", "middle", "tail"]
        codes = [parse_cards(cards) for cards in setting.values()]
        assert [len(row) for row in codes] == [3, 5, 5]
        assert all(list(row) == sorted(row, reverse=True) for row in codes)
        assert sorted(sum(codes, ())) == sorted(parse_hand(FLUSHES))
    assert sheet.to_frame().shape == (len(data["frontier"]), 6)


@pytest.mark.parametrize(
    ("variant", "cards", "specials"),
    [
        ("taiwan", "Ad Kd Qd Jd Td 9d 8d 7d 6d 5d 4d 3d 2d", "suited_dragon"),
        ("taiwan", "As Kd Qd Jd Td 9d 8d 7d 6d 5d 4d 3d 2d", "dragon"),
        ("coins", STRAIGHTS, "three_straights"),
        ("mianbai", "9s 9d 9h 9c As Ks Qs Js Ts 2d 3d 5h 7c", "has_straight_flush"),
        ("bidaxiao", STRAIGHTS, None),
    ],
)
def test_specials_in_order_of_rank(variant, cards, specials):
    data = hand(variant, cards).to_data()
    assert data["declared"] == specials
    order = [entry.id for entry in load(variant).specials]
    assert data["specials"] == sorted(data["specials"], key=order.index)
    assert data["specials"][:1] == ([specials] if specials else [])
    if variant == "mianbai":
        assert data["specials"] == ["has_straight_flush", "has_quads"]


@pytest.mark.parametrize("variant", ["coins", "V8b", "V6", "V1"])
def test_the_frontier_against_brute_force(variant):
    rules = load(variant)
    for codes in np.concatenate([random_hands(3, seed=21), all_kinds(1, seed=22)[::5]]):
        cards = Hand(tuple(sorted(codes.tolist(), reverse=True)))
        found = [s.to_data() for s in hand(rules, cards, hold_policy=True).frontier]
        values = [places(cards_of, rules.wheel, rules.compare) for cards_of in found]
        assert values == sorted(values, reverse=True)
        assert len(set(map(str, values))) == len(values)
        assert len(found) == len(twin.frontier(codes, rules.wheel, rules.compare))


def test_policies_pick_from_the_frontier():
    for codes in random_hands(5, seed=23):
        sheet = hand("coins", Hand(tuple(codes.tolist())))
        data = sheet.to_data()
        values = [places(cards, "second", "grouped") for cards in data["frontier"]]
        for setting in data["policies"].values():
            assert places(setting, "second", "grouped") in values
        greedy = places(data["policies"]["greedy"], "second", "grouped")
        assert greedy == values[0]
        mask = np.array([sheet.hand.mask], np.uint64)
        rows = load_policy(load("coins"), "equilibrium", "any", 4).set_rows(mask, "draw")[0]
        assert [format_mask(int(m)) for m in rows] == list(data["policies"]["equilibrium"].values())


def test_the_order_of_the_cards_is_irrelevant():
    wanted = hand("taiwan", MANY).to_data()
    words = MANY.split()
    for seed in range(3):
        random.Random(seed).shuffle(words)
        assert hand("taiwan", " ".join(words).lower()).to_data() == wanted


def test_suits_go_where_the_variant_lets_them_decide():
    """In V8 the highest card's suit decides: of two aces the better one goes to the tail."""
    cards = "As Ad Ks Qh Jc 9d 8h 7s 5c 4d 3h 2c 2d"
    settings = [s.to_data() for s in hand("V8", cards).frontier]
    split = [s for s in settings if "A" in s["middle"] and "A" in s["tail"]]
    assert split
    assert all("As" in s["tail"] and "Ad" in s["middle"] for s in split)


def test_score_takes_every_frontier_setting_as_legal():
    """`coins` refuses illegal settings instead of fouling them."""
    cards = Hand.parse(MANY)
    other = Hand.from_mask(sum(1 << b for b in range(64) if (FULL_DECK & ~cards.mask) >> b & 1))
    rest = Hand(other.codes[:13])
    against = hand("coins", rest).to_data()["policies"]["greedy"]
    frontier = hand("coins", cards).to_data()["frontier"]
    scores = score("coins", ({"players": [setting, against]} for setting in frontier))
    assert len(scores) == len(frontier) > 40
    assert all(sum(table.units) == 0 for table in scores)
    swapped = {"players": [against | {"middle": against["tail"], "tail": against["middle"]}] * 1}
    swapped["players"].append(frontier[0])
    with pytest.raises(BadInput, match="illegal"):
        score("coins", [swapped])


def test_ladders_are_not_set(capsys):
    data = hand("V4", STRAIGHTS).to_data()
    assert data["frontier"] == []
    assert data["policies"] == {}
    assert data["declared"] == "three_straights"
    assert run(["hand", "V4", STRAIGHTS]) == 0
    assert "no rows are set" in capsys.readouterr().out


def test_a_policy_for_other_rules_is_left_out_with_a_note(capsys):
    words = ["hand", "taiwan", MANY, "--set", "gun=base", "--set", "gun_times=7", "--json"]
    assert run(words) == 0
    out, err = capsys.readouterr()
    assert list(json.loads(out)["policies"]) == ["balanced", "greedy"]
    assert "equilibrium is left out" in err
    assert "montecarlo train taiwan --set gun=base --set gun_times=7 --players 4" in err
    assert err.count("\n") == 1
    assert run([*words, "--hold-policy"]) == 0
    out, err = capsys.readouterr()
    held = json.loads(out)["policies"]
    assert list(held) == ["equilibrium", "balanced", "greedy"]
    assert held["equilibrium"] == hand("taiwan", MANY).to_data()["policies"]["equilibrium"]
    assert "trained for taiwan as it stands" in err


def test_a_table_for_people(capsys):
    assert run(["hand", "coins", MANY]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    count = len(hand("coins", MANY).frontier)
    assert count > 40
    assert f"in all rows: {count}" in out
    assert f"and {count - 40} more" in out
    numbers = [line.split()[0] for line in out.splitlines() if line[:4].strip().isdigit()]
    assert numbers == [str(n) for n in range(1, 41)]
    assert "一对 pair" in out
    assert "equilibrium" in out


def test_lines_of_hands(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PLAIN}\n\nAs Ks\n{FLUSHES}\n"))
    assert run(["hand", "coins", "-"]) == 2
    out, err = capsys.readouterr()
    first, second, third = map(json.loads, out.splitlines())
    assert first == hand("coins", PLAIN).to_data()
    assert second == {"hand": None, "error": "2 cards in 'As Ks': 13 are needed"}
    assert third == hand("coins", FLUSHES).to_data()
    assert "1 hand not read" in err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["coins", "As Ks"], "2 cards in 'As Ks': 13 are needed"),
        (["coins", PLAIN.replace("2c", "As")], "stands twice"),
        (["coins", "hello"], "'hello' is not a card"),
        (["coins", PLAIN, "--players", "5"], "players must be 2, 3 or 4"),
        (["coins", PLAIN, "--role", "banker"], "has no banker"),
        (["V8", PLAIN, "--role", "bankr"], "did you mean 'banker'"),
        (["coin", PLAIN], "did you mean 'coins'"),
    ],
)
def test_bad_input_is_one_line(words, says, capsys):
    assert run(["hand", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert says in err

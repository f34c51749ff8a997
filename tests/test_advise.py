"""`montecarlo advise` against a plain reckoning: its tables told as text, scored by `score`."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from montecarlo import advise, score
from montecarlo.cards import Hand, format_mask
from montecarlo.cli import run
from montecarlo.dealing.dealer import deal_block
from montecarlo.errors import BadInput
from montecarlo.setting.seating import seat_policies
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.variants import load

ORDINARY = "As Kd Qh Js 9h 9d 9c 8s 7h 5s 4c 4d 2h"
STRAIGHTS = "As Kd Qs Js Ts 9h 9d 8c 2s 3h 4d 5c 7h"
SUITED_DRAGON = "Ad Kd Qd Jd Td 9d 8d 7d 6d 5d 4d 3d 2d"


def reckoned(variant, cards, choice, *, seat, policies, tables, seed, known=0):
    """Units (tables,) of one choice, from the cards of each table and `score` alone."""
    players, hand = len(policies), Hand.parse(cards)
    seats = seat_policies(variant, policies, players)
    dealt = deal_block(seed, 0, deals=tables, players=max(players - 1, 2), known=hand.mask | known)
    own = {row: choice[row] for row in ("head", "middle", "tail") if row in choice}
    if "declare" in choice:
        own = {"special": choice["declare"], "hand": cards}
    told = [[None] * players for _ in range(tables)]
    others = [other for other in range(players) if other != seat]
    for place, other in enumerate(others):
        hands = np.ascontiguousarray(dealt[:, place])
        specials = first_special(hands, compile_rules(variant.rules))
        rows = seats[other].policy.set_rows(hands, variant.tie)
        for table in range(tables):
            if specials[table] >= 0:
                name = variant.specials[specials[table]].id
                told[table][other] = {"special": name, "hand": format_mask(int(hands[table]))}
            else:
                texts = [format_mask(int(mask)) for mask in rows[table]]
                told[table][other] = dict(zip(("head", "middle", "tail"), texts, strict=True))
    for table in told:
        table[seat] = own
    scores = score(variant, ({"players": table, "banker": 0} for table in told))
    return np.array([one.units[seat] for one in scores])


CASES = [
    ("taiwan", ORDINARY, {}, 0),
    ("coins", STRAIGHTS, {"policy": "greedy"}, 0),
    ("hongkong", ORDINARY, {"role": "banker", "policy": "balanced"}, 0),
    ("hongkong", STRAIGHTS, {"players": 3, "known": "2d 3d 4h"}, 1),
    ("baodao", ORDINARY, {"players": 2, "policy": "balanced", "known": "Ah"}, 0),
    ("points123", ORDINARY, {"policy": "balanced,greedy,balanced"}, 0),
    ("bidaxiao", ORDINARY, {"policy": "greedy", "players": 3}, 0),
]


@pytest.mark.parametrize(("name", "cards", "options", "seat"), CASES)
def test_every_figure_is_what_score_says(name, cards, options, seat):
    variant, tables, seed = load(name), 60, 5
    advice = advise(variant, cards, tables=tables, seed=seed, **options)
    entries = advice.to_data()
    policies = options.get("policy", "equilibrium").split(",")
    policies = policies * (options.get("players", 4) - 1) if len(policies) == 1 else policies
    policies.insert(seat, "greedy")
    known = Hand.parse(options.get("known", ""), size=None).mask

    def units(choice):
        return reckoned(
            variant, cards, choice,
            seat=seat, policies=tuple(policies), tables=tables, seed=seed, known=known,
        )  # fmt: skip

    best = units(entries[0])
    middle = len(entries) // 2
    for entry in [entries[0], entries[1], entries[middle], entries[-1]]:
        found = units(entry)
        root = math.sqrt(tables)
        assert entry["mean"] == pytest.approx(found.mean(), abs=1e-12)
        assert entry["se"] == pytest.approx(found.std(ddof=1) / root, abs=1e-12)
        assert entry["gap"] == pytest.approx((best - found).mean(), abs=1e-12)
        assert entry["gap_se"] == pytest.approx((best - found).std(ddof=1) / root, abs=1e-12)


def test_the_agreed_shape_best_first():
    advice = advise("coins", STRAIGHTS, tables=500)
    entries = advice.to_data()
    assert json.loads(advice.to_json()) == entries
    settings = [entry for entry in entries if "head" in entry]
    declared = [entry for entry in entries if "declare" in entry]
    assert [entry["declare"] for entry in declared] == ["three_straights"]
    figures = ["mean", "se", "gap", "gap_se"]
    assert all(list(entry) == ["head", "middle", "tail", *figures] for entry in settings)
    assert list(declared[0]) == ["declare", *figures]
    means = [entry["mean"] for entry in entries]
    assert means == sorted(means, reverse=True)
    assert entries[0]["gap"] == entries[0]["gap_se"] == 0
    assert all(entry["gap"] >= 0 for entry in entries)
    assert entries[0] == declared[0]  # 3 units from each, against losing rows
    assert len(advice.to_frame()) == len(entries)


def test_pairing_is_worth_its_name():
    """Errors of gaps between near settings are far below those of either figure."""
    entries = advise("taiwan", ORDINARY, tables=4_000).to_data()
    assert entries[1]["gap_se"] < entries[1]["se"] / 3


def test_the_same_input_gives_the_same_figures():
    wanted = advise("coins", ORDINARY, tables=300, policy="greedy").to_json()
    assert advise("coins", ORDINARY.lower(), tables=300, policy="greedy").to_json() == wanted
    other = advise("coins", ORDINARY, tables=300, policy="greedy", seed=2)
    assert other.to_json() != wanted


def test_a_suited_dragon_is_declared():
    """108 from each of three: nothing is random about it."""
    first = advise("taiwan", SUITED_DRAGON, tables=200).to_data()[0]
    assert first == {"declare": "suited_dragon", "mean": 324, "se": 0, "gap": 0, "gap_se": 0}


def test_ladders_have_one_choice():
    (only,) = advise("V4", STRAIGHTS, tables=400).to_data()
    assert only["declare"] == "three_straights"
    assert 0 < only["mean"] <= 3


def test_both_roles_of_a_banker_game():
    """The banker meets three, a player one: the banker's figures spread wider."""
    banker = advise("V7", ORDINARY, tables=400, role="banker", policy="balanced").to_data()
    player = advise("V7", ORDINARY, tables=400, role="player", policy="balanced").to_data()
    assert banker[0]["se"] > player[0]["se"]


def test_the_command(capsys):
    words = ["advise", "coins", ORDINARY, "--tables", "500", "--policy", "greedy"]
    assert run([*words, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    entries = json.loads(out)
    assert entries == advise("coins", ORDINARY, tables=500, policy="greedy").to_data()
    assert run(words) == 0
    out, err = capsys.readouterr()
    assert "behind the best" in out
    assert entries[0]["tail"] in out
    if len(entries) > 40:
        assert f"and {len(entries) - 40} more" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["coins", "As Ks"], "13 are needed"),
        (["coins", ORDINARY, "--known", "As 2d"], "known cards As stand in the hand"),
        (["coins", ORDINARY, "--known", "2d"], "39 are needed; give fewer --players"),
        (["coins", ORDINARY, "--tables", "1"], "tables must be 2 to"),
        (["coins", ORDINARY, "--role", "banker"], "has no banker"),
        (["coins", ORDINARY, "--players", "1"], "players must be 2, 3 or 4"),
        (["coins", ORDINARY, "--policy", "clever"], "unknown policy 'clever'"),
        (["coins", ORDINARY, "--policy", "greedy,greedy"], "2 policies for 3 opponents"),
        (["coins", ORDINARY, "--seed", "-1"], "seed must be"),
        (["taiwan", ORDINARY, "--set", "gun_times=9"], "montecarlo train taiwan --set gun_times=9"),
    ],
)
def test_bad_input_is_one_line(words, says, capsys):
    assert run(["advise", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert says in err


def test_hold_policy_says_so():
    with pytest.raises(BadInput, match="13 are needed"):
        advise("coins", Hand(()))
    advice = advise(load("coins", ["row.head.three=9"]), ORDINARY, tables=50, hold_policy=True)
    assert "trained for coins as it stands" in advice.notes[0]

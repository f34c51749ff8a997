"""Policies: settings are legal, the hand's own, and the same every time; files are not trusted."""

from __future__ import annotations

import io
import json
import zipfile
from itertools import product

import numpy as np
import pytest

from montecarlo.cards import codes_of_mask, masks_from_codes
from montecarlo.errors import BadInput, PolicyMismatch
from montecarlo.setting import policy_files
from montecarlo.setting.few_hands import for_few_hands
from montecarlo.setting.mixed_policy import rounds_of
from montecarlo.setting.policies import POLICIES, Policy, load_policy
from montecarlo.setting.policy_files import (
    TrainedPolicy,
    find_balanced,
    find_policy,
    policy_path,
    read_policy,
    rules_hash,
    save_policy,
)
from montecarlo.setting.seating import SeatPolicy, read_policy_words, seat_policies
from montecarlo.setting.training import Training
from montecarlo.strength.evaluate import legal
from montecarlo.strength.tables import WHEELS, row_tables
from montecarlo.studies.train import train
from montecarlo.variants import load
from tests.twins import rows as row_twin
from tests.twins import settings as twin
from tests.twins.hands import all_kinds, random_hands

SEATED = [
    ("coins", "any", "equilibrium"),
    ("taiwan", "any", "equilibrium"),
    ("hongkong", "banker", "equilibrium"),
    ("hongkong", "player", "equilibrium"),
    ("baodao", "any", "equilibrium"),
    ("hongkong_edge", "player", "balanced"),
    ("bidaxiao2", "any", "balanced"),
    ("hongkong_edge", "banker", "greedy"),
    ("bidaxiao2", "any", "greedy"),
]


@pytest.fixture(scope="module")
def hands():
    """Codes (N, 13) of random hands and of ones that chance hardly deals."""
    return np.concatenate([random_hands(1_500, seed=11), all_kinds(4, seed=12)])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return an empty folder that stands for the user's own policies."""
    monkeypatch.setattr(policy_files, "user_folder", lambda: tmp_path)
    load_policy.cache_clear()
    seat_policies.cache_clear()
    yield tmp_path
    load_policy.cache_clear()
    seat_policies.cache_clear()


@pytest.mark.parametrize(("name", "role", "policy"), SEATED)
def test_settings_are_legal_and_use_the_hand_up(name, role, policy, hands):
    variant = load(name)
    masks = masks_from_codes(hands)
    rows = load_policy(variant, policy, role, 4).set_rows(masks, variant.tie)
    assert np.array_equal(np.bitwise_count(rows), np.tile([3, 5, 5], (len(hands), 1)))
    assert np.array_equal(np.bitwise_or.reduce(rows, axis=1), masks)
    classes = load_policy(variant, policy, role, 4).set_classes(masks)
    assert legal(*classes.T, row_tables(variant.wheel)).all()
    for head, middle, tail in rows[::12].tolist():
        cards = [[divmod(code, 4) for code in codes_of_mask(row)] for row in (head, middle, tail)]
        assert row_twin.head_under_middle(cards[0], cards[1], variant.wheel)
        assert row_twin.middle_under_tail(cards[1], cards[2], variant.wheel)


@pytest.mark.parametrize(("name", "role", "policy"), SEATED)
def test_a_hand_is_set_the_same_in_any_company(name, role, policy, hands):
    masks = masks_from_codes(hands)
    chosen = load_policy(load(name), policy, role, 4)
    together = chosen.set_classes(masks)
    order = np.random.default_rng(13).permutation(len(masks))
    assert np.array_equal(chosen.set_classes(masks[order]), together[order])
    for place in (0, 700, len(masks) - 1):
        assert np.array_equal(chosen.set_classes(masks[place : place + 1])[0], together[place])


@pytest.mark.parametrize("wheel", WHEELS)
def test_greedy_is_the_strongest_tail_then_middle(wheel):
    variant = load("hongkong_edge", [f"wheel={wheel}"])  # compares the top card: greedy does not
    codes = np.concatenate([random_hands(40, seed=14), all_kinds(2, seed=15)])
    classes = load_policy(variant, "greedy", "player", 4).set_classes(masks_from_codes(codes))
    for hand, (head, middle, tail) in zip(codes, classes.tolist(), strict=True):
        settings = twin.legal_settings(hand, wheel, "grouped")[:, :3]
        places = settings @ [1 << 26, 1 << 13, 1]
        assert [tail, middle, head] == settings[places.argmax()].tolist()


def averaged(*places):
    """Return V8b's average of the given rounds of the shipped player policy."""
    trained = find_policy(load("hongkong_edge"), "player", 4)
    tables = tuple(trained.tables[place] for place in places)
    return Policy("averaged", "second", "top_card", TrainedPolicy(tables, trained.provenance))


def light(policy):
    """Return an averaged policy as `for_few_hands` gives it."""
    (seat,) = for_few_hands((SeatPolicy(load("hongkong_edge"), policy, "always", 4),))
    return seat.policy


def test_averaged_rounds_are_picked_by_the_cards(hands):
    """Each hand is set by one of the rounds, which the cards alone decide."""
    masks = masks_from_codes(hands)
    rounds = rounds_of(masks, 2)
    assert 0.4 < rounds.mean() < 0.6
    sets = np.stack([averaged(place).set_classes(masks) for place in (0, 20)])
    assert (sets[0] != sets[1]).any()
    both = light(averaged(0, 20))
    assert np.array_equal(both.set_classes(masks), sets[rounds, np.arange(len(masks))])
    alone = averaged(0)
    assert light(alone) is alone


@pytest.mark.slow
def test_averages_set_alike_from_the_list_and_without_it(hands):
    masks = masks_from_codes(hands)
    listed, without = averaged(0, 7, 20, 31), light(averaged(0, 7, 20, 31))
    assert np.array_equal(without.set_packed(masks), listed.set_packed(masks))
    classes = listed.set_classes(masks)
    units = listed.expected_units(masks, classes)
    assert np.array_equal(without.expected_units(masks, classes), units)


def test_policies_differ_where_payouts_do(hands):
    masks = masks_from_codes(hands)
    sets = [load_policy(load("taiwan"), name, "any", 4).set_classes(masks) for name in POLICIES]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert (sets[first] != sets[second]).any(axis=1).mean() > 0.02


def test_words_for_seats():
    assert read_policy_words("greedy", 3) == ("greedy",) * 3
    mixed = read_policy_words("equilibrium, greedy:declare=best,balanced:declare=always", 3)
    assert mixed == ("equilibrium", "greedy:declare=best", "balanced:declare=always")
    assert read_policy_words(["greedy", "balanced"], 2) == ("greedy", "balanced")
    for words, says in (
        ("clever", "unknown policy 'clever'"),
        ("equilibrum", "did you mean 'equilibrium'"),
        ("greedy,greedy", "2 policies for 3 players"),
        ("greedy:declare=never", "only :declare=always or :declare=best"),
        ("", "unknown policy ''"),
    ):
        with pytest.raises(BadInput, match=says):
            read_policy_words(words, 3)


def test_unknown_policies_and_roles_are_named():
    with pytest.raises(BadInput, match="did you mean 'balanced'"):
        load_policy(load("coins"), "balancd", "any", 4)
    for wheel in WHEELS:
        assert find_balanced(wheel).provenance["wheel"] == wheel


def test_greedy_cannot_decide_by_value():
    variant = load("coins")
    seat = seat_policies(variant, ("greedy:declare=best",) * 4, 4)[0]
    dragon = masks_from_codes(np.arange(0, 52, 4, dtype=np.uint8))
    with pytest.raises(BadInput, match="greedy knows no values"):
        seat.play(dragon.reshape(1), np.zeros(1, np.int8))


def test_other_rules_are_refused_with_the_command_that_trains(folder):
    variant = load("coins", ["row.head.three=9", "three_straights.qka=true"])
    with pytest.raises(PolicyMismatch) as refused:
        load_policy(variant, "equilibrium", "any", 4)
    command = (
        "montecarlo train coins --set row.head.three=9 --set three_straights.qka=true --players 4"
    )
    assert command in str(refused.value)
    assert "--hold-policy" in str(refused.value)
    assert "\n" not in str(refused.value)
    own = load_policy(load("coins"), "equilibrium", "any", 4)
    held = seat_policies(variant, ("equilibrium",) * 4, 4, True)
    assert all(seat.held for seat in held)
    assert held[0].policy.sha256 == own.sha256
    assert not any(seat.held for seat in seat_policies(load("coins"), ("equilibrium",) * 4, 4))


@pytest.mark.parametrize("change", ["stake=5", "fee_rate=0.05", "settle=pot"])
def test_stakes_and_fees_do_not_matter(change, folder):
    held = seat_policies(load("coins", [change]), ("equilibrium",) * 4, 4)
    assert not held[0].held


@pytest.mark.parametrize(
    "change", ["wheel=none", "compare=cards", "tie=banker", "dragon.points=20", "gun=pair"]
)
def test_what_a_policy_is_trained_for(change):
    assert rules_hash(load("coins", [change]), "any", 4) != rules_hash(load("coins"), "any", 4)


def test_players_matter_where_home_runs_pay():
    taiwan, coins = load("taiwan"), load("coins")
    assert len({rules_hash(taiwan, "any", players) for players in (2, 3, 4)}) == 3
    assert len({rules_hash(coins, "any", players) for players in (2, 3, 4)}) == 1


def test_a_file_comes_back_as_it_was(tmp_path):
    shipped = policy_path("coins", "any", 0)
    policy = read_policy(shipped)
    save_policy(policy, tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == shipped.read_bytes()
    again = read_policy(tmp_path / "again.npz")
    assert again.sha256 == policy.sha256
    assert again.provenance == policy.provenance
    assert list(tmp_path.iterdir()) == [tmp_path / "again.npz"]


def _rewritten(change):
    """Return the shipped coins policy with its entries changed: a function of (name, bytes)."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(policy_path("coins", "any", 0)) as old,
        zipfile.ZipFile(buffer, "w") as new,
    ):
        for name in old.namelist():
            data = change(name, old.read(name))
            if data is not None:
                new.writestr(name, data)
    return buffer.getvalue()


def _provenance(**changes):
    def change(name, data):
        if name != "provenance.json":
            return data
        return json.dumps(json.loads(data) | changes).encode()

    return _rewritten(change)


def _array(row, array):
    def change(name, data):
        if name != f"00/{row}.npy":
            return data
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=array.dtype == object)
        return buffer.getvalue()

    return _rewritten(change)


DAMAGED = {
    "empty": lambda: b"",
    "no zip": lambda: b"montecarlo" * 100,
    "cut off": lambda: policy_path("coins", "any", 0).read_bytes()[:-300],
    "another schema": lambda: _provenance(schema=2),
    "tables that are not there": lambda: _provenance(tables=3),
    "no tables": lambda: _provenance(tables=0),
    "no number of tables": lambda: _provenance(tables="one"),
    "no provenance": lambda: _rewritten(lambda n, data: None if n[0] == "p" else data),
    "provenance that is no JSON": lambda: _rewritten(lambda n, d: b"{" if n[0] == "p" else d),
    "provenance that is no object": lambda: _rewritten(lambda n, d: b"[1]" if n[0] == "p" else d),
    "no rules": lambda: _provenance(rules=""),
    "no wheel": lambda: _provenance(wheel=None),
    "a wrong size": lambda: _array("head", np.zeros(7, np.float32)),
    "a wrong type": lambda: _array("head", np.zeros(456, np.float64)),
    "not a number": lambda: _array("head", np.full(456, np.nan, np.float32)),
    "pickled objects": lambda: _array("head", np.array([print] * 456, dtype=object)),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_files_are_refused(kind, tmp_path):
    path = tmp_path / "coins.npz"
    path.write_bytes(DAMAGED[kind]())
    with pytest.raises(BadInput, match="damaged policy file") as refused:
        read_policy(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_changed_byte_is_noticed_or_harmless(tmp_path):
    shipped = policy_path("coins", "any", 0)
    whole, wanted = shipped.read_bytes(), read_policy(shipped)
    rng = np.random.default_rng(16)
    edges = [*range(64), *range(len(whole) - 700, len(whole), 7)]
    noticed = 0
    for place in [*edges, *rng.integers(len(whole), size=60).tolist()]:
        changed = bytearray(whole)
        changed[place] ^= 1 << int(rng.integers(8))
        path = tmp_path / f"{place}.npz"
        path.write_bytes(changed)
        try:
            found = read_policy(path)
        except BadInput:
            noticed += 1
        else:
            assert found.sha256 == wanted.sha256
            assert found.provenance == wanted.provenance
    assert noticed > 60


def test_training_is_repeatable_and_found_again(folder, tmp_path):
    """The same rules and seed give the same bytes; the file is found by its rules."""
    training = Training(rounds=1, blocks=1, seed=3)
    changed = ["row.head.three=9"]
    told = []
    first = train("coins", changed, training=training, out=folder, report=told.append)
    again = train("coins", changed, training=training, out=tmp_path / "again")
    assert told == ["coins: round 1 of 1"]
    (file,), (other,) = first.files, again.files
    assert file.path.parent == folder
    assert file.path.read_bytes() == other.path.read_bytes()
    assert file.path.name != policy_path("coins", "any", 0).name  # the unchanged rules' own name
    assert first.to_data()[0]["knobs"] == {"row.head.three": 9}
    seat = seat_policies(load("coins", changed), ("equilibrium",) * 4, 4)[0]
    assert not seat.held
    assert seat.policy.sha256 == file.policy.sha256


@pytest.mark.parametrize(
    ("words", "options", "says"),
    [
        ("V4", {}, "nothing to train"),
        ("balanced", {"overrides": ["wheel=none"]}, "--set has no use"),
        ("coins", {"training": Training(rounds=0)}, "rounds must be 1 or more"),
        ("coins", {"training": Training(blocks=0)}, "blocks must be 1 or more"),
        ("coins", {"training": Training(seed=-1)}, "seed must be 0 or more"),
        ("coins", {"players": 5}, "players must be 2, 3 or 4"),
    ],
)
def test_bad_training_is_refused_before_it_starts(words, options, says):
    with pytest.raises(BadInput, match=says):
        train(words, **options)


def test_every_role_and_policy_has_a_seat():
    for policy, players in product(("balanced", "greedy"), (2, 3, 4)):
        assert len(seat_policies(load("V8b"), (policy,) * players, players)) == players

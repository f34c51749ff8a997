"""Best settings by rank multisets against brute force and branch and bound; compiled policies."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from montecarlo.cards import masks_from_codes
from montecarlo.errors import BadInput
from montecarlo.setting.bounds import flush_bounds, head_bounds
from montecarlo.setting.by_objective import best_settings
from montecarlo.setting.compiled_policy import compile_policy, greedy_policy, set_hands
from montecarlo.setting.flushes import long_suits
from montecarlo.setting.objective import lexicographic, objective, units_of_settings
from montecarlo.setting.static_tables import setting_tables
from montecarlo.strength.tables import COMPARES, WHEELS
from tests.twins import settings as twin
from tests.twins.hands import all_kinds, random_hands

KNOBS = list(product(WHEELS, COMPARES))
SHAPES = ("rows", "sweep", "plateaus", "low rank", "majority")


def rising(rng, value, steps):
    """Numbers in 0..1 by class that rise with value in about ``steps`` steps (0: everywhere)."""
    size = int(value.max()) + 1
    jumps = rng.exponential(size=size)
    if steps:
        jumps *= rng.random(size) < steps / size
    curve = np.cumsum(jumps)
    return (curve / max(curve[-1], 1e-9))[value]


def random_objective(rows, shape, seed):
    """A random objective that does not decrease, of one of the shapes that settings meet."""
    rng = np.random.default_rng(seed)
    values = (rows.head_value, rows.value, rows.value)
    steps = 12 if shape == "plateaus" else 0
    won = [rising(rng, value, steps) for value in values]
    if shape == "majority":
        # two rows of three, ties apart: x = 2p - 1 for each row, (x + y + z - xyz) / 2
        x = [2 * p - 1 for p in won]
        return objective(rows, *(0.5 * p for p in x), products=[(-0.5 * x[0], x[1], x[2])])
    own = [rng.integers(1, 4) * p for p in won]
    lost = [1 - p for p in won]
    products = [(3 * won[0], won[1], won[2]), (-3 * lost[0], lost[1], lost[2])]
    if shape == "rows":
        return objective(rows, *own)
    if shape == "low rank":
        products += [[rising(rng, value, 9) for value in values] for _ in range(5)]
    return objective(rows, *own, products=products)


def plain_units(o):
    """The objective's formula in numpy, in the order of additions that `units` keeps."""

    def units(head, middle, tail):
        parts = [o.head[head, 0] + o.middle[middle, 0] + o.tail[tail, 0], 0.0, 0.0, 0.0]
        for r in range(1, o.head.shape[1]):
            product = o.head[head, r] * o.middle[middle, r] * o.tail[tail, r]
            parts[(r - 1) % 4] = parts[(r - 1) % 4] + product
        return (parts[0] + parts[1]) + (parts[2] + parts[3])

    return units


def best(masks, o, tables):
    return best_settings(masks, o, head_bounds(o, tables), flush_bounds(o, tables), tables)


def check_against_brute_force(codes, wheel, compare, shape, seed):
    tables = setting_tables(wheel, compare)
    o = random_objective(tables.rows, shape, seed)
    found = best(masks_from_codes(codes), o, tables)
    for hand, setting in zip(codes, found, strict=True):
        wanted = twin.best(hand, wheel, compare, plain_units(o))
        assert np.array_equal(setting, wanted), (hand, setting, wanted)


@pytest.mark.parametrize("shape", SHAPES)
def test_random_hands(shape):
    hands = np.concatenate([random_hands(60, seed=1), all_kinds(1, seed=2)])
    check_against_brute_force(hands, "second", "grouped", shape, seed=3)


@pytest.mark.parametrize(("wheel", "compare"), KNOBS)
def test_every_wheel_and_way_to_compare(wheel, compare):
    hands = np.concatenate([random_hands(30, seed=4), all_kinds(1, seed=5)])
    check_against_brute_force(hands, wheel, compare, "plateaus", seed=6)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("wheel", "compare"), KNOBS)
def test_many_hands(wheel, compare, shape):
    hands = np.concatenate([random_hands(500, seed=7), all_kinds(10, seed=8)])
    check_against_brute_force(hands, wheel, compare, shape, seed=9)


def check_against_branch_and_bound(hands, shape, seed):
    tables = setting_tables()
    o = random_objective(tables.rows, shape, seed)
    codes = np.sort(hands.astype(np.int64), axis=1)
    rows = twin.row_places("second", "grouped")
    wanted = twin.branch_and_bound(
        codes // 4, codes % 4, twin.FIVES, rows, o.head, o.middle, o.tail
    )
    assert np.array_equal(best(masks_from_codes(hands), o, tables), wanted)


def test_branch_and_bound_agrees():
    hands = np.concatenate([random_hands(8_000, seed=10), all_kinds(20, seed=11)])
    check_against_branch_and_bound(hands, "sweep", seed=12)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_branch_and_bound_agrees_on_a_million(shape):
    hands = np.concatenate([random_hands(200_000, seed=13), all_kinds(400, seed=14)])
    check_against_branch_and_bound(hands, shape, seed=15)


def test_a_compiled_policy_sets_as_the_search_does():
    tables = setting_tables("lowest", "top_card")
    o = random_objective(tables.rows, "low rank", seed=16)
    masks = masks_from_codes(
        np.concatenate([random_hands(20_000, seed=17), all_kinds(20, seed=18)])
    )
    policy = compile_policy(o, tables)
    found = set_hands(masks, policy)
    assert np.array_equal(found, best(masks, o, tables))
    again = compile_policy(o, tables)  # from disk
    assert np.array_equal(again.entries, policy.entries)
    assert np.array_equal(set_hands(masks.reshape(2, -1), policy), found.reshape(2, -1, 3))


def test_greedy_takes_the_strongest_tail_then_middle():
    hands = np.concatenate([random_hands(60, seed=19), all_kinds(1, seed=20)])
    found = set_hands(masks_from_codes(hands), greedy_policy("second"))
    for hand, setting in zip(hands, found, strict=True):
        legal = twin.legal_settings(hand, "second", "grouped")
        tail, middle, head = max(map(tuple, legal[:, 3:]))
        assert setting.tolist() == [head, middle, tail]


def test_units_follow_the_formula():
    tables = setting_tables("second", "cards")
    o = random_objective(tables.rows, "low rank", seed=21)
    classes = np.random.default_rng(22).integers(1, 456, size=(1000, 3)).astype(np.uint16)
    assert np.array_equal(units_of_settings(o, classes), plain_units(o)(*classes.T))


def test_long_suits():
    hands = np.concatenate([random_hands(500, seed=24), all_kinds(4, seed=25)])
    for hand, mask in zip(hands, masks_from_codes(hands), strict=True):
        lengths = np.bincount(hand % 4, minlength=4)
        wanted = sum(1 << (16 * suit + 4) for suit in range(4) if lengths[suit] >= 5)
        assert int(long_suits(mask)) == wanted


def test_bad_objectives_are_named():
    rows = setting_tables("second", "top_card").rows
    with pytest.raises(BadInput, match="differs between rows that tie"):
        objective(rows, tail=np.arange(7463.0))
    with pytest.raises(BadInput, match="must have 456 numbers"):
        objective(rows, head=np.zeros(7))
    with pytest.raises(BadInput, match="not finite"):
        objective(rows, middle=np.inf)
    with pytest.raises(BadInput, match="exactly 13 cards"):
        set_hands([7], greedy_policy())


def test_lexicographic_orders_by_tail_first():
    tables = setting_tables()
    o = lexicographic(tables.rows)
    classes = np.array([[455, 7462, 1], [1, 1, 2], [1, 2, 2], [2, 2, 2]], np.uint16)
    assert (np.diff(units_of_settings(o, classes)) > 0).all()

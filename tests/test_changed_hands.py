"""Hands that two lists of rules call differently: exact counts, uniform draws, carried settings."""

import numpy as np
import pytest
from scipy.stats import chi2, norm
from twins.specials import satisfies

from montecarlo.cards import BIT_OF_CODE
from montecarlo.dealing.dealer import deal_block
from montecarlo.dealing.streams import block_state
from montecarlo.errors import BadInput
from montecarlo.setting.policies import load_policy
from montecarlo.simulation.held_settings import carried_to_wheel, counterparts
from montecarlo.specials.changed_hands import ChangedHands
from montecarlo.specials.exact import TOTAL_HANDS, count_specials
from montecarlo.specials.many_lists import count_lists
from montecarlo.strength.tables import row_list, row_tables
from montecarlo.studies.readings import other_readings, pairs_of, under
from montecarlo.variants import load

FALSE_ALARM = 1e-6
BITS = BIT_OF_CODE.astype(np.uint64)


def codes(masks):
    """Card codes (n, 13) of masks (n,), as the twins take them."""
    return np.array([[c for c in range(52) if int(BITS[c]) & int(m)] for m in masks], np.uint8)


def first_by_twin(hands, rules):
    first = np.full(len(hands), len(rules))
    for place in range(len(rules) - 1, -1, -1):
        first[satisfies(hands, rules[place])] = place
    return first


@pytest.mark.parametrize(("name", "singles"), [("taiwan", 3), ("baibian", 0)])
def test_lists_counted_together_have_the_counts_of_each_alone(name, singles):
    variant = load(name)
    readings = other_readings(variant)
    chosen = [(), *((r,) for r in readings[:singles]), pairs_of(readings)[-1]]
    lists = [under(variant, case).rules for case in chosen]
    for rules, found in zip(lists, count_lists(lists), strict=True):
        alone = count_specials(rules)
        assert (found.inclusive, found.exclusive, found.none) == (
            alone.inclusive, alone.exclusive, alone.none,
        )  # fmt: skip


def test_more_lists_than_fit_into_one_count_are_counted_in_several():
    variant = load("taiwan")
    cases = [(), *pairs_of(other_readings(variant))]
    lists = [under(variant, case).rules for case in cases]
    assert len({rule for rules in lists for rule in rules}) > 32
    found = count_lists(lists)
    assert len(found) == len(lists)
    for place in (1, len(lists) - 1):
        assert found[place].exclusive == count_specials(lists[place]).exclusive


def test_changed_hands_of_readings_that_are_counted_by_hand():
    base = load("taiwan").rules
    royals, flushes, lowest = (
        count_lists((base, load("taiwan", [knob]).rules))[1].changed
        for knob in ("twelve_royals.min=12", "three_flushes.distinct=true", "wheel=lowest")
    )
    # 12 of the 16 royals and one of the 36 other cards; some were other specials before
    assert royals == 1820 * 36
    assert flushes == (
        count_specials(base).exclusive[-1]
        - count_specials(load("taiwan", ["three_flushes.distinct=true"]).rules).exclusive[-1]
    )
    assert lowest == 0


def test_changed_hands_are_as_frequent_in_deals_as_they_are_counted():
    rules, other = (load("hongkong", k).rules for k in ([], ["window_A_10.no_gap=true"]))
    hands = ChangedHands(rules, other)
    masks = deal_block(3, 0, 65536)
    per_deal = hands.are(masks).sum(axis=1)
    z = (per_deal.mean() - 4 * hands.chance) / (per_deal.std(ddof=1) / len(masks) ** 0.5)
    assert abs(z) < norm.isf(FALSE_ALARM / 2)
    some = masks[:500].reshape(-1)
    by_twin = first_by_twin(codes(some), rules) != first_by_twin(codes(some), other)
    assert by_twin.tolist() == hands.are(some).tolist()
    assert by_twin.any()


@pytest.mark.parametrize("knob", ["twelve_royals.min=12", "six_pairs.quads=false", "qka=true"])
def test_drawn_hands_are_changed_ones(knob):
    rules, other = load("taiwan").rules, load("taiwan", [knob]).rules
    drawn = ChangedHands(rules, other).draw(block_state(1, 0), 400)
    hands = codes(drawn)
    assert (first_by_twin(hands, rules) != first_by_twin(hands, other)).all()
    again = ChangedHands(rules, other).draw(block_state(1, 0), 400)
    assert drawn.tolist() == again.tolist()


def test_drawn_hands_are_uniform_also_over_rules_that_overlap():
    # windows change in both directions; the hands are told apart by who declares them now
    rules, other = (load("hongkong", k).rules for k in ([], ["qka=true", "six_pairs.quads=false"]))
    hands = ChangedHands(rules, other)
    number = 6000
    drawn = codes(hands.draw(block_state(5, 0), number))
    before, after = first_by_twin(drawn, rules), first_by_twin(drawn, other)
    exact = [
        count_lists((rules, load("hongkong", [knob]).rules))[1].changed
        for knob in ("qka=true", "six_pairs.quads=false")
    ]
    assert sum(exact) == hands.count  # no hand is changed by both
    straights = np.count_nonzero(after == 2) / number
    p = exact[0] / hands.count
    assert abs(straights - p) < norm.isf(FALSE_ALARM / 2) * (p * (1 - p) / number) ** 0.5
    assert (before != after).all()


def test_the_thirteenth_card_beside_twelve_royals_is_any_of_the_others():
    rules, other = load("taiwan").rules, load("taiwan", ["twelve_royals.min=12"]).rules
    drawn = codes(ChangedHands(rules, other).draw(block_state(2, 0), 7200))
    counts = np.bincount(drawn[drawn < 36], minlength=36)
    assert counts.sum() == 7200
    assert ((counts - 200) ** 2 / 200).sum() < chi2.isf(FALSE_ALARM, 35)


def test_nothing_is_drawn_where_nothing_changes():
    rules = load("taiwan").rules
    hands = ChangedHands(rules, load("taiwan", ["wheel=lowest"]).rules)
    assert hands.count == 0 == hands.chance * TOTAL_HANDS
    with pytest.raises(BadInput, match="no hand"):
        hands.draw(block_state(1, 0), 1)


# --- settings carried to another wheel rule ----------------------------------------------------


@pytest.mark.parametrize("old", ["second", "lowest", "none"])
@pytest.mark.parametrize("new", ["second", "lowest", "none"])
def test_rows_keep_their_values_and_the_order_stays(old, new):
    places = counterparts(old, new)
    rows, known = row_list(new), row_list(old)
    assert places.shape == (7463,)
    assert (np.diff(places) >= 0).all()
    a5 = (12, 3, 2, 1, 0)
    straights = {4, 8}
    for place, row in zip(places[1:], rows, strict=True):
        there = known[place - 1]
        if there != row:  # only where the place of A-5 differs, or what it is
            assert a5 in (row.grouped, there.grouped) or row.category in straights
            assert there.category == row.category or row.grouped == a5


def test_hands_without_a_straight_from_the_ace_are_set_as_before():
    policy = load_policy(load("points123"), "balanced", "any", 4)
    carried = carried_to_wheel(policy, "none")
    assert carried_to_wheel(policy, "second") is policy
    assert carried.sha256 != policy.sha256
    masks = deal_block(9, 0, 1000).reshape(-1)
    hands = codes(masks)
    without = np.array([not {12, 0, 1, 2, 3} <= set(hand // 4) for hand in hands])
    before, after = policy.set_classes(masks), carried.set_classes(masks)
    one, other = row_tables("second"), row_tables("none")
    assert (before[without, 0] == after[without, 0]).all()
    for row in (1, 2):
        for field in ("category", "ranks"):
            old, new = getattr(one, field)[before[:, row]], getattr(other, field)[after[:, row]]
            assert (old == new)[without].all()
    # and what is set is legal under the new rule
    assert (after[:, 1] <= after[:, 2]).all()
    assert (after[:, 0] <= other.head_limit[after[:, 1]]).all()
    assert 0 < without.mean() < 1

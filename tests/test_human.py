"""The human policy: how often he errs, what second best is, what a foul costs, how he is named."""

import math

import numpy as np
import pytest

from montecarlo.cards import codes_from_masks, codes_of_mask, format_card
from montecarlo.dealing.dealer import deal_block
from montecarlo.errors import BadInput
from montecarlo.scoring import score
from montecarlo.scoring.many_deals import score_deals
from montecarlo.setting.few_hands import for_few_hands
from montecarlo.setting.human import chances
from montecarlo.setting.seating import read_policy_words, seat_policies
from montecarlo.setting.static_tables import setting_tables
from montecarlo.simulation.payouts import play_hands, scoring_rules
from montecarlo.strength.evaluate import legal
from montecarlo.strength.tables import row_tables
from montecarlo.studies.advise import advise
from montecarlo.studies.compare import compare
from montecarlo.studies.simulate import simulate
from montecarlo.variants import load
from tests.twins import settings as twin

LIMIT = 4.9
"""Standard errors that chance exceeds once in a million."""


def hands(count, seed=21):
    return np.ascontiguousarray(deal_block(seed, 0, count, players=2)[:, 0])


def seats(name, words, players=4):
    return seat_policies(load(name), read_policy_words(words, players), players)


def policy(name, words):
    return seats(name, words)[1].policy


def test_errors_come_as_often_as_said():
    masks = hands(60_000)
    best = policy("taiwan", "equilibrium").set_classes(masks)
    found = policy("taiwan", "human:second=0.3,foul=0.05").set_classes(masks)
    fouled = found[:, 1] > found[:, 2]
    changed = (found != best).any(axis=1)
    # of equal middle and tail, and of hands with one setting, there are fewer than one in 500
    for share, p in ((fouled.mean(), 0.05), (changed.mean(), 0.35)):
        assert abs(share - p) < LIMIT * math.sqrt(p * (1 - p) / masks.size) + 0.002 * p
    assert np.array_equal(found[fouled][:, [0, 2, 1]], best[fouled])


def test_chances_are_evenly_spread():
    found = chances(hands(65_536))
    counts = np.bincount((found * 64).astype(int), minlength=64)
    chi_square = ((counts - 1024) ** 2 / 1024).sum()
    assert chi_square < 138  # the quantile of 63 degrees of freedom at 1 - 1e-7 or so
    assert (found >= 0).all()
    assert (found < 1).all()


def test_more_errors_are_added_to_the_same_ones():
    masks = hands(4_000)
    best = policy("coins", "equilibrium").set_packed(masks)
    few, many = (policy("coins", f"human:second={p},foul=0").set_packed(masks) for p in (0.1, 0.4))
    err = few != best
    assert 0 < err.sum() < (many != best).sum()
    assert np.array_equal(many[err], few[err])
    order = np.random.default_rng(3).permutation(masks.size)
    human = policy("coins", "human")
    assert np.array_equal(human.set_packed(masks[order]), human.set_packed(masks)[order])


@pytest.mark.parametrize(
    ("name", "compare"), [("taiwan", "grouped"), ("hongkong_edge", "top_card")]
)
def test_second_best_is_the_frontiers_by_brute_force(name, compare):
    masks = hands(40, seed=22)
    best, second = policy(name, "equilibrium"), policy(name, "human:second=1,foul=0")
    chosen, taken = best.set_classes(masks), second.set_classes(masks)
    rows = setting_tables("second", compare).rows

    def values(classes):
        head, middle, tail = np.asarray(classes, np.int64).T
        return np.stack([rows.value[tail], rows.value[middle], rows.head_value[head]], axis=1)

    for mask, own, other in zip(masks, chosen, taken, strict=True):
        front = twin.frontier(codes_from_masks(np.array([mask]))[0], "second", compare)
        front = front[:, :3][(front[:, :3] != values([own])).any(axis=1)]
        (place,) = np.flatnonzero((front == values([other])).all(axis=1))
        classes = []  # some classes that have the values of each setting
        for tail, middle, head in front.tolist():
            classes.append([np.flatnonzero(rows.head_value == head)[-1],
                            np.flatnonzero(rows.value == middle)[-1],
                            np.flatnonzero(rows.value == tail)[-1]])  # fmt: skip
        repeated = np.full(len(classes), mask)
        units = best.expected_units(repeated, np.array(classes, np.uint16))
        assert place == units.argmax()


@pytest.mark.parametrize("name", ["taiwan", "hongkong", "bidaxiao", "bidaxiao2", "baodao"])
def test_fouls_are_scored_as_tables_of_cards_are(name):
    variant = load(name)
    seated = seats(name, "human:second=0.3,foul=0.4,human:foul=0.5,equilibrium,greedy")
    masks = deal_block(5, 0, 60)
    rules = scoring_rules(variant)
    firsts, played = play_hands(variant, rules, masks, seated)
    units, _ = score_deals(rules, played, 0)
    rows = np.stack(
        [s.policy.set_rows(np.ascontiguousarray(masks[:, p]), variant.tie)
         for p, s in enumerate(seated)], axis=1,
    )  # fmt: skip
    assert np.array_equal(np.bitwise_or.reduce(rows, axis=2), masks)

    def text(mask):
        return " ".join(map(format_card, codes_of_mask(int(mask))))

    tables = []
    for deal in range(len(masks)):
        players = []
        for seat in range(4):
            if firsts[deal, seat] >= 0:
                special = variant.specials[firsts[deal, seat]].id
                players.append({"special": special, "hand": text(masks[deal, seat])})
            else:
                named = zip(("head", "middle", "tail"), rows[deal, seat], strict=True)
                players.append({row: text(mask) for row, mask in named})
        tables.append({"players": players, "banker": 0})
    scored = [list(result.units) for result in score(variant, tables)]
    assert scored == units.tolist()
    classes = seated[0].policy.set_classes(np.ascontiguousarray(masks[:, 0]))
    share = 1 - legal(*classes.T, row_tables(variant.wheel)).mean()
    assert 0.1 < share < 0.75


def test_where_fouls_are_refused_there_are_none():
    masks = hands(2_000)
    classes = policy("coins", "human:second=0,foul=1").set_classes(masks)
    assert np.array_equal(classes, policy("coins", "equilibrium").set_classes(masks))


def test_a_foul_is_not_foreseen():
    masks = hands(2_000)
    best, human = policy("taiwan", "equilibrium"), policy("taiwan", "human:second=0,foul=1")
    units = human.expected_units(masks, human.set_classes(masks))
    assert np.array_equal(units, best.expected_units(masks, best.set_classes(masks)))


@pytest.mark.slow
def test_few_hands_are_set_alike():
    masks = hands(60)
    seated = seats("hongkong_edge", "human:second=0.5,foul=0.1")
    for usual, light in zip(seated, for_few_hands(seated), strict=True):
        assert np.array_equal(usual.policy.set_packed(masks), light.policy.set_packed(masks))


def test_words():
    words = "human:second=0.2,foul=0.01,greedy,human, equilibrium:declare=best"
    assert read_policy_words(words, 4) == (
        "human:second=0.2,foul=0.01", "greedy", "human", "equilibrium:declare=best"
    )  # fmt: skip
    (seat,) = set(seats("taiwan", "human:foul=0,declare=best", 4)[:1])
    assert (seat.declare, seat.policy.second, seat.policy.foul) == ("best", 0.2, 0.0)
    default = policy("taiwan", "human")
    assert default.sha256 == policy("taiwan", "human:foul=0.01,second=0.2").sha256
    assert default.sha256 != policy("taiwan", "human:second=0.3").sha256


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("humann", "did you mean 'human'"),
        ("human:secnd=0.1", "did you mean 'second'"),
        ("human:second=often", "second is a probability, 0 to 1, not 'often'"),
        ("human:second=1.5", "second is a probability, 0 to 1, not 1.5"),
        ("human:second=0.7,foul=0.7", "exclude each other"),
        ("greedy:foul=0.1", "only :declare"),
    ],
)
def test_wrong_words(words, says):
    with pytest.raises(BadInput, match=says):
        seats("taiwan", words)


def test_every_study_takes_him():
    words = "human:second=0.5,foul=0.02,greedy,greedy,greedy"
    played = simulate("points123", deals=500, seed=1, policy=words)
    assert played.to_data()["policy"] == words
    against = compare(("points123", "human"), ("points123", "human:second=0,foul=0"),
                      deals=500, seed=1)  # fmt: skip
    assert against.settings[0] == against.settings[1]
    sheet = advise("taiwan", "As Ks Qs Js Ts 9h 8h 7d 6d 5c 4c 3c 2h", tables=500, seed=1,
                   policy="human:second=0.5,foul=0.2")  # fmt: skip
    assert sheet.to_data()

"""What each claim comes to, and that a second way comes to the same."""

from collections import Counter
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations
from math import comb, isclose

import numpy as np
import pytest

from montecarlo.cards import parse_cards
from montecarlo.scoring import score
from montecarlo.studies.claims.home_runs import WINNERS, tables_round
from montecarlo.studies.claims.millionaire import strongest_hands
from montecarlo.studies.claims.royals import best_units, twelve_royal_hands
from montecarlo.studies.claims.schema import load_claims
from montecarlo.studies.claims.units import PLAIN, STRONGEST, legal_categories, units_won
from montecarlo.studies.claims.weakest import weakest_hand
from montecarlo.studies.verify import verify
from montecarlo.variants import load
from tests.twins import rows as twin

TOTAL = comb(52, 13)
Z_ONE_IN_A_MILLION = 4.9  # two-sided false-alarm rate 1e-6
NAMES = ("high_card", "pair", "two_pairs", "three", "straight",
         "flush", "full_house", "four", "straight_flush")  # fmt: skip

VERDICTS = {
    "dragon-odds": "refuted",
    "suited-dragon-odds": "confirmed",
    "weakest-hand": "confirmed",
    "strongest-normal-hk": "confirmed",
    "strongest-normal-tw": "refuted",
    "royals-84": "confirmed",
    "royals-84-twelve": "refuted",
    "sweep-72": "confirmed",
    "dragon-108": "confirmed",
    "home-run-split": "confirmed",
    "one-hand-millionaire": "refuted",
    "both-report": "confirmed",
    "equal-tiers": "refuted",
    "taiwan-order": "refuted",
    "same-three": "refuted",
    "page-quads": "refuted",
    "page-dragon": "confirmed",
    "distinct-ranks": "confirmed",
    "suit-shapes": "confirmed",
    "yarborough": "confirmed",
}


@lru_cache(maxsize=1)
def answers():
    return verify(VERDICTS)


def values(name):
    return [Fraction(value) for value in answers()[name].finding.values]


@lru_cache(maxsize=1)
def random_hands():
    """Hands dealt by numpy alone: codes, shape (200000, 13)."""
    generator = np.random.default_rng(20261129)
    return np.argsort(generator.random((200_000, 52)), axis=1)[:, :13]


def agrees_with_share(share, p):
    """Whether a share of the random hands agrees with p at the false-alarm rate above."""
    error = (p * (1 - p) / len(random_hands())) ** 0.5
    return abs(share - p) <= Z_ONE_IN_A_MILLION * error


def test_every_claim_of_the_table_is_shipped():
    assert set(VERDICTS) <= set(load_claims())


@pytest.mark.parametrize("name", VERDICTS)
def test_verdict(name):
    verified = answers()[name]
    assert verified.verdict == VERDICTS[name]
    assert verified.finding.why
    for judged in verified.figures:
        assert (judged.factor is None) == (judged.verdict == "confirmed" or name == "taiwan-order")
        assert judged.factor is None or judged.factor > 1


@pytest.mark.parametrize("name", VERDICTS)
def test_second_ways_agree(name):
    finding = answers()[name].finding
    for check in finding.checks:
        value = finding.values[0]
        if check.se == 0:
            assert Fraction(check.value) == value, check
        else:
            assert abs(float(check.value) - float(value)) <= Z_ONE_IN_A_MILLION * check.se, check


@pytest.mark.parametrize(
    "name", ["dragon-odds", "page-quads", "distinct-ranks", "yarborough", "suit-shapes"]
)
def test_odds_were_simulated_too(name):
    assert "simulation" in {check.method for check in answers()[name].finding.checks}


# --- odds -----------------------------------------------------------------------------------


def test_dragon_is_off_by_1_29_million_and_the_slip_is_named():
    verified = answers()["dragon-odds"]
    assert values("dragon-odds") == [Fraction(TOTAL, 4**13)]
    assert isclose(verified.factor, 12_211_799_223 * 4**13 / TOTAL)
    assert 1.29e6 < verified.factor < 1.291e6
    assert verified.finding.slip.startswith("C(52,13)/52:")
    assert round(Fraction(TOTAL, 52)) == 12_211_799_223


def test_suited_dragon_is_exactly_the_figure():
    assert values("suited-dragon-odds") == [158_753_389_900]
    assert answers()["suited-dragon-odds"].finding.slip is None


def test_quads_slip_gives_the_published_figure():
    assert values("page-quads")[0] == 21_717_689_136
    assert 13 * comb(48, 9) - 12 * comb(44, 5) == 21_789_354_224
    assert answers()["page-quads"].finding.slip.startswith("13·C(48,9) - 12·C(44,5):")


def test_odds_against_hands_dealt_by_numpy():
    hands = random_hands()
    ranks = np.sort(hands // 4, axis=1)
    fours = (ranks[:, 3:] == ranks[:, :-3]).any(axis=1)
    assert agrees_with_share(fours.mean(), float(values("page-quads")[1]) / 100)
    assert agrees_with_share((ranks[:, -1] <= 7).mean(), float(1 / values("yarborough")[0]))
    distinct = 1 + (ranks[:, 1:] != ranks[:, :-1]).sum(axis=1)
    error = distinct.std() / len(hands) ** 0.5
    assert abs(distinct.mean() - float(values("distinct-ranks")[0])) <= Z_ONE_IN_A_MILLION * error


# --- the weakest hand -----------------------------------------------------------------------


@cache
def best_row(codes, wheel):
    return max(
        twin.key(twin.cards_of_codes(row), wheel, "grouped") for row in combinations(codes, 5)
    )


@pytest.mark.parametrize("wheel", ["second", "lowest", "none"])
def test_weakest_hand_shown_allows_no_more(wheel):
    weak = weakest_hand(wheel)
    assert weak.category == "two_pairs"
    assert weak.row == (1, 1, 0, 0, 12)  # 3 3 2 2 A
    assert best_row(weak.hand, wheel) == (NAMES.index("two_pairs"), [1, 0, 12])


@pytest.mark.parametrize("wheel", ["second", "lowest", "none"])
def test_no_random_hand_is_weaker_and_as_many_allow_two_pairs_only(wheel):
    codes = random_hands()
    ranks, suits = codes // 4, codes % 4
    counts = (ranks[:, :, None] == np.arange(13)).sum(axis=1)
    held = counts > 0
    runs = [list(range(low, low + 5)) for low in range(9)]
    runs += [[12, 0, 1, 2, 3]] if wheel != "none" else []
    straight = np.any([held[:, run].all(axis=1) for run in runs], axis=0)
    flush = ((suits[:, :, None] == np.arange(4)).sum(axis=1) >= 5).any(axis=1)
    modest = ~straight & ~flush & (counts.max(axis=1) <= 2)
    assert (held.sum(axis=1)[modest] <= 11).all()
    weak = weakest_hand(wheel)
    assert agrees_with_share(modest.mean(), weak.hands_of_category / TOTAL)
    # the quick test above against a look at all 1,287 rows
    for hand in np.flatnonzero(modest)[:3].tolist() + np.flatnonzero(~modest)[:9].tolist():
        kind = best_row(tuple(codes[hand].tolist()), wheel)[0]
        assert kind >= NAMES.index("two_pairs")
        assert (kind == NAMES.index("two_pairs")) == modest[hand]


def test_hands_as_weak_as_the_weakest_are_counted():
    weak = weakest_hand("second")
    # 3 3 2 2 A and nine of the ten ranks 4 … K without a straight: missing two of them, listed here
    others = range(2, 12)
    sets = [
        missing
        for missing in combinations(others, 2)
        if not any(
            all(rank % 13 not in missing for rank in range(low, low + 5)) for low in range(-1, 9)
        )
    ]
    assert sets == [(3, 8)]  # the 5 and the 10
    # suits: two pairs and nine single cards, no suit five times; counted by lengths
    ways = Counter({(0, 0, 0, 0): 1})
    for size in (2, 2, *[1] * 9):
        longer = Counter()
        for lengths, number in ways.items():
            for suits in combinations(range(4), size):
                longer[tuple(n + (s in suits) for s, n in enumerate(lengths))] += number
        ways = longer
    without_flush = sum(number for lengths, number in ways.items() if max(lengths) < 5)
    assert weak.hands_as_weak == len(sets) * without_flush


# --- units ----------------------------------------------------------------------------------


def scored(variant, winner, deals=40):
    """Scores of tables that the first player wins by a home run."""
    tables = list(tables_round(winner, deals))
    return [one for one in score(variant, tables) if one.lines["home_run"][0] > 0]


def test_72_and_its_parts_come_out_of_scored_tables():
    found = scored("points123", WINNERS[2])
    assert len(found) > 20
    for one in found:
        assert one.units[0] == values("sweep-72")[0] == 72
        assert sum(one.lines[line][0] for line in one.lines if line.startswith("row.")) == 18
        assert one.lines["gun"][0] == 18
        assert one.lines["home_run"] == (36, -12, -12, -12)


def test_108_comes_out_of_a_scored_table():
    dragon = "2d 3c 4h 5s 6d 7c 8h 9s Td Jc Qh Ks Ad"
    table = next(tables_round((dragon[:8], dragon[9:23], dragon[24:]), 1))
    table["players"][0] = {"special": "dragon", "hand": dragon}
    assert score("points123", [table])[0].lines["special.dragon"] == (108, -36, -36, -36)


@pytest.mark.parametrize(("variant", "units"), [("hongkong", 18), ("taiwan", 11)])
def test_strongest_setting_comes_out_of_scored_tables(variant, units):
    tables = list(tables_round(WINNERS[0], 30))
    rows = [sum(one.lines[line][0] for line in one.lines if line.startswith("row."))
            for one in score(variant, tables)]  # fmt: skip
    assert set(rows) == {3 * units}


@pytest.mark.parametrize("variant", ["taiwan", "taiwan_classic", "points123"])
def test_units_won_is_what_scoring_pays_for_a_home_run(variant):
    kinds = [STRONGEST, ("three", "four", "four"), ("pair", "full_house", "full_house")]
    for winner, kind in zip(WINNERS, kinds, strict=True):
        found = scored(variant, winner)
        assert len(found) > 20
        assert {one.units[0] for one in found} == {3 * units_won(load(variant), kind).home_run}


def test_legal_categories_are_those_with_head_at_most_middle_at_most_tail():
    expected = {
        (h, m, t)
        for h in ("high_card", "pair", "three")
        for m in NAMES
        for t in NAMES
        if NAMES.index(h) <= NAMES.index(m) <= NAMES.index(t)
    }
    assert set(legal_categories()) == expected
    assert PLAIN in expected


def test_where_eighteen_comes_from():
    assert values("strongest-normal-tw") == [11]
    assert answers()["strongest-normal-tw"].finding.details["gun"] == 22
    assert "V8 " in answers()["strongest-normal-tw"].finding.slip


# --- royals ---------------------------------------------------------------------------------

TAIWAN_EXTRAS = (
    {"three": 1},
    {"full_house": 1, "four": 3, "straight_flush": 4},
    {"four": 2, "straight_flush": 3},
)


def brute_best(codes):
    """Most units from one opponent by a home run under V9, over all 72,072 settings."""
    keys = {
        row: twin.key(twin.cards_of_codes(row), "second", "grouped")
        for size in (3, 5)
        for row in combinations(codes, size)
    }
    fits = {}
    best = 0
    for head in combinations(codes, 3):
        left = tuple(code for code in codes if code not in head)
        for middle in combinations(left, 5):
            tail = tuple(code for code in left if code not in middle)
            if keys[middle] > keys[tail]:
                continue
            units = 3 + sum(
                extras.get(NAMES[keys[row][0]], 0)
                for extras, row in zip(TAIWAN_EXTRAS, (head, middle, tail), strict=True)
            )
            if units <= best:
                continue
            pair = head, middle
            if pair not in fits:
                fits[pair] = twin.head_under_middle(
                    twin.cards_of_codes(head), twin.cards_of_codes(middle), "second"
                )
            if fits[pair]:
                best = units
    return best * 2 * 2


ROYAL_HANDS = (
    "Jd Qd Kd Ad Jc Qc Kc Ac Jh Qh Kh Ah Js",
    "Jd Qd Kd Ad Jc Qc Kc Ac Jh Qh Kh Ah As",
    "Jd Qd Kd Jc Qc Kc Ac Jh Qh Ah Js Ks As",
    "Jd Qd Kd Ad Jc Qc Kc Ac Jh Qh Kh Ah Td",
    "Jd Qd Kd Ad Jc Qc Kc Ac Jh Qh Kh Ah 2d",
    "Jd Qd Kd Ad Jc Qc Kc Ac Jh Qh Kh As Ts",
    "Jd Qd Jc Qc Kc Ac Jh Qh Kh Ah Ks As 9h",
    "Jd Qd Kd Jc Qc Jh Qh Kh Ah Js Qs As 3c",
)


@pytest.mark.parametrize("text", ROYAL_HANDS)
def test_best_royal_setting_against_all_settings(text):
    codes = parse_cards(text)
    ranks = tuple(sorted((code // 4 for code in codes), reverse=True))
    ten = codes[-1]
    royal_flush = ten // 4 == 8 and all(ten + 4 * step in codes for step in range(1, 5))
    assert best_units(load("taiwan"), ranks, royal_flush) == brute_best(codes)


def test_all_royal_hands_are_looked_at():
    assert sum(answers()["royals-84"].finding.details["hands_by_units"].values()) == comb(16, 13)
    twelve = answers()["royals-84-twelve"].finding
    assert sum(twelve.details["hands_by_units"].values()) == comb(16, 12) * 36
    hands = list(twelve_royal_hands())
    assert len({frozenset(hand) for hand in hands}) == len(hands) == comb(16, 12) * 36
    assert values("royals-84-twelve") == [48]


# --- one hand a millionaire -----------------------------------------------------------------


@pytest.mark.parametrize("wheel", ["second", "none"])
def test_strongest_hands_are_listed_once_and_none_is_missed(wheel):
    tops = range(4 if wheel == "none" else 3, 13)
    straight_flushes = [
        frozenset(((top - step) % 13, suit) for step in range(5))
        for suit in range(4)
        for top in tops
    ]
    hands = set()
    for one, other in combinations(straight_flushes, 2):
        used = one | other
        if len(used) == 10:
            free = [[(rank, s) for s in range(4) if (rank, s) not in used] for rank in range(13)]
            hands |= {used | set(head) for cards in free for head in combinations(cards, 3)}
    masks = {sum(1 << (16 * suit + rank) for rank, suit in hand) for hand in hands}
    assert masks == strongest_hands(wheel)


def test_millionaire_figures():
    details = answers()["one-hand-millionaire"].finding.details
    assert details["most_units"] == 54
    assert values("one-hand-millionaire") == [2000 + 54 * 2000]
    assert 2000 + 54 * details["stake_needed"] >= 1_000_000
    assert 2000 + 54 * (details["stake_needed"] - 1) < 1_000_000
    assert details["chance_at_most"] == pytest.approx(
        (len(strongest_hands("second")) + 4) / TOTAL, rel=1e-12
    )


# --- rarity ---------------------------------------------------------------------------------


def test_taiwan_inversions_by_the_counts_known():
    details = answers()["taiwan-order"].finding.details
    hands = {special["id"]: special["hands"] for special in details["specials"]}
    assert hands["dragon"] == 67_108_864
    # 3+3+3+3+1 and 4+3+3+3 cards of a rank
    fours_and_triples = comb(13, 4) * 4**4 * 36 + 13 * comb(12, 3) * 4**3
    assert hands["four_triples"] == fours_and_triples
    points = {special["id"]: special["points"] for special in details["specials"]}
    upside_down = {
        (a, b) for a in hands for b in hands if points[a] > points[b] and hands[a] > hands[b]
    }
    assert {tuple(pair) for pair in details["inversions"]} == upside_down
    assert ("dragon", "three_quads") in upside_down
    assert values("taiwan-order") == [len(upside_down)]


def test_same_three_ratio():
    # three flushes: 5,705,516,392 hands, three straights: 1,799,936,256
    assert values("same-three") == [Fraction(5_705_516_392, 1_799_936_256)]


def test_equal_tiers_are_unequal():
    first, second = values("equal-tiers")
    details = answers()["equal-tiers"].finding.details
    assert list(details) == ["baibian", "shaoxing"]
    for ratio, tiers in zip((first, second), details.values(), strict=True):
        spreads = [
            Fraction(max(s["hands"] for s in tier), min(s["hands"] for s in tier))
            for tier in tiers.values()
        ]
        assert sorted(tiers) == ["1", "2", "3"]
        assert ratio == max(spreads)
        assert ratio > 5


# --- both report ----------------------------------------------------------------------------


def test_both_report_lies_near_independence_and_under_it():
    verified = answers()["both-report"]
    details = verified.finding.details
    low, high = verified.ci95
    assert low < details["pair"]["p"] < high
    assert details["pair"]["p"] == pytest.approx(details["independent_p"], rel=0.2)
    # any of three players: between one pair's chance and three times it
    assert details["pair"]["p"] < details["banker_and_any_player"]["p"] < 3 * details["pair"]["p"]

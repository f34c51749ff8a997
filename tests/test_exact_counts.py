"""Exact counts of specials against golden figures, plain enumerations and random hands."""

from collections import Counter
from itertools import combinations, product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from twins import exact_hands as twin

from montecarlo.errors import BadInput
from montecarlo.specials.exact import TOTAL_HANDS, count_specials, signature_counts
from montecarlo.specials.predicates import PREDICATES, rule
from montecarlo.specials.rank_signatures import rank_signatures
from montecarlo.specials.rank_vectors import TYPES, packed_codes, rank_vectors
from montecarlo.specials.suit_runs import assignments_without_straight_flush
from montecarlo.variants.load import all_variants, load

FALSE_ALARM = 1e-6
RANK_RULES = [
    rule("dragon"),
    rule("twelve_royals", min=12),
    rule("three_quads"),
    rule("rank_window"),
    rule("rank_window", low="A", high="10", no_gap=True),
    rule("rank_window", low="6", high="K"),
    rule("four_triples"),
    rule("five_pairs_triple", quads=False),
    rule("five_pairs_triple"),
    rule("six_pairs", quads=False),
    rule("six_pairs", triple=False),
    rule("six_pairs", quads=False, triple=False),
    rule("six_pairs"),
    rule("three_straights", wheel="none", qka=True),
    rule("three_straights", a23=False),
    rule("has_quads"),
    rule("has_triple"),
    rule("has_pair"),
]
LENGTH_RULES = [
    rule("suited_dragon"),
    rule("one_colour"),
    rule("one_off_colour"),
    rule("three_flushes"),
    rule("three_flushes", distinct=True),
]
STRAIGHT_FLUSH_RULES = [
    rule("has_straight_flush"),
    rule("has_straight_flush", wheel="none"),
]
EVERYTHING = [
    *LENGTH_RULES,
    *STRAIGHT_FLUSH_RULES,
    rule("three_straight_flushes"),
    *RANK_RULES,
]


@pytest.fixture(scope="module")
def counts_of_everything():
    return signature_counts(EVERYTHING)


@pytest.fixture(scope="module")
def rank_counts():
    return twin.all_rank_counts()


def test_golden_exclusive_counts(golden):
    expected = golden("exact_counts.json")["exclusive"]
    for name, counts in expected.items():
        variant = load(name)
        found = count_specials(variant.rules).exclusive
        assert dict(zip([s.id for s in variant.specials], found, strict=True)) == counts


def test_golden_inclusive_counts(golden):
    expected = golden("exact_counts.json")["inclusive"]
    rules = {
        "dragon": rule("dragon"),
        "suited_dragon": rule("suited_dragon"),
        "six_pairs_strict": rule("six_pairs", quads=False, triple=False),
        "six_pairs_any": rule("six_pairs"),
        "three_flushes": rule("three_flushes"),
        "three_straights wheel=1 a23=1 qka=0": rule("three_straights"),
        "three_straights wheel=0 a23=0 qka=0": rule("three_straights", wheel="none", a23=False),
        "one_colour": rule("one_colour"),
        "three_quads": rule("three_quads"),
        "twelve_royals_ge12": rule("twelve_royals", min=12),
        "has_sf wheel=1": rule("has_straight_flush"),
        "quads>=1": rule("has_quads"),
        "all_small_2_8": rule("rank_window", low="2", high="8"),
    }
    found = count_specials(list(rules.values())).inclusive
    assert dict(zip(rules, found, strict=True)) == {name: expected[name] for name in rules}
    # "strict" four triples: exactly four threes and one card, no four of a kind
    triples = signature_counts([rule("four_triples"), rule("has_quads")])
    assert triples[0b01] == expected["four_triples_strict"]


@pytest.mark.parametrize("variant", all_variants(), ids=lambda variant: variant.id)
def test_counts_of_every_variant_add_up(variant):
    counts = count_specials(variant.rules)
    assert sum(counts.exclusive) + counts.none == TOTAL_HANDS == comb(52, 13) == counts.total
    assert all(0 <= e <= i for e, i in zip(counts.exclusive, counts.inclusive, strict=True))
    assert counts.exclusive[:1] == counts.inclusive[:1]


@st.composite
def rules_of_any_kind(draw):
    predicate = PREDICATES[draw(st.sampled_from(sorted(PREDICATES)))]
    options = {}
    for name, default in predicate.options.items():
        if isinstance(default, bool):
            options[name] = draw(st.booleans())
        elif name == "min":
            options[name] = draw(st.sampled_from([12, 13]))
        elif name == "wheel":
            options[name] = draw(st.sampled_from(["second", "lowest", "none"]))
    if predicate.name == "rank_window":
        places = draw(st.lists(st.integers(-1, 12), min_size=2, max_size=2, unique=True))
        low, high = sorted(places)
        if high - low > 12:
            high = 11
        options |= {"low": "A" if low < 0 else twin.RANKS[low], "high": twin.RANKS[high]}
    return rule(predicate.name, **options)


@settings(max_examples=4)
@given(st.lists(rules_of_any_kind(), max_size=32), st.randoms(use_true_random=False))
def test_any_rules_in_any_order(rules, shuffler):
    counts = count_specials(rules)
    assert sum(counts.exclusive) + counts.none == TOTAL_HANDS
    order = list(range(len(rules)))
    shuffler.shuffle(order)
    again = count_specials([rules[place] for place in order])
    assert again.inclusive == tuple(counts.inclusive[place] for place in order)
    assert again.none == counts.none
    for place, one in enumerate(rules):
        if one in rules[:place]:
            assert counts.exclusive[place] == 0


def test_too_many_rules():
    with pytest.raises(BadInput, match="at most 32"):
        count_specials([rule("dragon")] * 33)


def test_no_rules():
    assert count_specials([]).none == TOTAL_HANDS


def test_rank_rules_on_single_vectors(rank_counts):
    """A random 60,000 of all vectors and all three straights, each decided by itself."""
    rng = np.random.default_rng(19)
    straights = twin.three_straights_vectors(dict(rule("three_straights", qka=True).options))
    chosen = rank_counts[rng.choice(len(rank_counts), 60_000, replace=False)]
    chosen = np.concatenate([chosen, np.array(sorted(straights), dtype=np.int8)])
    places = rank_vectors().places(packed_codes(chosen.astype(np.int64)))
    found = rank_signatures(RANK_RULES).of_places(places)
    assert np.array_equal(found, twin.signatures(RANK_RULES, chosen, twin.rank_rule))
    assert len(set(found.tolist())) > 20


def test_vectors_stand_in_one_order(rank_counts):
    """Every vector has a place of its own, and the type there is right."""
    places = rank_vectors().places(packed_codes(rank_counts.astype(np.int64)))
    assert len(rank_counts) == len(rank_vectors()) == 3_598_180
    assert np.array_equal(np.bincount(places), np.ones(3_598_180))
    some = slice(None, None, 20)
    types = np.array(TYPES)[rank_vectors().types[places[some]]]
    for times in range(1, 5):
        assert np.array_equal((rank_counts[some] == times).sum(axis=1), types[:, times - 1])


@pytest.mark.slow
def test_rank_rules_on_all_vectors(rank_counts):
    weights = np.array([1, 4, 6, 4, 1])[rank_counts].prod(axis=1)
    assert weights.sum() == TOTAL_HANDS
    expected = Counter()
    for part in range(0, len(rank_counts), 200_000):
        rows = slice(part, part + 200_000)
        signatures = twin.signatures(RANK_RULES, rank_counts[rows], twin.rank_rule)
        found, inverse = np.unique(signatures, return_inverse=True)
        hands = np.bincount(inverse, weights=weights[rows])
        expected.update(dict(zip(found.tolist(), map(int, hands), strict=True)))
    assert signature_counts(RANK_RULES) == expected


@pytest.mark.parametrize("wheel", [True, False])
def test_straight_flushes_by_suit_lengths(wheel):
    """Given the lengths suits are independent: hands without are products over the suits."""
    flush = rule("has_straight_flush", wheel="second" if wheel else "none")
    suits = np.array(list(product([False, True], repeat=13)))
    free = ~twin.holds_straight_flush(suits, wheel)
    without = np.bincount(suits.sum(axis=1)[free], minlength=14).tolist()
    expected = Counter()
    for lengths in product(range(14), repeat=4):
        if sum(lengths) == 13:
            bits = sum(twin.lengths_rule(r, lengths) << i for i, r in enumerate(LENGTH_RULES))
            none = prod(without[length] for length in lengths)
            expected[bits] += none
            expected[bits | 1 << 5] += prod(comb(13, length) for length in lengths) - none
    assert signature_counts([*LENGTH_RULES, flush]) == {s: n for s, n in expected.items() if n}


@pytest.mark.parametrize("wheel", [True, False])
def test_suit_choices_of_single_rank_vectors(wheel, rank_counts):
    """Every suit choice of some rank vectors, tried one by one."""
    rng = np.random.default_rng(20)
    sample = rank_counts[rng.choice(len(rank_counts), 200_000, replace=False)].astype(np.int64)
    choices = np.array([1, 4, 6, 4, 1])[sample].prod(axis=1)
    straight = twin.holds_straight_flush(sample > 0, wheel)
    few = np.flatnonzero((choices <= 10_000) & straight)[:40]
    chosen = sample[few]
    found = assignments_without_straight_flush(wheel)[rank_vectors().places(packed_codes(chosen))]
    expected = []
    for counts in chosen:
        ranks = np.flatnonzero(counts)
        hands = np.zeros((1, 4, 13), dtype=bool)
        for rank in ranks:
            options = [list(c) for c in combinations(range(4), counts[rank])]
            hands = np.repeat(hands, len(options), axis=0)
            for number, option in enumerate(options):
                for suit in option:
                    hands[number :: len(options), suit, rank] = True
        expected.append((~twin.holds_straight_flush(hands, wheel).any(axis=1)).sum())
    assert found.tolist() == expected
    assert len(chosen) == 40
    assert (found < choices[few]).all()


def test_one_colour_hands_one_by_one():
    """All 5,200,300 hands of two suits, the first longer: straight flush and ranks."""
    rules = [
        rule("one_colour"), rule("dragon"), rule("has_straight_flush"), rule("six_pairs"),
        rule("three_flushes"), rule("rank_window", low="6", high="A"),
        rule("has_straight_flush", wheel="none"), rule("rank_window", low="2", high="10"),
    ]  # fmt: skip
    suits = np.array(list(product([False, True], repeat=13)))[:, ::-1]
    masks = np.arange(8192)
    lengths = suits.sum(axis=1)
    holds = {wheel: twin.holds_straight_flush(suits, wheel) for wheel in (True, False)}
    expected = Counter()
    for one in masks[lengths >= 7]:
        other = masks[lengths == 13 - lengths[one]]
        both = (masks[one] & other).astype(np.uint64)
        ranks = masks[one] | other
        bits = 1 | (both == 0).astype(np.int64) << 1
        bits |= (holds[True][one] | holds[True][other]).astype(np.int64) << 2
        bits |= (np.bitwise_count(both) == 6).astype(np.int64) << 3
        bits |= np.int64(lengths[one] in (0, 3, 5, 8, 10, 13)) << 4
        bits |= (ranks & 0b0000000001111 == 0).astype(np.int64) << 5
        bits |= (holds[False][one] | holds[False][other]).astype(np.int64) << 6
        bits |= (ranks & 0b1111000000000 == 0).astype(np.int64) << 7
        numbers = np.bincount(bits, minlength=256)
        expected.update({s: int(n) for s, n in enumerate(numbers) if n})
    # two colours, and either suit can be the longer one
    found = {s: n for s, n in signature_counts(rules).items() if s & 1}
    assert found == {s: 4 * n for s, n in expected.items()}


@pytest.mark.parametrize(
    "options", [{}, {"wheel": "none", "qka": True}, {"a23": False, "wheel": "lowest"}], ids=str
)
def test_three_straight_flushes_are_listed(options):
    one = rule("three_straight_flushes", **options)
    hands = twin.three_straight_flush_hands(dict(one.options))
    assert count_specials([one]).inclusive == (len(hands),)


def test_three_straight_flush_hands_one_by_one(counts_of_everything):
    """Among the hands listed, every other rule is decided hand by hand."""
    listed = twin.three_straight_flush_hands(dict(rule("three_straight_flushes").options))
    hands = np.zeros((len(listed), 4, 13), dtype=bool)
    for number, cards in enumerate(listed):
        for suit, rank in cards:
            hands[number, suit, rank] = True
    expected = Counter(twin.signatures(EVERYTHING, hands).tolist())
    bit = 1 << EVERYTHING.index(rule("three_straight_flushes"))
    assert {s: n for s, n in counts_of_everything.items() if s & bit} == expected


def assert_like_sample(exact, sample):
    """Chi-square of a sample's signatures against exact numbers; expected below 10 is pooled."""
    size, total = len(sample), sum(exact.values())
    seen = Counter(sample.tolist())
    assert not set(seen) - set(exact)
    cells, rare = [], [0, 0.0]
    for signature, hands in exact.items():
        expected = hands / total * size
        if expected >= 10:
            cells.append((seen[signature], expected))
        else:
            rare[0] += seen[signature]
            rare[1] += expected
    if rare[1] > 0:
        cells.append((rare[0], max(rare[1], 1.0)))
    statistic = sum((n - e) ** 2 / e for n, e in cells)
    assert len(cells) > 4
    assert statistic < chi2.isf(FALSE_ALARM, len(cells) - 1)


@pytest.mark.parametrize("parts", [1, pytest.param(50, marks=pytest.mark.slow)])
def test_everything_against_random_hands(parts, counts_of_everything):
    rng = np.random.default_rng(21)
    sample = [twin.signatures(EVERYTHING, twin.random_hands(rng, 40_000)) for _ in range(parts)]
    assert_like_sample(counts_of_everything, np.concatenate(sample))


@pytest.mark.parametrize("size", [30_000, pytest.param(500_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["one_off_colour", "three_flushes distinct"])
def test_straight_flushes_inside_rare_shapes(kind, size, counts_of_everything):
    """Random hands of one off colour, or 5-5-3, against the joint counts inside that rule."""
    rng = np.random.default_rng(22)
    if kind == "one_off_colour":
        bit = 1 << 2
        colour = np.argsort(rng.random((size, 26)), axis=1)[:, :12]
        held = np.zeros((size, 52), dtype=bool)
        np.put_along_axis(held, colour, True, axis=1)
        held[np.arange(size), rng.integers(26, 52, size)] = True
        hands = held.reshape(size, 4, 13)[:, [0, 2, 1, 3]]  # suits 0 and 2 are the red ones
    else:
        bit = 1 << 4
        hands = np.zeros((size, 4, 13), dtype=bool)
        for suit, length in enumerate((5, 5, 3)):
            hands[:, suit] = twin.random_subsets(rng, size, length)
    exact = {s: n for s, n in counts_of_everything.items() if s & bit}
    assert_like_sample(exact, twin.signatures(EVERYTHING, hands))

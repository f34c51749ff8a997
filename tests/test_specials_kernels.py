"""Special-hand kernels against brute-force twins, golden hands and exact counts."""

import os
import subprocess
import sys
from itertools import product
from math import comb, prod

import numpy as np
import pytest

from montecarlo.cards import masks_from_codes, parse_hand
from montecarlo.errors import BadInput
from montecarlo.specials.kernels import first_special, satisfied
from montecarlo.specials.predicates import PREDICATES, rule
from montecarlo.specials.program import MAX_RULES, Operation, compile_rules
from montecarlo.variants.schema import Variant
from tests.twins import specials as twin
from tests.twins.special_hands import every_rule, inside, near_misses, random_hands

RULES = every_rule()
SPLITTING = ("three_straights", "three_flushes", "three_straight_flushes")


def kernel_answers(hands, rules=RULES):
    """Return booleans (rules, hands): the rules in programs of at most 32."""
    masks = masks_from_codes(hands)
    answers = []
    for start in range(0, len(rules), MAX_RULES):
        part = rules[start : start + MAX_RULES]
        found = satisfied(masks, compile_rules(part))
        answers += [(found >> bit & 1).astype(bool) for bit in range(len(part))]
    return np.array(answers)


def assert_as_twin(hands, rules=RULES):
    for one, answers in zip(rules, kernel_answers(hands, rules), strict=True):
        wrong = np.flatnonzero(answers != twin.satisfies(hands, one))
        assert not len(wrong), f"{one}: {hands[wrong[0]]}"


def masks_of_rank_counts(counts):
    """Return hand masks of rank counts (n, 13): a rank held c times stands in the first c suits."""
    powers = np.uint64(1) << np.arange(13, dtype=np.uint64)
    lanes = [((counts > suit) * powers).sum(1, dtype=np.uint64) for suit in range(4)]
    return np.bitwise_or.reduce([lane << np.uint64(16 * s) for s, lane in enumerate(lanes)])


def label(one):
    """Return the golden file's name of a rule."""
    if one.predicate != "rank_window":
        return str(one)
    low, high, no_gap = (one.option(name) for name in ("low", "high", "no_gap"))
    return f"window_{low}_{high}[no_gap={str(no_gap).lower()}]"


def test_every_predicate_has_an_operation_and_rules_here():
    assert [name.upper() for name in PREDICATES] == [operation.name for operation in Operation]
    assert {one.predicate for one in RULES} == set(PREDICATES)
    assert len(set(RULES)) == len(RULES)


def test_golden_hands_satisfy_exactly_what_the_file_says(golden):
    cases = golden("specials_cases.jsonl")
    hands = np.array([parse_hand(case["hand"]) for case in cases], dtype=np.uint8)
    labels = [label(one) for one in RULES]
    for case, answers in zip(cases, kernel_answers(hands).T, strict=True):
        found = {name for name, yes in zip(labels, answers, strict=True) if yes}
        assert found == set(case["satisfied"]), case["id"]


def test_golden_hands_are_declared_as_the_file_says(golden):
    cases = golden("specials_cases.jsonl")
    masks = masks_from_codes(np.array([parse_hand(case["hand"]) for case in cases]))
    for name in cases[0]["variants"]:
        ids = [entry.id for entry in Variant.load(name).specials]
        program = compile_rules(Variant.load(name).rules)
        every, first = satisfied(masks, program), first_special(masks, program)
        for case, bits, index in zip(cases, every, first, strict=True):
            expected = case["variants"][name]
            found = [special for bit, special in enumerate(ids) if bits >> bit & 1]
            assert found == expected["all"], (name, case["id"])
            assert (ids[index] if index >= 0 else None) == expected["declared"]


def test_random_hands_as_the_twin():
    assert_as_twin(random_hands(np.random.default_rng(1), 20_000))


@pytest.mark.slow
def test_many_random_hands_as_the_twin():
    assert_as_twin(random_hands(np.random.default_rng(2), 200_000))


def check_inside(name, number):
    rng = np.random.default_rng(sum(map(ord, name)))
    hands = inside(name, rng, number)
    own = [one for one in RULES if one.predicate == name]
    assert np.any([twin.satisfies(hands, one) for one in own], axis=0).all()
    for one in own:  # the sampler reaches each option
        assert twin.satisfies(hands, one).any(), one
    assert_as_twin(hands)
    assert_as_twin(near_misses(rng, hands))


@pytest.mark.parametrize("name", PREDICATES)
def test_hands_from_inside_and_near_misses_as_the_twin(name):
    check_inside(name, 400)


@pytest.mark.slow
@pytest.mark.parametrize("name", PREDICATES)
def test_many_hands_from_inside_and_near_misses_as_the_twin(name):
    check_inside(name, 8_000)


def check_all_splits(number):
    """The 72,072 ways to deal the cards to three rows, for hands from inside and near misses."""
    rng = np.random.default_rng(3)
    rules = [one for one in RULES if one.predicate in SPLITTING]
    for name in SPLITTING:
        hands = inside(name, rng, number)
        hands = np.concatenate([hands, near_misses(rng, hands)])
        for hand, answers in zip(hands, kernel_answers(hands, rules).T, strict=True):
            assert twin.splits_by_rows(hand, rules) == list(answers), hand


def test_all_ways_to_split_a_hand():
    check_all_splits(2)


@pytest.mark.slow
def test_all_ways_to_split_many_hands():
    check_all_splits(60)


def test_three_straights_of_all_rank_counts_that_split(golden):
    one = rule("three_straights")
    rows = {tuple(np.bincount(ranks, minlength=13)) for ranks in twin._runs(dict(one.options))}
    counts = np.array(sorted(rows))
    assert satisfied(masks_of_rank_counts(counts), compile_rules([one])).all()
    hands = sum(prod(comb(4, int(c)) for c in row) for row in counts)
    assert hands == golden("exact_counts.json")["inclusive"]["three_straights wheel=1 a23=1 qka=0"]


def test_every_hand_of_three_straight_flushes_is_found(golden):
    rules = Variant.load("taiwan").rules
    wanted = twin._three_straight_flushes(*sorted(rule("three_straight_flushes").options))
    hands = np.array([[card for card in range(52) if int(m) >> card & 1] for m in wanted])
    program, masks = compile_rules(rules), masks_from_codes(hands)
    index = [one.predicate for one in rules].index("three_straight_flushes")
    assert (satisfied(masks, program) >> index & 1).all()
    found = np.count_nonzero(first_special(masks, program) == index)
    assert found == golden("exact_counts.json")["exclusive"]["taiwan"]["three_straight_flushes"]


def test_suit_lengths_give_the_exact_counts(golden):
    shapes = [shape for shape in product(range(14), repeat=4) if sum(shape) == 13]
    masks = [sum(((1 << n) - 1) << 16 * suit for suit, n in enumerate(shape)) for shape in shapes]
    weights = [prod(comb(13, n) for n in shape) for shape in shapes]
    found = satisfied(masks, compile_rules([rule("three_flushes"), rule("one_colour")]))
    inclusive = golden("exact_counts.json")["inclusive"]
    for bit, name in enumerate(("three_flushes", "one_colour")):
        assert (
            sum(w for w, f in zip(weights, found, strict=True) if f >> bit & 1) == inclusive[name]
        )


@pytest.mark.slow
def test_all_rank_counts_give_the_exact_counts(golden):
    """Every one of the 3,598,180 ways to hold 13 cards by rank."""
    counts = np.zeros((1, 0), dtype=np.uint8)
    for rank in range(13):
        counts = np.concatenate(
            [np.column_stack([counts, np.full(len(counts), c, np.uint8)]) for c in range(5)]
        )
        held = counts.sum(1, dtype=int)
        counts = counts[(held <= 13) & (held + 4 * (12 - rank) >= 13)]
    assert len(counts) == 3_598_180
    ways = np.array([comb(4, c) for c in range(5)])[counts].prod(axis=1)
    rules = [one for one in RULES if PREDICATES[one.predicate].reads == "ranks"]
    masks = masks_of_rank_counts(counts)
    totals = {}
    for start in range(0, len(rules), MAX_RULES):
        part = rules[start : start + MAX_RULES]
        found = satisfied(masks, compile_rules(part))
        for bit, one in enumerate(part):
            totals[one] = int(ways[(found >> bit & 1).astype(bool)].sum())
    inclusive = golden("exact_counts.json")["inclusive"]
    exact = {
        rule("dragon"): "dragon",
        rule("six_pairs", quads=False, triple=False): "six_pairs_strict",
        rule("six_pairs"): "six_pairs_any",
        rule("three_straights"): "three_straights wheel=1 a23=1 qka=0",
        rule("three_straights", wheel="none", a23=False): "three_straights wheel=0 a23=0 qka=0",
        rule("three_quads"): "three_quads",
        rule("twelve_royals", min=12): "twelve_royals_ge12",
        rule("has_quads"): "quads>=1",
        rule("rank_window", low="2", high="8"): "all_small_2_8",
    }
    assert {one: totals[one] for one in exact} == {one: inclusive[exact[one]] for one in exact}


def test_first_special_is_the_first_rule_satisfied():
    rng = np.random.default_rng(4)
    hands = np.concatenate([inside(name, rng, 60) for name in PREDICATES])
    masks = masks_from_codes(hands).reshape(-1, 4)
    for _ in range(12):
        chosen = rng.choice(len(RULES), rng.integers(1, MAX_RULES + 1), replace=False)
        rules = [RULES[index] for index in chosen]
        program = compile_rules(rules)
        answers = kernel_answers(hands, rules)
        expected = np.where(answers.any(0), answers.argmax(0), -1).reshape(masks.shape)
        found = first_special(masks, program)
        assert found.dtype == np.int8
        np.testing.assert_array_equal(found, expected)


def test_no_rules_and_no_hands():
    masks = masks_from_codes(random_hands(np.random.default_rng(5), 10))
    assert (first_special(masks, compile_rules([])) == -1).all()
    assert not satisfied(masks, compile_rules([])).any()
    assert satisfied(np.zeros((0, 4), np.uint64), compile_rules(RULES[:3])).shape == (0, 4)


def test_bad_input_is_refused():
    with pytest.raises(BadInput, match="at most 32"):
        compile_rules(RULES[:33])
    program = compile_rules(RULES[:3])
    for mask in (0, 0xFFF, 0x3FFF, 0x1FFE | 1 << 13):
        with pytest.raises(BadInput, match="13 cards"):
            satisfied([mask], program)
        with pytest.raises(BadInput, match="13 cards"):
            first_special([mask], program)


@pytest.mark.slow
def test_kernels_are_kept_on_disk(tmp_path):
    """A second process compiles nothing, though the kernels call processor instructions."""
    script = (
        "from montecarlo.specials import kernels, program\n"
        "kernels.first_special([0x1FFF], program.compile_rules([]))\n"
        "print(sum(kernels._first_specials.stats.cache_misses.values()))"
    )
    environment = {**os.environ, "MONTECARLO_CACHE": str(tmp_path)}
    misses = [
        subprocess.run(
            [sys.executable, "-c", script],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert [int(text) for text in misses] == [1, 0]

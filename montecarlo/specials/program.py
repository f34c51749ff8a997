"""Special-hand rules compiled to a small array that the kernels of `kernels` interpret.

A program is pure data, one flat uint64 array:

* word 0: the gates in use, bit g = gate g;
* from word 1 on, for each *gate* (a cheap necessary test, made once a hand): the set of rules
  that stand behind it, bit i = rule i;
* word `WIDEST_WINDOW`: the number of ranks in the widest window;
* from `FIRST_RULE` on: three words a rule, its operation and two parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput
from montecarlo.specials.predicates import Rule, window_ranks
from montecarlo.specials.straight_splits import option_bit

Program = NDArray[np.uint64]

MAX_RULES = 32


class Gate(IntEnum):
    """The gates, by the word of the program that holds the rules behind each."""

    ALL_RANKS = 1
    ROYALS = 2
    SUIT_LENGTHS = 3
    THREE_TRIPLES = 4
    WINDOW = 5
    COLOUR = 6
    ONE_ODD_RANK = 7
    RANKS_OF_STRAIGHTS = 8
    STRAIGHT_FLUSH = 9
    FOUR = 10
    TRIPLE = 11
    PAIR = 12


WIDEST_WINDOW = len(Gate) + 1
FIRST_RULE = WIDEST_WINDOW + 1
WORDS_A_RULE = 3


class Operation(IntEnum):
    """What a rule asks; one operation a predicate, of the same name."""

    SUITED_DRAGON = 0
    DRAGON = 1
    TWELVE_ROYALS = 2
    THREE_STRAIGHT_FLUSHES = 3
    THREE_QUADS = 4
    RANK_WINDOW = 5
    ONE_COLOUR = 6
    ONE_OFF_COLOUR = 7
    FOUR_TRIPLES = 8
    FIVE_PAIRS_TRIPLE = 9
    SIX_PAIRS = 10
    THREE_STRAIGHTS = 11
    THREE_FLUSHES = 12
    HAS_STRAIGHT_FLUSH = 13
    HAS_QUADS = 14
    HAS_TRIPLE = 15
    HAS_PAIR = 16


GATE_OF = {
    Operation.SUITED_DRAGON: Gate.ALL_RANKS,
    Operation.DRAGON: Gate.ALL_RANKS,
    Operation.TWELVE_ROYALS: Gate.ROYALS,
    Operation.THREE_STRAIGHT_FLUSHES: Gate.SUIT_LENGTHS,
    Operation.THREE_QUADS: Gate.THREE_TRIPLES,
    Operation.RANK_WINDOW: Gate.WINDOW,
    Operation.ONE_COLOUR: Gate.COLOUR,
    Operation.ONE_OFF_COLOUR: Gate.COLOUR,
    Operation.FOUR_TRIPLES: Gate.THREE_TRIPLES,
    Operation.FIVE_PAIRS_TRIPLE: Gate.ONE_ODD_RANK,
    Operation.SIX_PAIRS: Gate.ONE_ODD_RANK,
    Operation.THREE_STRAIGHTS: Gate.RANKS_OF_STRAIGHTS,
    Operation.THREE_FLUSHES: Gate.SUIT_LENGTHS,
    Operation.HAS_STRAIGHT_FLUSH: Gate.STRAIGHT_FLUSH,
    Operation.HAS_QUADS: Gate.FOUR,
    Operation.HAS_TRIPLE: Gate.TRIPLE,
    Operation.HAS_PAIR: Gate.PAIR,
}


def compile_rules(rules: Sequence[Rule]) -> Program:
    """Return the program of ``rules``, in order of precedence; an empty list is a program too.

    Raises BadInput for more than 32 rules.
    """
    if len(rules) > MAX_RULES:
        raise BadInput(f"{len(rules)} special hands in one list: at most {MAX_RULES} are possible")
    program = np.zeros(FIRST_RULE + WORDS_A_RULE * len(rules), dtype=np.uint64)
    for index, rule in enumerate(rules):
        operation = Operation[rule.predicate.upper()]
        first, second = _parameters(rule)
        at = FIRST_RULE + WORDS_A_RULE * index
        program[at : at + WORDS_A_RULE] = operation, first, second
        gate = GATE_OF[operation]
        program[0] |= np.uint64(1 << gate)
        program[gate] |= np.uint64(1 << index)
        if operation == Operation.RANK_WINDOW:
            program[WIDEST_WINDOW] = max(int(program[WIDEST_WINDOW]), first.bit_count())
    return program


def _parameters(rule: Rule) -> tuple[int, int]:
    """Return the two parameter words of a rule, whose meaning its operation gives.

    Six pairs: with ``quads`` false a hand that holds any four of a kind is none, with ``triple``
    false one whose thirteenth card makes a three. (13 cards have room for nothing else: giving up
    a pair of a four, or the pair of a three, always leaves five pairs or fewer.) ``quads`` of five
    pairs and a three means the same.
    """
    value = dict(rule.options)
    match rule.predicate:
        case "twelve_royals":
            return int(value["min"]), 0
        case "rank_window":
            ranks = window_ranks(str(value["low"]), str(value["high"]))
            return sum(1 << rank for rank in ranks), int(value["no_gap"])
        case "five_pairs_triple":
            return int(value["quads"]), 0
        case "six_pairs":
            return int(value["quads"]), int(value["triple"])
        case "three_straights" | "three_straight_flushes":
            bit = option_bit(str(value["wheel"]), bool(value["a23"]), bool(value["qka"]))
            return 1 << bit, 0
        case "three_flushes":
            return int(value["distinct"]), 0
        case "has_straight_flush":
            return int(value["wheel"] != "none"), 0
    return 0, 0

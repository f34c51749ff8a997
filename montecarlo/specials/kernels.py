"""Which special hands 13 cards hold: compiled kernels on hand masks.

Everything is read off five words, made once a hand: the ranks held at least once, twice, three and
four times (bit = rank), and the mask itself. A few cheap *gates* then tell which rules can be
satisfied at all; only those, for most hands none, are decided one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from montecarlo.bits import bit_count, lowest_bit
from montecarlo.cards import FULL_DECK, HAND_SIZE, LANE, LANE_MASK, Masks
from montecarlo.compiled import kernel
from montecarlo.errors import BadInput
from montecarlo.specials.program import (
    FIRST_RULE,
    WIDEST_WINDOW,
    WORDS_A_RULE,
    Gate,
    Operation,
    Program,
)
from montecarlo.specials.straight_splits import TABLES, hash_of_ranks

_U = np.uint64
_ZERO, _ONE, _TWO, _THREE, _FOUR, _SIX, _TWELVE = (_U(n) for n in (0, 1, 2, 3, 4, 6, 12))
_SIXTY_THREE = _U(63)
_HAND_SIZE = _U(HAND_SIZE)
_LANE_1, _LANE_2, _LANE_3 = (_U(n * LANE) for n in (1, 2, 3))
_RANKS = _U(LANE_MASK)
_LOWEST_OF_LANES = _U(0x0001_0001_0001_0001)
_TOP_OF_LANES = _U(0x8000_8000_8000_8000)
_BELOW_TOP_OF_LANES = _U(0x7FFF_7FFF_7FFF_7FFF)
_ROYALS = _U(0x1E00_1E00_1E00_1E00)
_RED = _U(0x0000_1FFF_0000_1FFF)
_WHOLE_ROWS = _U(sum(1 << length for length in (0, 3, 5, 8, 10, 13)))
"""Bit n: n cards of one suit can be whole rows out of 3, 5 and 5."""
_ONE_ROW = _U(sum(1 << length for length in (0, 3, 5)))

_OPERATION = _U(FIRST_RULE)
_PARAMETER = _U(FIRST_RULE + 1)
_WORDS_A_RULE = _U(WORDS_A_RULE)

_START, _REPEATS, _OPTIONS, _SUITED, _SEEN = TABLES
_hash = kernel(hash_of_ranks)


@kernel
def held_at_least(mask: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the ranks (bits 0 to 12) held at least once, twice, three and four times."""
    a, b = mask & _RANKS, (mask >> _LANE_1) & _RANKS
    c, d = (mask >> _LANE_2) & _RANKS, mask >> _LANE_3
    some_ab, both_ab, some_cd, both_cd = a | b, a & b, c | d, c & d
    return (
        some_ab | some_cd,
        both_ab | both_cd | (some_ab & some_cd),
        (both_ab & some_cd) | (some_ab & both_cd),
        both_ab & both_cd,
    )


@kernel
def suits_are_rows(mask: np.uint64, sizes: np.uint64) -> bool:
    """Return whether each suit's number of cards is a bit set in ``sizes``."""
    found = sizes >> bit_count(mask & _RANKS)
    found &= sizes >> bit_count((mask >> _LANE_1) & _RANKS)
    found &= sizes >> bit_count((mask >> _LANE_2) & _RANKS)
    found &= sizes >> bit_count(mask >> _LANE_3)
    return bool((found & _ONE) != _ZERO)


@kernel
def five_in_a_row(mask: np.uint64) -> np.uint64:
    """Return, lane by lane, the lowest cards of the runs of five in one suit.

    The spare bits at a lane's top keep a run from reaching into the next suit.
    """
    pairs = mask & (mask >> _ONE)
    return pairs & (pairs >> _TWO) & (mask >> _FOUR)


@kernel
def with_low_aces(mask: np.uint64) -> np.uint64:
    """Return the mask moved up one bit in its lanes, the aces also below the twos."""
    return (mask << _ONE) | ((mask >> _TWELVE) & _LOWEST_OF_LANES)


@kernel
def lacks_a_suit(mask: np.uint64) -> bool:
    """Return whether some suit has no card: adding 0x7FFF carries into bit 15 of the others."""
    return bool((mask + _BELOW_TOP_OF_LANES) & _TOP_OF_LANES != _TOP_OF_LANES)


@kernel
def maybe_straights(once: np.uint64, twice: np.uint64, thrice: np.uint64) -> bool:
    """Return False for nearly all hands that are no three straights, True for all that are."""
    place = _hash(once, twice | (thrice << _HAND_SIZE))
    return bool((_SEEN[place >> _SIX] >> (place & _SIXTY_THREE)) & _ONE != _ZERO)


@kernel
def straights_options(once: np.uint64, twice: np.uint64, thrice: np.uint64) -> np.uint64:
    """Return the settings of the options (as bits) under which the ranks are three straights."""
    repeats = twice | (thrice << _HAND_SIZE)
    for entry in range(_START[once], _START[once + _ONE]):
        if _REPEATS[entry] == repeats:
            return np.uint64(_OPTIONS[entry])
    return _ZERO


@kernel
def suited_options(mask: np.uint64) -> np.uint64:
    """Return the settings of the options under which every suit splits into whole runs.

    Right only for hands whose suits have the lengths of three flushes.
    """
    return np.uint64(
        _SUITED[mask & _RANKS]
        & _SUITED[(mask >> _LANE_1) & _RANKS]
        & _SUITED[(mask >> _LANE_2) & _RANKS]
        & _SUITED[mask >> _LANE_3]
    )


@kernel
def passed(condition: bool | np.bool_, gate: int) -> np.uint64:
    """Return the gate's bit if the condition is true, otherwise nothing; without a branch."""
    return np.uint64(condition) << np.uint64(gate)


@kernel
def open_gates(
    mask: np.uint64,
    held: tuple[np.uint64, np.uint64, np.uint64, np.uint64],
    program: Program,
) -> np.uint64:
    """Return the gates in use that the hand passes, bit g = gate g."""
    once, twice, thrice, four = held
    odd = once ^ twice ^ thrice ^ four  # an odd number of cards has an odd rank: never zero
    run = five_in_a_row(with_low_aces(mask))
    gates = passed(once == _RANKS, Gate.ALL_RANKS)
    gates |= passed(bit_count(mask & _ROYALS) >= _TWELVE, Gate.ROYALS)
    gates |= passed(bit_count(thrice) >= _THREE, Gate.THREE_TRIPLES)
    gates |= passed(odd & (odd - _ONE) == _ZERO, Gate.ONE_ODD_RANK)
    gates |= passed(maybe_straights(once, twice, thrice), Gate.RANKS_OF_STRAIGHTS)
    gates |= passed(run != _ZERO, Gate.STRAIGHT_FLUSH)
    gates |= passed(four != _ZERO, Gate.FOUR)
    gates |= passed(thrice != _ZERO, Gate.TRIPLE)
    gates |= passed(twice != _ZERO, Gate.PAIR)
    if lacks_a_suit(mask):  # as do all hands of three flushes and of twelve cards of one colour
        red = bit_count(mask & _RED)
        gates |= passed(suits_are_rows(mask, _WHOLE_ROWS), Gate.SUIT_LENGTHS)
        gates |= passed(red <= _ONE or red >= _TWELVE, Gate.COLOUR)
    if bit_count(once) <= program[WIDEST_WINDOW]:
        windows = program[Gate.WINDOW]
        while windows:
            window = program[_PARAMETER + _WORDS_A_RULE * lowest_bit(windows)]
            gates |= passed((once & ~window) == _ZERO, Gate.WINDOW)
            windows &= windows - _ONE
    return np.uint64(gates & program[0])


@kernel
def behind(gates: np.uint64, program: Program) -> np.uint64:
    """Return the rules that stand behind any of the gates, bit i = rule i."""
    rules = _ZERO
    while gates:
        rules |= program[lowest_bit(gates)]
        gates &= gates - _ONE
    return rules


@kernel
def holds(
    index: np.uint64,
    mask: np.uint64,
    held: tuple[np.uint64, np.uint64, np.uint64, np.uint64],
    program: Program,
) -> bool:
    """Return whether a hand that passed the gate of rule ``index`` satisfies the rule."""
    once, twice, thrice, four = held
    at = _OPERATION + _WORDS_A_RULE * index
    operation = np.int64(program[at])
    first, second = program[at + _ONE], program[at + _TWO]
    if operation == Operation.SIX_PAIRS or operation == Operation.FIVE_PAIRS_TRIPLE:
        # 13 cards with one odd rank are six pairs and a card: that rank's, held once or three times
        quads_serve = first
        if four and not quads_serve:
            return False
        odd_rank_is_three = bool((once ^ twice ^ thrice ^ four) & twice != _ZERO)
        if operation == Operation.FIVE_PAIRS_TRIPLE:
            return odd_rank_is_three
        triple_serves = second
        return bool(triple_serves != _ZERO or not odd_rank_is_three)
    if operation == Operation.THREE_STRAIGHTS:
        return bool(straights_options(once, twice, thrice) & first != _ZERO)
    if operation == Operation.THREE_FLUSHES:
        return bool(first == _ZERO or suits_are_rows(mask, _ONE_ROW))
    if operation == Operation.THREE_STRAIGHT_FLUSHES:
        return bool(suited_options(mask) & first != _ZERO)
    if operation == Operation.RANK_WINDOW:
        return bool(once == first if second else (once & ~first) == _ZERO)
    if operation == Operation.SUITED_DRAGON:
        return suits_are_rows(mask, _ONE | (_ONE << _HAND_SIZE))
    if operation == Operation.TWELVE_ROYALS:
        return bool(bit_count(mask & _ROYALS) >= first)
    if operation == Operation.ONE_COLOUR:
        return bool(bit_count(mask & _RED) % _HAND_SIZE == _ZERO)
    if operation == Operation.ONE_OFF_COLOUR:
        return bool(bit_count(mask & _RED) % _HAND_SIZE != _ZERO)
    if operation == Operation.FOUR_TRIPLES:
        return bool(bit_count(thrice) >= _FOUR)
    if operation == Operation.THREE_QUADS:
        return bool(bit_count(four) == _THREE)
    if operation == Operation.HAS_STRAIGHT_FLUSH:
        return bool(first != _ZERO or five_in_a_row(mask) != _ZERO)
    return True  # dragon, has_quads, has_triple, has_pair: the gate is the definition


@kernel
def first_special_one(mask: np.uint64, program: Program) -> np.int64:
    """Return the index of the first rule that a hand of 13 cards satisfies, -1 for none."""
    held = held_at_least(mask)
    gates = open_gates(mask, held, program)
    if gates == _ZERO:
        return np.int64(-1)
    left = behind(gates, program)
    while left:
        index = lowest_bit(left)
        if holds(index, mask, held, program):
            return np.int64(index)
        left &= left - _ONE
    return np.int64(-1)


@kernel
def satisfied_one(mask: np.uint64, program: Program) -> np.uint32:
    """Return all rules that a hand of 13 cards satisfies, bit i = rule i."""
    held = held_at_least(mask)
    left = behind(open_gates(mask, held, program), program)
    found = left
    while left:
        index = lowest_bit(left)
        if not holds(index, mask, held, program):
            found ^= _ONE << index
        left &= left - _ONE
    return np.uint32(found)


@kernel
def _first_specials(masks: NDArray[np.uint64], program: Program) -> NDArray[np.int8]:
    out = np.empty(masks.size, dtype=np.int8)
    for place in range(masks.size):
        out[place] = first_special_one(masks[place], program)
    return out


@kernel
def _all_satisfied(masks: NDArray[np.uint64], program: Program) -> NDArray[np.uint32]:
    out = np.empty(masks.size, dtype=np.uint32)
    for place in range(masks.size):
        out[place] = satisfied_one(masks[place], program)
    return out


def first_special(masks: ArrayLike, program: Program) -> NDArray[np.int8]:
    """Return for each hand the index of the first rule it satisfies, -1 for none.

    ``masks``: hand masks of 13 cards, any shape; the result has the same shape. Raises BadInput
    for hands of another size.
    """
    hands = _thirteen_cards(masks)
    return _first_specials(hands.reshape(-1), program).reshape(hands.shape)


def satisfied(masks: ArrayLike, program: Program) -> NDArray[np.uint32]:
    """Return for each hand the set of rules it satisfies, bit i = rule i.

    ``masks``: hand masks of 13 cards, any shape; the result has the same shape. Raises BadInput
    for hands of another size.
    """
    hands = _thirteen_cards(masks)
    return _all_satisfied(hands.reshape(-1), program).reshape(hands.shape)


def _thirteen_cards(masks: ArrayLike) -> Masks:
    hands = np.ascontiguousarray(masks, dtype=np.uint64)
    sizes = np.bitwise_count(hands)
    if np.any(sizes != HAND_SIZE) or np.any(hands & ~_U(FULL_DECK)):
        raise BadInput("special hands are defined for hand masks of 13 cards only")
    return hands

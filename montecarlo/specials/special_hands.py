"""Uniform hands of a special, however rare: a uniform number, and the hand it stands for.

*Inclusive* hands satisfy the special's rule; *exclusive* ones are declared as this special, that is
they satisfy no rule before it. Exclusive hands come from inclusive ones by rejection, which keeps
them uniform; the share that is kept, `acceptance`, is known exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from montecarlo.cards import Masks
from montecarlo.compiled import kernel
from montecarlo.dealing.shuffle import next_word
from montecarlo.dealing.streams import State
from montecarlo.errors import BadInput
from montecarlo.specials.exact import SpecialCounts, count_specials
from montecarlo.specials.kernels import first_special
from montecarlo.specials.numbered_hands import NumberedHands, numbered_hands
from montecarlo.specials.numbered_kernels import Numbers
from montecarlo.specials.predicates import Rule
from montecarlo.specials.program import compile_rules

BATCH = 4096
"""Numbers drawn together. It is fixed, so that the hands do not depend on how many are wanted."""

NO_SPECIAL = -1
"""Stands, as in `montecarlo.specials.kernels.first_special`, for hands that satisfy no rule."""


@dataclass(frozen=True)
class SpecialHands:
    """The hands of one special of a list of rules, to draw from.

    ``special`` is a place in ``rules``, or `NO_SPECIAL` for the hands that satisfy none of them.
    """

    rules: tuple[Rule, ...]
    special: int
    exclusive: bool = True

    @property
    def count(self) -> int:
        """The exact number of hands that can be drawn."""
        counts = _counts(self.rules)
        if self.special == NO_SPECIAL:
            return counts.none
        return (counts.exclusive if self.exclusive else counts.inclusive)[self.special]

    @property
    def chance(self) -> Fraction:
        """The exact chance that a hand is one of them."""
        return Fraction(self.count, _counts(self.rules).total)

    @property
    def acceptance(self) -> Fraction:
        """The exact share of numbers whose hand is kept."""
        return Fraction(self.count, self.numbered.size)

    @property
    def numbered(self) -> NumberedHands:
        """The numbered hands that candidates come from."""
        return numbered_hands(None if self.special == NO_SPECIAL else self.rules[self.special])

    def draw(self, state: State, hands: int) -> Masks:
        """Return ``hands`` independent uniform hands as masks (hands,).

        ``state`` (4,) comes from `block_state` and is advanced in place, by whole batches: the
        first n hands drawn from a fresh state do not depend on ``hands``, but what is drawn after
        them from the same state does. Raises BadInput when there is no such hand.
        """
        if self.count == 0:
            raise BadInput(f"no hand is {self}: rules before it take them all")
        program = compile_rules(self.rules)
        numbered, size = self.numbered, self.numbered.size
        numbers = np.empty(BATCH, np.int64)
        drawn = np.empty(hands, np.uint64)
        found = 0
        while found < hands:
            draw_numbers(state, size, numbers)
            kept = numbered.hands_of(numbers)
            kept = kept[kept != 0]
            if self.exclusive or self.special == NO_SPECIAL:
                kept = kept[first_special(kept, program) == self.special]
            kept = kept[: hands - found]
            drawn[found : found + kept.size] = kept
            found += kept.size
        return drawn

    def __str__(self) -> str:
        if self.special == NO_SPECIAL:
            return "without a special"
        rank = " as the first special" if self.exclusive and self.special else ""
        return f"{self.rules[self.special]}{rank}"


@kernel
def draw_numbers(state: State, size: int, numbers: Numbers) -> None:
    """Fill ``numbers`` (n,) with integers below ``size`` (below 2^63), exactly uniform.

    The upper bits of a word, as many as ``size`` - 1 has, are taken until they are below ``size``.
    """
    a, b, c, counter = state[0], state[1], state[2], state[3]
    limit = np.uint64(size)
    shift = np.uint64(63)
    while (limit - np.uint64(1)) >> (np.uint64(64) - shift):
        shift -= np.uint64(1)
    for place in range(np.uint64(numbers.size)):
        while True:
            word, a, b, c, counter = next_word(a, b, c, counter)
            if word >> shift < limit:
                break
        numbers[place] = np.int64(word >> shift)
    state[0], state[1], state[2], state[3] = a, b, c, counter


@lru_cache(maxsize=16)
def _counts(rules: tuple[Rule, ...]) -> SpecialCounts:
    return count_specials(rules)

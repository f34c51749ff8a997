"""Uniform hands whose first special is another one under other rules, however few they are.

Such a hand satisfies a rule that one list has and the other has not. Candidates are drawn from the
numbered hands of these rules taken together; one that satisfies several of them is kept only as a
hand of the first, and one whose first special is the same under both lists is not kept at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

import numpy as np

from montecarlo.cards import Masks
from montecarlo.dealing.streams import State
from montecarlo.errors import BadInput
from montecarlo.specials.kernels import first_special
from montecarlo.specials.many_lists import Rules, count_lists
from montecarlo.specials.numbered_hands import numbered_hands
from montecarlo.specials.predicates import Rule
from montecarlo.specials.program import compile_rules
from montecarlo.specials.special_hands import BATCH, draw_numbers
from montecarlo.specials.suit_shapes import TOTAL_HANDS


@dataclass(frozen=True)
class ChangedHands:
    """The hands whose first special stands at another place under ``other`` than under ``rules``.

    Both lists have the same length.
    """

    rules: Rules
    other: Rules

    @cached_property
    def differing(self) -> tuple[Rule, ...]:
        """Rules that stand in one list only."""
        return tuple(dict.fromkeys(
            rule
            for pair in zip(self.rules, self.other, strict=True)
            if pair[0] != pair[1]
            for rule in pair
        ))  # fmt: skip

    @property
    def count(self) -> int:
        """The exact number of hands, out of C(52, 13)."""
        return _changed(self.rules, self.other)

    @property
    def chance(self) -> float:
        """The chance that a hand is one of them."""
        return self.count / TOTAL_HANDS

    def are(self, masks: Masks) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Return which hands (…,) are changed: bool (…,)."""
        return np.asarray(
            first_special(masks, compile_rules(self.rules))
            != first_special(masks, compile_rules(self.other))
        )

    def draw(self, state: State, hands: int) -> Masks:
        """Return ``hands`` independent uniform hands as masks (hands,).

        ``state`` (4,) comes from `block_state` and is advanced in place, by whole batches. Raises
        BadInput when there is no such hand.
        """
        if self.count == 0:
            raise BadInput("no hand's first special differs between these lists of rules")
        sources = [numbered_hands(rule) for rule in self.differing]
        bounds = np.array([0, *accumulate(source.size for source in sources)], np.int64)
        program = compile_rules(self.differing)
        numbers, drawn, found = np.empty(BATCH, np.int64), np.empty(hands, np.uint64), 0
        while found < hands:
            draw_numbers(state, int(bounds[-1]), numbers)
            source_of = np.searchsorted(bounds, numbers, side="right") - 1
            masks = np.zeros(BATCH, np.uint64)
            for place, source in enumerate(sources):
                here = source_of == place
                masks[here] = source.hands_of(numbers[here] - bounds[place])
            held = masks != 0  # some numbers of straight flushes stand for no hand
            masks, source_of = masks[held], source_of[held]
            kept = masks[first_special(masks, program) == source_of]
            kept = kept[self.are(kept)][: hands - found]
            drawn[found : found + kept.size] = kept
            found += kept.size
        return drawn


@lru_cache(maxsize=64)
def _changed(rules: Rules, other: Rules) -> int:
    return count_lists((rules, other))[1].changed

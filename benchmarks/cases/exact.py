"""`exact`: the exact counts of all specials of `taiwan`; against looking at every hand.

Tables that do not depend on the rules are built in the first, unmeasured run.
"""

from __future__ import annotations

import math

from measuring import Benchmark

from montecarlo.cards import DECK_SIZE, HAND_SIZE
from montecarlo.dealing.dealer import deal_block
from montecarlo.specials.exact import count_specials
from montecarlo.specials.kernels import satisfied
from montecarlo.specials.program import compile_rules
from montecarlo.variants import Variant


def benchmark() -> Benchmark:
    """Return the benchmark; the baseline looks at a sample and counts it as a part of a table."""
    rules = Variant.load("taiwan").rules
    program = compile_rules(rules)
    hands = deal_block(1, 0)

    def run() -> float:
        count_specials(rules)
        return 1.0

    def baseline_run() -> float:
        satisfied(hands, program)
        return hands.size / math.comb(DECK_SIZE, HAND_SIZE)

    name = "our predicates on all 635,013,559,600 hands (extrapolated)"
    return Benchmark("variants", run, name, baseline_run)

"""`tabulate`: deal, find the special of each of four hands, tally; all specials of `taiwan`."""

from __future__ import annotations

import itertools

import numpy as np
from measuring import Benchmark

from montecarlo.cards import BIT_OF_CODE, DECK_SIZE, HAND_SIZE, SEATS
from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.variants import Variant


def benchmark() -> Benchmark:
    """Return the benchmark; the baseline goes through numpy arrays of decks, masks, indices."""
    variant = Variant.load("taiwan")
    experiment = FrequencyExperiment(variant, SEATS)
    program = compile_rules(variant.rules)
    decks = np.tile(np.arange(DECK_SIZE, dtype=np.uint8), (BLOCK_DEALS, 1))
    generator = np.random.Generator(np.random.SFC64(1))
    blocks = itertools.count()

    def run() -> float:
        experiment.tally_block(1, next(blocks), BLOCK_DEALS)
        return BLOCK_DEALS

    def baseline_run() -> float:
        generator.permuted(decks, axis=1, out=decks)
        hands = BIT_OF_CODE[decks].reshape(BLOCK_DEALS, SEATS, HAND_SIZE)
        specials = first_special(np.bitwise_or.reduce(hands, axis=-1), program)
        np.bincount(specials.ravel() + 1)
        return BLOCK_DEALS

    name = "numpy Generator.permuted and masks, then the same predicates"
    return Benchmark("deals", run, name, baseline_run)

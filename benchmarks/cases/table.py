"""`table`: whole deals of `taiwan`: dealt, four hands set by equilibrium, scored and tallied."""

from __future__ import annotations

import itertools

import numpy as np
from measuring import Benchmark
from settings_sample import brute_force, taiwan_equilibrium

from montecarlo.cards import BIT_OF_CODE, DECK_SIZE, HAND_SIZE, SEATS
from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.simulation.payouts import PayoutExperiment
from montecarlo.variants import Variant

BASELINE_DEALS = 5


def benchmark() -> Benchmark:
    """Return the benchmark; the baseline is the throw-away script: splits, then pair by pair."""
    experiment = PayoutExperiment(Variant.load("taiwan"), SEATS, ("equilibrium",) * SEATS)
    objective = taiwan_equilibrium().objective
    decks = np.tile(np.arange(DECK_SIZE, dtype=np.uint8), (BASELINE_DEALS, 1))
    generator = np.random.Generator(np.random.SFC64(1))
    blocks = itertools.count()

    def run() -> float:
        experiment.tally_block(1, next(blocks), BLOCK_DEALS)
        return BLOCK_DEALS

    def baseline_run() -> float:
        hands = BIT_OF_CODE[generator.permuted(decks, axis=1)]
        masks = np.bitwise_or.reduce(hands.reshape(BASELINE_DEALS, SEATS, HAND_SIZE), axis=-1)
        units = np.zeros((BASELINE_DEALS, SEATS))
        for deal in range(BASELINE_DEALS):
            settings = brute_force(masks[deal], objective)
            for one, two in itertools.combinations(range(SEATS), 2):
                won = int(np.sign(settings[one] - settings[two]).sum())
                won *= 2 if abs(won) == len(settings[one]) else 1
                units[deal, one] += won
                units[deal, two] -= won
        units.mean(axis=0)
        return BASELINE_DEALS

    name = "numpy deals, brute force over 72,072 splits, rows and guns pair by pair"
    return Benchmark("deals", run, name, baseline_run)

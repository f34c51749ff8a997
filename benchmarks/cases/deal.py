"""`deal`: 52 cards to four hands, as masks, a block at a time; against numpy's own shuffle."""

from __future__ import annotations

import numpy as np
from measuring import Benchmark

from montecarlo.cards import DECK_SIZE, SEATS
from montecarlo.dealing.dealer import available_cards
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import BLOCK_DEALS, block_state


def benchmark() -> Benchmark:
    """Return the benchmark; numpy only shuffles, it does not make masks."""
    state, masks = block_state(1, 0), np.empty((BLOCK_DEALS, SEATS), np.uint64)
    available = available_cards()
    decks = np.tile(np.arange(DECK_SIZE, dtype=np.uint8), (BLOCK_DEALS, 1))
    generator = np.random.Generator(np.random.SFC64(1))

    def run() -> float:
        deal_into(state, masks, available, 13)
        return BLOCK_DEALS

    def baseline_run() -> float:
        generator.permuted(decks, axis=1, out=decks)
        return BLOCK_DEALS

    return Benchmark("deals", run, "numpy Generator.permuted (n, 52) uint8", baseline_run)

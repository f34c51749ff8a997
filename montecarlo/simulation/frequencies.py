"""The experiment behind special-hand frequencies: deal and tabulate, no settings, no payouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from montecarlo.cards import FULL_DECK
from montecarlo.dealing.streams import block_state
from montecarlo.simulation.frequency_kernel import tally_first_specials
from montecarlo.simulation.tallies import Tally
from montecarlo.specials.program import compile_rules
from montecarlo.variants import Variant


@dataclass(frozen=True)
class FrequencyExperiment:
    """Count, for each special of a variant, the deals in which 0, 1, … hands declare it.

    The tally ``holders`` has shape (specials + 1, players + 1): entry (i, c) is the number of
    deals in which exactly c hands have special i as their first; the last row is "no special".
    """

    variant: Variant
    players: int

    def prepare(self) -> None:
        """Compile the kernel (or load it from the cache) by dealing nothing."""
        self._tally(block_state(0, 0), 0)

    def tally_block(self, seed: int, block: int, deals: int) -> Tally:
        """Deal the first ``deals`` deals of a block and tabulate their hands."""
        return Tally(deals, {"holders": self._tally(block_state(seed, block), deals)})

    def describe(self) -> dict[str, Any]:
        """Return what decides the bits of the result."""
        return {
            "variant": self.variant.id,
            "variant_sha256": self.variant.sha256,
            "rules": [str(rule) for rule in self.variant.rules],
            "players": self.players,
            "policy": "none",
            "policy_sha256": None,
        }

    def _tally(self, state: Any, deals: int) -> Any:
        program = compile_rules(self.variant.rules)
        rows = len(self.variant.specials) + 1
        holders = np.zeros((rows, self.players + 1), dtype=np.int64)
        tally_first_specials(state, deals, np.uint64(FULL_DECK), program, holders)
        return holders

"""The experiment behind the report: the specials of several variants, tabulated on the same deals.

Dealing costs as much as tabulating, so one pass over the deals serves all variants; variants whose
lists of specials are equal share one tally. Each tally equals, bit for bit, the one that
`FrequencyExperiment` makes of the same seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.cards import FULL_DECK
from montecarlo.compiled import kernel
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import block_state
from montecarlo.errors import BadInput
from montecarlo.simulation.frequency_kernel import CHUNK, add_holders, fill_none
from montecarlo.simulation.tallies import Tally
from montecarlo.specials.predicates import Rule
from montecarlo.specials.program import compile_rules
from montecarlo.variants import Variant

Rules = tuple[Rule, ...]


@dataclass(frozen=True)
class AllFrequencies:
    """Count, for each special of each variant, the deals in which 0, 1, … hands declare it.

    There is one tally a list of rules, of the shape that `FrequencyExperiment` gives ``holders``;
    `name_of` tells a variant's. Variants without specials have none; one at least must have some.
    """

    variants: tuple[Variant, ...]
    players: int = 4

    def __post_init__(self) -> None:
        names = [variants[0].id for variants in self.lists.values()]
        for name in names:
            if names.count(name) > 1:
                raise BadInput(f"two variants are called {name} but differ: give one another id")

    @cached_property
    def lists(self) -> dict[Rules, list[Variant]]:
        """The different lists of rules, each with the variants that play it."""
        found: dict[Rules, list[Variant]] = {}
        for variant in self.variants:
            if variant.rules:
                found.setdefault(variant.rules, []).append(variant)
        return found

    def name_of(self, variant: Variant) -> str:
        """Return the name of a variant's tally: that of the first variant with the same list."""
        return self.lists[variant.rules][0].id

    def holders_of(self, variant: Variant, tally: Tally) -> Tally:
        """Return a variant's part of a tally, as `FrequencyExperiment` would have made it."""
        return Tally(tally.deals, {"holders": tally.arrays[self.name_of(variant)]})

    def prepare(self) -> None:
        """Compile the kernel (or load it from the cache) by dealing nothing."""
        self.tally_block(0, 0, 0)

    def tally_block(self, seed: int, block: int, deals: int) -> Tally:
        """Deal the first ``deals`` deals of a block and tabulate their hands for every list."""
        sizes = np.array([len(rules) + 1 for rules in self.lists], dtype=np.int64)
        holders = np.zeros((sizes.size, sizes.max(), self.players + 1), dtype=np.int64)
        state = block_state(seed, block)
        tally_all(state, deals, np.uint64(FULL_DECK), self._programs, sizes, holders)
        names = (variants[0].id for variants in self.lists.values())
        tables = (table[:size] for table, size in zip(holders, sizes, strict=True))
        return Tally(deals, dict(zip(names, tables, strict=True)))

    def describe(self) -> dict[str, Any]:
        """Return what decides the bits of the result."""
        return {
            "lists": {
                variants[0].id: [str(rule) for rule in rules]
                for rules, variants in self.lists.items()
            },
            "variants": {variant.id: variant.sha256 for variant in self.variants},
            "players": self.players,
            "policy": "none",
            "policy_sha256": None,
        }

    @cached_property
    def _programs(self) -> NDArray[np.uint64]:
        """One program a row, filled up with zeros to the longest."""
        programs = [compile_rules(rules) for rules in self.lists]
        longest = max(program.size for program in programs)
        filled = np.zeros((len(programs), longest), dtype=np.uint64)
        for row, program in zip(filled, programs, strict=True):
            row[: program.size] = program
        return filled


@kernel
def tally_all(
    state: NDArray[np.uint64],
    deals: int,
    available: np.uint64,
    programs: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    holders: NDArray[np.int64],
) -> None:
    """Add ``deals`` deals of 13-card hands to ``holders`` (lists, rows, players + 1), int64.

    ``programs`` (lists, words) has one program a row; list i fills the first ``sizes[i]`` rows of
    ``holders[i]``, the way `tally_first_specials` does. ``state`` is advanced.
    """
    masks = np.empty((CHUNK, holders.shape[2] - 1), dtype=np.uint64)
    seen = np.zeros(holders.shape[1], dtype=np.int64)
    for start in range(0, deals, CHUNK):
        dealt = masks[: min(CHUNK, deals - start)]
        deal_into(state, dealt, available, 13)
        for index in range(programs.shape[0]):
            add_holders(dealt, programs[index], seen, holders[index, : sizes[index]])
    for index in range(programs.shape[0]):
        fill_none(deals, holders[index, : sizes[index]])

"""The experiment behind statistics of settings: one hand a deal, set by every policy.

Hands of different deals are independent, so errors are those of independent hands. Hands that
declare a special are left out: they are not set.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from montecarlo.dealing.dealer import deal_block
from montecarlo.setting.frontier import frontier_many
from montecarlo.setting.policies import POLICIES, Policy, load_policy
from montecarlo.setting.static_tables import setting_tables
from montecarlo.simulation.tallies import Tally
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.strength.tables import CATEGORIES
from montecarlo.variants import Variant

CHUNK = 4096
"""Hands whose frontiers are held together."""

MOST_SETTINGS = 8192
"""Frontiers are counted by size up to here; larger ones count as this size."""


@dataclass(frozen=True)
class SettingsExperiment:
    """Set hands by every policy (in banker games as a player) and count how the settings differ.

    The tally holds, all int64: ``hands`` (1,) that are set; ``frontier`` (MOST_SETTINGS + 1,):
    hands by the size of their frontier; ``rows`` (policies, 3, 9): hands by policy, row (head,
    middle, tail) and category; ``same`` (policies, policies): hands set to the same row strengths
    by two policies. Policies are in the order of `POLICIES`.
    """

    variant: Variant
    players: int = 4

    @property
    def role(self) -> str:
        """The role that hands are set in."""
        return "player" if self.variant.banker else "any"

    def policies(self) -> tuple[Policy, ...]:
        """Return the policies; PolicyMismatch when the equilibrium is not trained."""
        return tuple(load_policy(self.variant, name, self.role, self.players) for name in POLICIES)

    def prepare(self) -> None:
        """Compile kernels and load policies by setting two hands."""
        self.tally_block(0, 0, 2)

    def describe(self) -> dict[str, Any]:
        """Return what decides the bits of the result."""
        return {
            "variant": self.variant.id,
            "variant_sha256": self.variant.sha256,
            "rules": [str(rule) for rule in self.variant.rules],
            "players": self.players,
            "role": self.role,
            "policy": list(POLICIES),
            "policy_sha256": [policy.sha256 for policy in self.policies()],
        }

    def tally_block(self, seed: int, block: int, deals: int) -> Tally:
        """Set one hand of each of the first ``deals`` deals of a block."""
        hands = np.ascontiguousarray(deal_block(seed, block, deals, players=2)[:, 0])
        hands = hands[first_special(hands, compile_rules(self.variant.rules)) < 0]
        tables = setting_tables(self.variant.wheel, self.variant.compare)
        sizes = np.zeros(MOST_SETTINGS + 1, np.int64)
        for start in range(0, hands.size, CHUNK):
            offsets, _ = frontier_many(hands[start : start + CHUNK], tables)
            found = np.minimum(np.diff(offsets), MOST_SETTINGS)
            sizes += np.bincount(found, minlength=sizes.size)
        classes = np.stack([policy.set_classes(hands) for policy in _held(self)])
        categories = tables.rows.category[classes]
        categories[..., 0] = tables.rows.head_category[classes[..., 0]]
        rows = np.stack(
            [
                [np.bincount(column, minlength=len(CATEGORIES)) for column in by_policy.T]
                for by_policy in categories
            ]
        )
        same = (classes[:, None] == classes[None, :]).all(axis=-1).sum(axis=-1)
        return Tally(
            deals,
            {
                "hands": np.array([hands.size]),
                "frontier": sizes,
                "rows": rows.astype(np.int64),
                "same": same.astype(np.int64),
            },
        )


@lru_cache(maxsize=2)
def _held(experiment: SettingsExperiment) -> tuple[Policy, ...]:
    return experiment.policies()

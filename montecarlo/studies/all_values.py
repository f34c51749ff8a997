"""Study: what every special of every variant is worth, as one table."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from montecarlo.studies.results import Result
from montecarlo.studies.value import ValueResult, value
from montecarlo.variants.load import all_variants


@dataclass(frozen=True)
class AllValues(Result):
    """The values of all variants that know specials."""

    seed: int
    variants: tuple[ValueResult, ...]

    def to_data(self) -> list[dict[str, Any]]:
        """Return the ``value`` shape of design.md, each item led by its ``variant``."""
        return [
            {"variant": result.variant.id, **entry}
            for result in self.variants
            for entry in result.to_data()
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a variant and special."""
        return [
            {"variant": result.variant.id, **row}
            for result in self.variants
            for row in result.rows()
        ]


def all_values(
    *,
    deals: int | None = None,
    seed: int | None = None,
    jobs: int = 1,
    players: int = 4,
    policy: str | Sequence[str] = "equilibrium",
) -> AllValues:
    """Return `montecarlo.studies.value.value` of every variant that comes with the package."""
    if seed is None:
        seed = secrets.randbits(32)
    return AllValues(
        seed,
        tuple(
            value(variant, deals=deals, seed=seed, jobs=jobs, players=players, policy=policy)
            for variant in all_variants()
            if variant.specials
        ),
    )

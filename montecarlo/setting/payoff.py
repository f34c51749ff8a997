"""What a pair of settings pays, as arrays by class: all that settings depend on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput
from montecarlo.strength.tables import CATEGORIES, RowTables, row_tables
from montecarlo.variants.schema import ROWS, Variant

Floats = NDArray[np.float64]
ROLES = ("any", "banker", "player")


@dataclass(frozen=True)
class Payoff:
    """Units of a pair by the winner's classes; index 0 of an array is no class.

    ``rows[r]`` is what the winner of row r gets; ``gun[r]`` and ``home_run[r]`` what each row adds
    when all three are won (from all three opponents), beside ``gun_flat`` and ``home_run_flat``.
    ``majority`` is paid for winning two rows. ``ties`` is 1 when equal rows are won, -1 when they
    are lost, 0 when nobody wins them.
    """

    tables: RowTables
    rows: tuple[Floats, Floats, Floats]
    gun: tuple[Floats, Floats, Floats]
    gun_flat: float
    home_run: tuple[Floats, Floats, Floats]
    home_run_flat: float
    majority: float
    ties: int

    @property
    def pays_gun(self) -> bool:
        """Tell whether winning all three rows of an opponent pays more than the rows."""
        return self.gun_flat != 0 or any(part.any() for part in self.gun)

    @property
    def pays_home_run(self) -> bool:
        """Tell whether winning all rows of all three opponents pays more than the guns."""
        return self.home_run_flat != 0 or any(part.any() for part in self.home_run)

    @property
    def values(self) -> tuple[NDArray[np.uint16], NDArray[np.uint16], NDArray[np.uint16]]:
        """Value by class of head, middle and tail."""
        return self.tables.head_value, self.tables.value, self.tables.value

    @property
    def categories(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
        """Category by class of head, middle and tail."""
        return self.tables.head_category, self.tables.category, self.tables.category


def payoff(variant: Variant, role: str, players: int) -> Payoff:
    """Return the payoff of one seat against another in a variant.

    ``role`` is "banker" or "player" in banker games, "any" in others. Raises BadInput for a role
    the variant does not have and for ladders, which have no settings.
    """
    roles = ("banker", "player") if variant.banker else ("any",)
    if role not in roles:
        raise BadInput(f"{variant.id}: role must be {' or '.join(roles)}, not '{role}'")
    if variant.format == "ladder":
        raise BadInput(f"{variant.id} is a ladder: there is nothing to set")
    tables = row_tables(variant.wheel, variant.compare)
    sweep = variant.sweep
    gun_base = sweep.gun_times if sweep.gun != "none" else 1
    gun_extra = sweep.gun_times if sweep.gun == "pair" else 1
    run_base = sweep.home_run_times if sweep.home_run != "none" else 1
    run_extra = sweep.home_run_times if sweep.home_run == "pair" else 1
    run_flat = sweep.gun_add * (run_extra - 1) + sweep.home_run_add
    possible = players == 4  # a home run needs three opponents
    bases, extras = [], []
    for name in ROWS:
        category = tables.head_category if name == "head" else tables.category
        row = variant.row(name)
        paid = variant.format == "rows" or (variant.format == "tail" and name == "tail")
        extra_of = [row.extra_of(c) if paid else 0 for c in CATEGORIES]
        extra = np.array(extra_of, dtype=np.float64)[category]
        base = np.full(category.size, float(row.base if paid else 0))
        base[0] = extra[0] = 0.0
        bases.append(base)
        extras.append(extra)
    both = list(zip(bases, extras, strict=True))

    def three(base_times: float, extra_times: float) -> tuple[Floats, Floats, Floats]:
        head, middle, tail = (b * base_times + e * extra_times for b, e in both)
        return head, middle, tail

    return Payoff(
        tables=tables,
        rows=three(1, 1),
        gun=three(gun_base - 1, gun_extra - 1),
        gun_flat=float(sweep.gun_add),
        home_run=three(
            gun_base * (run_base - 1) * possible, gun_extra * (run_extra - 1) * possible
        ),
        home_run_flat=float(run_flat * possible),
        majority=float(variant.majority if variant.format == "majority" else 0),
        ties={"banker": 1, "player": -1}.get(role, 0) if variant.tie == "banker" else 0,
    )

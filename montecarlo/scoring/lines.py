"""Payout lines and payout parameters of a variant, by name.

A *line* says what a payment was for (design.md, "Lines"). A *payout parameter* is one number of
the payout table; units are linear in these numbers, with counts that carry the multipliers of guns
and home runs: units = counts · payouts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from montecarlo.variants.schema import (
    CATEGORIES,
    HEAD_CATEGORIES,
    ROWS,
    RowName,
    SpecialEntry,
    Variant,
)


class Payout(NamedTuple):
    """One number of a payout table: its name and its units."""

    id: str
    units: int


def categories_of(row: RowName) -> tuple[str, ...]:
    """Return the categories a row can have, weakest first."""
    return HEAD_CATEGORIES if row == "head" else CATEGORIES


def line_of_special(variant: Variant, entry: SpecialEntry) -> str:
    """Return the line a special is paid through: ``special.ID``, in ladders ``tier.K``."""
    return f"tier.{entry.tier}" if variant.format == "ladder" else f"special.{entry.id}"


def line_ids(variant: Variant) -> tuple[str, ...]:
    """Return the ids of the variant's payout lines, in a fixed order.

    ``rows`` games always have the lines ``gun`` and ``home_run``, also where these pay nothing.
    """
    lines = [line_of_special(variant, entry) for entry in variant.specials]
    if variant.format == "rows":
        lines += [f"row.{row}.{category}" for row in ROWS for category in categories_of(row)]
        lines += ["gun", "home_run"]
    elif variant.format != "ladder":
        lines.append(variant.format)
    return tuple(dict.fromkeys(lines))


def payouts(variant: Variant) -> tuple[Payout, ...]:
    """Return the variant's payout table, in a fixed order.

    ``special.ID`` (in ladders ``tier.K``, unless the entries of a tier pay differently);
    ``row.ROW.base`` and ``row.ROW.CATEGORY``, the extra on top of the base, which is negative where
    a category pays less than the base; ``gun_add`` and ``home_run_add``; ``majority``; ``tail``,
    the tail's base where only the tail is compared. The multipliers of guns and home runs are no
    payouts: they stand in the counts.
    """
    table = [Payout(payout_of_special(variant, e), e.points) for e in variant.specials]
    if variant.format == "rows":
        for row in ROWS:
            table.append(Payout(f"row.{row}.base", variant.base_units(row)))
            table += _extras(variant, row)
        table.append(Payout("gun_add", variant.sweep.gun_add))
        table.append(Payout("home_run_add", variant.sweep.home_run_add))
    elif variant.format == "majority":
        table.append(Payout("majority", variant.majority))
    elif variant.format == "tail":
        table.append(Payout("tail", variant.base_units("tail")))
        table += _extras(variant, "tail")
    return tuple(dict.fromkeys(table))


def _extras(variant: Variant, row: RowName) -> list[Payout]:
    units = variant.row(row)
    return [Payout(f"row.{row}.{c}", units.extra_of(c)) for c in categories_of(row)]


def payout_of_special(variant: Variant, entry: SpecialEntry) -> str:
    """Return the payout parameter of one special."""
    same_tier = [e.points for e in variant.specials if e.tier == entry.tier]
    if variant.format == "ladder" and len(set(same_tier)) == 1:
        return f"tier.{entry.tier}"
    return f"special.{entry.id}"


def payout_ids(variant: Variant) -> tuple[str, ...]:
    """Return the names of the payout parameters, in the order of `payout_vector`."""
    return tuple(payout.id for payout in payouts(variant))


def payout_vector(variant: Variant) -> NDArray[np.int64]:
    """Return the payout table as a vector (payouts,) of units, int64."""
    return np.array([payout.units for payout in payouts(variant)], dtype=np.int64)

"""The points of a payout table as a designer names them, and which of them are free.

A name is that of `montecarlo rules --set`: ``special.ID`` (``tier.K``), ``row.ROW.base``,
``row.ROW.CATEGORY`` (units in all), ``gun_add``, ``home_run_add``, ``majority``, ``tail``. Payout
vectors hold extras on top of the base instead; they are linear in the points. Where a base is
free, categories that have units of their own keep them, others follow the base.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput, nearest
from montecarlo.scoring.lines import line_ids, payout_ids, payout_of_special, payout_vector
from montecarlo.variants.schema import ROWS, Variant

Floats = NDArray[np.float64]

SWEEPS = {"gun": "gun_times", "home_run": "home_run_times"}


@dataclass(frozen=True)
class PointTable:
    """The free points of a variant's payout table, in the order of `payout_ids`."""

    variant: Variant
    free: tuple[str, ...]

    @cached_property
    def present(self) -> NDArray[np.int64]:
        """Points of the free lines as they stand, (free,) int64."""
        points = points_of(self.variant)
        return np.array([points[name] for name in self.free], dtype=np.int64)

    @cached_property
    def directions(self) -> Floats:
        """D (payouts, free): how the payout vector changes with each free point."""
        places = {name: place for place, name in enumerate(payout_ids(self.variant))}
        matrix = np.zeros((len(places), len(self.free)))
        for column, name in enumerate(self.free):
            matrix[places[name], column] = 1
            row = _row_of_base(name)
            if row:
                kept = {f"row.{row}.{c}" for c in self.variant.row(row).units}
                for other in (kept | set(self.free)) & set(places):
                    if other.startswith(f"row.{row}.") and other != name:
                        matrix[places[other], column] = -1
        return matrix

    def vector(self, points: Sequence[int] | NDArray[Any]) -> Floats:
        """Return the payout vector (payouts,) of free points (free,)."""
        change = np.asarray(points, dtype=np.float64) - self.present
        return np.asarray(payout_vector(self.variant) + self.directions @ change, np.float64)

    def to_variant(self, points: Sequence[int] | NDArray[Any]) -> Variant:
        """Return the variant with other points: the same id, no knobs noted."""
        new = {name: int(p) for name, p in zip(self.free, points, strict=True)}
        return with_points(self.variant, new)


def points_of(variant: Variant) -> dict[str, int]:
    """Return all points of a payout table by name, rows' categories as units in all."""
    found = dict(zip(payout_ids(variant), payout_vector(variant).tolist(), strict=True))
    for name in found:
        parts = name.split(".")
        if parts[0] == "row" and parts[2] != "base":
            base = "tail" if variant.format == "tail" else f"row.{parts[1]}.base"
            found[name] += found[base]
    return found


def with_points(variant: Variant, new: Mapping[str, int]) -> Variant:
    """Return a variant with the named points changed; the others as in `PointTable`."""
    old = points_of(variant)
    data = variant.model_dump()
    for entry, special in zip(data["specials"], variant.specials, strict=True):
        entry["points"] = new.get(payout_of_special(variant, special), special.points)
    for row in ROWS:
        base_name = f"row.{row}.base"
        if (variant.format, row) == ("tail", "tail"):
            base_name = "tail"
        base = new.get(base_name, old.get(base_name, variant.base_units(row)))
        moved = base != variant.base_units(row)
        values = data["rows"][row]
        values["base"] = base
        for name, points in new.items():
            category = name.removeprefix(f"row.{row}.")
            if category in (name, "base") or (points == old[name] and not moved):
                continue
            values["extra"].pop(category, None)
            values["units"][category] = points
    for name in ("gun_add", "home_run_add"):
        data["sweep"][name] = new.get(name, data["sweep"][name])
    data["majority"] = new.get("majority", data["majority"])
    data["knobs"] = {}
    return Variant.model_validate(data)


def free_points(variant: Variant, patterns: Iterable[str]) -> PointTable:
    """Return the table with the named points free.

    A pattern with a star frees the matching lines that pay something of their own; a category that
    pays no more than its row's base is freed by its full name. Raises BadInput for a name that the
    variant does not have, and for multipliers, which are no points.
    """
    points, own = points_of(variant), _paying(variant)
    free: set[str] = set()
    for pattern in patterns:
        pattern = pattern.strip()
        if pattern in SWEEPS and pattern in line_ids(variant):
            times = getattr(variant.sweep, SWEEPS[pattern])
            raise BadInput(
                f"{pattern} multiplies what rows pay (×{times}) and has no points of its own: "
                f"units are not linear in it; {pattern}_add (units on top) can be free, or change "
                f"--set {SWEEPS[pattern]}=…"
            )
        if "*" in pattern:
            matched = {name for name in own if fnmatchcase(name, pattern)}
        else:
            matched = {pattern} & set(points)
        if not matched:
            raise BadInput(unknown_points(variant, pattern))
        free |= matched
    if not free:
        raise BadInput("nothing is free: name lines with --free, as in --free 'special.*'")
    return PointTable(variant, tuple(name for name in points if name in free))


def matching_points(variant: Variant, pattern: str) -> tuple[str, ...]:
    """Return the points that a name or a pattern with a star means; BadInput for none."""
    matched = tuple(name for name in points_of(variant) if fnmatchcase(name, pattern))
    if not matched:
        raise BadInput(unknown_points(variant, pattern))
    return matched


def matching_lines(variant: Variant, pattern: str) -> tuple[str, ...]:
    """Return the payout lines that a name or a pattern with a star means; BadInput for none."""
    lines = line_ids(variant)
    matched = tuple(line for line in lines if fnmatchcase(line, pattern))
    if not matched:
        raise BadInput(
            f"{variant.id} has no payout line '{pattern}'{_nearest_name(pattern, lines)}"
        )
    return matched


def unknown_points(variant: Variant, name: str) -> str:
    """Say that a variant has no such points, and which name comes nearest."""
    return f"{variant.id} has no points '{name}'{_nearest_name(name, points_of(variant))}"


def _nearest_name(name: str, known: Iterable[str]) -> str:
    known = list(known)
    stems = {f"{n.rpartition('.')[0]}.*" for n in known if "." in n} if "*" in name else set()
    found = nearest(name, [*known, *sorted(stems)])
    return found or f" (has: {', '.join(known[:6])}{', …' if len(known) > 6 else ''})"


def _row_of_base(name: str) -> Any:
    """Return the row whose base a name is, or None."""
    if name == "tail":
        return "tail"
    parts = name.split(".")
    return parts[1] if parts[0] == "row" and parts[2] == "base" else None


def _paying(variant: Variant) -> set[str]:
    """Names of points that pay something of their own: not categories that pay just the base."""
    vector = payout_vector(variant).tolist()
    return {
        name
        for name, units in zip(payout_ids(variant), vector, strict=True)
        if units or not (name.startswith("row.") or name.endswith("_add"))
    }

"""Study: how much edge and spread move when one line of the payout table pays a step more.

Under fixed settings the derivative of the edge is the mean count of the line, and that of the SD
(v' C)_line / SD: both from one run of counted payments. With response the policy is trained for the
table with one step more, and both games are played on the same deals.

In a game of one banker against players who respond, the first-order effect of the response is nil
where the settings are an equilibrium (envelope theorem): both columns should agree within errors
as long as a step is small.

Source: Milgrom & Segal (2002), Econometrica 70, 583-601 (envelope theorems).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from montecarlo.errors import BadInput
from montecarlo.statistics.clustered import Estimate
from montecarlo.studies.moments import Moments
from montecarlo.studies.results import Result
from montecarlo.studies.settings import check_players
from montecarlo.studies.tuning.points import PointTable, free_points, points_of
from montecarlo.studies.tuning.response import respond, settings_differ
from montecarlo.variants import Variant, load

Note = Callable[[str], None]


@dataclass(frozen=True)
class Sensitivity:
    """One line: what one point more does, a deal."""

    line: str
    points: int
    edge: Estimate | None
    """d(edge) / d(points), settings fixed; None where there is no banker"""
    sd: Estimate
    """d(SD) / d(points), settings fixed"""
    edge_with_response: Estimate | None
    """(edge with a step more, players responding) - (edge now), by points; None if not asked"""

    def to_data(self) -> dict[str, Any]:
        """Return JSON data."""
        return {
            "line": self.line,
            "points": self.points,
            "edge": _data(self.edge),
            "sd": _data(self.sd),
            "edge_with_response": _data(self.edge_with_response),
        }


@dataclass(frozen=True)
class Sensitivities(Result):
    """All lines of a payout table, in its order."""

    variant: Variant
    players: int
    deals: int
    seed: int
    step: int
    lines: tuple[Sensitivity, ...]

    def to_data(self) -> dict[str, Any]:
        """Return the sensitivities as JSON data."""
        return {
            "variant": self.variant.id,
            "knobs": self.variant.knobs,
            "players": self.players,
            "deals": self.deals,
            "seed": self.seed,
            "step": self.step,
            "sensitivities": [line.to_data() for line in self.lines],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a line."""
        rows = []
        for line in self.lines:
            row: dict[str, Any] = {"line": line.line, "points": line.points}
            for name in ("edge", "sd", "edge_with_response"):
                found = getattr(line, name)
                row[name] = found.value if found else None
                row[f"{name}_se"] = found.se if found else None
            rows.append(row)
        return rows


def sensitivities(
    variant: Variant | str,
    lines: Sequence[str] = ("special.*", "row.*"),
    *,
    deals: int,
    seed: int,
    players: int = 4,
    jobs: int = 1,
    step: int = 1,
    response: bool = False,
    note: Note = lambda _text: None,
) -> Sensitivities:
    """Return the derivatives of edge and SD by the points of some lines, with errors.

    ``lines`` are names or patterns as in `points.free_points`. With ``response`` (banker games
    only: elsewhere every edge is 0) the players respond to ``step`` points more, line by line.
    Raises BadInput for lines that the variant does not have.
    """
    from montecarlo.studies.moments import moments

    variant = load(variant) if isinstance(variant, str) else variant
    check_players(players)
    if step < 1:
        raise BadInput(f"step must be 1 or more, not {step}")
    if response and not variant.banker:
        raise BadInput(f"{variant.id} has no banker: with any response every seat expects 0 units")
    table = free_points(variant, [word for word in lines if _is_known(variant, word)])
    counted = moments(variant, deals=deals, seed=seed, players=players, jobs=jobs)
    responses: dict[str, Estimate] = {}
    if response:
        for name in table.free:
            note(f"{name}: the players respond to {step} more")
            responses[name] = _response(variant, table, name, step, counted, deals, seed, jobs)
    return Sensitivities(
        variant, players, deals, seed, step, fixed_sensitivities(table, counted, responses)
    )


def fixed_sensitivities(
    table: PointTable, counted: Moments, responses: dict[str, Estimate] | None = None
) -> tuple[Sensitivity, ...]:
    """Return the derivatives from counted payments; ``responses`` are put beside them."""
    points, v = points_of(table.variant), counted.vector(table.variant)
    directions = _alone(table)
    found = []
    for column, name in enumerate(table.free):
        direction = directions[:, column]
        edge = counted.difference(v + direction, v) if table.variant.banker else None
        slope = counted.sd_slope(v, direction)
        found.append(Sensitivity(name, points[name], edge, slope, (responses or {}).get(name)))
    return tuple(found)


def _alone(table: PointTable) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Directions (payouts, free) of changing each line alone, the others' points fixed."""
    single = [PointTable(table.variant, (name,)).directions for name in table.free]
    return np.hstack(single)


def _is_known(variant: Variant, word: str) -> bool:
    """Tell whether a default pattern has lines; a name that somebody wrote must have some."""
    return word not in ("special.*", "row.*") or any(
        name.startswith(word.removesuffix("*")) for name in points_of(variant)
    )


def _response(
    variant: Variant, table: PointTable, name: str, step: int, counted: Moments, deals: int,
    seed: int, jobs: int,
) -> Estimate:  # fmt: skip
    """Return the change of the edge by points, players responding, on common deals."""
    from montecarlo.studies.compare import compare

    players = counted.experiment.players
    one = PointTable(variant, (name,))
    changed = one.to_variant(one.present + step).model_copy(update={"id": f"{variant.id}_step"})
    v = counted.vector(variant)
    if not settings_differ(variant, changed, players):
        found = counted.difference(counted.vector(changed), v)
    else:
        respond(changed, variant, players)
        found = compare(
            changed, variant, deals=deals, seed=seed, players=players, jobs=jobs
        ).units.difference
    se = found.se / step if math.isfinite(found.se) else math.inf
    return Estimate(found.value / step, se, found.deals)


def _data(found: Estimate | None) -> dict[str, float | None] | None:
    if found is None:
        return None
    return {"value": found.value, "se": found.se if math.isfinite(found.se) else None}

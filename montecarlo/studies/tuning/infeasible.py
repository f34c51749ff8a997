"""Why no table meets the goals: a smallest set of demands that clash, and what can be reached."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from montecarlo.studies.tuning.programme import (
    Programme,
    Solution,
    nearest_table,
    reachable,
    smallest_miss,
)
from montecarlo.studies.tuning.request import Request

MET = 1e-4
"""Misses up to this, in units of a demand's scale, are rounding."""


@dataclass(frozen=True)
class Clash:
    """Demands that cannot be met together, though each of them may be dropped to meet the rest."""

    texts: tuple[str, ...]
    reach: tuple[str, ...]
    """For each figure among them: what can be reached."""

    @property
    def sentence(self) -> str:
        """The reason in one line."""
        together = " with ".join(f"'{text}'" for text in self.texts)
        return f"{together} cannot be met; {'; '.join(self.reach)}" if self.reach else (
            f"{together} cannot be met together"
        )  # fmt: skip


def is_met(solution: Solution | None) -> bool:
    """Tell whether a solution misses nothing but by rounding."""
    return solution is not None and solution.miss <= MET


def clash_of(request: Request, programme: Programme) -> Clash:
    """Return why a programme that no table meets is not met.

    Demands, rules and bounds are left out one at a time; one without which the rest still cannot be
    met is left out for good (deletion filter). What remains is irreducible.

    Source: Chinneck & Dravnieks (1991), ORSA Journal on Computing 3, 157-168.
    """
    kept = list(_groups(request, programme))
    for group in tuple(kept):
        fewer = [other for other in kept if other != group]
        if not is_met(smallest_miss(_only(programme, fewer))):
            kept = fewer
    texts = tuple(_words(request, group) for group in reversed(kept))  # goals are named first
    return Clash(texts, tuple(_reach(programme)))


Group = tuple[str, str]
"""What may be left out: ("demand" or "rule", its text), or ("bounds", "")."""


def _groups(request: Request, programme: Programme) -> list[Group]:
    demands = [("demand", d.text) for d in programme.demands]
    rules = dict.fromkeys(("rule", r.text) for r in programme.rules)
    return [("bounds", ""), *rules, *demands]


def _only(programme: Programme, groups: list[Group]) -> Programme:
    """Return the programme with some demands, rules and bounds; without bounds points are ≥ 0."""
    free = ("bounds", "") not in groups
    size = len(programme.table.free)
    return replace(
        programme,
        demands=tuple(d for d in programme.demands if ("demand", d.text) in groups),
        rules=tuple(r for r in programme.rules if ("rule", r.text) in groups),
        lowest=np.zeros(size, np.int64) if free else programme.lowest,
        highest=np.full(size, 1_000_000, np.int64) if free else programme.highest,
    )


def _words(request: Request, group: Group) -> str:
    return ", ".join(request.bounds) if group[0] == "bounds" else group[1]


def _reach(programme: Programme) -> list[str]:
    found = []
    best = smallest_miss(programme)
    for number, demand in enumerate(programme.demands):
        span = reachable(programme, number) if demand.is_linear else None
        if span:
            low, high = span
            nearest = low if demand.high < low else high
            found.append(
                f"with all else kept, the figure of '{demand.text}' reaches {low:.4f} to "
                f"{high:.4f}: nearest {nearest:.4f}"
            )
        elif best is not None:
            table = nearest_table(programme) or best
            v = programme.table.vector(table.points)
            shown = float(demand.function.values(v[None, :])[0])
            found.append(f"the figure of '{demand.text}' comes as near as {shown:.4f}")
    return found

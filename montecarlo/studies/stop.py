"""Runs that stop when their goals of precision are met, and what is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.simulation.store import Store
from montecarlo.simulation.tallies import Tally
from montecarlo.simulation.until import Ending, Workers, run_until
from montecarlo.studies.exact import exact
from montecarlo.studies.goals import Goals
from montecarlo.studies.named_statistics import Figures
from montecarlo.studies.recipe import Recipe


@dataclass(frozen=True)
class Stop:
    """How a run with goals ended."""

    goal: str
    reached: bool
    deals: int
    ended_by: Ending
    goals: tuple[dict[str, Any], ...]
    """where each goal stood, as JSON data"""

    @property
    def sentence(self) -> str:
        """Say in a sentence or two what ended the run."""
        said = {
            "goal": f"Goal reached after {self.deals:,} deals: {self.goal}.",
            "max_deals": f"Goal NOT reached in the {self.deals:,} deals allowed: {self.goal}.",
            "max_time": f"Goal NOT reached in the time allowed, {self.deals:,} deals: {self.goal}. "
            "Where a run is ended by the clock, its result depends on the machine.",
        }
        return said[self.ended_by]

    def to_data(self) -> dict[str, Any]:
        """Return the key ``until`` of a simulation's JSON."""
        return {
            "goal": self.goal, "reached": self.reached, "deals": self.deals,
            "ended_by": self.ended_by, "goals": list(self.goals),
        }  # fmt: skip


def deal_until(
    goals: Goals,
    recipe: Recipe,
    plan: Plan,
    *,
    max_seconds: float | None = None,
    workers: Workers | None = None,
    store: Store | None = None,
    least: int = 1,
) -> tuple[Tally, Stop]:
    """Deal waves of a plan until goals are met, or no deal or no time is left.

    ``store`` keeps the run, ``least`` is the number of deals it holds from before. Raises BadInput
    for a time or workers that cannot be.
    """
    counts = exact(recipe.variant)

    def figures(tally: Tally) -> Figures:
        return Figures(recipe.experiment, tally, counts)

    with progress_bar(recipe.variant.id, None) as advance:
        tally, ending = run_until(
            plan,
            lambda tally: goals.are_met(figures(tally)),
            least=least,
            max_seconds=max_seconds,
            workers=workers,
            store=store,
            advance=advance,
        )
    return tally, _stop(goals, ending, figures(tally))


def _stop(goals: Goals, ending: Ending, figures: Figures) -> Stop:
    return Stop(
        str(goals), ending == "goal", figures.tally.deals, ending, tuple(goals.progress(figures))
    )

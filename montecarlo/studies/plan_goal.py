"""Study: how many deals, and how long on this machine, a goal of precision needs.

Probabilities of specials are known exactly, so their errors are worked out without a deal; for all
other statistics the spread of a deal comes from a pilot run. The pilot's speed gives the time.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import BadInput
from montecarlo.simulation.plan import MOST_DEALS, TASK_BLOCKS, Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.simulation.runner import run
from montecarlo.simulation.waves import first_wave
from montecarlo.statistics.clustered import clustered_proportion
from montecarlo.statistics.intervals import normal_quantile
from montecarlo.statistics.planning import (
    deals_for_se,
    deals_for_width,
    exact_width,
    least_deals,
)
from montecarlo.studies.exact import TOTAL
from montecarlo.studies.frequencies import FEWEST_FOR_NORMAL
from montecarlo.studies.goals import Goal, read_goals
from montecarlo.studies.named_statistics import Figures, Simulated
from montecarlo.studies.recipe import Recipe
from montecarlo.studies.results import Result
from montecarlo.variants import Variant, load


@dataclass(frozen=True)
class PlannedGoal(Result):
    """What a goal needs."""

    variant: Variant
    policy: str
    goal: str
    deals: int
    """the least that is expected to do"""
    seconds: float
    workers: int
    stops_at: int
    """deals at the first look (see `montecarlo.simulation.waves`) with enough of them"""
    pilot_deals: int
    per_second: float
    parts: tuple[tuple[str, int], ...]
    """each goal and its deals"""

    def to_data(self) -> dict[str, Any]:
        """Return the ``plan`` shape of design.md, and more."""
        return {
            "goal": self.goal,
            "deals": self.deals,
            "seconds": self.seconds,
            "workers": self.workers,
            "variant": self.variant.id,
            "policy": self.policy,
            "stops_at": self.stops_at,
            "pilot_deals": self.pilot_deals,
            "deals_per_second": self.per_second,
            "goals": self.rows(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a goal."""
        return [{"goal": goal, "deals": deals} for goal, deals in self.parts]


def plan_goal(
    variant: Variant | str,
    goal: str,
    *,
    policy: str | None = None,
    players: int = 4,
    jobs: int = 1,
    pilot: int | None = None,
    seed: int = 0,
    hold_policy: bool = False,
) -> PlannedGoal:
    """Return the deals and the seconds that a goal needs on this machine with ``jobs`` workers.

    ``goal`` as in `montecarlo.studies.goals`. ``policy``: equilibrium if not given, or "none" when
    the goal speaks of frequencies of specials only. ``pilot``: deals of the pilot run (a task of
    four blocks a worker if not given). Raises BadInput for a goal that is none, for one that no
    seed has deals enough for, and for a statistic that the pilot did not meet.
    """
    if isinstance(variant, str):
        variant = load(variant)
    words = policy or "none"
    experiment = Recipe.of(variant, words, players, hold_policy).experiment
    if policy is None and not _can_read(goal, experiment):
        words = "equilibrium"
        experiment = Recipe.of(variant, words, players, hold_policy).experiment
    goals = read_goals(goal, experiment)
    pilot = pilot or max(jobs, 1) * TASK_BLOCKS * BLOCK_DEALS
    experiment.prepare()
    start = time.perf_counter()
    with progress_bar("pilot", pilot) as advance:
        tally = run(Plan(experiment, seed, pilot), jobs=jobs, advance=advance)
    per_second = pilot / (time.perf_counter() - start)
    figures = Figures.of(experiment, tally)
    parts = tuple((part.text, _deals(part, figures)) for part in goals.parts)
    for text, deals in parts:
        if deals > MOST_DEALS:
            raise BadInput(f"{text} needs {deals:.2g} deals; one seed has {MOST_DEALS:.2g}")
    most = max(deals for _, deals in parts)
    return PlannedGoal(
        variant, words, str(goals), most, float(f"{most / per_second:.3g}"), jobs,
        first_wave(most), pilot, float(f"{per_second:.3g}"), parts,
    )  # fmt: skip


def _can_read(goal: str, experiment: Simulated) -> bool:
    try:
        read_goals(goal, experiment)
    except BadInput:
        return False
    return True


def _deals(goal: Goal, figures: Figures) -> int:
    kind, _, special = goal.statistic.name.partition(".")
    if kind == "special":
        return _deals_for_special(goal, figures, special)
    found = goal.statistic.read(figures).estimate
    if not math.isfinite(found.se):
        raise BadInput(
            f"{goal.statistic.name} was met too seldom in the pilot's {found.deals:,} deals to "
            "plan by: give a longer --pilot"
        )
    sd = found.se * math.sqrt(found.deals)
    if goal.measure == "width":
        return deals_for_width(sd, goal.limit)
    return deals_for_se(sd, goal.limit * (abs(found.value) if goal.measure == "rel" else 1))


def _deals_for_special(goal: Goal, figures: Figures, special: str) -> int:
    """Search the deals at which the interval of an exactly known probability is small enough."""
    p = figures.counts[special].exclusive / TOTAL
    if p == 0 and goal.measure == "rel":
        raise BadInput(f"{goal.text} cannot be reached: no hand is declared {special}")
    seen, players = figures.special(special), figures.experiment.players
    place = [entry.id for entry in figures.counts.specials].index(special)
    columns = players + 1
    histogram = figures.tally.integers("holders")[place * columns : (place + 1) * columns]
    effect = clustered_proportion(histogram).design_effect
    per_deal = p * (1 - p) / players * (effect if seen.count >= FEWEST_FOR_NORMAL else 1.0)

    def is_enough(deals: int) -> bool:
        if p * deals * players >= FEWEST_FOR_NORMAL:
            se = math.sqrt(per_deal / deals)
        else:  # as `frequencies` does: exact, on deals that hold it
            se = exact_width(p * players, deals) / players / (2 * normal_quantile(0.95))
        measures = {"se": se, "width": 2 * normal_quantile(0.95) * se, "rel": se / p if p else 0.0}
        return measures[goal.measure] < goal.limit

    return least_deals(is_enough)

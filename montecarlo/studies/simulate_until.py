"""Study: simulate a variant until enough is known, instead of a number of deals."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import BadInput
from montecarlo.simulation.plan import MOST_DEALS, Plan
from montecarlo.simulation.runs import MANIFEST, RunFolder
from montecarlo.simulation.store import Store
from montecarlo.simulation.until import Workers
from montecarlo.simulation.waves import first_wave
from montecarlo.studies.goals import read_goals
from montecarlo.studies.recipe import Recipe
from montecarlo.studies.simulate import SimulationResult, result_of, seed_of
from montecarlo.studies.stop import deal_until
from montecarlo.variants import Variant, load


def simulate_until(
    variant: Variant | str,
    goal: str,
    *,
    max_deals: int | None = None,
    max_seconds: float | None = None,
    seed: int | None = None,
    policy: str | Sequence[str] = "equilibrium",
    players: int = 4,
    workers: Workers | None = None,
    out: Path | str | None = None,
    resume: bool = False,
    hold_policy: bool = False,
    first_block: int = 0,
) -> SimulationResult:
    """Deal tables in waves until a goal such as ``se(edge) < 0.001`` is met.

    ``goal``: one or more, joined by "and" (see `montecarlo.studies.goals`). It is looked at after
    numbers of deals fixed beforehand (`montecarlo.simulation.waves`), so that the stopping point
    does not depend on workers. No more than ``max_deals`` are dealt, and no wave is begun after
    ``max_seconds``: a run that this ends depends on the clock. The result is that of `simulate` for
    as many deals, a folder ``out`` too; its ``stop`` says how the run ended. A resumed run is first
    looked at when it has what is stored. Other words are those of `simulate`, and so are the
    errors; BadInput also for a goal that is none or that cannot be reached.
    """
    if isinstance(variant, str):
        variant = load(variant)
    recipe = Recipe.of(variant, policy, players, hold_policy)
    goals = read_goals(goal, recipe.experiment)
    if resume and out is None:
        raise BadInput("resume needs the folder of the run: --out DIR")
    if seed is None:
        seed = seed_of(Path(out)) if resume and out is not None else secrets.randbits(32)
    most = MOST_DEALS - first_block * BLOCK_DEALS if max_deals is None else max_deals
    plan = Plan(recipe.experiment, seed, most, first_block)
    if out is None:
        tally, stop = deal_until(goals, recipe, plan, max_seconds=max_seconds, workers=workers)
        dealt = replace(plan, deals=tally.deals)
        return replace(result_of(recipe, dealt, tally), stop=stop)
    begin = replace(plan, deals=_first_look(Path(out), resume, most))
    with Store(Path(out), begin, resume=resume, recipe=recipe.to_data()) as store:
        tally, stop = deal_until(
            goals, recipe, plan, max_seconds=max_seconds, workers=workers, store=store,
            least=begin.deals,
        )  # fmt: skip
        dealt = replace(plan, deals=tally.deals)
        result = result_of(recipe, dealt, tally)
        store.finish(dealt, result.to_data())
    return replace(result, stop=stop)


def _first_look(folder: Path, resume: bool, most: int) -> int:
    """Return the deals after which a run is first looked at: those its folder holds or aims at."""
    aim = 1
    if resume and (folder / MANIFEST).exists():
        aim = RunFolder.open(folder).deals_wanted
        if aim > most:
            raise BadInput(f"{folder}: holds a run of {aim} deals, more than the {most} allowed")
    return min(first_wave(aim), most)

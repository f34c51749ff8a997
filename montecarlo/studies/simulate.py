"""Study: simulate a variant. Deals millions of tables and sums up what happened."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from montecarlo.errors import BadInput, StoreError
from montecarlo.simulation.payouts import PayoutExperiment
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.simulation.runner import run
from montecarlo.simulation.runs import MANIFEST, RunFolder
from montecarlo.simulation.store import Store
from montecarlo.simulation.tallies import Tally
from montecarlo.studies.exact import exact
from montecarlo.studies.frequencies import SpecialFrequency, agreement, frequencies
from montecarlo.studies.payouts import Payouts, payouts
from montecarlo.studies.recipe import Recipe
from montecarlo.studies.results import Result
from montecarlo.studies.stop import Stop
from montecarlo.variants import Variant, load

NOT_PLAYED = ("units", "edge", "gun_rate", "home_run_rate", "rows", "lines")
"""Keys of the JSON shape that are null when nothing is played."""


@dataclass(frozen=True)
class SimulationResult(Result):
    """Everything one run tells about a variant."""

    variant: Variant
    policy: str
    players: int
    deals: int
    seed: int
    specials: tuple[SpecialFrequency, ...]
    payouts: Payouts | None
    tally: Tally
    held: bool = False
    """True when an equilibrium trained for other rules was kept (``hold_policy``)."""
    first_block: int = 0
    """Block of the seed that the deals begin with."""
    stop: Stop | None = None
    """how a run with a goal ended"""

    @property
    def sentence(self) -> str:
        """One sentence: do simulation and exact counts agree?"""
        return agreement(self.specials)

    def to_data(self) -> dict[str, Any]:
        """Return the ``simulate`` shape of design.md."""
        data: dict[str, Any] = {
            "variant": self.variant.id,
            "knobs": self.variant.knobs,
            "policy": self.policy,
            "players": self.players,
            "deals": self.deals,
            "seed": self.seed,
            "first_block": self.first_block,
            "specials": [entry.to_data() for entry in self.specials],
            "agreement": self.sentence,
        }
        if self.stop is not None:
            data["until"] = self.stop.to_data()
        if self.payouts is None:
            return {**data, **dict.fromkeys(NOT_PLAYED)}
        return {**data, **self.payouts.to_data(self.players), "policy_held": self.held}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a special."""
        return [
            {**entry.to_data(), "ci95_low": entry.ci95.low, "ci95_high": entry.ci95.high}
            for entry in self.specials
        ]


def simulate(
    variant: Variant | str,
    *,
    deals: int,
    seed: int | None = None,
    policy: str | Sequence[str] = "equilibrium",
    players: int = 4,
    jobs: int = 1,
    backend: str = "threading",
    scheduler: str | None = None,
    out: Path | str | None = None,
    resume: bool = False,
    hold_policy: bool = False,
    first_block: int = 0,
) -> SimulationResult:
    """Deal ``deals`` tables of a variant, set every hand by its seat's policy, and score them.

    ``policy``: one name for all seats or one a seat, seat 0 first (the banker in banker games);
    "none" deals and tabulates specials only. ``seed`` is drawn (and reported) when not given.
    ``out`` names a folder that keeps the run; with ``resume`` an interrupted one is completed to
    the same bits. ``hold_policy`` keeps the variant's own equilibrium under overrides.
    ``first_block`` takes the deals from a later block of the seed on (65,536 deals a block), for
    runs that are joined later (see `studies.merge`). Raises BadInput for input that cannot be
    used, PolicyMismatch when no equilibrium is trained for the rules, StoreError for a folder that
    cannot be used.
    """
    if isinstance(variant, str):
        variant = load(variant)
    recipe = Recipe.of(variant, policy, players, hold_policy)
    if resume and out is None:
        raise BadInput("resume needs the folder of the run: --out DIR")
    if seed is None:
        seed = seed_of(Path(out)) if resume and out is not None else secrets.randbits(32)
    plan = Plan(recipe.experiment, seed, deals, first_block)
    if out is not None:
        return carry_out(Path(out), recipe, plan, resume, jobs, backend, scheduler)
    with progress_bar(variant.id, deals) as advance:
        tally = run(plan, jobs=jobs, backend=backend, scheduler=scheduler, advance=advance)
    return result_of(recipe, plan, tally)


def carry_out(
    folder: Path,
    recipe: Recipe,
    plan: Plan,
    resume: bool,
    jobs: int,
    backend: str = "threading",
    scheduler: str | None = None,
) -> SimulationResult:
    """Carry out the plan of a recipe, or what is left of it, in a folder that keeps the run.

    Raises StoreError for a folder that cannot be used, or that shall hold more deals than the plan.
    """
    if resume and (folder / MANIFEST).exists():
        before = RunFolder.open(folder)
        if before.deals_wanted > plan.deals and "parts" not in before.manifest:
            raise StoreError(
                f"{folder}: holds a run of {before.deals_wanted} deals, not {plan.deals}: "
                "a run may grow, not shrink"
            )
    with Store(folder, plan, resume=resume, recipe=recipe.to_data()) as store:
        done = store.deals_done(plan)
        with progress_bar(recipe.variant.id, plan.deals, done) as advance:
            tally = run(
                plan, jobs=jobs, backend=backend, scheduler=scheduler, store=store, advance=advance
            )
        result = result_of(recipe, plan, tally)
        store.finish(plan, result.to_data())
    return result


def result_of(recipe: Recipe, plan: Plan, tally: Tally) -> SimulationResult:
    """Return what the tally of a recipe's experiment tells; the plan says where it began."""
    variant, experiment = recipe.variant, recipe.experiment
    specials = frequencies(variant, tally, exact(variant))
    played = payouts(experiment, tally) if isinstance(experiment, PayoutExperiment) else None
    return SimulationResult(
        variant, recipe.policy, recipe.players, tally.deals, plan.seed, specials, played, tally,
        recipe.held, plan.first_block,
    )  # fmt: skip


def seed_of(folder: Path) -> int:
    """Return the seed of a run that is to be resumed without naming it again."""
    import json

    try:
        return int(json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["seed"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(f"{folder}: no manifest with a seed to resume; give --seed") from None

"""Study: more deals for a finished run, or the rest of one that was stopped.

Blocks depend on the seed and their number only, and a last block that was dealt in part is dealt
again: so N deals and then M more give the bytes of one run of N + M.
"""

from __future__ import annotations

from pathlib import Path

from montecarlo.errors import BadInput, StoreError
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.runs import SUMMARY, RunFolder
from montecarlo.studies.recipe import Recipe
from montecarlo.studies.simulate import SimulationResult, carry_out


def extend(
    folder: Path | str,
    deals: int | None = None,
    *,
    jobs: int = 1,
    backend: str = "threading",
    scheduler: str | None = None,
) -> SimulationResult:
    """Add ``deals`` to the finished run in a folder; without ``deals``, finish one that is not.

    Rules, policies and seed are those of the run. Raises StoreError for a folder that holds no such
    run, or whose rules or policies are no longer what they were; BadInput for a number of deals
    that cannot be; PolicyMismatch for a policy that is gone.
    """
    folder = Path(folder)
    if deals is not None and deals < 1:
        raise BadInput(f"deals must be 1 or more, not {deals}")
    run = RunFolder.open(folder)
    if "parts" in run.manifest:
        raise StoreError(f"{folder}: joined of several runs: extend one of those and join anew")
    done, wanted = run.deals_done, run.deals_wanted
    if deals is not None and (done < wanted or not (folder / SUMMARY).exists()):
        raise StoreError(
            f"{folder}: not finished ({done} of {wanted} deals); `montecarlo extend {folder}` "
            "finishes it, then it can be extended"
        )
    recipe = recipe_in(run)
    plan = Plan(
        recipe.experiment,
        run.manifest["seed"],
        wanted + (deals or 0),
        run.manifest.get("first_block", 0),
    )
    return carry_out(folder, recipe, plan, True, jobs, backend, scheduler)


def recipe_in(run: RunFolder) -> Recipe:
    """Return what a run was asked for; StoreError when its manifest does not tell."""
    data = run.manifest.get("recipe")
    if data is None:
        raise StoreError(
            f"{run.folder}: its manifest has no recipe: this is no run of `montecarlo simulate`"
        )
    try:
        return Recipe.from_data(data)
    except BadInput as error:
        raise StoreError(f"{run.folder}: {error}") from None

"""Study: runs of the same experiment joined to one, whose statistics are over all their deals.

The runs may have different seeds, or different blocks of one seed (``--first-block``). The joined
folder keeps the shards of each as they are, under ``shards/seed-S``, and lists in its manifest the
parts: seed, first block, deals. It does not depend on the order in which the runs are named.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from montecarlo.errors import BadInput, StoreError
from montecarlo.simulation.files import TEMPORARY, encode_json, replace_file
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.runs import MANIFEST, SHARDS, SUMMARY, Part, RunFolder
from montecarlo.simulation.shards import shard_name
from montecarlo.simulation.tallies import Tally
from montecarlo.simulation.tallies import merge as add_up
from montecarlo.studies.extend import recipe_in
from montecarlo.studies.results import Result
from montecarlo.studies.simulate import SimulationResult, result_of

_OWN_KEYS = frozenset(
    ("seed", "first_block", "deals_wanted", "deals_done", "plan", "parts", "recipe", "versions",
     "commit")
)  # fmt: skip
"""What runs that are joined may differ in."""


@dataclass(frozen=True)
class MergedRuns(Result):
    """The statistics of joined runs, and the parts they are of."""

    result: SimulationResult
    parts: tuple[Part, ...]

    @property
    def seeds(self) -> list[int]:
        """The different seeds, in order."""
        return list(dict.fromkeys(part.seed for part in self.parts))

    @property
    def origin(self) -> str:
        """The runs that were joined, in words."""
        listed = ", ".join(str(seed) for seed in self.seeds)
        return f"{len(self.parts)} runs, seed{'s' * (len(self.seeds) > 1)} {listed}"

    def to_data(self) -> dict[str, Any]:
        """Return the ``simulate`` shape; ``seed`` is a list when there are several."""
        return {
            **self.result.to_data(),
            "seed": self.seeds[0] if len(self.seeds) == 1 else self.seeds,
            "first_block": None,
            "parts": [_numbers(part) for part in self.parts],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a special."""
        return self.result.rows()


def merge(folders: Sequence[Path | str], out: Path | str) -> MergedRuns:
    """Join finished runs, or runs that were joined before, in a new folder ``out``.

    Raises BadInput for fewer than two runs; StoreError, naming the folder, for runs that are not
    finished, differ in rules, policies or players, or have a block in common, for shards that are
    damaged, and for an ``out`` that is not empty or cannot be written. Nothing is left then.
    """
    out = Path(out)
    if len(folders) < 2:
        raise BadInput("merge joins two runs or more: name their folders")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise StoreError(f"{out}: not empty; take another folder for the joined run")
    runs = [RunFolder.open(Path(folder)) for folder in folders]
    for run in runs:
        _require_like(run, runs[0])
    owned = [(part, run) for run in runs for part in run.parts]
    owned.sort(key=lambda pair: (pair[0].seed, pair[0].first_block))
    _refuse_overlap(owned)
    building = out.with_name(f".{out.name}.{os.getpid()}{TEMPORARY}")
    try:
        building.mkdir(parents=True)
        tally = add_up(_copied(part, building) for part, _ in owned)
        parts = tuple(part for part, _ in owned)
        recipe = recipe_in(owned[0][1])
        first = Plan(recipe.experiment, parts[0].seed, parts[0].deals, parts[0].first_block)
        result = MergedRuns(result_of(recipe, first, tally), parts)
        replace_file(building / SUMMARY, encode_json(result.to_data()))
        replace_file(building / MANIFEST, encode_json(_manifest(owned)))
        building.rename(out)
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{out}: cannot be written ({error.strerror})") from None
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return result


def _require_like(run: RunFolder, first: RunFolder) -> None:
    """Refuse a run that is not finished, or not of the same experiment as the first."""
    done, wanted = run.deals_done, run.deals_wanted
    if done < wanted:
        raise StoreError(
            f"{run.folder}: not finished ({done} of {wanted} deals); "
            f"`montecarlo extend {run.folder}` finishes it"
        )
    recipe_in(run)
    for key in dict.fromkeys((*first.manifest, *run.manifest)):
        values = run.manifest.get(key), first.manifest.get(key)
        if key not in _OWN_KEYS and values[0] != values[1]:
            shown = [str(value)[:60] for value in values]
            raise StoreError(
                f"{run.folder}: holds a run with {key} {shown[0]}, {first.folder} one with "
                f"{shown[1]}: only runs of the same game can be joined"
            )


def _refuse_overlap(owned: Sequence[tuple[Part, RunFolder]]) -> None:
    """Refuse parts, in order of seeds and blocks, that have a block in common."""
    for (part, run), (after, other) in pairwise(owned):
        if part.seed == after.seed and after.first_block < part.span.end:
            last = min(part.span.end, after.span.end) - 1
            raise StoreError(
                f"{run.folder} and {other.folder} both hold blocks {after.first_block} to {last} "
                f"of seed {part.seed}: joined, their deals would count twice"
            )


def _copied(part: Part, folder: Path) -> Tally:
    """Copy the shards of a part as they are, and return what they add up to."""
    place = folder / _place(part)
    place.mkdir(parents=True, exist_ok=True)
    total: list[Tally] = []
    for span, tally in part.tallies():
        name = shard_name(span)
        replace_file(place / name, (part.shards / name).read_bytes())
        total = [add_up([*total, tally])]
    return total[0]


def _place(part: Part) -> str:
    return f"{SHARDS}/seed-{part.seed}"


def _numbers(part: Part) -> dict[str, int]:
    return {"seed": part.seed, "first_block": part.first_block, "deals": part.deals}


def _manifest(owned: Sequence[tuple[Part, RunFolder]]) -> dict[str, Any]:
    """Return the manifest of joined runs: each part keeps the versions it was dealt with."""
    like = owned[0][1].manifest
    deals = sum(part.deals for part, _ in owned)
    return {
        **{key: value for key, value in like.items() if key not in _OWN_KEYS},
        "recipe": like["recipe"],
        "deals_wanted": deals,
        "deals_done": deals,
        "parts": [
            {**_numbers(part), "plan": part.plan, "shards": _place(part), **_code(part, run)}
            for part, run in owned
        ],
    }


def _code(part: Part, run: RunFolder) -> dict[str, Any]:
    """Return versions and commit that a part was dealt with."""
    data = run.manifest
    if "parts" in data:
        data = next(
            old
            for old in data["parts"]
            if (old["seed"], old["first_block"]) == (part.seed, part.first_block)
        )
    return {"versions": data.get("versions"), "commit": data.get("commit")}

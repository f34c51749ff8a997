"""Study: simulate a variant. Deals millions of tables and sums up what happened."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from montecarlo.errors import BadInput
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.simulation.runner import run
from montecarlo.simulation.store import Store
from montecarlo.simulation.tallies import Tally
from montecarlo.studies.exact import exact
from montecarlo.studies.frequencies import SpecialFrequency, agreement, frequencies
from montecarlo.studies.results import Result
from montecarlo.variants import Variant, load


@dataclass(frozen=True)
class SimulationResult(Result):
    """Everything one run tells about a variant."""

    variant: Variant
    policy: str
    players: int
    deals: int
    seed: int
    specials: tuple[SpecialFrequency, ...]
    tally: Tally

    @property
    def sentence(self) -> str:
        """One sentence: do simulation and exact counts agree?"""
        return agreement(self.specials)

    def to_data(self) -> dict[str, Any]:
        """Return the ``simulate`` shape of design.md."""
        return {
            "variant": self.variant.id,
            "knobs": self.variant.knobs,
            "policy": self.policy,
            "players": self.players,
            "deals": self.deals,
            "seed": self.seed,
            "specials": [entry.to_data() for entry in self.specials],
            "agreement": self.sentence,
            "units": None,
            "edge": None,
            "gun_rate": None,
            "home_run_rate": None,
            "rows": None,
            "lines": None,
        }

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
    policy: str | Sequence[str] = "none",
    players: int = 4,
    jobs: int = 1,
    backend: str = "threading",
    scheduler: str | None = None,
    out: Path | str | None = None,
    resume: bool = False,
) -> SimulationResult:
    """Deal ``deals`` tables of a variant and tabulate its specials.

    ``seed`` is drawn (and reported) when not given. ``out`` names a folder that keeps the run;
    with ``resume`` an interrupted one is completed to the same bits. Raises BadInput for input
    that cannot be used, StoreError for a folder that cannot.
    """
    if isinstance(variant, str):
        variant = load(variant)
    if not 2 <= players <= 4:
        raise BadInput(f"players must be 2, 3 or 4, not {players}")
    name = policy if isinstance(policy, str) else ",".join(policy)
    if name != "none":
        raise BadInput(f"unknown policy '{name}': none is the only one so far (deal and tabulate)")
    if resume and out is None:
        raise BadInput("resume needs the folder of the run: --out DIR")
    if seed is None:
        seed = _seed_of(Path(out)) if resume and out is not None else secrets.randbits(32)
    plan = Plan(FrequencyExperiment(variant, players), seed, deals)
    store = Store(Path(out), plan, resume=resume) if out is not None else None
    done = sum(shard.deals for shard in store.finished(plan)) if store else 0
    with progress_bar(f"{variant.id}", deals, done) as advance:
        tally = run(
            plan, jobs=jobs, backend=backend, scheduler=scheduler, store=store, advance=advance
        )
    specials = frequencies(variant, tally, exact(variant))
    result = SimulationResult(variant, name, players, deals, seed, specials, tally)
    if store is not None:
        store.finish(plan, result.to_data())
    return result


def _seed_of(folder: Path) -> int:
    """Return the seed of a run that is to be resumed without naming it again."""
    import json

    try:
        return int(json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["seed"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(f"{folder}: no manifest with a seed to resume; give --seed") from None

"""The games of an edition: each variant played, its settings counted, its policies pitted.

Every run is stored under a name of its own, so that editions share what they have in common: the
same variant, deals, seed and code are never played twice. Policies are compiled first, in parallel.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from montecarlo.errors import BadInput, StoreError
from montecarlo.setting.policies import Policy
from montecarlo.setting.static_tables import setting_tables
from montecarlo.simulation.counts import CountExperiment
from montecarlo.simulation.paired import Arm, PairedExperiment
from montecarlo.simulation.payouts import PayoutExperiment
from montecarlo.simulation.plan import Experiment, Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.simulation.runner import run
from montecarlo.simulation.runs import IncompleteRun
from montecarlo.simulation.settings import SettingsExperiment
from montecarlo.simulation.store import Store, stored_tallies
from montecarlo.simulation.tallies import Tally, merge
from montecarlo.studies.moments import Moments
from montecarlo.studies.paired_sums import PairedSums
from montecarlo.studies.payouts import Payouts, payouts
from montecarlo.variants import Variant

PLAYERS = 4

FEWEST_PLAYED = 2_000
MOST_PLAYED_BY_DEFAULT = 1_000_000
SETTINGS_SHARE, SKILL_SHARE = 10, 20
"""Of the deals played, one in so many is set by every policy, or played by mixed tables."""

LONE_POLICIES = ("equilibrium", "greedy", "balanced")
"""Policies of seat 0 among three equilibrium players: the arms of the skill run, in order."""


def played_by_default(deals: int) -> int:
    """Return how many deals a variant is played when frequencies come from ``deals`` deals."""
    return min(MOST_PLAYED_BY_DEFAULT, max(FEWEST_PLAYED, deals // 20))


@dataclass(frozen=True)
class StoredRun:
    """A plan and the folder that keeps its results."""

    plan: Plan
    folder: Path

    @classmethod
    def of(cls, kind: str, variant: Variant, plan: Plan, runs: Path) -> StoredRun:
        """Name a run's folder by what is run; the code is part of the name."""
        from montecarlo.compiled import sources_hash

        source = Path(inspect.getfile(type(plan.experiment)))
        identity = [plan.experiment.describe(), sources_hash(source), plan.deals, plan.seed]
        digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:10]
        name = f"{kind}-{variant.id}-{plan.deals}-seed{plan.seed}-{digest}"
        return cls(plan, runs / name)

    @property
    def is_finished(self) -> bool:
        """Tell whether the run was completed."""
        return (self.folder / "summary.json").exists()

    @cached_property
    def tally(self) -> Tally:
        """All deals together; StoreError when the run is not complete."""
        try:
            return merge(tally for _, tally in stored_tallies(self.folder, self.plan))
        except IncompleteRun:
            says = "the run is not complete; montecarlo report plays it"
            raise StoreError(f"{self.folder}: {says}") from None

    def carry_out(self, jobs: int, label: str) -> None:
        """Run what is not stored yet; the same bits for any number of jobs."""
        with Store(self.folder, self.plan, resume=self.folder.exists()) as store:
            done = store.deals_done(self.plan)
            with progress_bar(label, self.plan.deals, done) as advance:
                run(self.plan, jobs=jobs, store=store, advance=advance)


@dataclass(frozen=True)
class Game:
    """What was played of one variant: by the equilibrium, with its errors; ladders are not set."""

    variant: Variant
    play: StoredRun
    payments: StoredRun
    """the deals of ``play`` again: how often each payment was made"""
    settings: StoredRun | None
    skill: StoredRun | None

    @property
    def runs(self) -> tuple[StoredRun, ...]:
        """All runs of the game."""
        found = (self.play, self.payments, self.settings, self.skill)
        return tuple(run for run in found if run is not None)

    @cached_property
    def payouts(self) -> Payouts:
        """Everything four equilibrium players bring about."""
        experiment = self.play.plan.experiment
        assert isinstance(experiment, PayoutExperiment)
        return payouts(experiment, self.play.tally)

    @cached_property
    def moments(self) -> Moments:
        """The payments they make: what any payout table would bring."""
        experiment = self.payments.plan.experiment
        assert isinstance(experiment, CountExperiment)
        return Moments(experiment, self.payments.tally, (self.payments.plan.seed,))

    @cached_property
    def paired(self) -> PairedSums | None:
        """One player of each of `LONE_POLICIES` among three of the equilibrium, on equal deals."""
        if self.skill is None:
            return None
        experiment = self.skill.plan.experiment
        assert isinstance(experiment, PairedExperiment)
        return PairedSums.of(experiment, self.skill.tally)

    @cached_property
    def policy_hashes(self) -> tuple[str, ...]:
        """Hashes of the equilibrium, the banker's first; none for ladders."""
        hashes = self.play.plan.experiment.describe()["policy_sha256"]
        return tuple(dict.fromkeys(h for h in hashes if h))


def games_of(variants: Iterable[Variant], played: int, seed: int, runs: Path) -> dict[str, Game]:
    """Return the games of variants, played or not yet, by id.

    Raises BadInput for too few deals, PolicyMismatch when an equilibrium is not trained.
    """
    if played < FEWEST_PLAYED:
        raise BadInput(f"{played:,} deals are too few to be played: {FEWEST_PLAYED:,} or more")

    def stored(kind: str, variant: Variant, experiment: Experiment, deals: int) -> StoredRun:
        return StoredRun.of(kind, variant, Plan(experiment, seed, deals), runs)

    games = {}
    for v in variants:
        seated = ("equilibrium",) * PLAYERS
        play = stored("played", v, PayoutExperiment(v, PLAYERS, seated), played)
        payments = stored("payments", v, CountExperiment(v, PLAYERS, seated), played)
        settings = skill = None
        if v.format != "ladder":
            arms = tuple(
                Arm(v, (name, *("equilibrium",) * (PLAYERS - 1))) for name in LONE_POLICIES
            )
            pitted = PairedExperiment(arms, rotate=True)
            settings = stored("settings", v, SettingsExperiment(v), played // SETTINGS_SHARE)
            skill = stored("skill", v, pitted, played // SKILL_SHARE)
        games[v.id] = Game(v, play, payments, settings, skill)
    return games


def play_games(games: Mapping[str, Game], jobs: int) -> None:
    """Play what is not stored yet."""
    waiting = [game for game in games.values() if not all(run.is_finished for run in game.runs)]
    compile_policies(waiting, jobs)
    for game in waiting:
        for stored in game.runs:
            stored.carry_out(jobs, stored.folder.name.partition("-seed")[0])
        store_summary(game)


def compile_policies(games: Iterable[Game], jobs: int) -> None:
    """Compile the policies that games need, in parallel, to the disk cache."""
    from joblib import Parallel, delayed

    policies: dict[tuple[str | None, str, str], Policy] = {}
    for game in games:
        for stored in game.runs:
            for policy in _policies(stored.plan.experiment):
                policies[policy.sha256, policy.wheel, policy.compare] = policy
    for wheel, compare in sorted({(p.wheel, p.compare) for p in policies.values()}):
        setting_tables(wheel, compare)
    Parallel(n_jobs=jobs, backend="threading")(
        delayed(_compile)(policy) for policy in policies.values()
    )


def store_summary(game: Game) -> None:
    """Write each run's summary: it marks the run as finished."""
    _finish(game.play, game.payouts.to_data(PLAYERS))
    for stored in game.runs[1:]:
        totals: dict[str, Any] = {
            name: stored.tally.integers(name) for name in sorted(stored.tally.arrays)
        }
        _finish(stored, totals)


def _finish(stored: StoredRun, summary: Mapping[str, Any]) -> None:
    with Store(stored.folder, stored.plan, resume=True) as store:
        store.finish(stored.plan, summary)


def _policies(experiment: Experiment) -> tuple[Policy, ...]:
    from montecarlo.setting.seating import seat_policies

    if isinstance(experiment, SettingsExperiment):
        return experiment.policies()
    if isinstance(experiment, PayoutExperiment):
        seats = seat_policies(experiment.variant, experiment.policies, experiment.players)
        return tuple(seat.policy for seat in seats if seat.policy)
    if isinstance(experiment, CountExperiment):
        return tuple(seat.policy for seat in experiment.seats() if seat.policy)
    assert isinstance(experiment, PairedExperiment)
    return tuple(seat.policy for arm in experiment.arms for seat in arm.seats() if seat.policy)


def _compile(policy: Policy) -> None:
    _ = policy.compiled

"""Study: do the intervals hold the truth as often as they say, and are p-values uniform?

Many short, independent runs are dealt, and each is read by the very code that reads a long one. A
nominal 95 % interval shall hold the truth in 95 % of the runs; an exact interval of a rare count in
95 % or more. The same is asked of runs that stop when a goal is met.

The truth is exact where it is known: probabilities of specials, and zero where seats are alike.
Elsewhere it is a run of its own with `TRUTH_FACTOR` times the deals; its error δ, a sixteenth of a
short run's, takes φ(1.96) · 1.96 · δ² = 0.0005 off the coverage, a tenth of what 2,000 runs tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from joblib import Parallel, delayed

from montecarlo.errors import BadInput
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.simulation.payouts import PayoutExperiment
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import Advance, silent
from montecarlo.simulation.runner import run
from montecarlo.simulation.tallies import Tally, merge
from montecarlo.simulation.waves import wave_sizes
from montecarlo.statistics.coverage import Coverage, coverage, excess_rejections, uniformity
from montecarlo.statistics.hypothesis_tests import z_test
from montecarlo.statistics.intervals import Interval
from montecarlo.studies.exact import TOTAL, ExactResult, exact
from montecarlo.studies.goals import Goals, read_goals
from montecarlo.studies.named_statistics import Figures, Simulated, find_statistic
from montecarlo.studies.results import Result
from montecarlo.variants import load

VARIANT = "taiwan"
PLAYERS = 4

TABULATED = ("special.three_flushes", "special.six_pairs", "special.three_straights")
RARE = ("special.dragon", "special.four_triples")
PLAYED = ("units.seat0", "net.gun", "flow.gun", "gun_rate", "home_run_rate", "row.tail.flush", "sd")
TABULATED_DEALS, PLAYED_DEALS = 16_384, 4_096
TRUTH_FACTOR = 256

STOP_GOALS = ("rel(special.three_flushes) < 0.05", "width(special.six_pairs) < 0.0013")
STOP_UNIT = 1_024
"""Deals of the first wave of a run that stops: far fewer than the 65,536 of a real one, so that
errors are less well known at each look, and stopping does more harm."""

LEVEL = 0.05

Kind = Literal["normal", "exact"]


@dataclass(frozen=True)
class CoveredStatistic:
    """How often a statistic's nominal 95 % intervals held the truth."""

    statistic: str
    deals: float
    """of a run; the mean where runs stop by themselves"""
    kind: Kind
    truth: float
    truth_is_exact: bool
    found: Coverage
    goal: str = ""

    def to_data(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        return {
            "statistic": self.statistic, "goal": self.goal, "deals": self.deals,
            "kind": self.kind, "truth": self.truth, "truth_is_exact": self.truth_is_exact,
            "runs": self.found.runs, "covered": self.found.covered, "below": self.found.below,
            "above": self.found.above, "coverage": self.found.share,
            "ci95": list(self.found.interval),
        }  # fmt: skip


@dataclass(frozen=True)
class TestedHypothesis:
    """P-values of a hypothesis that is true: one a run, in order of size."""

    statistic: str
    kind: Kind
    p_values: tuple[float, ...]

    @property
    def verdict(self) -> float:
        """The p-value of "they are uniform", for exact tests of "they are not too small"."""
        if self.kind == "exact":
            return excess_rejections(self.p_values, LEVEL)
        return uniformity(self.p_values).p_value

    def to_data(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        rejected = sum(p <= LEVEL for p in self.p_values)
        return {"statistic": self.statistic, "kind": self.kind, "tests": len(self.p_values),
                "rejected_at_5_percent": rejected, "p_value": self.verdict}  # fmt: skip


@dataclass(frozen=True)
class CoverageStudy(Result):
    """Coverage of intervals, uniformity of p-values, and coverage after a stop goal."""

    runs: int
    seed: int
    fixed: tuple[CoveredStatistic, ...]
    tests: tuple[TestedHypothesis, ...]
    stopped: tuple[CoveredStatistic, ...]

    def to_data(self) -> dict[str, Any]:
        """Return the study as JSON data."""
        return {
            "runs": self.runs,
            "seed": self.seed,
            "coverage": [entry.to_data() for entry in self.fixed],
            "p_values": [entry.to_data() for entry in self.tests],
            "after_stopping": [entry.to_data() for entry in self.stopped],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a statistic and way to stop."""
        rows = [entry.to_data() for entry in (*self.fixed, *self.stopped)]
        for row in rows:
            row["ci95_low"], row["ci95_high"] = row.pop("ci95")
        return rows


def coverage_study(
    runs: int = 2_000, *, seed: int = 1, jobs: int = 1, advance: Advance = silent
) -> CoverageStudy:
    """Carry out ``runs`` independent runs of each kind; the same bits for any ``jobs``.

    ``advance`` is told of each finished run (there are 2 + `STOP_GOALS` kinds). Raises BadInput for
    fewer than 2 runs.
    """
    if runs < 2:
        raise BadInput(f"coverage is measured over 2 runs or more, not {runs}")
    variant = load(VARIANT)
    counts = exact(variant)
    tabulated = FrequencyExperiment(variant, PLAYERS)
    played = PayoutExperiment(variant, PLAYERS, ("equilibrium",) * PLAYERS)
    fixed: list[CoveredStatistic] = []
    tests: list[TestedHypothesis] = []
    for experiment, names, deals in (
        (tabulated, (*TABULATED, *RARE), TABULATED_DEALS),
        (played, PLAYED, PLAYED_DEALS),
    ):
        study = _Fixed(experiment, counts, names, deals, seed)
        readings = list(_each(study.run, runs, jobs, advance))
        fixed += study.coverages(readings, jobs)
        tests += study.hypotheses(readings)
    stopped = [
        _after_stopping(tabulated, counts, goal, place, runs, seed, jobs, advance)
        for place, goal in enumerate(STOP_GOALS)
    ]
    return CoverageStudy(runs, seed, tuple(fixed), tuple(tests), tuple(stopped))


Reading = dict[str, tuple[Interval, float]]
"""By statistic: the interval, and the p-value against the exact truth (nan where none is known)."""


@dataclass(frozen=True)
class _Fixed:
    """Runs of a fixed number of deals: run r is the beginning of block r of the seed."""

    experiment: Simulated
    counts: ExactResult
    names: tuple[str, ...]
    deals: int
    seed: int

    def run(self, number: int) -> Reading:
        tally = self.experiment.tally_block(self.seed, number, self.deals)
        figures = Figures(self.experiment, tally, self.counts)
        return {name: self._read(figures, name) for name in self.names}

    def coverages(self, readings: Sequence[Reading], jobs: int) -> list[CoveredStatistic]:
        truths = self._truths(jobs)
        return [
            CoveredStatistic(
                name, self.deals, _kind(name), truths[name], self._exact(name) is not None,
                coverage((reading[name][0] for reading in readings), truths[name]),
            )
            for name in self.names
        ]  # fmt: skip

    def hypotheses(self, readings: Sequence[Reading]) -> list[TestedHypothesis]:
        return [
            TestedHypothesis(name, _kind(name), tuple(sorted(r[name][1] for r in readings)))
            for name in self.names
            if self._exact(name) is not None
        ]

    def _read(self, figures: Figures, name: str) -> tuple[Interval, float]:
        measured = find_statistic(self.experiment, name).read(figures)
        kind, _, special = name.partition(".")
        truth = self._exact(name)
        if kind == "special":
            return measured.interval, figures.special(special).p_value
        if truth is None:
            return measured.interval, float("nan")
        return measured.interval, z_test(
            measured.estimate.value, measured.estimate.se, truth
        ).p_value

    def _exact(self, name: str) -> float | None:
        kind, _, special = name.partition(".")
        if kind == "special":
            return self.counts[special].exclusive / TOTAL
        return 0.0 if find_statistic(self.experiment, name).is_zero else None

    def _truths(self, jobs: int) -> dict[str, float]:
        truths = {name: self._exact(name) for name in self.names}
        if None in truths.values():  # another seed: no deal of a short run is in it
            plan = Plan(self.experiment, self.seed + 1, self.deals * TRUTH_FACTOR)
            figures = Figures(self.experiment, run(plan, jobs=jobs), self.counts)
        return {
            name: find_statistic(self.experiment, name).read(figures).estimate.value
            if truth is None
            else truth
            for name, truth in truths.items()
        }


def _after_stopping(
    experiment: Simulated,
    counts: ExactResult,
    goal: str,
    place: int,
    runs: int,
    seed: int,
    jobs: int,
    advance: Advance,
) -> CoveredStatistic:
    """Let runs stop at a goal; each has blocks of its own, of `STOP_UNIT` deals."""
    goals = read_goals(goal, experiment)
    (part,) = goals.parts
    special = part.statistic.name.partition(".")[2]
    truth = counts[special].exclusive / TOTAL

    def stop(number: int) -> tuple[int, Interval]:
        figures = stopped_run(experiment, counts, goals, seed + 2 + place, number)
        return figures.tally.deals, part.statistic.read(figures).interval

    ends = list(_each(stop, runs, jobs, advance))
    return CoveredStatistic(
        part.statistic.name, sum(deals for deals, _ in ends) / runs, "normal", truth, True,
        coverage((interval for _, interval in ends), truth), goal,
    )  # fmt: skip


def stopped_run(
    experiment: Simulated, counts: ExactResult, goals: Goals, seed: int, number: int
) -> Figures:
    """Deal a small run in waves of `STOP_UNIT` deals until its goals are met, and read it."""
    total: Tally | None = None
    units = 0
    for size in wave_sizes(STOP_UNIT):
        new = [
            experiment.tally_block(seed, number * _MOST_UNITS + unit, STOP_UNIT)
            for unit in range(units, size // STOP_UNIT)
        ]
        units = size // STOP_UNIT
        total = merge(new if total is None else [total, *new])
        figures = Figures(experiment, total, counts)
        if goals.are_met(figures) or units > _MOST_UNITS * 3 // 4:
            break
    return figures


_MOST_UNITS = 1_024
"""Blocks kept for a run that stops."""


def _each(work: Callable[[int], Any], runs: int, jobs: int, advance: Advance) -> Iterator[Any]:
    done: Iterable[Any] = Parallel(n_jobs=jobs, backend="threading", return_as="generator")(
        delayed(work)(number) for number in range(runs)
    )
    for result in done:
        advance(1)
        yield result


def _kind(name: str) -> Kind:
    return "exact" if name in RARE else "normal"

"""Study: a payout table that does what its designer wants, with proof.

Count the payments of played deals once; find the nearest table that meets the goals under these
settings (`programme`); let the players respond (`response`) and count anew until table and settings
agree; then play the tuned game on fresh seeds (`check`). A check that does not hold is not dropped:
it stays in the result, more deals are counted, the table is corrected and checked on other seeds.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput, StoreError
from montecarlo.scoring.lines import payout_vector
from montecarlo.statistics.clustered import Estimate
from montecarlo.studies.moments import Moments, moments
from montecarlo.studies.payouts import Payouts
from montecarlo.studies.settings import check_players
from montecarlo.studies.tuning.check import check_table, played_figure
from montecarlo.studies.tuning.fair_value import FairValue, fair_value
from montecarlo.studies.tuning.figures import estimate
from montecarlo.studies.tuning.goals import Fair, Goal, Measure
from montecarlo.studies.tuning.infeasible import MET, clash_of, is_met
from montecarlo.studies.tuning.points import points_of
from montecarlo.studies.tuning.programme import (
    Programme,
    largest_miss,
    nearest_table,
    smallest_miss,
)
from montecarlo.studies.tuning.request import Request, programme_of, read_request
from montecarlo.studies.tuning.response import respond, settings_differ
from montecarlo.studies.tuning.result import Check, Points, TuningResult
from montecarlo.variants import Variant, load
from montecarlo.variants.write import rule_file

DEALS = 4_000_000
ROUNDS = 4
FEWEST_DEALS = 1000

Note = Callable[[str], None]
Table = NDArray[np.float64]


def silent(_text: str) -> None:
    """Say nothing."""


def tune(
    variant: Variant | str,
    *,
    goals: Sequence[str] | str,
    free: Sequence[str] | str,
    steps: Sequence[str] = (),
    lowest: Sequence[str] = (),
    highest: Sequence[str] = (),
    players: int = 4,
    deals: int = DEALS,
    seed: int | None = None,
    jobs: int = 1,
    rounds: int = ROUNDS,
    out: Path | str | None = None,
    note: Note = silent,
) -> TuningResult:
    """Find the payout table nearest to a variant's that meets ``goals``, and check it.

    ``goals`` and ``free`` are texts as `goals` and `points` read them; ``steps``, ``lowest`` and
    ``highest`` are ``NUMBER`` or ``PATTERN=NUMBER``. ``deals`` is the size of the check, and of
    what the table is found with. ``rounds`` limits responses and corrections. ``out`` writes the
    tuned rule file. All seats play the equilibrium of the rules. Raises BadInput for goals that
    cannot be meant, or cannot be met (with the reason, and what can be reached), PolicyMismatch
    when the variant's own equilibrium is not trained, StoreError for a file that cannot be written.
    """
    variant = load(variant) if isinstance(variant, str) else variant
    check_players(players)
    if deals < FEWEST_DEALS:
        raise BadInput(f"deals must be {FEWEST_DEALS} or more, not {deals}")
    if rounds < 1:
        raise BadInput(f"rounds must be 1 or more, not {rounds}")
    texts = [goals] if isinstance(goals, str) else list(goals)
    patterns = [free] if isinstance(free, str) else list(free)
    request = read_request(variant, texts, patterns, steps=steps, lowest=lowest, highest=highest)
    path = _writable(out)
    seed = secrets.randbits(32) if seed is None else seed
    tuning = _Tuning(request, players, deals, seed, jobs, note)
    result = tuning.carry_out(rounds, path)
    if path is not None:
        _write(path, result.text)
    return result


@dataclass
class _State:
    """The settings that are played now, and what was counted of them."""

    settings: Variant
    moments: Moments
    retrained: bool = False


class _Tuning:
    """One tuning under way: seeds are numbered, so that no two parts share deals."""

    def __init__(
        self, request: Request, players: int, deals: int, seed: int, jobs: int, note: Note
    ) -> None:
        self.request = request
        self.players, self.deals, self.seed, self.jobs = players, deals, seed, jobs
        self.note = note
        self._seeds = 0

    def carry_out(self, rounds: int, path: Path | None) -> TuningResult:
        variant = self.request.variant
        self.note(f"counting the payments of {variant.id}: {self.deals:,} deals")
        state = _State(variant, self._counted(variant))
        first = state.moments
        self.request = self._with_targets(first)
        checks: list[Check] = []
        points = self._solve(state)
        for number in range(1, rounds + 1):
            points = self._settle(state, points, rounds)
            tuned = self._tuned(points)
            self.note(f"checking on fresh seeds: {self.deals:,} deals")
            check, played = self._check(tuned, state)
            checks.append(check)
            if check.met or number == rounds:
                break
            self.note("the check does not hold: counting more deals to correct the table")
            state.moments = state.moments.pooled(self._counted(state.settings))
            corrected = self._solve(state)
            if np.array_equal(corrected, points):
                break  # no table comes nearer
            points = corrected
        return self._result(first, state, points, tuned, checks, played, path)

    def _settle(self, state: _State, points: Table, rounds: int) -> Table:
        """Let the players respond until the table that fits their settings stays."""
        for _ in range(rounds):
            tuned = self._tuned(points)
            if not settings_differ(state.settings, tuned, self.players):
                break
            self.note("the players respond: training the equilibrium of the new table")
            state.retrained |= respond(tuned, state.settings, self.players, self.note)
            state.settings, state.moments = tuned, self._counted(tuned)
            if self._holds(state, points):
                break
            points = self._solve(state)
        return points

    def _holds(self, state: _State, points: Table) -> bool:
        """Tell whether a table still meets the goals, as far as the counted deals can tell."""
        v = self.request.table.vector(points)
        for goal in self.request.goals.figures:
            found = estimate(state.moments, goal.measure, v)
            assert goal.target is not None
            gap = found.value - goal.target
            gap = {"=": abs(gap), "<=": gap, ">=": -gap}[goal.relation]
            if gap > found.se:
                return False
        fair = {fair.text for fair in self.request.goals.fair}
        programme = self._programme(state)
        demands = tuple(demand for demand in programme.demands if demand.text in fair)
        return largest_miss(replace(programme, demands=demands), points) <= MET

    def _solve(self, state: _State) -> Table:
        programme = self._programme(state)
        found = nearest_table(programme)
        if not is_met(found):
            relaxed = smallest_miss(programme)
            if found is None or not is_met(relaxed):
                clash = clash_of(self.request, programme)
                raise BadInput(f"{self.request.variant.id}: {clash.sentence}")
            self.note("no table in whole steps meets the goals to a quarter of the check's error: "
                      "the nearest is taken")  # fmt: skip
        assert found is not None
        return found.points

    def _programme(self, state: _State) -> Programme:
        return programme_of(self.request, state.moments, self._fair_of(state, 0), self.deals)

    def _with_targets(self, first: Moments) -> Request:
        """Return the request with ``same`` replaced by what was measured before."""
        v = payout_vector(self.request.variant).astype(np.float64)

        def resolved(goal: Goal) -> Goal:
            if goal.target is not None:
                return goal
            found = estimate(first, goal.measure, v)
            return goal.at(found.value, found.se)

        goals = self.request.goals
        figures = tuple(resolved(goal) for goal in goals.figures)
        return replace(self.request, goals=replace(goals, figures=figures))

    def _counted(self, settings: Variant) -> Moments:
        return moments(
            settings, deals=self.deals, seed=self._fresh_seed(), players=self.players,
            jobs=self.jobs,
        )  # fmt: skip

    def _fair_of(self, state: _State, number: int) -> Callable[[Fair], FairValue]:
        seed = _derived(self.seed, f"fair {number}")
        return lambda fair: fair_value(state.moments.experiment, fair.special, seed)

    def _check(self, tuned: Variant, state: _State) -> tuple[Check, Payouts]:
        respond(tuned, state.settings, self.players, self.note)
        steps = dict(zip(self.request.table.free, self.request.steps, strict=True))
        number = self._seeds + 1
        return check_table(
            tuned, self.request.goals, steps, state.moments, self._fair_of(state, number),
            players=self.players, deals=self.deals, seed=self._fresh_seed(), jobs=self.jobs,
        )  # fmt: skip

    def _fresh_seed(self) -> int:
        self._seeds += 1
        return _derived(self.seed, str(self._seeds))

    def _tuned(self, points: Table) -> Variant:
        variant = self.request.table.to_variant(points)
        name = {"id": f"{variant.id}_tuned", "number": f"{variant.number}t",
                "zh": f"{variant.zh}（调整）", "en": f"{variant.en}, tuned"}  # fmt: skip
        return variant.model_copy(update=name)

    def _result(
        self, first: Moments, state: _State, points: Table, tuned: Variant, checks: list[Check],
        played: Payouts, path: Path | None,
    ) -> TuningResult:  # fmt: skip
        variant = self.request.variant
        v = payout_vector(variant).astype(np.float64)
        measures = [Measure("sd", (), "sd")]
        if variant.banker:
            measures.insert(0, Measure("edge", (), "edge"))
        measures += [goal.measure for goal in self.request.goals.figures]
        named = {measure.text: measure for measure in measures}
        after = {
            name: played_figure(measure, played, state.moments, tuned, self.deals)
            for name, measure in named.items()
        }
        before = {name: estimate(first, measure, v) for name, measure in named.items()}
        lines: dict[str, tuple[Estimate, Estimate]] = {
            line: (first.flow(v, [line]), found.flow) for line, found in played.lines.items()
        }
        old, new = points_of(variant), points_of(tuned)
        last = checks[-1]
        remarks = [
            f"Tuned from {variant.id} by montecarlo tune: {self.request.goals.text}; "
            f"free: {', '.join(self.request.table.free)}; seed {self.seed}.",
            f"Checked on {last.deals:,} fresh deals, seed {last.seed}: "
            + ("; ".join(f"{g.goal}: {g.value:.6g}, 95 % interval {g.ci95.low:.6g} to "
                         f"{g.ci95.high:.6g}" for g in last.goals) or "rules of points hold")
            + ("." if last.met else " (NOT met)."),
        ]  # fmt: skip
        return TuningResult(
            variant, tuned, self.request.goals.text, self.players,
            tuple(Points(name, old[name], new[name]) for name in self.request.table.free),
            before, after, lines, tuple(checks), state.retrained, self.seed,
            str(path) if path else None, rule_file(tuned, remarks),
        )  # fmt: skip


def _derived(seed: int, part: str) -> int:
    """Return the seed of one part of a tuning: no two parts, and no plain run, share deals."""
    return int.from_bytes(hashlib.sha256(f"tune {seed} {part}".encode()).digest()[:7], "little")


def _writable(out: Path | str | None) -> Path | None:
    """Return the path; refuse before any work what could not be written after it."""
    if out is None:
        return None
    path = Path(out)
    if path.suffix != ".toml":
        raise BadInput(f"{path}: a rule file's name ends in .toml")
    if not path.parent.is_dir() or path.is_dir():
        raise StoreError(f"{path}: no file can be written there")
    return path


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreError(f"{path}: cannot be written ({error.strerror})") from None

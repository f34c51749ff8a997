"""Study: means over all deals with fewer deals, by strata or by control variates.

* *Stratified*: deals are cut by seat 0's first special (or none). Each stratum has an exact weight
  and is dealt by itself; a pilot run tells which of them deserve how many deals (Neyman). The flow
  through specials is cut by holders instead: no deal is wasted on a table without a special.
* *Control variates*: plain deals, corrected by what is known exactly about their cards.

Both are unbiased. The factor says how many times more plain deals would have the same error.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from montecarlo.errors import BadInput
from montecarlo.setting.seating import read_policy_words, seat_policies
from montecarlo.simulation.controls import ControlMeasure, MeasureWithControls
from montecarlo.simulation.many_runs import run_together
from montecarlo.simulation.measured import Given, MeasuredExperiment, moments
from montecarlo.simulation.measures import HolderMeasure, Measure, TableMeasure
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.specials.special_hands import NO_SPECIAL, SpecialHands
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.control_variates import control_coefficients, controlled_mean
from montecarlo.statistics.moments import Moments
from montecarlo.statistics.stratified import Stratum, neyman_allocation, stratified_mean
from montecarlo.studies.results import Result
from montecarlo.studies.seat_classes import seat_classes
from montecarlo.variants import Variant, load

METHODS = ("plain", "control variates", "stratified")

SPECIAL_FLOW = "special_flow"
"""The statistic of `TableMeasure` that is stratified by holders."""

PILOT_PARTS = 8
"""One deal in so many is a pilot's."""

LEAST_DEALS = 32
"""Deals of a stratum at least, whatever its pilot says."""

STRATA_PILOT, STRATA_MAIN, CONTROLS_PILOT = 3, 4, 5
"""First numbers of the branches of random streams (those of `montecarlo.studies.value` apart)."""


@dataclass(frozen=True)
class ReducedMean:
    """A mean a deal, estimated by one method."""

    statistic: str
    method: str
    estimate: Estimate
    """value, error, and all deals that were spent on it, a pilot's included"""
    factor: float | None
    """plain deals for the same error over the deals spent; None where the error is 0"""


@dataclass(frozen=True)
class ReducedMeans(Result):
    """Means of several statistics, each by every method."""

    variant: Variant
    policy: str
    players: int
    seed: int
    means: tuple[ReducedMean, ...]

    def of(self, statistic: str, method: str) -> ReducedMean:
        """Return one mean; KeyError for a statistic or method that is not there."""
        for mean in self.means:
            if (mean.statistic, mean.method) == (statistic, method):
                return mean
        raise KeyError(f"{statistic}, {method}")

    def to_data(self) -> list[dict[str, Any]]:
        """Return one item a statistic and method."""
        return self.rows()

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a statistic and method."""
        return [
            {
                "statistic": mean.statistic,
                "method": mean.method,
                "mean": mean.estimate.value,
                "se": mean.estimate.se,
                "deals": mean.estimate.deals,
                "factor": mean.factor,
            }
            for mean in self.means
        ]


@dataclass(frozen=True)
class _Cell:
    """A stratum: its exact weight, what is given in its deals, and what they add to the mean."""

    weight: Fraction
    given: Given
    measure: Measure
    total: str


@dataclass(frozen=True)
class _Game:
    """What is played; makes the plans of all methods."""

    variant: Variant
    players: int
    policies: tuple[str, ...]
    hold_policy: bool
    seed: int
    jobs: int

    def plan(
        self, measure: Measure, deals: int, given: Given | None = None, branch: tuple[int, ...] = ()
    ) -> Plan:
        experiment = MeasuredExperiment(
            self.variant, self.players, self.policies, measure, given, branch, self.hold_policy
        )
        return Plan(experiment, self.seed, deals)

    def measured(self, plans: Sequence[Plan], label: str) -> list[Moments]:
        with progress_bar(label, sum(plan.deals for plan in plans)) as advance:
            tallies = run_together(plans, jobs=self.jobs, advance=advance)
        experiments = [plan.experiment for plan in plans]
        return [
            moments(experiment, tally)
            for experiment, tally in zip(experiments, tallies, strict=True)
            if isinstance(experiment, MeasuredExperiment)
        ]


def reduced_means(
    variant: Variant | str,
    *,
    measure: Measure | None = None,
    statistics: Sequence[str] | None = None,
    methods: Sequence[str] = METHODS,
    deals: int = 200_000,
    seed: int | None = None,
    jobs: int = 1,
    players: int = 4,
    policy: str | Sequence[str] = "equilibrium",
    hold_policy: bool = False,
) -> ReducedMeans:
    """Estimate means a deal of what ``measure`` finds, by each of ``methods``.

    ``measure`` is `TableMeasure` if None; a function of your own becomes one by `OwnMeasure`.
    ``statistics`` are some of its names, all if None.
    ``deals`` is what each method may spend, an eighth of it on its pilot; the stratified estimator
    spends it on each statistic (and a few more where strata are many). Raises BadInput for input
    that cannot be used, PolicyMismatch when no equilibrium is trained for the rules.
    """
    if isinstance(variant, str):
        variant = load(variant)
    if not 2 <= players <= 4:
        raise BadInput(f"players must be 2, 3 or 4, not {players}")
    if deals < 16 * PILOT_PARTS:
        raise BadInput(f"deals must be {16 * PILOT_PARTS} or more, not {deals}")
    for method in methods:
        if method not in METHODS:
            raise BadInput(f"unknown method '{method}': one of {', '.join(METHODS)}")
    measure = measure or TableMeasure()
    for statistic in statistics or ():
        if statistic not in measure.names:
            raise BadInput(f"'{statistic}' is not measured: {', '.join(measure.names)}")
    policies = read_policy_words(policy, players)
    seat_policies(variant, policies, players, hold_policy)  # a mismatch is said first
    if seed is None:
        seed = secrets.randbits(32)
    game = _Game(variant, players, policies, hold_policy, seed, jobs)
    controls = ControlMeasure(variant, players)
    side_by_side = MeasureWithControls(measure, controls)
    plans = [game.plan(side_by_side, deals)]
    if "control variates" in methods:
        plans.append(game.plan(side_by_side, deals // PILOT_PARTS, branch=(CONTROLS_PILOT,)))
    plain, *pilot = game.measured(plans, f"{variant.id}: plain")
    means = []
    for statistic in statistics or measure.names:
        found = {"plain": plain.power(statistic).estimate()}
        for learnt in pilot:
            betas = control_coefficients(learnt, statistic, controls.names)
            estimate = controlled_mean(plain, statistic, betas, controls.known_means)
            found["control variates"] = Estimate(estimate.value, estimate.se, plain.n + learnt.n)
        if "stratified" in methods:
            found["stratified"] = _stratified(game, measure, statistic, deals)
        variance = float(plain.power(statistic).variance())
        means += [
            ReducedMean(statistic, method, found[method], _factor(variance, found[method]))
            for method in methods
        ]
    name = policy if isinstance(policy, str) else ",".join(policy)
    return ReducedMeans(variant, name, players, seed, tuple(means))


def _factor(plain_variance: float, estimate: Estimate) -> float | None:
    if not estimate.se:
        return None
    return plain_variance / (estimate.se**2 * estimate.deals)


def _cells(game: _Game, measure: Measure, statistic: str) -> list[_Cell]:
    rules = game.variant.rules
    specials = [SpecialHands(rules, place) for place in range(len(rules))]
    if isinstance(measure, TableMeasure) and statistic == SPECIAL_FLOW:
        cells = [
            _Cell(
                len(seats.seats) * hands.chance, Given(seats.holder, hands),
                HolderMeasure(seats.holder, seats.seats), "received",
            )
            for seats in seat_classes(game.variant, game.policies)
            for hands in specials
        ]  # fmt: skip
    else:
        cells = [
            _Cell(hands.chance, Given(0, hands), measure, statistic)
            for hands in (SpecialHands(rules, NO_SPECIAL), *specials)
        ]
    return [cell for cell in cells if cell.weight]


def _stratified(game: _Game, measure: Measure, statistic: str, deals: int) -> Estimate:
    cells = _cells(game, measure, statistic)
    if not cells:
        return Estimate(0.0, 0.0, deals)  # a flow through specials where there are none

    def plans(purpose: int, numbers: Sequence[int]) -> list[Plan]:
        return [
            game.plan(
                cell.measure, number, cell.given,
                (purpose, cell.given.holder, cell.given.hands.special - NO_SPECIAL),
            )
            for cell, number in zip(cells, numbers, strict=True)
        ]  # fmt: skip

    label = f"{game.variant.id}: {statistic}"
    each = max(LEAST_DEALS, deals // PILOT_PARTS // len(cells))
    pilot = game.measured(plans(STRATA_PILOT, [each] * len(cells)), label)
    weights = [cell.weight for cell in cells]
    sds = [found.power(cell.total).sd() for cell, found in zip(cells, pilot, strict=True)]
    left = max(0, deals - each * len(cells))
    numbers = neyman_allocation(weights, sds, left, LEAST_DEALS)
    main = game.measured(plans(STRATA_MAIN, numbers), label)
    estimate = stratified_mean(
        [
            Stratum(cell.weight, found.power(cell.total))
            for cell, found in zip(cells, main, strict=True)
        ]
    )
    return Estimate(estimate.value, estimate.se, estimate.deals + each * len(cells))

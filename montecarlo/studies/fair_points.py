"""What specials should pay: the same flow each, the same in proportion to rarity, or their worth.

Three yardsticks, none of them a law. *By rarity*: points in proportion to 1 / p, the commonest
special keeping its points (exact). *Equal flow*: points at which as many units a deal move through
each special, the total staying as it is. *By worth*: points at which declaring a special is worth
as much as setting its hand, from deals in which a seat holds it (however rare it is), scored both
ways against the same opponents.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from montecarlo.simulation.declaring import DeclaredOrSet
from montecarlo.simulation.many_runs import run_together
from montecarlo.simulation.measured import Given, MeasuredExperiment, moments
from montecarlo.simulation.payouts import histogram_half
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.specials.special_hands import SpecialHands
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.moments import Moments
from montecarlo.statistics.stratified import (
    Stratum,
    error_of_equal_totals,
    stratified_mean,
    stratified_ratio,
)
from montecarlo.studies.compare import estimate_data
from montecarlo.studies.seat_classes import seat_classes
from montecarlo.variants import Variant

BRANCH = 3
"""First number of the branch of random streams: deals apart from those of other studies."""


@dataclass(frozen=True)
class FairPoints:
    """One special's points, and what they would be by each yardstick (points from an opponent)."""

    id: str
    points: int
    by_rarity: Fraction
    equal_flow: Estimate | None
    """None where the special pays nothing now, so that who pays it is not measured"""
    by_worth: Estimate | None
    """None where declaring it never brings its points"""
    declared: Estimate
    """units a deal of a holder who declares"""
    set_out: Estimate
    """units a deal of the same hand, set"""
    gain: Estimate
    """declared - set_out, deal by deal"""
    flow: Estimate
    """units a deal that move through the special at the whole table"""

    def to_data(self) -> dict[str, Any]:
        """Return the yardsticks as JSON data."""
        return {
            "by_rarity": {"mean": float(self.by_rarity), "exact": str(self.by_rarity)},
            "equal_flow": estimate_data(self.equal_flow) if self.equal_flow else None,
            "by_worth": estimate_data(self.by_worth) if self.by_worth else None,
            "declared": estimate_data(self.declared),
            "set": estimate_data(self.set_out),
            "gain": estimate_data(self.gain),
            "flow": estimate_data(self.flow),
        }


def fair_points(
    variant: Variant,
    *,
    deals: int,
    seed: int,
    players: int,
    policies: tuple[str, ...],
    jobs: int = 1,
    hold_policy: bool = False,
) -> tuple[FairPoints, ...]:
    """Return the yardsticks of every special that some hand declares, in order of rank.

    ``deals`` for each special and class of seats (banker, player). Raises PolicyMismatch when a
    policy is not trained.
    """
    classes = seat_classes(variant, policies)
    hands = [SpecialHands(variant.rules, place) for place in range(len(variant.specials))]
    cells = [(place, seats) for place in range(len(hands)) if hands[place].count
             for seats in classes]  # fmt: skip
    plans = []
    for place, seats in cells:
        measure = DeclaredOrSet(variant, policies, seats.holder, place, hold_policy)
        experiment = MeasuredExperiment(
            variant, players, policies, measure, Given(seats.holder, hands[place]),
            (BRANCH, seats.holder, place), hold_policy,
        )  # fmt: skip
        plans.append(Plan(experiment, seed, deals))
    with progress_bar(f"{variant.id}: specials", deals * len(plans)) as advance:
        tallies = run_together(plans, jobs=jobs, advance=advance)
    found: dict[int, list[tuple[Fraction, Moments]]] = {}
    for (place, seats), plan, tally in zip(cells, plans, tallies, strict=True):
        assert isinstance(plan.experiment, MeasuredExperiment)
        cell = (Fraction(len(seats.seats)), moments(plan.experiment, tally))
        found.setdefault(place, []).append(cell)
    chances = {place: hands[place].chance for place in found}
    flows = {}
    for place, own in found.items():
        strata = [Stratum(seats * chances[place], m.power("received")) for seats, m in own]
        most = variant.specials[place].points * players * (players - 1) * float(chances[place])
        flows[place] = _met(stratified_mean(strata), most)
    equal = _equal_flow([variant.specials[place].points for place in flows], list(flows.values()))
    anchor = max(chances, key=lambda place: chances[place], default=0)
    return tuple(
        _fair(variant, place, own, flows[place], equal_points,
              variant.specials[anchor].points * chances[anchor] / chances[place], players)
        for (place, own), equal_points in zip(found.items(), equal, strict=True)
    )  # fmt: skip


def _fair(
    variant: Variant,
    place: int,
    own: list[tuple[Fraction, Moments]],
    flow: Estimate,
    equal_flow: Estimate | None,
    by_rarity: Fraction,
    players: int,
) -> FairPoints:
    most = 2 * histogram_half(variant, players)

    def mean(name: str) -> Estimate:
        strata = [Stratum(seats / players, sums.power(name)) for seats, sums in own]
        return _met(stratified_mean(strata), most)

    entry = variant.specials[place]
    ratio = stratified_ratio([(seats, sums.pair("points", "gain")) for seats, sums in own])
    by_worth = None
    if ratio is not None:
        by_worth = Estimate(entry.points - ratio.value, ratio.se, ratio.deals)
    return FairPoints(
        entry.id, entry.points, by_rarity, equal_flow, by_worth, mean("declared"), mean("set"),
        mean("gain"), flow,
    )  # fmt: skip


def _met(estimate: Estimate, span: float) -> Estimate:
    """Return the estimate; equal deals get the error of others, ``span`` away, not being met."""
    if estimate.se:
        return estimate
    return replace(estimate, se=error_of_equal_totals(span, estimate.deals))


def _equal_flow(points: Sequence[int], flows: Sequence[Estimate]) -> list[Estimate | None]:
    """Return the points at which all flows are equal and their total is what it is.

    With g = flow / points, the points are (Σ flows) / (n g); the g of two specials are independent.
    """
    total, number = sum(flow.value for flow in flows), len(flows)
    found: list[Estimate | None] = []
    for own, (paid, flow) in enumerate(zip(points, flows, strict=True)):
        if paid == 0 or flow.value == 0:
            found.append(None)
            continue
        fair = total * paid / (number * flow.value)
        relative = [
            (other.se / total if place != own else flow.se * (1 / total - 1 / flow.value))
            for place, other in enumerate(flows)
        ]
        found.append(Estimate(fair, fair * math.hypot(*relative), flow.deals))
    return found

"""Study: what a special is worth. Deals in which a seat holds it, however rare it is.

Every figure is a mean given the special times an exact chance: units of the holder, the flow
through the special's line, its share of seat 0's variance. The last needs the variance itself,
which comes from plain deals.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from montecarlo.errors import BadInput, nearest
from montecarlo.setting.seating import read_policy_words, seat_policies
from montecarlo.simulation.many_runs import run_together
from montecarlo.simulation.measured import Given, MeasuredExperiment, moments
from montecarlo.simulation.measures import HolderMeasure, TableMeasure
from montecarlo.simulation.payouts import histogram_half
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.specials.special_hands import SpecialHands
from montecarlo.statistics.clustered import Estimate, PairSums
from montecarlo.statistics.moments import Moments
from montecarlo.statistics.stratified import (
    Stratum,
    deals_needed,
    error_of_equal_totals,
    neyman_allocation,
    stratified_mean,
    stratified_ratio,
)
from montecarlo.studies.results import Result
from montecarlo.studies.seat_classes import SeatClass, seat_classes
from montecarlo.variants import Variant, load

RELATIVE_ERROR = 0.008
"""Aimed at for each mean when no number of deals is given: safely below 1 %."""

PILOT_DEALS = 8192
LEAST_DEALS = 8192
MOST_DEALS = 2_000_000
VARIANCE_DEALS = 524_288
"""Plain deals from which seat 0's variance is estimated, at most."""

VARIANCE_TIMES = 16
"""Plain deals for the variance to one deal of a special, where that number is given."""

PILOT, MAIN = 1, 2
"""First numbers of the branches of random streams: runs that must be independent."""


@dataclass(frozen=True)
class RoleValue:
    """Units that holding a special brings in one role; None where it is never declared."""

    label: str
    seats: tuple[int, ...]
    units: Estimate | None


@dataclass(frozen=True)
class HeldSpecial:
    """What holding one special brings, what it moves, and how much it makes units vary."""

    id: str
    zh: str
    en: str
    points: int
    p: Fraction
    units: Estimate | None
    roles: tuple[RoleValue, ...]
    flow: Estimate
    plain_variance: float
    """variance a deal of the flow, as plain deals would show it"""
    share_of_variance: float
    share_se: float
    deals: int

    @property
    def plain_deals(self) -> float | None:
        """Plain deals that would give the flow's error; None where nothing flows."""
        return self.plain_variance / self.flow.se**2 if self.flow.se else None

    def to_data(self) -> dict[str, Any]:
        """Return the ``value`` shape of design.md, with some keys more."""
        return {
            "id": self.id,
            "zh": self.zh,
            "points": self.points,
            "p": float(self.p),
            **_mean(self.units),
            "flow": self.flow.value,
            "flow_se": self.flow.se,
            "share_of_variance": self.share_of_variance,
            "share_se": self.share_se,
            "roles": {
                role.label: {"seats": list(role.seats), **_mean(role.units)} for role in self.roles
            },
            "deals": self.deals,
            "plain_deals": self.plain_deals,
        }


@dataclass(frozen=True)
class ValueResult(Result):
    """Values of specials, in order of rank."""

    variant: Variant
    policy: str
    players: int
    seed: int
    specials: tuple[HeldSpecial, ...]

    def __getitem__(self, special: str) -> HeldSpecial:
        """Return one special by id; KeyError when it was not asked for."""
        for entry in self.specials:
            if entry.id == special:
                return entry
        raise KeyError(special)

    def to_data(self) -> list[dict[str, Any]]:
        """Return the ``value`` shape of design.md: a list, one item a special."""
        return [entry.to_data() for entry in self.specials]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a special; each role's mean and error as columns."""
        rows = []
        for entry in self.specials:
            row = entry.to_data()
            for label, role in row.pop("roles").items():
                row |= {f"mean_{label}": role["mean"], f"se_{label}": role["se"]}
            rows.append(row)
        return rows


@dataclass(frozen=True)
class _Cell:
    """One special held by one class of seats."""

    special: int
    seats: SeatClass
    chance: Fraction


def value(
    variant: Variant | str,
    specials: Sequence[str] = (),
    *,
    deals: int | None = None,
    seed: int | None = None,
    jobs: int = 1,
    players: int = 4,
    policy: str | Sequence[str] = "equilibrium",
    hold_policy: bool = False,
    variance_deals: int | None = None,
) -> ValueResult:
    """Return what holding each special brings: units, flow, share of variance, with errors.

    ``specials``: ids, all of the variant's if empty. ``deals``: deals for each special and class
    of seats; by default a pilot finds how many bring the error of the mean below 1 % of it (at
    most `MOST_DEALS`). The mean is over deals in which the holder declares, over all seats.
    Where all deals brought the same, the error is that of another outcome not having been met.
    ``variance_deals`` plain deals give seat 0's variance (by default 524,288, or 16 times
    ``deals`` where that is less). Raises BadInput for input that cannot
    be used, PolicyMismatch when no equilibrium is trained for the rules.
    """
    if isinstance(variant, str):
        variant = load(variant)
    if not 2 <= players <= 4:
        raise BadInput(f"players must be 2, 3 or 4, not {players}")
    if min(2 if number is None else number for number in (deals, variance_deals)) < 2:
        raise BadInput("deals must be 2 or more: an error needs two")
    if variance_deals is None:
        wanted = VARIANCE_DEALS if deals is None else VARIANCE_TIMES * deals
        variance_deals = min(wanted, VARIANCE_DEALS)
    chosen = _places(variant, specials)
    policies = read_policy_words(policy, players)
    seat_policies(variant, policies, players, hold_policy)  # a mismatch is said first
    if seed is None:
        seed = secrets.randbits(32)
    classes = seat_classes(variant, policies)
    chances = {place: SpecialHands(variant.rules, place).chance for place in chosen}
    cells = [_Cell(i, seats, chances[i]) for i in chosen if chances[i] for seats in classes]

    def plan(cell: _Cell, purpose: int, number: int) -> Plan:
        experiment = MeasuredExperiment(
            variant, players, policies, HolderMeasure(cell.seats.holder, cell.seats.seats),
            Given(cell.seats.holder, SpecialHands(variant.rules, cell.special)),
            (purpose, cell.seats.holder, cell.special), hold_policy,
        )  # fmt: skip
        return Plan(experiment, seed, number)

    def measure(plans: list[Plan], label: str) -> list[Moments]:
        with progress_bar(label, sum(plan.deals for plan in plans)) as advance:
            tallies = run_together(plans, jobs=jobs, advance=advance)
        names = [(p.experiment, t) for p, t in zip(plans, tallies, strict=True)]
        return [moments(e, t) for e, t in names if isinstance(e, MeasuredExperiment)]

    if deals is None:
        pilot = measure([plan(cell, PILOT, PILOT_DEALS) for cell in cells], "pilot")
        numbers = _deals_by_pilot(cells, pilot)
    else:
        numbers = [deals] * len(cells)
    plans = [plan(cell, MAIN, number) for cell, number in zip(cells, numbers, strict=True)]
    table = MeasuredExperiment(variant, players, policies, TableMeasure(), hold_policy=hold_policy)
    *found, plain = measure([*plans, Plan(table, seed, variance_deals)], variant.id)
    entries = []
    for place in chosen:
        own = [(c, m) for c, m in zip(cells, found, strict=True) if c.special == place]
        entries.append(_held_special(variant, place, chances[place], players, own, plain))
    name = policy if isinstance(policy, str) else ",".join(policy)
    return ValueResult(variant, name, players, seed, tuple(entries))


def _places(variant: Variant, specials: Sequence[str]) -> list[int]:
    ids = [entry.id for entry in variant.specials]
    for name in specials:
        if name not in ids:
            known = f" (it has: {', '.join(ids)})" if ids else " (it has none)"
            raise BadInput(f"{variant.id} has no special '{name}'{nearest(name, ids) or known}")
    return [place for place, name in enumerate(ids) if not specials or name in specials]


def _deals_by_pilot(cells: list[_Cell], pilot: list[Moments]) -> list[int]:
    """Return the deals of each cell that bring a special's mean to `RELATIVE_ERROR`."""
    numbers = [LEAST_DEALS] * len(cells)
    for special in {cell.special for cell in cells}:
        own = [i for i, cell in enumerate(cells) if cell.special == special]
        weights = [Fraction(len(cells[i].seats.seats)) for i in own]
        mean = stratified_ratio(
            _pairs([(weight, pilot[i]) for weight, i in zip(weights, own, strict=True)])
        )
        if mean is None:
            continue
        residuals = [pilot[i].combination({"brought": 1, "declared": -mean.value}) for i in own]
        declared = sum(
            w * pilot[i].power("declared").mean() for w, i in zip(weights, own, strict=True)
        )
        sds = [sums.sd() for sums in residuals]
        aim = RELATIVE_ERROR * abs(mean.value) * float(declared)
        needed = MOST_DEALS
        if aim > 0:
            needed = min(MOST_DEALS, deals_needed(weights, sds, aim))
        allocation = neyman_allocation(weights, sds, needed, LEAST_DEALS)
        for i, number in zip(own, allocation, strict=True):
            numbers[i] = number
    return numbers


def _held_special(
    variant: Variant,
    place: int,
    chance: Fraction,
    players: int,
    own: list[tuple[_Cell, Moments]],
    plain: Moments,
) -> HeldSpecial:
    entry = variant.specials[place]
    sizes = [(Fraction(len(cell.seats.seats)), found) for cell, found in own]
    flow = stratified_mean([Stratum(size * chance, m.power("received")) for size, m in sizes])
    squares = sum(size * chance * m.power("received_by_flow").mean() for size, m in sizes)
    share, share_se = _share(chance, [found for _, found in own], plain)
    most = 2 * histogram_half(variant, players)
    received = float(chance) * players * entry.points * (players - 1)
    return HeldSpecial(
        id=entry.id,
        zh=entry.zh,
        en=entry.en,
        points=entry.points,
        p=chance,
        units=_met(stratified_ratio(_pairs(sizes)), most),
        roles=tuple(
            RoleValue(
                cell.seats.label,
                cell.seats.seats,
                _met(stratified_ratio(_pairs([(Fraction(1), found)])), most),
            )
            for cell, found in own
        ),
        flow=_met(flow, received) or flow,
        plain_variance=float(squares) - flow.value**2,
        share_of_variance=share,
        share_se=share_se,
        deals=sum(found.n for _, found in own),
    )


def _pairs(sizes: list[tuple[Fraction, Moments]]) -> list[tuple[Fraction, PairSums]]:
    return [(size, found.pair("declared", "brought")) for size, found in sizes]


def _met(estimate: Estimate | None, span: float) -> Estimate | None:
    """Return the estimate; equal deals get the error of others, ``span`` away, not being met."""
    if estimate is None or estimate.se or not estimate.deals:
        return estimate
    return replace(estimate, se=error_of_equal_totals(span, estimate.deals))


def _share(chance: Fraction, found: list[Moments], plain: Moments) -> tuple[float, float]:
    """Return Cov(seat 0's net through the special, units) / Var(units), and its error.

    The error is linearised: the covariance, the mean units and their variance are independent or
    (the last two) nearly so, the share being small.
    """
    units = plain.power("units").estimate()
    mean = Fraction(plain.sums[0], plain.n)
    spread = plain.combination({"units_squared": 1, "units": -2 * mean})
    variance = float(plain.power("units").variance())
    if not variance:
        return 0.0, 0.0
    covariance = stratified_mean(
        [Stratum(chance, m.combination({"net_by_units": 1, "net": -mean})) for m in found]
    )
    net = stratified_mean([Stratum(chance, m.power("net")) for m in found]).value
    share = covariance.value / variance
    error = math.hypot(covariance.se, net * units.se, share * spread.estimate().se)
    return share, error / variance


def _mean(units: Estimate | None) -> dict[str, float | None]:
    return {"mean": units.value if units else None, "se": units.se if units else None}

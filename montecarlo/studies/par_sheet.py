"""Study: the PAR sheet of a variant, what game mathematicians hand to a test laboratory.

All figures of play come from one set of deals, tallied twice: payments (`studies.moments`) and
results (`studies.payouts`); those of special hands are exact counts. The *volatility index* at a
confidence is z · SD: the half-width, in units, of the normal band of a seat's result after one
deal; after n deals the band is z · SD · √n wide on either side. *Flow* is what changes hands at the
whole table.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from montecarlo.errors import BadInput
from montecarlo.scoring.lines import line_of_special
from montecarlo.setting.seating import read_policy_words
from montecarlo.simulation.counts import CountExperiment
from montecarlo.simulation.payouts import PayoutExperiment
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.simulation.runner import run
from montecarlo.specials.exact import count_specials
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.intervals import Interval, clopper_pearson, normal_quantile
from montecarlo.studies.exact import TOTAL
from montecarlo.studies.moments import Moments
from montecarlo.studies.par_parts import (
    CONFIDENCES,
    Band,
    BandCheck,
    Exposure,
    band_checks,
    bands,
    exposure,
    proportion,
)
from montecarlo.studies.payouts import Payouts, payouts
from montecarlo.studies.results import Result
from montecarlo.studies.winnings import won_by_distribution, won_by_players
from montecarlo.variants import Variant, load

RARE = Fraction(1, 100_000_000)
"""An award rarer than this is flagged: test laboratories ask for one in 100 million games."""

FEE_RATES = (0.01, 0.02, 0.05)


@dataclass(frozen=True)
class ParLine:
    """One payout line of a PAR sheet; means a deal at the whole table, nets of seat 0."""

    id: str
    p: Fraction | None
    """exact chance that a hand is the special (first in rank), of specials and tiers only"""
    payments: Estimate
    flow: Estimate
    share_of_flow: Estimate
    edge: Estimate | None
    """what the line brings the banker; None where there is none"""
    share_of_variance: Estimate


@dataclass(frozen=True)
class RareAward:
    """An award that is rare: exact odds of a hand, or, of a line not met, a bound."""

    id: str
    p: Fraction | None
    bound: Interval | None
    """95 % interval of the chance a deal, of a line that no deal had"""
    flagged: bool
    """rarer than `RARE`, certainly"""


@dataclass(frozen=True)
class FeeEffect:
    """What a fee on winnings takes from a seat; units a deal."""

    role: str
    rate: float
    flat: float
    won: Estimate
    taken: Estimate
    left: Estimate
    """the seat's mean after the fee; its error as if both parts were independent, an upper bound"""


@dataclass(frozen=True)
class Role:
    """A kind of seat: how many there are, and their results a deal."""

    name: str
    seats: int
    mean: Estimate
    sd: float


@dataclass(frozen=True)
class ParSheet(Result):
    """Everything a PAR sheet says about a variant."""

    moments: Moments
    played: Payouts
    lines: tuple[ParLine, ...]
    roles: tuple[Role, ...]
    bands: tuple[Band, ...]
    checks: tuple[BandCheck, ...]
    exposure: Exposure
    rare: tuple[RareAward, ...]
    fees: tuple[FeeEffect, ...]

    @property
    def variant(self) -> Variant:
        """The variant the sheet is about."""
        return self.moments.variant

    @property
    def edge(self) -> Estimate | None:
        """The banker's edge a deal; None where there is no banker."""
        v = self.moments.vector()
        return self.moments.edge(v) if self.variant.banker else None

    @property
    def sd(self) -> Estimate:
        """The standard deviation of seat 0's units a deal (of any seat's, where all are alike)."""
        return self.moments.sd(self.moments.vector())

    @property
    def flow(self) -> Estimate:
        """The units that change hands a deal."""
        return self.moments.flow(self.moments.vector())

    @property
    def results(self) -> dict[str, Estimate]:
        """How often seat 0 wins, ties or loses a deal."""
        names = {"win": 1, "tie": 0, "lose": -1}
        return {n: proportion(self.played.distribution, sign) for n, sign in names.items()}

    def volatility_index(self, confidence: float) -> Estimate:
        """Return z · SD, in units of one deal."""
        z, sd = normal_quantile(confidence), self.sd
        return Estimate(z * sd.value, z * sd.se, sd.deals)

    def to_data(self) -> dict[str, Any]:
        """Return the sheet as JSON data."""
        experiment, edge = self.moments.experiment, self.edge
        return {
            "variant": self.variant.id,
            "knobs": self.variant.knobs,
            "sha256": self.variant.sha256,
            "policy": list(experiment.policies),
            "players": experiment.players,
            "deals": self.moments.deals,
            "seed": self.moments.seeds[0],
            "edge": None if edge is None else _mean(edge),
            "sd": _mean(self.sd),
            "flow": _mean(self.flow),
            "results": {name: {"p": p.value, "se": p.se} for name, p in self.results.items()},
            "volatility": [
                {"confidence": c, "z": normal_quantile(c), **_mean(self.volatility_index(c))}
                for c in CONFIDENCES
            ],
            "lines": self.rows(),
            "bands": [asdict(band) for band in self.bands],
            "band_checks": [asdict(check) for check in self.checks],
            "exposure": {
                "bound": self.exposure.bound,
                "worst": self.exposure.worst,
                "worst_deals": self.exposure.worst_deals,
                "worst_p_ci95": list(self.exposure.worst_p),
                "best": self.exposure.best,
                "best_deals": self.exposure.best_deals,
                "best_p_ci95": list(self.exposure.best_p),
                "tails": [asdict(tail) for tail in self.exposure.tails],
            },
            "rare": [
                {
                    "id": award.id,
                    "p": None if award.p is None else float(award.p),
                    "ci95": None if award.bound is None else list(award.bound),
                    "flagged": award.flagged,
                }
                for award in self.rare
            ],
            "fees": [
                {
                    "role": fee.role, "rate": fee.rate, "flat": fee.flat, "won": fee.won.value,
                    "won_se": fee.won.se, "taken": fee.taken.value, "taken_se": fee.taken.se,
                    "left": fee.left.value,
                    "left_se": _finite(fee.left.se),
                }
                for fee in self.fees
            ],
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a payout line."""
        return [
            {
                "id": line.id,
                "p": None if line.p is None else float(line.p),
                "payments": line.payments.value,
                "payments_se": line.payments.se,
                "flow": line.flow.value,
                "flow_se": line.flow.se,
                "share_of_flow": line.share_of_flow.value,
                "share_of_flow_se": line.share_of_flow.se,
                "edge": None if line.edge is None else line.edge.value,
                "edge_se": None if line.edge is None else line.edge.se,
                "share_of_variance": line.share_of_variance.value,
                "share_of_variance_se": _finite(line.share_of_variance.se),
            }
            for line in self.lines
        ]


def par(
    variant: Variant | str,
    *,
    deals: int = 1_000_000,
    seed: int | None = None,
    jobs: int = 1,
    players: int = 4,
    policy: str | Sequence[str] = "equilibrium",
    hold_policy: bool = False,
) -> ParSheet:
    """Play ``deals`` deals of a variant and return its PAR sheet.

    ``policy``: one name for all seats or one a seat. The same input gives the same bits for any
    number of ``jobs``. Raises BadInput for input that cannot be used, PolicyMismatch when a policy
    is not trained.
    """
    if isinstance(variant, str):
        variant = load(variant)
    if not 2 <= players <= 4:
        raise BadInput(f"players must be 2, 3 or 4, not {players}")
    if deals < 2:
        raise BadInput(f"deals must be 2 or more, not {deals}: an error needs two")
    names = read_policy_words(policy, players)
    counted = CountExperiment(variant, players, names, hold_policy=hold_policy)
    counted.seats()  # a policy that is not trained is said before anything is dealt
    results = PayoutExperiment(variant, players, names, hold_policy)
    if seed is None:
        seed = secrets.randbits(32)
    with progress_bar(f"{variant.id}: payments", deals) as advance:
        payments = run(Plan(counted, seed, deals), jobs=jobs, advance=advance)
    with progress_bar(f"{variant.id}: results", deals) as advance:
        tally = run(Plan(results, seed, deals), jobs=jobs, advance=advance)
    exclusive = count_specials(variant.rules).exclusive
    return par_sheet(Moments(counted, payments, (seed,)), payouts(results, tally), exclusive)


def par_sheet(moments: Moments, played: Payouts, exclusive: Sequence[int]) -> ParSheet:
    """Return the sheet of deals that were tallied both ways.

    ``exclusive``: hands that are each of the variant's specials, first in rank, of all `TOTAL`.
    """
    variant, distribution = moments.variant, played.distribution
    lines = _lines(moments, exclusive)
    roles = _roles(moments, played)
    return ParSheet(
        moments=moments,
        played=played,
        lines=lines,
        roles=roles,
        bands=tuple(b for role in roles for b in bands(role.name, role.mean.value, role.sd)),
        checks=band_checks(distribution),
        exposure=exposure(variant, moments.experiment.players, distribution),
        rare=_rare(variant, lines, exclusive, moments.deals),
        fees=_fees(moments, played, roles),
    )


def _lines(moments: Moments, exclusive: Sequence[int]) -> tuple[ParLine, ...]:
    variant, v = moments.variant, moments.vector()
    held: dict[str, int] = {}
    for entry, count in zip(variant.specials, exclusive, strict=True):
        name = line_of_special(variant, entry)
        held[name] = held.get(name, 0) + count
    net = moments.line_units(v)
    return tuple(
        ParLine(
            id=line,
            p=Fraction(held[line], TOTAL) if line in held else None,
            payments=moments.flow(_one_a_payment(moments, line), [line]),
            flow=moments.flow(v, [line]),
            share_of_flow=moments.share_of_flow(v, [line]),
            edge=net[line] if variant.banker else None,
            share_of_variance=moments.share_of_variance(v, [line]),
        )
        for line in moments.lines
    )


def _one_a_payment(moments: Moments, line: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the payout vector under which each payment of a line is one unit."""
    first, *rest = line.split(".")
    if first == "row":
        paid = {f"row.{rest[0]}.base"}
    elif first in ("gun", "home_run"):
        paid = {f"{first}_add"}
    elif first in ("special", "tier"):
        paid = {name for name in moments.payout_ids if name.startswith(("special.", "tier."))}
    else:
        paid = {first}
    return np.array([float(name in paid) for name in moments.payout_ids])


def _roles(moments: Moments, played: Payouts) -> tuple[Role, ...]:
    v = moments.vector()
    units, sd = moments.units(v), moments.sd(v).value
    players = moments.experiment.players
    if not moments.variant.banker:
        name = "seat" if moments.experiment.counted_seats > 1 else "seat 0"
        return (Role(name, players, units, sd),)
    others = players - 1
    mean = Estimate(-units.value / others, units.se / others, units.deals)
    seats = played.units[1:]
    spread = sum(seat.sd for seat in seats) / len(seats)
    return Role("banker", 1, units, sd), Role("player", others, mean, spread)


def _rare(
    variant: Variant, lines: Sequence[ParLine], exclusive: Sequence[int], deals: int
) -> tuple[RareAward, ...]:
    """Return specials rarer than `RARE`, and lines that no deal had."""
    found = []
    for entry, count in zip(variant.specials, exclusive, strict=True):
        p = Fraction(count, TOTAL)
        if p < RARE:
            found.append(RareAward(f"special.{entry.id}", p, None, True))
    for line in lines:
        if line.p is None and not line.payments.value:
            found.append(RareAward(line.id, None, clopper_pearson(0, deals), False))
    return tuple(found)


def _fees(moments: Moments, played: Payouts, roles: Sequence[Role]) -> tuple[FeeEffect, ...]:
    own = moments.variant.settlement
    levels = [(rate, 0.0) for rate in FEE_RATES]
    if own.fee_rate or own.fee_flat:
        levels.append((own.fee_rate, own.fee_flat))
    found = []
    for role in roles:
        if role.name == "player":
            won, wins = won_by_players(moments)
        else:
            alike = moments.experiment.counted_seats > 1
            won = won_by_distribution(played.distribution, alike)
            wins = proportion(played.distribution, 1)
        for rate, flat in levels:
            taken = Estimate(
                rate * won.value + flat * wins.value, rate * won.se + flat * wins.se, won.deals
            )
            error = math.hypot(role.mean.se, taken.se)
            left = Estimate(role.mean.value - taken.value, error, won.deals)
            found.append(FeeEffect(role.name, rate, flat, won, taken, left))
    return tuple(found)


def _mean(estimate: Estimate) -> dict[str, float | None]:
    return {"mean": estimate.value, "se": _finite(estimate.se)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

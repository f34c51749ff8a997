"""Study: a banker with a bankroll. His risk of ruin, and the stakes he can offer.

Units are whole, so a bankroll walks on a lattice: from the counted units of a deal his ruin within
some deals, and ever, is worked out exactly (`statistics.ruin`), bounded by Lundberg's inequality,
and compared with runs of deals that were played. What is uncertain is the distribution itself, its
mean most of all. Where the edge is known better than these deals tell it, the counted distribution
is tilted to that mean. Errors say how far ruin moves when the edge moves by its standard error, and
the variance by its own (errors of both added in quadrature).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput
from montecarlo.simulation.bankroll import BankrollExperiment
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.simulation.runner import run
from montecarlo.simulation.tallies import Tally
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.intervals import Interval, clopper_pearson
from montecarlo.statistics.ruin import Bounds, Walk, lundberg, ruin_before, ruin_ever
from montecarlo.studies.compare import estimate_data
from montecarlo.variants import Variant

Floats = NDArray[np.float64]

HORIZONS = (100, 1000, 10_000)
"""Deals within which ruin is looked at; runs of so many deals are played."""

BANKROLLS = (50, 100, 200, 500)
"""Units that a banker may begin with, unless others are asked for."""

TOLERATED = 0.01
"""The risk of ruin that a table limit is made for."""

FEWEST_DEALS = 1000
"""Deals from which a distribution of units is known well enough to speak of ruin."""

MOST_SEARCH = 10_000
"""Bankrolls looked at for a limit, at most."""


@dataclass(frozen=True)
class RuinWithin:
    """Ruin of a bankroll within some deals: worked out, and in the runs that were played."""

    deals: int
    p: Estimate
    runs: int
    ruined: int

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval from the runs alone (Clopper-Pearson); None if none was played."""
        return clopper_pearson(self.ruined, self.runs) if self.runs else None

    def to_data(self) -> dict[str, Any]:
        """Return the figures as JSON data."""
        return {
            "deals": self.deals, "p": self.p.value, "se": self.p.se, "runs": self.runs,
            "ruined": self.ruined, "ci95": list(self.interval) if self.interval else None,
        }  # fmt: skip


@dataclass(frozen=True)
class Bankroll:
    """Units that a banker begins with, and his risk of ruin."""

    units: int
    ever: Estimate
    numerical: Bounds
    """between which ruin ever lies, the distribution taken as it was counted"""
    lundberg: Bounds
    within: tuple[RuinWithin, ...]

    def to_data(self) -> dict[str, Any]:
        """Return the figures as JSON data."""
        return {
            "units": self.units,
            "ever": {"p": self.ever.value, "se": self.ever.se},
            "numerical": [self.numerical.low, self.numerical.high],
            "lundberg": [self.lundberg.low, self.lundberg.high],
            "within": [each.to_data() for each in self.within],
        }


@dataclass(frozen=True)
class Limit:
    """The bankroll that is ruined with `TOLERATED` at most, and the stake it can bear."""

    deals: int | None
    """within so many deals; None: ever"""
    units: Estimate | None
    """smallest bankroll; None where no bankroll looked at is safe enough"""

    @property
    def stake_share(self) -> Estimate | None:
        """Largest stake of a unit, as a share of the bankroll."""
        if self.units is None:
            return None
        share = 1 / self.units.value
        return Estimate(share, self.units.se * share**2, self.units.deals)

    def to_data(self) -> dict[str, Any]:
        """Return the limit as JSON data."""
        return {
            "deals": self.deals,
            "units": estimate_data(self.units) if self.units else None,
            "stake_share": estimate_data(self.stake_share) if self.stake_share else None,
        }


@dataclass(frozen=True, eq=False)
class RiskOfRuin:
    """Seat 0's risk of ruin among so many players."""

    players: int
    deals: int
    edge: Estimate
    sd: float
    worst: int
    """units lost in the worst deal that was seen"""
    adjustment: Estimate | None
    """Lundberg's R; None where ruin is certain"""
    bankrolls: tuple[Bankroll, ...]
    limits: tuple[Limit, ...]
    ever: Floats
    """risk of ruin ever by bankroll, from 0 units on"""

    def limit(self, deals: int | None) -> Limit:
        """Return the limit for ruin within some deals, or ever."""
        return next(limit for limit in self.limits if limit.deals == deals)

    def to_data(self) -> dict[str, Any]:
        """Return the figures as JSON data."""
        return {
            "players": self.players,
            "deals": self.deals,
            "edge": estimate_data(self.edge),
            "sd": self.sd,
            "worst": self.worst,
            "adjustment": estimate_data(self.adjustment) if self.adjustment else None,
            "bankrolls": [bankroll.to_data() for bankroll in self.bankrolls],
            "limits": [limit.to_data() for limit in self.limits],
        }


def risk_of_ruin(
    variant: Variant,
    *,
    players: int,
    deals: int,
    seed: int,
    bankrolls: Sequence[int] = BANKROLLS,
    policies: tuple[str, ...],
    edge: Estimate | None = None,
    jobs: int = 1,
    hold_policy: bool = False,
) -> RiskOfRuin:
    """Play deals in sequence and work out seat 0's risk of ruin for each bankroll (units).

    ``edge``: the mean of a deal where it is known better than from ``deals`` deals. Raises BadInput
    for bankrolls below 1 unit or too large to be worked out, and for fewer than `FEWEST_DEALS`.
    """
    experiment = BankrollExperiment(
        variant, players, policies, HORIZONS, tuple(bankrolls), hold_policy
    )
    if deals < FEWEST_DEALS:
        raise BadInput(f"{deals} deals tell nothing of ruin: {FEWEST_DEALS} or more")
    with progress_bar(f"{variant.id}, bankrolls, {players} players", deals) as advance:
        tally = run(Plan(experiment, seed, deals), jobs=jobs, advance=advance)
    return read_ruin(experiment, tally, edge)


def read_ruin(
    experiment: BankrollExperiment, tally: Tally, edge: Estimate | None = None
) -> RiskOfRuin:
    """Read the tally of a `BankrollExperiment`; ``edge`` as in `risk_of_ruin`."""
    histogram = tally.integers("histogram")
    half = len(histogram) // 2
    walk = Walk.of({place - half: count for place, count in enumerate(histogram) if count})
    if edge is None:
        edge = Estimate(walk.mean, walk.sd / max(tally.deals - 1, 1) ** 0.5, tally.deals)
    walk = walk.tilted(edge.value - walk.mean)
    others = (walk.tilted(-edge.se), walk.wider())
    longest = max(experiment.lengths)
    most = max(*experiment.bankrolls, min(_enough_within(walk, longest), MOST_SEARCH))
    within = ruin_before(walk, most, experiment.lengths)
    moved = np.stack([ruin_before(other, most, experiment.lengths) for other in others])
    most = max(
        *experiment.bankrolls, *(min(_enough(each), MOST_SEARCH) for each in (walk, *others))
    )
    low, high = ruin_ever(walk, most)
    moved_ever = np.stack([ruin_ever(other, most)[1] for other in others])
    runs, ruined = tally.integers("runs"), tally.arrays["ruined"]
    held = []
    for place, units in enumerate(experiment.bankrolls):
        each = tuple(
            RuinWithin(
                length, _moved(within[i, units], moved[:, i, units], tally.deals), runs[i],
                int(ruined[i, place]),
            )
            for i, length in enumerate(experiment.lengths)
        )  # fmt: skip
        held.append(
            Bankroll(units, _moved(high[units], moved_ever[:, units], tally.deals),
                     Bounds(float(low[units]), float(high[units])), lundberg(walk, units), each)
        )  # fmt: skip
    limits = [
        Limit(length, _smallest(within[i], moved[:, i], tally.deals))
        for i, length in enumerate(experiment.lengths)
    ]
    limits.append(Limit(None, _smallest(high, moved_ever, tally.deals)))
    adjustment = None
    if walk.adjustment is not None:
        changed = [other.adjustment.value if other.adjustment else 0.0 for other in others]
        adjustment = _moved(walk.adjustment.value, np.array(changed), tally.deals)
    return RiskOfRuin(
        experiment.players, tally.deals, edge, walk.sd, walk.loss, adjustment, tuple(held),
        tuple(limits), high,
    )  # fmt: skip


def _enough_within(walk: Walk, deals: int) -> int:
    """Return a bankroll that is ruined within some deals with less than `TOLERATED`, or nearly.

    By the reflection principle of the normal approximation, with a tenth to spare.
    """
    spread = 2.6 * walk.sd * math.sqrt(deals) + deals * max(-walk.mean, 0.0)
    return math.ceil(1.1 * min(spread, _enough(walk))) + walk.loss


def _enough(walk: Walk) -> int:
    """Return a bankroll that is ruined ever with `TOLERATED` at most, by Lundberg's inequality."""
    if walk.adjustment is None:  # there is none
        return MOST_SEARCH
    return math.ceil(-math.log(TOLERATED) / walk.adjustment.value)


def _moved(value: float, moved: Floats, deals: int) -> Estimate:
    """Return a figure with the error of several causes (M,), by what each moves it to."""
    return Estimate(float(value), float(np.sqrt(((moved - value) ** 2).sum())), deals)


def _smallest(risk: Floats, moved: Floats, deals: int) -> Estimate | None:
    """Return the smallest bankroll whose risk is tolerated, with its error.

    ``risk`` by bankroll, ``moved`` (M, bankrolls): the risk as several causes change it.
    """
    if risk[-1] > TOLERATED:
        return None
    place = float(np.flatnonzero(risk <= TOLERATED)[0])
    if moved[:, -1].max() > TOLERATED:
        return Estimate(place, math.inf, deals)
    crossing = _crossing(risk)
    changed = np.array([_crossing(other) for other in moved])
    return Estimate(place, _moved(crossing, changed, deals).se, deals)


def _crossing(risk: Floats) -> float:
    """Return where a falling risk comes down to `TOLERATED`, between whole bankrolls."""
    place = int(np.flatnonzero(risk <= TOLERATED)[0])
    high, low = np.log(risk[place - 1 : place + 1])
    return float(place - (np.log(TOLERATED) - low) / (high - low))

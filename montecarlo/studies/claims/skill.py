"""Luck and skill: what one player of a policy gains among three of another, and how soon it shows.

Each deal is played with every hand in the lone player's place; all pairs of policies share deals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Any

from montecarlo.simulation.paired import Arm, PairedExperiment
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.rounding import with_error
from montecarlo.studies.claims.findings import Finding, Verdict
from montecarlo.studies.claims.registry import computation
from montecarlo.studies.claims.schema import Claim
from montecarlo.studies.compare import estimate_data, run_paired
from montecarlo.studies.paired_sums import PairedSums
from montecarlo.variants import load

SEED = 5
DEALS = 65536
GAMES = ("baodao", "taiwan", "points123", "coins")
GUNS = ("taiwan", "points123")
POLICIES = ("greedy", "balanced", "equilibrium")
ONE_SIDED_95 = 1.6448536269514722
"""95 % quantile of the standard normal distribution."""


@dataclass(frozen=True)
class Gain:
    """What one player of a policy gains a deal among three players of another."""

    gain: Estimate
    sd: float

    @property
    def deals_until_ahead(self) -> float | None:
        """Deals after which the better side is ahead with 95 %; None if the two are not told apart.

        The normal approximation of the sum of n deals: n = (1.645 SD / gain)².
        """
        if self.gain.interval().contains(0):
            return None
        return (ONE_SIDED_95 * self.sd / self.gain.value) ** 2

    def to_data(self) -> dict[str, Any]:
        """Return the gain as JSON data."""
        return {
            **estimate_data(self.gain),
            "sd": self.sd,
            "deals_until_ahead": self.deals_until_ahead,
        }


@computation("skill_long_run")
def skill_long_run(claim: Claim) -> Finding:
    """Gain and SD of each policy among three of each other, in games with and without guns."""
    tables = {name: gains(name, DEALS) for name in GAMES}
    lone = {name: tables[name]["greedy", "equilibrium"] for name in GAMES}
    soon = [each.deals_until_ahead or float("inf") for each in lone.values()]
    shown = ", ".join(
        f"{load(name).zh} {with_error(each.gain.value, each.gain.se)} (SD {each.sd:.1f})"
        for name, each in lone.items()
    )
    subtle = ", ".join(
        f"{load(name).zh} {with_error(each.gain.value, each.gain.se)}: {_deals(each)}"
        for name in GAMES
        for each in [tables[name]["equilibrium", "balanced"]]
    )
    return Finding(
        (f"behind with 95 % after {min(soon):.0f} to {max(soon):.0f} deals (greedy player)",),
        f"One greedy player among three equilibrium players gains a deal {shown}: less than one "
        f"deal's luck, and more than luck after {min(soon):.0f} to {max(soon):.0f} deals. "
        f"One equilibrium player among three balanced ones: {subtle}.",
        verdict=_verdict(list(lone.values())),
        details={
            "games": {
                name: {f"{a} among {b}": each.to_data() for (a, b), each in table.items()}
                for name, table in tables.items()
            },
            "guns": list(GUNS),
            "deals": DEALS,
            "seed": SEED,
        },
    )


@lru_cache(maxsize=8)
def gains(game: str, deals: int) -> Mapping[tuple[str, str], Gain]:
    """Return the gain of one player of policy a among three of policy b, for all a ≠ b."""
    variant = load(game)
    pairs = list(permutations(POLICIES, 2))
    arms = tuple(Arm(variant, (one, other, other, other)) for one, other in pairs)
    experiment = PairedExperiment(arms, rotate=True)
    sums = PairedSums.of(experiment, run_paired(experiment, deals, SEED, 1, game)[1])
    return {pair: Gain(sums.mean(i), sums.sd(i)) for i, pair in enumerate(pairs)}


def _verdict(lone: list[Gain]) -> Verdict:
    """Confirmed if in every game the weaker player loses for sure, but less than a deal's SD."""
    intervals = [each.gain.interval() for each in lone]
    if any(i.low > 0 or -i.high > each.sd for i, each in zip(intervals, lone, strict=True)):
        return "refuted"
    settled = all(i.high < 0 and -i.low < each.sd for i, each in zip(intervals, lone, strict=True))
    return "confirmed" if settled else "undecided"


def _deals(gain: Gain) -> str:
    deals = gain.deals_until_ahead
    return "not told apart" if deals is None else f"{deals:,.0f} deals"

"""Study: luck and skill. What one policy gains among others, and how soon that shows.

Each entry of the matrix is one player of policy A among players of policy B, all on common deals
(`simulation.skill`). His *lead* is his units a deal; in banker games his units less those of the
player beside him. Three questions are asked of it:

- How many deals until the better is ahead with 95 %? By the normal approximation from gain and SD,
  exactly from the distribution of a deal's lead, and in the runs of deals that were played.
- How much of a result is the cards? Replayed with the hands rotated (duplicate play), the luck of
  the cards cancels; replayed with another policy, two-way analysis of variance splits it into the
  cards, the policy, and what the policy makes of the cards (*both*).
- What does a player have after 100 to 10,000 deals? Quantiles of the sum.

Sources: Scheffé (1959), The Analysis of Variance, ch. 4 (two-way layout, policies fixed); Efron &
Stein (1981) for the errors of variance components.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput
from montecarlo.setting.seating import read_policy_words, split_policy_words
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.simulation.runner import run
from montecarlo.simulation.skill import RUN_LENGTHS, SkillExperiment
from montecarlo.simulation.skill_kernel import AHEAD, BEHIND, LEVEL
from montecarlo.simulation.tallies import Tally
from montecarlo.statistics.clustered import Estimate, PowerSums
from montecarlo.statistics.intervals import Interval, clopper_pearson
from montecarlo.statistics.jackknife import jackknife
from montecarlo.statistics.sums import SumDistribution, sum_distribution
from montecarlo.studies.compare import estimate_data, finite
from montecarlo.studies.results import Result
from montecarlo.studies.settings import check_players
from montecarlo.variants import Variant, load

Floats = NDArray[np.float64]

POLICIES = ("equilibrium", "balanced", "greedy", "human")
ONE_SIDED_95 = 1.6448536269514722
"""95 % quantile of the standard normal distribution."""

FAN_DEALS = (100, 200, 500, 1000, 2000, 5000, 10_000)
FAN_QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)

MOST_DEALS_EXACT = 1_000_000
"""Beyond so many deals only the normal approximation tells when the better is ahead."""

FEWEST_RUNS = 20
"""Runs of a length that are needed to check a probability with them."""


@dataclass(frozen=True)
class RunCheck:
    """Runs of so many deals that were played: how many had the lone player ahead at the end."""

    deals: int
    runs: int
    ahead: int
    level: int
    expected: float
    """probability that he is ahead, from the distribution of a deal's lead"""

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the probability, from the runs alone (Clopper-Pearson)."""
        return clopper_pearson(self.ahead, self.runs)

    def to_data(self) -> dict[str, Any]:
        """Return the check as JSON data."""
        return {
            "deals": self.deals, "runs": self.runs, "ahead": self.ahead, "level": self.level,
            "p": self.ahead / self.runs, "ci95": list(self.interval), "expected": self.expected,
        }  # fmt: skip


@dataclass(frozen=True)
class Fan:
    """Quantiles of the lone player's lead after some deals, by `FAN_QUANTILES`."""

    deals: int
    quantiles: tuple[int, ...]
    mean: Estimate

    def to_data(self) -> dict[str, Any]:
        """Return the quantiles as JSON data."""
        named = {f"q{100 * q:02.0f}": v for q, v in zip(FAN_QUANTILES, self.quantiles, strict=True)}
        return {"deals": self.deals, **named, **estimate_data(self.mean)}


@dataclass(frozen=True)
class DealsUntilAhead:
    """Deals after which the better side is ahead with 95 %."""

    normal: float
    """(1.645 SD / gain)²"""
    interval: Interval
    """of ``normal``, from the gain's 95 % interval"""
    exact: int | None
    """from the distribution of a deal's lead; None beyond `MOST_DEALS_EXACT`"""
    duplicate: float
    """with each deal played once with every hand in the lone player's place"""

    def to_data(self) -> dict[str, Any]:
        """Return the figures as JSON data."""
        return {
            "normal": self.normal, "ci95": [finite(bound) for bound in self.interval],
            "exact": self.exact, "duplicate": self.duplicate,
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Entry:
    """One player of a policy among players of another."""

    lone: str
    others: str
    gain: Estimate
    """units a deal"""
    sd: float
    """of the lead in one play"""
    duplicate_sd: float
    """of a deal's mean lead over its plays, one with every hand in his place"""
    rotation_share: Estimate
    """share of the variance that rotating the hands takes out: the luck of the cards"""
    counts: dict[int, int]
    """leads of single plays"""
    runs: tuple[RunCheck, ...]

    def after(self, deals: int) -> SumDistribution:
        """Return the distribution of his lead after some deals."""
        return sum_distribution(self.counts, deals)

    def ahead(self, deals: int) -> float:
        """Return the probability that the side that gains is ahead after some deals."""
        after = self.after(deals)
        return after.above(0) if self.gain.value > 0 else after.below(0)

    @cached_property
    def deals_until_ahead(self) -> DealsUntilAhead | None:
        """Deals until the better is ahead with 95 %; None where the two are not told apart."""
        low, high = self.gain.interval()
        if low <= 0 <= high or self.lone == self.others:
            return None

        def deals(gain: float, sd: float) -> float:
            return (ONE_SIDED_95 * sd / gain) ** 2

        normal = deals(self.gain.value, self.sd)
        ends = sorted((deals(low, self.sd), deals(high, self.sd)))
        duplicate = deals(self.gain.value, self.duplicate_sd)
        return DealsUntilAhead(normal, Interval(*ends), self._exactly(normal), duplicate)

    @property
    def check(self) -> RunCheck | None:
        """The check whose runs are nearest in length to the deals until the better is ahead."""
        until = self.deals_until_ahead
        if until is None or not self.runs:
            return None
        return min(self.runs, key=lambda check: abs(math.log(check.deals / until.normal)))

    @cached_property
    def fan(self) -> tuple[Fan, ...]:
        """Quantiles of his lead after `FAN_DEALS` deals."""
        fans = []
        for deals in FAN_DEALS:
            after = self.after(deals)
            mean = Estimate(deals * self.gain.value, deals * self.gain.se, self.gain.deals)
            fans.append(Fan(deals, tuple(after.quantile(q) for q in FAN_QUANTILES), mean))
        return tuple(fans)

    def to_data(self) -> dict[str, Any]:
        """Return the entry as JSON data."""
        until = self.deals_until_ahead
        return {
            "lone": self.lone,
            "others": self.others,
            "gain": estimate_data(self.gain),
            "sd": self.sd,
            "duplicate_sd": self.duplicate_sd,
            "rotation_share": _share(self.rotation_share),
            "deals_until_ahead": until.to_data() if until else None,
            "runs": [check.to_data() for check in self.runs],
            "fan": [fan.to_data() for fan in self.fan],
        }

    def _exactly(self, guess: float) -> int | None:
        """Return the first deals, found by halving, after which 95 % have the better ahead."""
        low, high = 0, max(1, round(guess))
        while self.ahead(high) < 0.95:
            low, high = high, 2 * high
            if high > MOST_DEALS_EXACT:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.ahead(middle) >= 0.95 else (middle, high)
        return high


@dataclass(frozen=True)
class Components:
    """Where the variance of a lone player's lead among players of one policy comes from.

    Shares of the variance over deals and the policies that he may play, each as likely as another:
    they add up to 1.
    """

    others: str
    sd: float
    cards: Estimate
    policy: Estimate
    both: Estimate
    """what a policy makes of some cards and not of others"""

    def to_data(self) -> dict[str, Any]:
        """Return the shares as JSON data."""
        return {
            "others": self.others, "sd": self.sd, "cards": _share(self.cards),
            "policy": _share(self.policy), "both": _share(self.both),
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Skill(Result):
    """Every policy among players of every policy, on common deals."""

    variant: Variant
    players: int
    policies: tuple[str, ...]
    deals: int
    seed: int
    entries: tuple[Entry, ...]
    components: tuple[Components, ...]
    tally: Tally

    def entry(self, lone: str, others: str) -> Entry:
        """Return the entry of a policy among players of another."""
        place = self.policies.index(lone) * len(self.policies) + self.policies.index(others)
        return self.entries[place]

    def to_data(self) -> dict[str, Any]:
        """Return the study as JSON data."""
        return {
            "variant": self.variant.id,
            "knobs": self.variant.knobs,
            "players": self.players,
            "policies": list(self.policies),
            "lead": "units less the next player's" if self.variant.banker else "units",
            "deals": self.deals,
            "seed": self.seed,
            "matrix": [entry.to_data() for entry in self.entries],
            "components": [components.to_data() for components in self.components],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an entry of the matrix."""
        rows = []
        for entry in self.entries:
            until = entry.deals_until_ahead
            rows.append(
                {
                    "lone": entry.lone, "others": entry.others,
                    "gain": entry.gain.value, "gain_se": entry.gain.se,
                    "sd": entry.sd, "duplicate_sd": entry.duplicate_sd,
                    "rotation_share": entry.rotation_share.value,
                    "rotation_share_se": entry.rotation_share.se,
                    "deals_until_ahead": until.normal if until else None,
                    "deals_until_ahead_exact": until.exact if until else None,
                    "deals_until_ahead_duplicate": until.duplicate if until else None,
                }
            )  # fmt: skip
        return rows


def skill(
    variant: Variant | str,
    *,
    deals: int = 100_000,
    seed: int | None = None,
    policies: str | Sequence[str] = POLICIES,
    players: int = 4,
    jobs: int = 1,
    hold_policy: bool = False,
) -> Skill:
    """Play every policy among players of every policy on the same deals.

    ``policies``: two or more names. ``seed`` is drawn when not given. Raises BadInput for ladders,
    where nothing is set, a banker game of two, and policies that cannot be; PolicyMismatch when an
    equilibrium is not trained for the rules.
    """
    if isinstance(variant, str):
        variant = load(variant)
    check_players(players)
    if variant.format == "ladder":
        raise BadInput(f"{variant.id} is a ladder: nothing is set, so it is luck alone")
    words = split_policy_words(policies)
    names = read_policy_words(words, len(words))
    if len(set(names)) != len(names) or len(names) < 2:
        raise BadInput("skill compares two or more policies, each named once")
    seed = secrets.randbits(32) if seed is None else seed
    experiment = SkillExperiment(variant, players, names, hold_policy)
    with progress_bar(f"{variant.id}, luck and skill", deals) as advance:
        tally = run(Plan(experiment, seed, deals), jobs=jobs, advance=advance)
    return read_skill(experiment, tally, seed)


def read_skill(experiment: SkillExperiment, tally: Tally, seed: int) -> Skill:
    """Read the tally of a `SkillExperiment`."""
    names = experiment.policies
    entries = tuple(
        _entry(experiment, tally, one, other)
        for one in range(len(names))
        for other in range(len(names))
    )
    components = tuple(_components(experiment, tally, other) for other in range(len(names)))
    return Skill(
        experiment.variant, experiment.players, names, tally.deals, seed, entries, components, tally
    )


def _entry(experiment: SkillExperiment, tally: Tally, one: int, other: int) -> Entry:
    names, plays = experiment.policies, experiment.players
    arm = one * len(names) + other
    first = sum(int(batch[arm]) for batch in tally.arrays["sums"])
    second = sum(int(batch[arm, arm]) for batch in tally.arrays["products"])
    total = PowerSums(tally.deals, first, second).estimate()
    histogram = [int(count) for count in tally.arrays["histogram"][arm]]
    half = len(histogram) // 2
    counts = {place - half: count for place, count in enumerate(histogram) if count}
    gain = Estimate(total.value / plays, total.se / plays, tally.deals)
    sums = PowerSums(
        plays * tally.deals,
        sum(x * c for x, c in counts.items()),
        sum(x * x * c for x, c in counts.items()),
    )
    checks = []
    for length, found in zip(RUN_LENGTHS, tally.arrays["runs"][:, arm], strict=True):
        runs = int(found[BEHIND] + found[LEVEL] + found[AHEAD])
        if runs >= FEWEST_RUNS:
            expected = sum_distribution(counts, length).above(0)
            checks.append(RunCheck(length, runs, int(found[AHEAD]), int(found[LEVEL]), expected))
    return Entry(
        names[one],
        names[other],
        gain,
        sums.sd(),
        total.se * math.sqrt(tally.deals) / plays,
        _rotation_share(tally, arm, one, other, plays),
        counts,
        tuple(checks),
    )


def _rotation_share(tally: Tally, arm: int, one: int, other: int, plays: int) -> Estimate:
    """Return 1 - P Var(a deal's mean lead) / Var(lead): what P independent plays would not have."""
    deals, sums, products, cells = _batches(tally)

    def statistic(totals: Sequence[Floats]) -> float:
        n, total, square, single = totals
        mean = total / n
        between = square / n - mean**2
        spread = single / n / plays - (mean / plays) ** 2
        return float(1 - between / plays / spread) if spread > 0 else 0.0

    parts = (deals, sums[:, arm], products[:, arm, arm], cells[:, other, one, one])
    return jackknife(statistic, parts, tally.deals)


def _components(experiment: SkillExperiment, tally: Tally, other: int) -> Components:
    """Split the variance of a lone player's lead into cards, policy and both."""
    plays, count = experiment.players, len(experiment.policies)
    deals, sums, _, cells = _batches(tally)
    arms = [one * count + other for one in range(count)]
    parts = (deals, sums[:, arms], cells[:, other])

    def variances(totals: Sequence[Floats]) -> tuple[float, float, float]:
        n, total, square = totals
        means = total / n / plays
        covariance = square / n / plays - np.outer(means, means)
        cards = float(covariance.mean())
        both = float(np.trace(covariance)) / count - cards
        return cards, float(means.var()), both

    def share(place: int) -> Estimate:
        def statistic(totals: Sequence[Floats]) -> float:
            found = variances(totals)
            return found[place] / sum(found) if sum(found) > 0 else 0.0

        return jackknife(statistic, parts, tally.deals)

    whole = sum(variances([part.sum(axis=0) for part in parts]))
    cards, policy, both = (share(place) for place in range(3))
    return Components(experiment.policies[other], math.sqrt(whole), cards, policy, both)


def _batches(tally: Tally) -> tuple[Floats, Floats, Floats, Floats]:
    """Return deals (B,), sums, products and cells of the batches that hold deals."""
    held = np.flatnonzero(np.array(tally.integers("deals")) > 0)
    deals, sums, products, cells = (
        tally.arrays[name][held].astype(np.float64)
        for name in ("deals", "sums", "products", "cells")
    )
    return deals, sums, products, cells


def _share(estimate: Estimate) -> dict[str, float | None]:
    return {"p": estimate.value, "se": finite(estimate.se)}

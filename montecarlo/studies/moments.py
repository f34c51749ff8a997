"""Study: moments of counted payments, from which every payout table can be answered.

A payout table is a vector v over `scoring.lines.payout_ids`; under fixed settings the units of a
deal are z · A v, with z counted once (`simulation.counts`), A the multipliers (`scoring.payments`).
So `Moments` tells, for ANY v and without another deal: the banker's edge, SD, the flow of every
line and what it contributes to edge and variance, each with its error. What it cannot tell is how
players would set under another table: that takes a policy trained for it (`studies.tuning`).

Errors: means and flows are linear in the counts, so theirs follow from the covariance (v' C v / n);
shares of the flow are ratios (delta method); spreads and shares of variance take the jackknife over
32 batches of deals.

Sources: Anderson (2003), An Introduction to Multivariate Statistical Analysis, 3rd ed., §2.2;
Cochran (1977), Sampling Techniques, 3rd ed., §6.3; Efron & Stein (1981), Annals of Statistics 9.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from montecarlo.errors import BadInput
from montecarlo.scoring.lines import line_ids, payout_ids, payout_vector
from montecarlo.scoring.payments import line_of_payment, payment_ids, payouts_of_payments
from montecarlo.setting.seating import read_policy_words
from montecarlo.simulation.counts import CountExperiment, packed_square
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.simulation.runner import run
from montecarlo.simulation.tallies import Tally, merge
from montecarlo.statistics.clustered import Estimate
from montecarlo.variants import Variant, load

Floats = NDArray[np.float64]
Members = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Moments:
    """Means, covariance and flows of counted payments, for any payout vector v (payouts,).

    Units are those of seat 0, the banker in banker games; where all seats are alike
    (`CountExperiment.counted_seats` above 1) spreads are estimated from all of them, and means are
    0 exactly.
    """

    experiment: CountExperiment
    tally: Tally
    seeds: tuple[int, ...]

    @property
    def variant(self) -> Variant:
        """The variant as it was played; its payout table is the default of no method."""
        return self.experiment.variant

    @property
    def deals(self) -> int:
        """Deals that were counted."""
        return self.tally.deals

    @cached_property
    def payout_ids(self) -> tuple[str, ...]:
        """Names of the entries of a payout vector."""
        return payout_ids(self.variant)

    @cached_property
    def payments(self) -> tuple[str, ...]:
        """What was counted: `scoring.payments.payment_ids`."""
        return payment_ids(self.variant)

    @cached_property
    def matrix(self) -> NDArray[np.int64]:
        """A (payments, payouts): units of payments are A · v."""
        return payouts_of_payments(self.variant)

    def vector(self, variant: Variant | None = None) -> Floats:
        """Return the payout vector of a variant with the same lines (the one played if None)."""
        return payout_vector(variant or self.variant).astype(np.float64)

    @cached_property
    def mean_counts(self) -> Floats:
        """E[x] (payouts,): seat 0's payout counts a deal, multipliers included."""
        _, sums, _ = self._batches
        return np.asarray(sums.sum(axis=0) / self._plays @ self.matrix)

    @cached_property
    def second_moments(self) -> Floats:
        """E[x xᵀ] (payouts, payouts) of a seat's payout counts a deal."""
        _, _, products = self._batches
        return np.asarray(self.matrix.T @ (products.sum(axis=0) / self._plays) @ self.matrix)

    @cached_property
    def covariance(self) -> Floats:
        """Unbiased covariance (payouts, payouts) of a seat's payout counts a deal."""
        outer = np.outer(self.mean_counts, self.mean_counts)
        return (self.second_moments - outer) * (self.deals / max(self.deals - 1, 1))

    @cached_property
    def flow_counts(self) -> Floats:
        """(lines, payouts): payments of each line a deal, at the whole table, by payout."""
        return np.asarray(self._members @ (self._flow_mean[:, None] * self.matrix))

    def units(self, v: ArrayLike) -> Estimate:
        """Return seat 0's units a deal: the banker's edge in banker games."""
        return self._linear(np.asarray(v, dtype=np.float64))

    def edge(self, v: ArrayLike) -> Estimate:
        """Return the banker's edge a deal; BadInput where there is no banker."""
        if not self.variant.banker:
            raise BadInput(
                f"{self.variant.id} has no banker: every seat expects 0 whatever is paid, so there "
                "is no edge"
            )
        return self.units(v)

    def difference(self, v: ArrayLike, other: ArrayLike) -> Estimate:
        """Return the units a deal under v less those under another table, on the same deals."""
        return self._linear(np.asarray(v, np.float64) - np.asarray(other, np.float64))

    def sd(self, v: ArrayLike) -> Estimate:
        """Return the standard deviation of a seat's units a deal."""
        weights = self._units_of_payments(v)

        def statistic(deals: float, mean: Floats, second: Floats) -> float:
            variance = weights @ second @ weights - (weights @ mean) ** 2
            return math.sqrt(max(float(variance), 0.0) * deals / max(deals - 1, 1))

        return self._jackknife(statistic)

    def sd_slope(self, v: ArrayLike, direction: ArrayLike) -> Estimate:
        """Return d SD / dt at v + t · direction, t = 0; 0 where nothing varies."""
        weights, along = self._units_of_payments(v), self._units_of_payments(direction)

        def statistic(deals: float, mean: Floats, second: Floats) -> float:
            variance = float(weights @ second @ weights - (weights @ mean) ** 2)
            slope = float(along @ second @ weights - (along @ mean) * (weights @ mean))
            scale = math.sqrt(deals / max(deals - 1, 1))
            return slope / math.sqrt(variance) * scale if variance > 0 else 0.0

        return self._jackknife(statistic)

    def line_units(self, v: ArrayLike) -> dict[str, Estimate]:
        """Return what each line brings seat 0 a deal; the lines add up to `units`."""
        weights = self._units_of_payments(v)
        _, sums, products = self._batches
        mean, second = sums.sum(axis=0) / self._plays, products.sum(axis=0) / self._plays
        found = {}
        for line, member in zip(self.lines, self._members, strict=True):
            part = np.where(member, weights, 0.0)
            found[line] = self._net(float(part @ mean), float(part @ second @ part))
        return found

    def flow(self, v: ArrayLike, lines: Iterable[str] | None = None) -> Estimate:
        """Return the units that change hands a deal through some lines (all if None)."""
        weights = self._units_of_payments(v) * self._chosen(lines)
        value = float(weights @ self._flow_mean)
        return self._estimate(value, float(weights @ self._flow_second @ weights))

    def share_of_flow(self, v: ArrayLike, lines: Iterable[str]) -> Estimate:
        """Return which part of the units that change hands goes through some lines."""
        total = self._units_of_payments(v)
        part = total * self._chosen(lines)
        flow = float(total @ self._flow_mean)
        share = float(part @ self._flow_mean) / flow if flow else 0.0
        residual = part - share * total
        spread = max(float(residual @ self._flow_second @ residual), 0.0)
        se = math.sqrt(spread / max(self.deals - 1, 1)) / flow if flow else math.inf
        return Estimate(share, se, self.deals)

    def share_of_variance(self, v: ArrayLike, lines: Iterable[str]) -> Estimate:
        """Return Cov(units through some lines, units) / Var(units); all lines add up to 1."""
        weights = self._units_of_payments(v)
        part = weights * self._chosen(lines)

        def statistic(_deals: float, mean: Floats, second: Floats) -> float:
            variance = weights @ second @ weights - (weights @ mean) ** 2
            covariance = part @ second @ weights - (part @ mean) * (weights @ mean)
            return float(covariance / variance) if variance > 0 else 0.0

        return self._jackknife(statistic)

    def line_products(self, lines: Iterable[str]) -> Floats:
        """Return M (payouts, payouts) with Cov(units through lines, units) = v' M v; symmetric."""
        chosen = np.where(self._chosen(lines)[:, None], self.matrix, 0)
        _, sums, products = self._batches
        mean, second = sums.sum(axis=0) / self._plays, products.sum(axis=0) / self._plays
        square = chosen.T @ (second - np.outer(mean, mean)) @ self.matrix
        return np.asarray((square + square.T) / 2)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Names of the payout lines."""
        return line_ids(self.variant)

    def pooled(self, other: Moments) -> Moments:
        """Return both runs together; BadInput unless they are the same experiment, other seeds."""
        if self.experiment.describe() != other.experiment.describe():
            raise BadInput("moments of different experiments cannot be pooled")
        if set(self.seeds) & set(other.seeds):
            raise BadInput("moments of the same seed hold the same deals: they are not pooled")
        return Moments(
            self.experiment, merge((self.tally, other.tally)), (*self.seeds, *other.seeds)
        )

    @cached_property
    def _plays(self) -> int:
        return self.deals * self.experiment.counted_seats

    @cached_property
    def _batches(self) -> tuple[Floats, Floats, Floats]:
        """Plays (B,), sums (B, C) and products (B, C, C) of the batches that have deals."""
        size = len(self.payments)
        deals = np.asarray(self.tally.arrays["deals"], dtype=np.float64)
        held = deals > 0
        sums = np.asarray(self.tally.arrays["sums"], dtype=np.float64)[held]
        packed = np.asarray(self.tally.arrays["products"], dtype=np.float64)[held]
        plays = deals[held] * self.experiment.counted_seats
        return plays, sums, packed_square(packed, size)

    @cached_property
    def _flow_mean(self) -> Floats:
        return np.asarray(self.tally.arrays["flow_sums"], dtype=np.float64) / self.deals

    @cached_property
    def _flow_second(self) -> Floats:
        packed = np.asarray(self.tally.arrays["flow_products"], dtype=np.float64) / self.deals
        return packed_square(packed, len(self.payments))

    @cached_property
    def _members(self) -> Members:
        """(lines, payments): whether a payment belongs to a line."""
        places = np.arange(len(self.lines))
        return np.equal.outer(places, line_of_payment(self.variant)).astype(np.bool_)

    def _units_of_payments(self, v: ArrayLike) -> Floats:
        vector = np.asarray(v, dtype=np.float64)
        if vector.shape != (len(self.payout_ids),):
            raise BadInput(
                f"a payout vector of {self.variant.id} has {len(self.payout_ids)} entries"
            )
        return np.asarray(self.matrix @ vector)

    def _chosen(self, lines: Iterable[str] | None) -> Members:
        if lines is None:
            return np.ones(len(self.payments), dtype=np.bool_)
        wanted = set(lines)
        unknown = wanted - set(self.lines)
        if unknown:
            raise BadInput(f"{self.variant.id} has no payout line '{min(unknown)}'")
        return np.asarray(self._members[[line in wanted for line in self.lines]].any(axis=0))

    def _linear(self, v: Floats) -> Estimate:
        self._units_of_payments(v)  # refuses a vector of the wrong length
        return self._net(float(v @ self.mean_counts), float(v @ self.second_moments @ v))

    def _net(self, mean: float, second: float) -> Estimate:
        """Return seat 0's mean net units; where all seats are alike it is 0, without error."""
        if self.experiment.counted_seats > 1:
            return Estimate(0.0, 0.0, self.deals)
        return self._estimate(mean, second)

    def _estimate(self, mean: float, second: float) -> Estimate:
        """Return a mean of deals from its first two moments."""
        if self.deals < 2:
            return Estimate(mean, math.inf, self.deals)
        variance = max(second - mean * mean, 0.0)
        return Estimate(mean, math.sqrt(variance / (self.deals - 1)), self.deals)

    def _jackknife(self, statistic: Callable[[float, Floats, Floats], float]) -> Estimate:
        """Return a statistic of (deals, mean, second moments) with its delete-one-batch error."""
        plays, sums, products = self._batches
        total, all_sums, all_products = plays.sum(), sums.sum(axis=0), products.sum(axis=0)
        value = statistic(self.deals, all_sums / total, all_products / total)
        if len(plays) < 2:
            return Estimate(value, math.inf, self.deals)
        left = total - plays
        without = [
            statistic(n / self.experiment.counted_seats, (all_sums - s) / n, (all_products - q) / n)
            for n, s, q in zip(left, sums, products, strict=True)
        ]
        spread = float(((np.array(without) - np.mean(without)) ** 2).sum())
        return Estimate(value, math.sqrt(spread * (len(plays) - 1) / len(plays)), self.deals)


def moments(
    variant: Variant | str,
    *,
    deals: int,
    seed: int | None = None,
    policy: str | Sequence[str] = "equilibrium",
    players: int = 4,
    jobs: int = 1,
    settings_of: Variant | None = None,
    hold_policy: bool = False,
) -> Moments:
    """Play ``deals`` deals of a variant and count its payments.

    ``policy``: one name for all seats or one a seat, seat 0 (the banker) first. ``settings_of``
    takes the policies trained for another variant, ``hold_policy`` the variant's own under
    overrides. ``seed`` is drawn when not given. The same input gives the same bits for any number
    of ``jobs``. Raises BadInput for input that cannot be used, PolicyMismatch when a policy is not
    trained.
    """
    if isinstance(variant, str):
        variant = load(variant)
    if not 2 <= players <= 4:
        raise BadInput(f"players must be 2, 3 or 4, not {players}")
    names = read_policy_words(policy, players)
    experiment = CountExperiment(variant, players, names, settings_of, hold_policy)
    experiment.seats()  # a policy that is not trained is said before anything is dealt
    if seed is None:
        seed = secrets.randbits(32)
    with progress_bar(f"{variant.id}: counting payments", deals) as advance:
        tally = run(Plan(experiment, seed, deals), jobs=jobs, advance=advance)
    return Moments(experiment, tally, (seed,))

"""What seats win in the deals that they win: what a fee on winnings is taken from.

A fee takes a part of each positive net result (`scoring.settlement`), so its mean is no linear
function of the payout table, and counted payments (`studies.moments`) do not tell it. Under the
table that was played it follows from the distribution of results; under another one from a sample
of deals, in which rare payouts are over-represented, with the table played as the control.
Where all seats are alike a seat wins half of what its results come to in size, on average.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from montecarlo.cards import FULL_DECK
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import BLOCK_DEALS, block_state
from montecarlo.scoring.many_deals import count_deals, score_deals
from montecarlo.scoring.seats import Seats
from montecarlo.simulation.payouts import BANKER_SEAT, play_hands, scoring_rules
from montecarlo.statistics.clustered import Estimate, PowerSums
from montecarlo.statistics.double_sampling import regression_mean
from montecarlo.studies.moments import Moments

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

LEAST_KEPT, MORE_KEPT = 12, 240
"""Deals kept of each stratum, at least if it has them; and that are shared out by size."""


@dataclass(frozen=True, eq=False)
class WinningsSample:
    """Deals from which a seat's winnings follow for any payout table.

    ``sizes``: deals of each stratum among those looked at; ``counts``: seat 0's payout counts
    (kept, payouts) int64 of the deals kept of it. ``known``: the winnings under the table played.
    """

    moments: Moments
    known: Estimate
    sizes: tuple[int, ...]
    counts: tuple[Counts, ...]

    @property
    def alike(self) -> bool:
        """Whether all seats are alike."""
        return self.moments.experiment.counted_seats > 1

    @cached_property
    def unseen(self) -> NDArray[np.bool_]:
        """(payouts,): payouts that no kept deal has."""
        return np.asarray(~np.any([(kept != 0).any(axis=0) for kept in self.counts], axis=0))

    def winnings(self, v: ArrayLike) -> Estimate:
        """Return E[max(units, 0)] of seat 0 a deal under a payout vector v, settings held.

        The error holds the most that payouts without a deal in the sample can have moved: a count
        is at most its square in size, whose mean is known.
        """
        table = np.asarray(v, dtype=np.float64)
        played = self.moments.vector()
        target = [self._won(kept @ table) for kept in self.counts]
        control = [self._won(kept @ played) for kept in self.counts]
        found = regression_mean(self.sizes, target, control, self.known)
        moved = np.abs(table - played) * np.diag(self.moments.second_moments)
        return replace(found, se=math.hypot(found.se, float(moved[self.unseen].sum())))

    def after_fee(self, v: ArrayLike, rate: float) -> Estimate:
        """Return seat 0's units a deal after a fee of ``rate`` times what it wins.

        The two parts' errors are added as if independent: they vary together, so that the true
        error is smaller.
        """
        units, won = self.moments.units(v), self.winnings(v)
        value = units.value - rate * won.value
        return Estimate(value, math.hypot(units.se, rate * won.se), units.deals)

    def _won(self, units: Floats) -> Floats:
        return np.abs(units) / 2 if self.alike else np.maximum(units, 0.0)


def winnings_sample(moments: Moments, known: Estimate) -> WinningsSample:
    """Deal the first block of a run again, and keep deals of every payout that it met.

    A deal's stratum is its rarest payout; the first deals of each are kept.
    """
    seats = first_deals(moments)
    counts = count_deals(scoring_rules(moments.variant), seats, BANKER_SEAT, 0)
    met = counts != 0
    times = met.sum(axis=0)
    order = np.lexsort((np.arange(len(times)), times))
    nothing = len(times)
    rarest = np.where(met.any(axis=1), order[np.argmax(met[:, order], axis=1)], nothing)
    sizes, kept = [], []
    for stratum in np.unique(rarest):
        members = np.flatnonzero(rarest == stratum)
        wanted = LEAST_KEPT + MORE_KEPT * len(members) // len(counts)
        sizes.append(len(members))
        kept.append(counts[members[:wanted]])
    return WinningsSample(moments, known, tuple(sizes), tuple(kept))


def won_by_distribution(distribution: Mapping[int, int], alike: bool) -> Estimate:
    """Return a seat's winnings a deal from the deals by its units."""
    deals = sum(distribution.values())
    won = {units: abs(units) if alike else max(units, 0) for units in distribution}
    first = sum(won[u] * n for u, n in distribution.items())
    second = sum(won[u] ** 2 * n for u, n in distribution.items())
    found = PowerSums(deals, first, second).estimate()
    return Estimate(found.value / 2, found.se / 2, deals) if alike else found


def won_by_players(moments: Moments) -> tuple[Estimate, Estimate]:
    """Return what a player wins a deal in a banker game, and how often he wins; on average.

    From a run's first block; the players of a deal are not independent, errors are those of deals.
    """
    rules = scoring_rules(moments.variant)
    units, _ = score_deals(rules, first_deals(moments), BANKER_SEAT)
    players = np.maximum(np.delete(units, BANKER_SEAT, axis=1), 0)
    return _mean_of_row(players), _mean_of_row(players > 0)


def _mean_of_row(values: NDArray[Any]) -> Estimate:
    found = PowerSums.of(int(total) for total in values.sum(axis=1)).estimate()
    number = values.shape[1]
    return Estimate(found.value / number, found.se / number, found.deals)


def first_deals(moments: Moments) -> Seats:
    """Return the seats of the first block of a run, dealt and set again."""
    experiment = moments.experiment
    deals = min(moments.deals, BLOCK_DEALS)
    masks = np.empty((deals, experiment.players), np.uint64)
    deal_into(block_state(moments.seeds[0], 0), masks, np.uint64(FULL_DECK), 13)
    rules = scoring_rules(experiment.variant)
    _, seats = play_hands(experiment.variant, rules, masks, experiment.seats())
    return seats

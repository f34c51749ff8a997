"""Ruin of a player whose fortune walks on the whole numbers, by steps of a counted distribution.

He begins with ``u`` units and is ruined when nothing is left (fortune 0 or less).

Sources: Asmussen & Albrecher (2010), Ruin Probabilities, 2nd ed., ch. I (adjustment coefficient,
Lundberg's inequality) and ch. IV; Feller (1968), An Introduction to Probability Theory, 3rd ed.,
vol. 1, §XIV.8 (bounds by the sum's exponential martingale, after Wald).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel
from montecarlo.errors import BadInput
from montecarlo.statistics.clustered import Estimate

Floats = NDArray[np.float64]

NEGLIGIBLE = 1e-9
"""Probability of ruin from fortunes beyond those that are looked at."""

MOST_TILTS = 100

STRETCH = 512
"""Fortunes worked on together, so that they stay in the nearest cache."""

MOST_FORTUNE, MOST_BEYOND = 60_000, 20_000
"""Fortunes that are looked at, at most: for ruin within some steps in all, for ruin ever beyond
those that are asked for."""


@dataclass(frozen=True, eq=False)
class Walk:
    """Steps of a walk: probabilities ``p`` of -``loss``, …, ``p.size - 1 - loss``, from n steps."""

    loss: int
    p: Floats
    n: int

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> Walk:
        """Return the walk whose steps were counted; BadInput for counts that are all 0."""
        n = sum(counts.values())
        if n == 0:
            raise BadInput("a walk needs steps: the counts are all 0")
        held = [step for step, count in counts.items() if count]
        loss = max(-min(held), 0)
        p = np.zeros(loss + max(max(held), 0) + 1)
        for step in held:
            p[step + loss] = counts[step] / n
        return cls(loss, p, n)

    @property
    def steps(self) -> Floats:
        """The steps, as numbers."""
        return np.arange(self.p.size, dtype=np.float64) - self.loss

    @cached_property
    def mean(self) -> float:
        """Mean step."""
        return float(self.p @ self.steps)

    @cached_property
    def sd(self) -> float:
        """Standard deviation of a step."""
        return math.sqrt(float(self.p @ (self.steps - self.mean) ** 2))

    @cached_property
    def adjustment(self) -> Estimate | None:
        """R > 0 with E exp(-R X) = 1; None where ruin is certain (mean 0 or less) or impossible.

        The error is the delta method's: Var R = Var exp(-R X) / (n (E X exp(-R X))²).
        """
        if self.mean <= 0 or self.loss == 0:
            return None
        from scipy.optimize import brentq

        def excess(r: float) -> float:
            return float(self.p @ np.exp(-r * self.steps)) - 1

        high = 2 * self.mean / self.sd**2
        while excess(high) <= 0:
            high *= 2
        low = high
        while excess(low) >= 0:
            low /= 2
        root = brentq(excess, low, high, xtol=1e-14, rtol=1e-12)
        weight = np.exp(-root * self.steps)
        spread = float(self.p @ weight**2) - 1
        slope = float(self.p @ (self.steps * weight))
        return Estimate(root, math.sqrt(spread / self.n) / abs(slope), self.n)

    def tilted(self, shift: float) -> Walk:
        """Return the walk of steps p exp(t x), t so chosen that the mean is ``shift`` higher.

        Raises BadInput when no step is as far out as that mean.
        """
        wanted = self.mean + shift
        held = self.steps[self.p > 0]
        if shift and not held[0] < wanted < held[-1]:
            raise BadInput(f"steps of {held[0]:.0f} to {held[-1]:.0f} have no mean of {wanted:g}")
        weight = self.p
        t = 0.0
        for _ in range(MOST_TILTS):  # Newton: d mean / d t is the variance
            mean = float(weight @ self.steps)
            if abs(mean - wanted) <= 1e-12 * max(1.0, abs(wanted)):
                break
            t += (wanted - mean) / float(weight @ (self.steps - mean) ** 2)
            weight = self.p * np.exp(t * (self.steps - wanted))
            weight /= weight.sum()
        return Walk(self.loss, weight, self.n)

    def wider(self) -> Walk:
        """Return the walk of the same mean whose variance is one standard error larger.

        Probabilities are changed by p · (x - m)² less its regression on x: the direction in which
        the variance is uncertain when the mean is known.
        """
        x = self.steps - self.mean
        spread = float(self.p @ x**2)
        h = x**2 - spread - float(self.p @ x**3) / spread * x if spread else x
        size = float(self.p @ h**2)
        if size == 0:
            return self
        weight = np.maximum(self.p * (1 + h / math.sqrt(size * self.n)), 0.0)
        return Walk(self.loss, weight / weight.sum(), self.n)


@dataclass(frozen=True)
class Bounds:
    """A probability between two bounds."""

    low: float
    high: float


def lundberg(walk: Walk, fortune: int) -> Bounds:
    """Return bounds of ruin ever by the walk's exponential martingale.

    exp(-R (u + L - 1)) ≤ P ≤ exp(-R u), L the largest loss of a step: at ruin between 0 and L - 1
    units are missing. Certain or impossible ruin has bounds of its own.
    """
    if walk.loss == 0:
        return Bounds(0.0, 0.0)
    if walk.adjustment is None:
        return Bounds(1.0, 1.0)
    r = walk.adjustment.value
    return Bounds(math.exp(-r * (fortune + walk.loss - 1)), math.exp(-r * fortune))


def ruin_ever(walk: Walk, most: int) -> tuple[Floats, Floats]:
    """Return bounds (most + 1,) of ruin ever from fortunes 0, …, ``most``, by linear equations.

    P(u) = Σ p(x) P(u + x), P = 1 from 0 down; beyond the fortunes looked at, P is 0 for the lower
    and Lundberg's bound for the upper one. They differ by `NEGLIGIBLE` or less, by more only where
    R is so small that `MOST_BEYOND` fortunes beyond ``most`` do not do.
    """
    if walk.loss == 0:
        return np.eye(1, most + 1)[0], np.eye(1, most + 1)[0]
    if walk.adjustment is None:
        return np.ones(most + 1), np.ones(most + 1)
    from scipy.linalg import solve_banded

    r = walk.adjustment.value
    beyond_most = min(-math.log(NEGLIGIBLE) / r, MOST_BEYOND)
    size = most + walk.p.size + math.ceil(beyond_most)
    gain = walk.p.size - 1 - walk.loss
    bands = np.zeros((gain + walk.loss + 1, size))
    for place, p in enumerate(walk.p):  # step x: row u, column u + x
        step = place - walk.loss
        bands[gain - step, max(step, 0) : size + min(step, 0)] = -p
    bands[gain] += 1
    fortunes = np.arange(1, size + 1)
    below = np.array([walk.p[: max(walk.loss - u + 1, 0)].sum() for u in fortunes])
    above = np.zeros(size)
    for place, p in enumerate(walk.p):
        beyond = fortunes + place - walk.loss
        above += np.where(beyond > size, p * np.exp(-r * beyond), 0.0)
    both = solve_banded((walk.loss, gain), bands, np.stack([below, below + above], axis=1))
    low, high = (np.concatenate([[1.0], column[:most]]) for column in both.T)
    return low, high


def ruin_before(walk: Walk, most: int, horizons: Sequence[int]) -> Floats:
    """Return the probability (horizons, most + 1) of ruin within so many steps, by fortune.

    Exact but for fortunes beyond those looked at, from where ruin is less likely than `NEGLIGIBLE`.
    Raises BadInput when that takes more than `MOST_FORTUNE` fortunes.
    """
    size = _looked_at(walk, most, max(horizons))
    found = np.empty((len(horizons), most + 1))
    found[:, 0] = 1.0
    now, done = np.zeros(size), 0
    for place in np.argsort(horizons):
        now = _walk(now, walk.p, walk.loss, horizons[place] - done)
        done = horizons[place]
        found[place, 1:] = now[:most]
    return found


def _looked_at(walk: Walk, most: int, steps: int) -> int:
    """Return the fortune from where ruin within so many steps is `NEGLIGIBLE`."""
    c = -math.log(NEGLIGIBLE)
    # Bernstein's inequality for the lowest of the partial sums
    largest = float(np.abs(walk.steps - walk.mean).max())
    spread = math.sqrt((c * largest / 3) ** 2 + 2 * c * steps * walk.sd**2)
    enough = c * largest / 3 + spread + steps * max(-walk.mean, 0.0)
    if walk.adjustment is not None:
        enough = min(enough, c / walk.adjustment.value)
    size = most + walk.p.size + math.ceil(enough)
    if size > MOST_FORTUNE:
        raise BadInput(
            f"ruin from {most} units needs {size} fortunes to be looked at, {MOST_FORTUNE} at most"
        )
    return size


@kernel
def _walk(now: Floats, p: Floats, loss: int, steps: int) -> Floats:
    """Return P(ruin within ``steps`` more steps) of fortunes 1, 2, …, from that of no more."""
    size = now.size
    fortunes = np.zeros(size + p.size - 1)  # of 1 - loss and more: ruined, looked at, safe
    fortunes[:loss] = 1.0
    fortunes[loss : loss + size] = now
    likely = np.flatnonzero(p)
    after = np.empty(size)
    for _ in range(steps):
        for start in range(0, size, STRETCH):
            end = min(start + STRETCH, size)
            part = np.zeros(end - start)
            for place in likely:
                part += p[place] * fortunes[start + place : end + place]
            after[start:end] = part
        fortunes[loss : loss + size] = after
    return after if steps > 0 else now

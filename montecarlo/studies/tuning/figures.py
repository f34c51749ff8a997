"""Figures of a payout table v under fixed settings: value, error, and gradient in v."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from montecarlo.statistics.clustered import Estimate
from montecarlo.studies.moments import Moments
from montecarlo.studies.tuning.goals import Measure

Floats = NDArray[np.float64]

LINEAR = ("edge", "edge_per_player", "flow")
"""Figures that are linear in the payout vector; the others are linearised where they are used."""


def estimate(moments: Moments, measure: Measure, v: Floats) -> Estimate:
    """Return a figure of a payout vector (payouts,) with its error."""
    if measure.kind == "edge":
        return moments.edge(v)
    if measure.kind == "edge_per_player":
        whole, opponents = moments.edge(v), moments.experiment.players - 1
        return Estimate(whole.value / opponents, whole.se / opponents, whole.deals)
    if measure.kind == "sd":
        return moments.sd(v)
    if measure.kind == "flow":
        return moments.flow(v, measure.lines)
    if measure.kind == "share":
        return moments.share_of_flow(v, measure.lines)
    return moments.share_of_variance(v, measure.lines)


class Figure:
    """One figure as a function of the payout vector, quick to evaluate at many vectors."""

    def __init__(self, moments: Moments, measure: Measure) -> None:
        """Take what the figure needs from the moments."""
        self.measure = measure
        self.kind = measure.kind
        lines = [line in measure.lines for line in moments.lines]
        self._mean = moments.mean_counts / (
            moments.experiment.players - 1 if self.kind == "edge_per_player" else 1
        )
        self._covariance = moments.covariance
        self._whole = moments.flow_counts.sum(axis=0)
        self._part = moments.flow_counts[lines].sum(axis=0)
        if self.kind == "variance_share":
            self._products = moments.line_products(measure.lines)

    def values(self, vectors: Floats) -> Floats:
        """Return the figure (N,) of payout vectors (N, payouts)."""
        if self.kind in ("edge", "edge_per_player"):
            return np.asarray(vectors @ self._mean)
        if self.kind == "flow":
            return np.asarray(vectors @ self._part)
        if self.kind == "share":
            return np.asarray(vectors @ self._part / np.maximum(vectors @ self._whole, 1e-300))
        variance = np.einsum("np,pq,nq->n", vectors, self._covariance, vectors)
        if self.kind == "sd":
            return np.asarray(np.sqrt(np.maximum(variance, 0.0)))
        part = np.einsum("np,pq,nq->n", vectors, self._products, vectors)
        return np.asarray(part / np.maximum(variance, 1e-300))

    def value(self, v: Floats) -> float:
        """Return the figure of one payout vector (payouts,)."""
        return float(self.values(v[None, :])[0])

    def gradient(self, v: Floats) -> Floats:
        """Return the derivative (payouts,) by each entry of the payout vector at v."""
        if self.kind in ("edge", "edge_per_player"):
            return np.asarray(self._mean)
        if self.kind == "flow":
            return np.asarray(self._part)
        if self.kind == "share":
            flow = max(float(v @ self._whole), 1e-300)
            return np.asarray((self._part - self.value(v) * self._whole) / flow)
        variance = max(float(v @ self._covariance @ v), 1e-300)
        if self.kind == "sd":
            return np.asarray(self._covariance @ v / math.sqrt(variance))
        scaled = self._products @ v - self.value(v) * (self._covariance @ v)
        return np.asarray(2 * scaled / variance)

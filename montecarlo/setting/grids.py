"""Grids for the joint term of an objective: nodes, coordinates, and sums over dominated rows.

A row's nodes are values (places under ``compare``); every category that occurs keeps a node at its
weakest and its strongest value, so that no interpolation crosses a change of payout. Between nodes
the coordinate grows with the cumulative share of the population, so that it is a quantile.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class RowGrid(NamedTuple):
    """One row's nodes and where every class lies between them."""

    nodes: NDArray[np.int64]  #: (K,) values, increasing
    place: Floats  #: (classes + 1,) coordinate 0 … K-1 by class
    value: NDArray[np.int64]  #: (classes + 1,) value by class


def row_grid(
    share: Floats, value: NDArray[np.uint16], category: NDArray[np.uint8], nodes: int
) -> RowGrid:
    """Choose about ``nodes`` nodes for a row whose classes have the given population shares.

    ``share``, ``value`` and ``category`` are by class (index 0 unused).
    """
    values = value.astype(np.int64)
    by_value = np.bincount(values, weights=share, minlength=values.max() + 1)
    below = np.concatenate([[0.0], np.cumsum(by_value)])
    middle = (below[:-1] + below[1:]) / 2  # quantile of a value: half of its own share below it
    total = below[-1]
    chosen: set[int] = set()
    for kind in np.unique(category[1:]):
        members = np.unique(values[1:][category[1:] == kind])
        first, last = int(members[0]), int(members[-1])
        mass = (below[last + 1] - below[first]) / total
        inner = round(mass * nodes)
        wanted = np.linspace(middle[first], middle[last], inner + 2)
        places = np.clip(np.searchsorted(middle[members], wanted), 0, members.size - 1)
        chosen |= {first, last, *(int(v) for v in members[places])}
    node_values = np.array(sorted(chosen), dtype=np.int64)
    # equal quantiles (values nobody holds) still get increasing coordinates, by value
    key = middle + np.arange(middle.size) * (1e-9 * total)
    all_places = np.interp(key, key[node_values], np.arange(node_values.size, dtype=np.float64))
    place = all_places[values]
    place[0] = 0.0
    return RowGrid(node_values, place, values)


class Grid(NamedTuple):
    """The grids of head, middle and tail."""

    head: RowGrid
    middle: RowGrid
    tail: RowGrid

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of nodes."""
        return self.head.nodes.size, self.middle.nodes.size, self.tail.nodes.size

    def weaker(self, classes: NDArray[np.uint16], weights: Floats, *, ties: bool) -> Floats:
        """Return, at each node, the weight of settings (N, 3) that it beats in all rows.

        With ``ties`` equal rows are beaten too.
        """
        return self._box(self._beaten_from(classes, ties), weights)[:-1, :-1, :-1]

    def stronger(self, classes: NDArray[np.uint16], weights: Floats, *, ties: bool) -> Floats:
        """Return, at each node, the weight of settings (N, 3) that beat it in all rows."""
        box = self._box(self._beating_down_to(classes, ties), weights)
        return box[:-1, :-1, :-1][::-1, ::-1, ::-1]

    def beats_at_least_two(
        self, classes: NDArray[np.uint16], weights: Floats, *, ties: bool
    ) -> Floats:
        """Return, at each node, the weight of settings of which it beats two rows or three."""
        return _at_least_two(self._box(self._beaten_from(classes, ties), weights))

    def loses_at_least_two(
        self, classes: NDArray[np.uint16], weights: Floats, *, ties: bool
    ) -> Floats:
        """Return, at each node, the weight of settings that beat two of its rows or three."""
        lost = _at_least_two(self._box(self._beating_down_to(classes, ties), weights))
        return lost[::-1, ::-1, ::-1]

    def _beaten_from(self, classes: NDArray[np.uint16], ties: bool) -> list[NDArray[np.int64]]:
        """First node, by row, that beats each setting's row (K when none does)."""
        side: Literal["left", "right"] = "left" if ties else "right"
        return [
            np.searchsorted(row.nodes, row.value[classes[:, r]], side=side)
            for r, row in enumerate(self)
        ]

    def _beating_down_to(self, classes: NDArray[np.uint16], ties: bool) -> list[NDArray[np.int64]]:
        """The same from above: place, counted from the last node, of the first node beaten."""
        side: Literal["left", "right"] = "right" if ties else "left"
        return [
            row.nodes.size - np.searchsorted(row.nodes, row.value[classes[:, r]], side=side)
            for r, row in enumerate(self)
        ]

    def _box(self, cells: list[NDArray[np.int64]], weights: Floats) -> Floats:
        """Add weights up over all cells at or below each; the last place of an axis is "all"."""
        a, b, c = (size + 1 for size in self.shape)
        flat = (cells[0] * b + cells[1]) * c + cells[2]
        sums = np.bincount(flat, weights=weights, minlength=a * b * c)
        box: Floats = sums.astype(np.float64).reshape(a, b, c)
        for axis in range(3):
            box = np.cumsum(box, axis=axis)
        return box


def _at_least_two(box: Floats) -> Floats:
    """Two rows or three, from the sums over one, two and three conditions."""
    all_three = box[:-1, :-1, :-1]
    pairs = box[:-1, :-1, -1:] + box[:-1, -1:, :-1] + box[-1:, :-1, :-1]
    return pairs - 2 * all_three

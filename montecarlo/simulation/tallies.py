"""Tallies: named arrays of integers that add up, in any order, to the same total."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Tally:
    """What some deals added up to: the number of deals, and integer arrays by name.

    A tally fresh from a block holds int64 arrays; a merged one may hold Python integers
    (dtype object), so that no sum ever overflows.
    """

    deals: int
    arrays: Mapping[str, NDArray[np.generic]]

    def integers(self, name: str) -> list[int]:
        """Return one array, flattened, as Python integers."""
        return [int(value) for value in self.arrays[name].ravel()]

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of one array."""
        return self.arrays[name].shape


def merge(tallies: Iterable[Tally]) -> Tally:
    """Add tallies of disjoint deals; exact, and independent of their order.

    Raises ValueError when there are none, or when names or shapes differ.
    """
    deals = 0
    total: dict[str, NDArray[np.object_]] | None = None
    for tally in tallies:
        deals += tally.deals
        if total is None:
            total = {name: array.astype(object) for name, array in tally.arrays.items()}
            continue
        if total.keys() != tally.arrays.keys():
            raise ValueError("tallies of different kinds cannot be added")
        for name, array in tally.arrays.items():
            if array.shape != total[name].shape:
                raise ValueError(f"tally '{name}': shapes {array.shape}, {total[name].shape}")
            total[name] = total[name] + array.astype(object)
    if total is None:
        raise ValueError("no tallies to add")
    return Tally(deals, total)

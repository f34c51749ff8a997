"""Value tables: an objective in the compact form in which trained policies are kept.

Units by row and class, and for what several rows bring together a short sum of products whose
factors are given at grid nodes; between nodes they are interpolated linearly at each class's place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from montecarlo.setting.objective import Objective, objective
from montecarlo.strength.tables import RowTables

Table = NDArray[np.float32]


class ValueTables(NamedTuple):
    """Expected units of a setting; all float32. R is 0 when rows are paid one by one only."""

    head: Table  #: (456,) units by head class
    middle: Table  #: (7463,) units by class
    tail: Table  #: (7463,)
    head_place: Table  #: (456,) place on the head's grid by class
    middle_place: Table  #: (7463,)
    tail_place: Table  #: (7463,)
    head_factors: Table  #: (K, R) factors at the head's nodes, sign included
    middle_factors: Table  #: (M, R)
    tail_factors: Table  #: (T, R)

    def to_objective(self, rows: RowTables) -> Objective:
        """Return the objective that the kernels read."""
        by_class = [
            np.stack(
                [
                    np.interp(place, np.arange(len(factors)), factors[:, r])
                    for r in range(factors.shape[1])
                ],
                axis=0,
            )
            if factors.shape[1]
            else np.empty((0, place.size))
            for place, factors in (
                (self.head_place, self.head_factors),
                (self.middle_place, self.middle_factors),
                (self.tail_place, self.tail_factors),
            )
        ]
        products = list(zip(*by_class, strict=True))
        return objective(rows, self.head, self.middle, self.tail, products)

"""Settings held across rules: policies trained for one rule set, playing under another.

A policy values rows by their class, and classes are numbered by the wheel rule. So what was trained
under one wheel is carried to another row by row: where A-2-3-4-5 changes its place among the
straights, the straight of each place keeps its value; where it is no straight at all, it is worth
what the next stronger row is worth. All other rows keep theirs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from montecarlo.setting.policies import Policy
from montecarlo.setting.policy_files import TrainedPolicy
from montecarlo.setting.seating import SeatPolicy, seat_policies
from montecarlo.setting.value_tables import ValueTables
from montecarlo.simulation.paired import Arm
from montecarlo.strength.tables import row_list

Places = NDArray[np.intp]


def held_seats(arm: Arm) -> tuple[SeatPolicy, ...]:
    """Return the policies of an arm's seats as `Arm.seats` does, also across wheel rules.

    Raises PolicyMismatch when the policy that is to be held is not trained.
    """
    origin = arm.settings_of or arm.variant
    found = seat_policies(origin, arm.policies, len(arm.policies), arm.hold_policy)
    return tuple(
        replace(
            seat,
            variant=arm.variant,
            policy=seat.policy and carried_to_wheel(seat.policy, arm.variant.wheel),
        )
        for seat in found
    )


@lru_cache(maxsize=16)
def carried_to_wheel(policy: Policy, wheel: str) -> Policy:
    """Return a policy for another wheel rule that values every row as the given one does."""
    if policy.wheel == wheel:
        return policy
    if policy.trained is None:
        return Policy(policy.name, wheel, policy.compare, None)
    places = counterparts(policy.wheel, wheel)
    tables = tuple(_reordered(values, places) for values in policy.trained.tables)
    provenance = {**policy.trained.provenance, "wheel": wheel}
    return Policy(policy.name, wheel, policy.compare, TrainedPolicy(tables, provenance))


def counterparts(old: str, new: str) -> Places:
    """Return, for each class under the wheel rule ``new``, the one that gives it its value.

    (7463,) classes under the wheel rule ``old``; they do not decrease from one class to the next.
    """
    rows, known = row_list(new), row_list(old)
    class_of = {row: number for number, row in enumerate(known, start=1)}
    if class_of.keys() == set(rows):  # the same rows: A-5 has another place among the straights
        return np.arange(len(rows) + 1)
    places = np.zeros(len(rows) + 1, np.intp)
    stronger = len(known)
    for number in range(len(rows), 0, -1):
        stronger = class_of.get(rows[number - 1], stronger)
        places[number] = stronger
    return places


def _reordered(values: ValueTables, places: Places) -> ValueTables:
    return values._replace(
        middle=values.middle[places],
        tail=values.tail[places],
        middle_place=values.middle_place[places],
        tail_place=values.tail_place[places],
    )

"""Averaged policies for few hands: set by the rounds' values, without compiling a table.

Listing the settings that an average chooses from takes half a minute the first time, and pays from
some hundred thousand hands on. The settings are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from montecarlo.setting.by_objective import set_batch
from montecarlo.setting.human import HumanPolicy
from montecarlo.setting.mixed_policy import rounds_of
from montecarlo.setting.objective import Objective, units_of_settings
from montecarlo.setting.policies import Classes, Masks, Policy
from montecarlo.setting.seating import SeatPolicy
from montecarlo.setting.static_tables import setting_tables

_ROW, _TAIL = np.uint64(16), np.uint64(32)


def for_few_hands(seats: tuple[SeatPolicy, ...]) -> tuple[SeatPolicy, ...]:
    """Return the same seats; those with averaged policies set hands without compiled tables."""
    return tuple(_lightened(seat) for seat in seats)


def _lightened(seat: SeatPolicy) -> SeatPolicy:
    policy = seat.policy
    return seat if policy is None else replace(seat, policy=_uncompiled(policy))


def _uncompiled(policy: Policy) -> Policy:
    if isinstance(policy, HumanPolicy):
        return replace(policy, best=_uncompiled(policy.best))
    if policy.trained is None or len(policy.trained.tables) == 1:
        return policy
    return UncompiledAverage(policy.name, policy.wheel, policy.compare, policy.trained)


@dataclass(frozen=True, eq=False)
class UncompiledAverage(Policy):
    """An average of training rounds that sets each hand by the values of the round it picks."""

    def set_packed(self, masks: Masks) -> NDArray[np.uint64]:
        """Return settings (N,) of hand masks (N,) of 13 cards: tail << 32 | middle << 16 | head."""
        tables = setting_tables(self.wheel, self.compare)
        packed = np.empty(masks.size, np.uint64)
        for picked, objective in self._rounds(masks):
            head, middle, tail = set_batch(masks[picked], objective, tables).astype(np.uint64).T
            packed[picked] = tail << _TAIL | middle << _ROW | head
        return packed

    def expected_units(self, masks: Masks, classes: Classes) -> NDArray[np.float64]:
        """Return the units (N,) that settings are expected to bring from one ordinary opponent."""
        units = np.empty(masks.size, np.float64)
        for picked, objective in self._rounds(masks):
            units[picked] = units_of_settings(objective, classes[picked])
        return units

    def _rounds(self, masks: Masks) -> Iterator[tuple[NDArray[np.intp], Objective]]:
        """Yield, of each round that is picked, the places of its hands and its objective."""
        assert self.trained is not None
        rows = setting_tables(self.wheel, self.compare).rows
        rounds = rounds_of(masks, len(self.trained.tables))
        for number in np.unique(rounds):
            yield np.flatnonzero(rounds == number), self.trained.tables[number].to_objective(rows)

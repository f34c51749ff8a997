"""Policies: who sets 13 cards how. Greedy, balanced, equilibrium (rulebook §5).

A policy maps hand masks to settings, the same hand to the same setting every time. Kernels need
row classes only; the cards of a row are placed when they are shown or when suits decide ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput, PolicyMismatch, nearest
from montecarlo.setting.best_setting import unpack
from montecarlo.setting.compiled_policy import (
    CompiledPolicy,
    compile_policy,
    greedy_policy,
    set_into,
)
from montecarlo.setting.mixed_policy import MixedPolicy, mix, rounds_of, set_mixed
from montecarlo.setting.objective import units_of_settings
from montecarlo.setting.placing import place_settings
from montecarlo.setting.policy_files import TrainedPolicy, find_balanced, find_policy
from montecarlo.setting.static_tables import setting_tables
from montecarlo.strength.evaluate import suit_values
from montecarlo.variants.schema import Variant

Classes = NDArray[np.uint16]
Masks = NDArray[np.uint64]

POLICIES = ("equilibrium", "balanced", "greedy")


@dataclass(frozen=True, eq=False)
class Policy:
    """Sets hands by one set of value tables, or by several of which a hash of the hand picks one.

    ``trained`` is None for greedy, which needs no values.
    """

    name: str
    wheel: str
    compare: str
    trained: TrainedPolicy | None

    @property
    def sha256(self) -> str | None:
        """Hash of what the policy was trained for and of its numbers; None for greedy."""
        return self.trained.sha256 if self.trained else None

    @property
    def compiled(self) -> CompiledPolicy | MixedPolicy:
        """The policy as look-up tables, from the disk cache where they are there."""
        # no cached_property: before Python 3.12 its lock lets only one policy compile at a time
        known: dict[str, CompiledPolicy | MixedPolicy] = self.__dict__
        if "_compiled" not in known:
            known["_compiled"] = self._compile()
        return known["_compiled"]

    def _compile(self) -> CompiledPolicy | MixedPolicy:
        if self.trained is None:
            return greedy_policy(self.wheel)
        tables = setting_tables(self.wheel, self.compare)
        objectives = tuple(values.to_objective(tables.rows) for values in self.trained.tables)
        if len(objectives) == 1:
            return compile_policy(objectives[0], tables)
        return mix(objectives, self.wheel, self.compare)

    def set_packed(self, masks: Masks) -> NDArray[np.uint64]:
        """Return settings (N,) of hand masks (N,) of 13 cards: tail << 32 | middle << 16 | head."""
        if isinstance(self.compiled, MixedPolicy):
            return set_mixed(masks, self.compiled)
        packed = np.empty(masks.size, np.uint64)
        set_into(masks, self.compiled, packed)
        return packed

    def set_classes(self, masks: Masks) -> Classes:
        """Return classes (N, 3) of head, middle and tail for hand masks (N,) of 13 cards."""
        return unpack(self.set_packed(masks))

    def set_rows(self, masks: Masks, tie: str) -> Masks:
        """Return the cards of rows, masks (N, 3); ``tie`` says which suits matter where."""
        tables = setting_tables(self.wheel, self.compare)
        return place_settings(masks, self.set_packed(masks), tables, self.wheel, tie)

    def set_with_suits(self, masks: Masks, tie: str) -> tuple[Classes, NDArray[np.uint8]]:
        """Return classes and suit values (N, 3), 0 to 4, of rows under a tie rule by suit."""
        packed = self.set_packed(masks)
        tables = setting_tables(self.wheel, self.compare)
        rows = place_settings(masks, packed, tables, self.wheel, tie)
        classes = unpack(packed)
        suits = np.empty(classes.shape, np.uint8)
        for row in range(3):
            suits[:, row] = suit_values(
                rows[:, row], classes[:, row], self.wheel, tie, head=row == 0
            )
        return classes, suits

    def expected_units(self, masks: Masks, classes: Classes) -> NDArray[np.float64]:
        """Return the units (N,) that settings are expected to bring from one ordinary opponent.

        Raises BadInput for greedy, which has no values.
        """
        if self.trained is None:
            raise BadInput("greedy knows no values: it cannot decide by value whether to declare")
        if isinstance(self.compiled, CompiledPolicy):
            return units_of_settings(self.compiled.objective, classes)
        rounds = rounds_of(masks, len(self.compiled.objectives))
        units = np.empty(masks.size, np.float64)
        for number, objective in enumerate(self.compiled.objectives):
            picked = np.flatnonzero(rounds == number)
            units[picked] = units_of_settings(objective, classes[picked])
        return units


@lru_cache(maxsize=16)
def load_policy(variant: Variant, name: str, role: str, players: int, hold: bool = False) -> Policy:
    """Return a policy by name for a variant, role ("any", "banker", "player") and players.

    Raises BadInput for an unknown name, PolicyMismatch when the equilibrium of the variant's rules
    is not trained (unless ``hold`` keeps the nearest one).
    """
    if name == "greedy":
        return Policy(name, variant.wheel, "grouped", None)
    if name == "balanced":
        return Policy(name, variant.wheel, "grouped", find_balanced(variant.wheel))
    if name != "equilibrium":
        raise BadInput(f"unknown policy '{name}'{nearest(name, POLICIES)}")
    trained = find_policy(variant, role, players, hold=hold)
    if trained.provenance["wheel"] != variant.wheel:
        # classes are numbered by the wheel rule: settings made for one mean nothing under another
        raise PolicyMismatch(
            f"{variant.id}: its equilibrium is trained for wheel={trained.provenance['wheel']} and "
            f"cannot be held under wheel={variant.wheel}; train it for these rules"
        )
    return Policy(
        name, str(trained.provenance["wheel"]), str(trained.provenance["compare"]), trained
    )

"""The policy ``human``: an equilibrium player who errs.

With one probability he sets a hand the second-best way, with another he fouls it: middle and tail
are put in each other's place. Whether he errs is decided by a hash of his cards, so the same hand
is always set the same way, and a higher probability adds errors to those of a lower one. Second
best is what the equilibrium's own values put second among the settings of the frontier.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import kernel
from montecarlo.errors import BadInput, nearest
from montecarlo.setting.best_setting import unpack
from montecarlo.setting.compiled_policy import CompiledPolicy
from montecarlo.setting.frontier import frontier_many
from montecarlo.setting.mixed_policy import MixedPolicy
from montecarlo.setting.policies import Classes, Masks, Policy
from montecarlo.setting.static_tables import setting_tables

HUMAN = "human"

DEFAULTS: Mapping[str, float] = {"second": 0.2, "foul": 0.01}
"""Share of hands set the second-best way, and share that is fouled, unless said otherwise."""

CHUNK = 8192
"""Hands whose frontiers are held together."""

_ROW, _TAIL = np.uint64(16), np.uint64(32)
_CLASS = np.uint64(0xFFFF)


@dataclass(frozen=True, eq=False)
class HumanPolicy(Policy):
    """Sets hands as ``best`` does, but for those that a hash of the cards picks for an error."""

    best: Policy
    second: float
    foul: float

    @property
    def sha256(self) -> str:
        """Hash of the policy he falls short of and of how often he does."""
        text = f"human second={self.second!r} foul={self.foul!r} {self.best.sha256}"
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def compiled(self) -> CompiledPolicy | MixedPolicy:
        """The tables of ``best``."""
        return self.best.compiled

    def set_packed(self, masks: Masks) -> NDArray[np.uint64]:
        """Return settings (N,) of hand masks (N,); in a fouled one the middle beats the tail.

        A hand whose middle and tail are equal cannot be fouled so, and stays legal.
        """
        packed = self.best.set_packed(masks)
        luck = chances(masks)
        erring = np.flatnonzero((luck >= self.foul) & (luck < self.foul + self.second))
        for start in range(0, erring.size, CHUNK):
            part = erring[start : start + CHUNK]
            packed[part] = self._second_best(masks[part], packed[part])
        fouled = luck < self.foul
        setting = packed[fouled]
        middle, tail = (setting >> _ROW) & _CLASS, setting >> _TAIL
        packed[fouled] = middle << _TAIL | tail << _ROW | setting & _CLASS
        return packed

    def expected_units(self, masks: Masks, classes: Classes) -> NDArray[np.float64]:
        """Return the units (N,) that he expects of settings: he knows of no foul."""
        head, middle, tail = np.asarray(classes).T
        meant = np.stack([head, np.minimum(middle, tail), np.maximum(middle, tail)], axis=1)
        return self.best.expected_units(masks, meant)

    def _second_best(self, masks: Masks, best: NDArray[np.uint64]) -> NDArray[np.uint64]:
        tables = setting_tables(self.wheel, self.compare)
        offsets, settings = frontier_many(masks, tables)
        units = self.best.expected_units(np.repeat(masks, np.diff(offsets)), unpack(settings))
        second = best.copy()
        _take_second(offsets, settings, units, tables.rows.value, tables.rows.head_value, second)
        return second


def human(best: Policy, options: Mapping[str, float]) -> HumanPolicy:
    """Return the human who falls short of a trained policy; ``options`` as in `DEFAULTS`.

    Raises BadInput for a probability that is none, and for two that add up to more than 1.
    """
    second, foul = (options.get(name, default) for name, default in DEFAULTS.items())
    for name, chance in (("second", second), ("foul", foul)):
        if not 0 <= chance <= 1:
            raise BadInput(f"human: {name} is a probability, 0 to 1, not {chance:g}")
    if second + foul > 1:
        raise BadInput(f"human: second and foul exclude each other; {second + foul:g} is above 1")
    return HumanPolicy(HUMAN, best.wheel, best.compare, best.trained, best, second, foul)


def read_options(words: Mapping[str, str]) -> dict[str, float]:
    """Return the probabilities that ``second=…`` and ``foul=…`` name; raises BadInput for others.

    >>> read_options({"second": "0.1"})
    {'second': 0.1}
    """
    options = {}
    for name, text in words.items():
        if name not in DEFAULTS:
            raise BadInput(f"human has no '{name}'{nearest(name, DEFAULTS)}")
        try:
            options[name] = float(text)
        except ValueError:
            raise BadInput(f"human: {name} is a probability, 0 to 1, not '{text}'") from None
    return options


def chances(masks: Masks) -> NDArray[np.float64]:
    """Return a number in [0, 1) for each hand (N,), evenly spread: a hash of its cards.

    Source: the finaliser of Steele, Lea & Flood (2014), Fast splittable pseudorandom number
    generators, OOPSLA (SplitMix64).
    """
    word = masks + np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    word ^= word >> np.uint64(31)
    return np.asarray((word >> np.uint64(11)) * 2.0**-53)


@kernel
def _take_second(
    offsets: NDArray[np.int64],
    settings: NDArray[np.uint64],
    units: NDArray[np.float64],
    value: NDArray[np.uint16],
    head_value: NDArray[np.uint16],
    chosen: NDArray[np.uint64],
) -> None:
    """Overwrite the best setting of each hand (N,) by the best of those with other row values.

    Equal units go to the setting that comes first; a hand with one setting keeps it.
    """
    for n in range(np.uint64(chosen.size)):
        best = chosen[n]
        highest = -np.inf
        for at in range(offsets[n], offsets[n + np.uint64(1)]):
            setting = settings[at]
            same = (
                value[setting >> _TAIL] == value[best >> _TAIL]
                and value[(setting >> _ROW) & _CLASS] == value[(best >> _ROW) & _CLASS]
                and head_value[setting & _CLASS] == head_value[best & _CLASS]
            )
            if not same and units[at] > highest:
                chosen[n], highest = setting, units[at]

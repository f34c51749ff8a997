"""Study: what a setter would gain who let his own thirteen cards change what he expects of others.

A policy's value tables describe opponents as if they could hold any card. The setter holds
thirteen that they cannot: with three aces in hand, theirs are weaker. Here hands fall into a few
classes by what they remove, the population of opponents is counted anew for each class, and the
best response to it is found. All gains are held out: the tables that choose a setting and those
that value it come from different halves of the deals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from montecarlo.dealing.dealer import deal_block
from montecarlo.errors import BadInput
from montecarlo.setting.by_objective import set_batch
from montecarlo.setting.objective import Objective, units_of_settings
from montecarlo.setting.payoff import payoff
from montecarlo.setting.population import (
    Sample,
    choose_grid,
    needs_grid,
    statistics,
    value_tables,
)
from montecarlo.setting.seating import SeatPolicy
from montecarlo.setting.static_tables import setting_tables
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules

Masks = NDArray[np.uint64]
ClassOf = Callable[[Masks], NDArray[np.int64]]

FEWEST_TABLES = 3_000
"""A class of hands met less often keeps the policy's own settings."""

_ACES = np.uint64(0x1000_1000_1000_1000)
_LANES = np.array([0, 16, 32, 48], np.uint64)
_LANE = np.uint64(0x1FFF)


@dataclass(frozen=True)
class RemovalGain:
    """Gain of a setter who knows the class of his hand, units a deal from each opponent."""

    hands: int
    gain: float
    se: float
    changed: float
    """Share of hands that are set differently."""


def every_hand(masks: Masks) -> NDArray[np.int64]:
    """Put all hands in one class: what is gained then owes nothing to card removal."""
    return np.zeros(masks.size, np.int64)


def aces_held(masks: Masks) -> NDArray[np.int64]:
    """Return the number of aces of hands (N,), 3 for three or four."""
    return np.asarray(np.minimum(np.bitwise_count(masks & _ACES), 3), np.int64)


def longest_suit(masks: Masks) -> NDArray[np.int64]:
    """Return the length of the longest suit of hands (N,), less 4, 3 for seven or more."""
    lengths = np.bitwise_count((masks[:, None] >> _LANES) & _LANE).max(axis=1)
    return np.asarray(np.clip(lengths, 4, 7).astype(np.int64) - 4)


def removal_gain(
    seats: tuple[SeatPolicy, ...], seat: int, class_of: ClassOf, *, blocks: int = 8, seed: int = 0
) -> RemovalGain:
    """Measure what ``seat`` gains on its policy by value tables for each class of hands.

    ``class_of`` maps hand masks (N,) to class numbers (N,). Opponents are counted on ``blocks``
    blocks of deals, gains on two others. Hands with a special count without gain. Raises BadInput
    for ladders, which are not set.
    """
    variant, players = seats[0].variant, len(seats)
    own, opponent = seats[seat].policy, seats[1 if seat == 0 else 0].policy
    if own is None or opponent is None:
        raise BadInput(f"{variant.id} is a ladder: there is nothing to set")
    role = ("banker" if seat == 0 else "player") if variant.banker else "any"
    pays, tables = payoff(variant, role, players), setting_tables(variant.wheel, variant.compare)
    program = compile_rules(variant.rules)
    dealt = np.concatenate([deal_block(seed, block) for block in range(blocks)])
    ordinary = first_special(dealt, program) < 0
    classes = opponent.set_classes(dealt[:, 1:].ravel()).reshape(len(dealt), -1, 3)
    sample = Sample(classes, ordinary[:, 1:])
    grid = choose_grid(sample, pays) if needs_grid(pays) else None

    def values(chosen: NDArray[np.bool_]) -> Objective:
        part = Sample(sample.classes[chosen], sample.ordinary[chosen])
        return value_tables(statistics(part, pays, grid), pays, grid).to_objective(tables.rows)

    fresh = np.concatenate([deal_block(seed, blocks + extra)[:, 0] for extra in range(2)])
    plays = np.ascontiguousarray(fresh[first_special(fresh, program) < 0])
    before = own.set_classes(plays)
    gains, changed = np.zeros(fresh.size), 0.0
    class_of_dealt, class_of_plays = class_of(dealt[:, 0]), class_of(plays)
    even = np.arange(len(dealt)) % 2 == 0
    for number in np.unique(class_of_plays):
        among = class_of_dealt == number
        if among.sum() < FEWEST_TABLES:
            continue
        picked = np.flatnonzero(class_of_plays == number)
        hands, old = np.ascontiguousarray(plays[picked]), before[picked]
        halves = [values(among & even), values(among & ~even)]
        for chooses, judges in (halves, halves[::-1]):
            new = set_batch(hands, chooses, tables)
            difference = units_of_settings(judges, new) - units_of_settings(judges, old)
            gains[picked] += difference / 2
            changed += float((new != old).any(axis=1).sum()) / 2
    return RemovalGain(
        fresh.size,
        float(gains.mean()),
        float(gains.std(ddof=1) / np.sqrt(fresh.size)),
        changed / fresh.size,
    )

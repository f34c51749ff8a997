"""Seats with policies: what a seat declares and how it sets, ready to be scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput, nearest
from montecarlo.setting.human import HUMAN, human, read_options
from montecarlo.setting.policies import POLICIES, Classes, Masks, Policy, load_policy
from montecarlo.setting.policy_files import rules_hash
from montecarlo.variants.schema import Variant

Declare = Literal["always", "best"]

BANKER_SEAT = 0


@dataclass(frozen=True)
class SeatPolicy:
    """One seat's policy, and when it declares a special."""

    variant: Variant
    policy: Policy | None
    declare: Declare
    players: int
    held: bool = False
    """True for an equilibrium that was trained for other rules."""

    def play(
        self, masks: Masks, firsts: NDArray[np.int8]
    ) -> tuple[NDArray[np.int8], Classes, NDArray[np.uint8]]:
        """Return specials declared (N,), classes (N, 3) and suit values (N, 3) of hands (N,).

        ``firsts`` (N,): the first special of each hand, -1 for none. Suit values are 0 unless the
        variant's tie rule looks at suits.
        """
        if self.policy is None:  # ladders are not set
            return firsts, np.zeros((masks.size, 3), np.uint16), np.zeros((masks.size, 3), np.uint8)
        if self.variant.tie in ("suit_baodao", "suit_top_card"):
            classes, suits = self.policy.set_with_suits(masks, self.variant.tie)
        else:
            classes = self.policy.set_classes(masks)
            suits = np.zeros(classes.shape, np.uint8)
        declared = firsts
        if self.declare == "best" and self.variant.specials:
            points = np.array([entry.points for entry in self.variant.specials])
            held = np.flatnonzero(firsts >= 0)
            worth = self.policy.expected_units(masks[held], classes[held])
            if self.variant.format == "majority":
                worth -= self.variant.majority  # the tables hold 1 + wins - losses
            plays_on = held[worth > points[firsts[held]]]
            declared = firsts.copy()
            declared[plays_on] = -1
        return declared, classes, suits


def split_policy_words(words: str | Sequence[str]) -> tuple[str, ...]:
    """Return the policies that words name, options with them.

    >>> split_policy_words("human:second=0.1,foul=0,greedy")
    ('human:second=0.1,foul=0', 'greedy')
    """
    if not isinstance(words, str):
        return tuple(name.strip() for name in words)
    names: list[str] = []
    for part in words.split(","):
        name, option = part.strip().partition(":")[0], part.strip()
        if "=" in name and names:  # an option of the policy before it
            names[-1] += f",{option}"
        else:
            names.append(option)
    return tuple(names)


def read_policy_words(words: str | Sequence[str], players: int) -> tuple[str, ...]:
    """Return one policy name a seat from ``P`` or ``P,P,P,P``; raises BadInput for other words.

    A name may carry ``:declare=always`` or ``:declare=best``; ``human`` also ``second=…`` and
    ``foul=…`` (`montecarlo.setting.human`).
    """
    names = split_policy_words(words)
    for name in names:
        base, options = _read_name(name)
        known = (*POLICIES, HUMAN)
        if base not in known:
            raise BadInput(f"unknown policy '{base}'{nearest(base, known)} (or none)")
        declare = options.pop("declare", "always")
        if declare not in ("always", "best") or (options and base != HUMAN):
            raise BadInput(f"'{name}': after a policy's name only :declare=always or :declare=best")
        read_options(options)
    if len(names) == 1:
        return names * players
    if len(names) != players:
        raise BadInput(f"{len(names)} policies for {players} players: give one, or one a seat")
    return names


def _read_name(name: str) -> tuple[str, dict[str, str]]:
    """Split ``human:second=0.1,declare=best`` into the name and its options."""
    base, *options = name.replace(",", ":").split(":")
    return base, {key: value for key, _, value in (option.partition("=") for option in options)}


@lru_cache(maxsize=16)
def seat_policies(
    variant: Variant, names: tuple[str, ...], players: int, hold: bool = False
) -> tuple[SeatPolicy, ...]:
    """Return the policies of all seats; seat 0 is the banker in banker games.

    Raises PolicyMismatch when an equilibrium is not trained for the variant's rules.
    """
    seats = []
    for seat, name in enumerate(names):
        base, options = _read_name(name)
        declare = options.pop("declare", "always")
        role = "any"
        if variant.banker:
            role = "banker" if seat == BANKER_SEAT else "player"
        policy: Policy | None = None
        held = False
        if variant.format != "ladder":
            trained = "equilibrium" if base == HUMAN else base
            policy = load_policy(variant, trained, role, players, hold)
            if trained == "equilibrium" and policy.trained is not None:
                held = policy.trained.provenance["rules"] != rules_hash(variant, role, players)
            if base == HUMAN:
                refused = {"foul": 0.0} if variant.fouls == "refused" else {}
                policy = human(policy, {**read_options(options), **refused})
        declares: Declare = "best" if declare == "best" else "always"
        seats.append(SeatPolicy(variant, policy, declares, players, held))
    return tuple(seats)

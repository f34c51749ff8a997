"""Study: which rule makes the difference? The change from one rule set to another, rule by rule.

With settings held, every combination of the rules that differ is played on the same deals. A rule's
part depends on which others are already changed, so three are given: in the order in which the
rules are listed, alone, and the average over all orders (Shapley value). The parts in order, and
the averages, add up to the whole difference. What the players' response adds is told apart.

Source: Shapley (1953), A value for n-person games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import factorial
from typing import Any

from montecarlo.errors import BadInput
from montecarlo.setting.seating import read_policy_words
from montecarlo.simulation.paired import Arm, PairedExperiment
from montecarlo.statistics.clustered import Estimate
from montecarlo.studies.compare import (
    arm_data,
    estimate_data,
    rules_label,
    run_paired,
    settings_label,
)
from montecarlo.studies.paired_sums import PairedSums
from montecarlo.studies.results import Result
from montecarlo.variants import Variant

PARTS = ("tie", "compare", "both_special", "specials", "rows", "sweep", "majority", "fouls")
"""Rules that may differ, in the order in which they are changed."""

SAME = ("format", "banker", "wheel", "tier_points")
MOST_PARTS = 4


@dataclass(frozen=True)
class Part:
    """What changing one rule does to seat 0's units."""

    rule: str
    before: str
    after: str
    in_order: Estimate
    alone: Estimate
    average: Estimate

    def to_data(self) -> dict[str, Any]:
        """Return the part as JSON data."""
        return {
            "rule": self.rule, "before": self.before, "after": self.after,
            "in_order": estimate_data(self.in_order), "alone": estimate_data(self.alone),
            "average": estimate_data(self.average),
        }  # fmt: skip


@dataclass(frozen=True)
class Attribution(Result):
    """Seat 0's units under two rule sets, and each rule's part in the difference."""

    first: Arm
    second: Arm
    first_settings: str
    second_settings: str
    deals: int
    seed: int
    rotate: bool
    start: Estimate
    """the first rules, set as under the second"""
    parts: tuple[Part, ...]
    end: Estimate
    """the second rules"""
    change: Estimate
    """end - start: what the rules change while settings are held"""
    first_own: Estimate
    """the first rules with their own settings"""
    held_first: Estimate
    """the second rules, still set as under the first: before the players respond"""
    response: Estimate
    """end - held_first: what the players' response to the second rules does"""

    def to_data(self) -> dict[str, Any]:
        """Return the attribution as JSON data."""
        return {
            "first": arm_data(self.first, self.first_settings),
            "second": arm_data(self.second, self.second_settings),
            "players": len(self.first.policies),
            "deals": self.deals,
            "seed": self.seed,
            "rotate": self.rotate,
            "settings_held": rules_label(self.second.variant),
            "start": estimate_data(self.start),
            "parts": [part.to_data() for part in self.parts],
            "end": estimate_data(self.end),
            "change": estimate_data(self.change),
            "first_own_settings": estimate_data(self.first_own),
            "before_response": estimate_data(self.held_first),
            "response": estimate_data(self.response),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a rule."""
        return [
            {
                "rule": part.rule, "before": part.before, "after": part.after,
                "in_order": part.in_order.value, "in_order_se": part.in_order.se,
                "alone": part.alone.value, "alone_se": part.alone.se,
                "average": part.average.value, "average_se": part.average.se,
            }
            for part in self.parts
        ]  # fmt: skip

    @property
    def largest_se(self) -> float:
        """The largest error of any part."""
        return max(max(p.in_order.se, p.alone.se, p.average.se) for p in self.parts)


def attribute(
    first: Variant,
    second: Variant,
    *,
    deals: int,
    seed: int | None = None,
    policy: str | Sequence[str] = "equilibrium",
    players: int = 4,
    jobs: int = 1,
    rotate: bool = True,
    hold_policy: bool = False,
) -> Attribution:
    """Split the change of seat 0's units from ``first`` to ``second`` among the rules that differ.

    All combinations are set by the policies of ``second``. Raises BadInput when nothing differs,
    more than four rules do, or the games are of different kinds.
    """
    if not 2 <= players <= 4:
        raise BadInput(f"players must be 2, 3 or 4, not {players}")
    rules = _differing(first, second)
    names = read_policy_words(policy, players)
    subsets = [frozenset(s) for size in range(len(rules) + 1) for s in combinations(rules, size)]
    arms = [
        Arm(_with_rules(first, second, changed), names, second, hold_policy) for changed in subsets
    ]
    own = Arm(first, names, hold_policy=hold_policy)
    unprepared = Arm(second, names, first, hold_policy)
    experiment = PairedExperiment((*arms, own, unprepared), rotate)
    seed, tally = run_paired(experiment, deals, seed, jobs, f"{first.id} → {second.id}")
    sums = PairedSums.of(experiment, tally)
    place = {changed: number for number, changed in enumerate(subsets)}
    nothing, everything = 0, len(subsets) - 1
    as_own, as_first = len(subsets), len(subsets) + 1
    parts = []
    for number, rule in enumerate(rules):
        before = frozenset(rules[:number])
        parts.append(
            Part(
                rule,
                _shown(first, rule),
                _shown(second, rule),
                sums.difference(place[before | {rule}], place[before]),
                sums.difference(place[frozenset({rule})], nothing),
                sums.contrast(_shapley(rule, rules, place)),
            )
        )
    second_arm = Arm(second, names, hold_policy=hold_policy)
    return Attribution(
        own, second_arm, settings_label(own), settings_label(second_arm), deals, seed, rotate,
        sums.mean(nothing), tuple(parts), sums.mean(everything),
        sums.difference(everything, nothing), sums.mean(as_own),
        sums.mean(as_first), sums.difference(everything, as_first),
    )  # fmt: skip


def _differing(first: Variant, second: Variant) -> list[str]:
    for name in SAME:
        if getattr(first, name) != getattr(second, name):
            raise BadInput(
                f"{first.id} and {second.id} differ in {name}, which settings cannot be held "
                "across: compare them whole"
            )
    rules = [name for name in PARTS if getattr(first, name) != getattr(second, name)]
    if not rules:
        raise BadInput(f"{rules_label(first)} and {rules_label(second)} have the same rules")
    if len(rules) > MOST_PARTS:
        raise BadInput(f"{len(rules)} rules differ ({', '.join(rules)}): at most {MOST_PARTS}")
    return rules


def _with_rules(first: Variant, second: Variant, changed: frozenset[str]) -> Variant:
    """Return ``second`` with the rules that are not in ``changed`` as ``first`` has them."""
    values = {name: getattr(second, name) for name in Variant.model_fields}
    for name in PARTS:
        if name not in changed:
            values[name] = getattr(first, name)
    return Variant(**values)


def _shapley(
    rule: str, rules: Sequence[str], place: dict[frozenset[str], int]
) -> dict[int, Fraction]:
    """Return the weight of each combination's arm in the average part of a rule."""
    others = [name for name in rules if name != rule]
    weights: dict[int, Fraction] = {}
    for size in range(len(others) + 1):
        share = Fraction(factorial(size) * factorial(len(others) - size), factorial(len(rules)))
        for subset in map(frozenset, combinations(others, size)):
            weights[place[subset | {rule}]] = share
            weights[place[subset]] = -share
    return weights


def _shown(variant: Variant, rule: str) -> str:
    value = getattr(variant, rule)
    return value if isinstance(value, str) else f"{rule} of {rules_label(variant)}"

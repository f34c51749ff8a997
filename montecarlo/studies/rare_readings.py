"""What a reading moves that changes few hands: measured in deals in which a seat holds one of them.

The deals of each class of seats are given such a hand; the exact chance of it is their weight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from montecarlo.simulation.paired import Arm
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.readings import SHARES, Changed, ReadingsExperiment
from montecarlo.simulation.runner import run
from montecarlo.specials.changed_hands import ChangedHands
from montecarlo.specials.suit_shapes import TOTAL_HANDS
from montecarlo.statistics.clustered import Estimate
from montecarlo.studies.reading_sums import ReadingSums
from montecarlo.studies.seat_classes import seat_classes
from montecarlo.variants import Variant

GIVEN_DEALS = 8192
"""Deals given a changed hand, for each reading and class of seats."""

Slopes = Mapping[str, Mapping[str, Fraction]]
"""What each figure gains by each measure's mean a deal."""


def only_calls_hands_otherwise(variant: Variant, other: Variant) -> bool:
    """Tell whether two rule sets differ in the options of specials and in nothing else."""
    return _without_options(variant) == _without_options(other)


def given_changes(
    default: Arm, arm: Arm, slopes: Slopes, *, seed: int, branch: int, jobs: int
) -> dict[str, Estimate]:
    """Estimate what an arm moves that differs from the default in calling some hands otherwise.

    ``branch`` keeps the deals apart from those of other readings. The changes are so small that
    their linear part, by ``slopes``, is all of them.
    """
    hands = ChangedHands(default.variant.rules, arm.variant.rules)
    chance = Fraction(hands.count, TOTAL_HANDS)
    means = dict.fromkeys(slopes, 0.0)
    variances = dict.fromkeys(slopes, 0.0)
    for seats in seat_classes(default.variant, default.policies):
        given = Changed(seats.holder, hands, (branch, seats.holder))
        experiment = ReadingsExperiment((default, arm), ((0, 0), (0, 1), (1, 1)), given)
        tally = run(Plan(experiment, seed, GIVEN_DEALS), jobs=jobs)
        sums = ReadingSums.of(experiment, tally)
        weight = len(seats.seats) * chance / SHARES
        for figure, slope in slopes.items():
            found = sums.linear(
                {(place, measure): sign * weight * gain
                 for place, sign in ((1, 1), (0, -1))
                 for measure, gain in slope.items()}
            )  # fmt: skip
            means[figure] += found.value
            variances[figure] += found.se**2
    return {
        figure: Estimate(means[figure], math.sqrt(variances[figure]), GIVEN_DEALS)
        for figure in slopes
    }


def _without_options(variant: Variant) -> dict[str, object]:
    data = variant.model_dump(mode="json", exclude={"sources", "assumptions", "knobs"})
    for entry in data["specials"]:
        del entry["options"]
    return data

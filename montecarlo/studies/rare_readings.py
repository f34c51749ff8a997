"""What a reading moves that changes few hands: measured in deals in which a seat holds one of them.

The deals of each class of seats are given such a hand; the exact chance of it is their weight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from montecarlo.simulation.paired import Arm
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.readings import SHARES, Changed, ReadingsExperiment
from montecarlo.simulation.tallies import Tally
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


def given_plans(default: Arm, arm: Arm, *, seed: int, branch: int) -> tuple[Plan, ...]:
    """Return what is to be played, for each class of seats, of an arm that calls hands otherwise.

    ``branch`` keeps the deals apart from those of other readings.
    """
    hands = ChangedHands(default.variant.rules, arm.variant.rules)
    return tuple(
        Plan(
            ReadingsExperiment(
                (default, arm),
                ((0, 0), (0, 1), (1, 1)),
                Changed(seats.holder, hands, (branch, seats.holder)),
            ),
            seed,
            GIVEN_DEALS,
        )
        for seats in seat_classes(default.variant, default.policies)
    )


def given_changes(
    plans: Sequence[Plan], tallies: Sequence[Tally], slopes: Slopes
) -> dict[str, Estimate]:
    """Estimate what an arm moves from the tallies of its `given_plans`.

    The changes are so small that their linear part, by ``slopes``, is all of them.
    """
    means, variances = dict.fromkeys(slopes, 0.0), dict.fromkeys(slopes, 0.0)
    for plan, tally in zip(plans, tallies, strict=True):
        experiment = plan.experiment
        assert isinstance(experiment, ReadingsExperiment)
        assert experiment.given is not None
        default, given = experiment.arms[0], experiment.given
        classes = seat_classes(default.variant, default.policies)
        alike = next(len(seats.seats) for seats in classes if seats.holder == given.holder)
        weight = alike * Fraction(given.hands.count, TOTAL_HANDS) / SHARES
        sums = ReadingSums.of(experiment, tally)
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

"""The independent check: the tuned game played anew, on seeds that no decision has seen.

Edge and SD come from plain scored deals (`simulate`), not from the counts that the table was found
with; shares and flows of groups of lines from fresh counts of the same deals.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from montecarlo.scoring.lines import payout_vector
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.intervals import Interval
from montecarlo.studies.moments import Moments
from montecarlo.studies.payouts import Payouts
from montecarlo.studies.simulate import simulate
from montecarlo.studies.tuning.fair_value import FairValue
from montecarlo.studies.tuning.goals import Fair, Goal, Goals, Measure
from montecarlo.studies.tuning.result import Check, Checked
from montecarlo.variants.schema import Variant


def check_table(
    variant: Variant,
    goals: Goals,
    steps: dict[str, int],
    moments: Moments,
    fair_of: Callable[[Fair], FairValue],
    *,
    players: int,
    deals: int,
    seed: int,
    jobs: int,
) -> tuple[Check, Payouts]:
    """Play the tuned variant and judge each goal; also return all that was played.

    ``moments``: those the table was found with: they lend the covariance of lines to the errors of
    groups. A figure holds when its target lies in the 95 % interval (a limit: on its right side),
    fair points when whole steps cannot come nearer.
    """
    run = simulate(variant, deals=deals, seed=seed, players=players, jobs=jobs)
    assert run.payouts is not None
    found = [_judged(goal, run.payouts, moments, variant, deals) for goal in goals.figures]
    for fair in goals.fair:
        value = fair_of(fair).points(payout_vector(variant).astype(float))
        points = payout_vector(variant)[moments.payout_ids.index(fair.special)]
        interval = value.interval()
        half = steps[fair.special] / 2
        met = interval.low - half <= points <= interval.high + half
        found.append(Checked(fair.text, float(points), value.value, value.se, interval, bool(met)))
    return Check(seed, deals, tuple(found)), run.payouts


def played_figure(
    measure: Measure, played: Payouts, moments: Moments, variant: Variant, deals: int
) -> Estimate:
    """Return a figure of plain played deals, with its error."""
    if measure.kind in ("edge", "edge_per_player"):
        assert played.edge is not None
        opponents = 1 if measure.kind == "edge" else moments.experiment.players - 1
        return Estimate(played.edge.value / opponents, played.edge.se / opponents, deals)
    if measure.kind == "sd":
        seat = played.units[0]
        # Var(s²) ≈ (μ4 - σ⁴) / n; s = √s² (delta method)
        return Estimate(seat.sd, seat.sd * math.sqrt((seat.kurtosis + 2) / (4 * deals)), deals)
    v = payout_vector(variant).astype(float)
    flows = {name: line.flow.value for name, line in played.lines.items()}
    part = sum(flows[line] for line in measure.lines)
    scale = math.sqrt(moments.deals / deals)
    if measure.kind == "flow":
        return Estimate(part, moments.flow(v, measure.lines).se * scale, deals)
    if measure.kind == "share":
        share = part / sum(flows.values())
        return Estimate(share, moments.share_of_flow(v, measure.lines).se * scale, deals)
    share = sum(played.lines[line].share_of_variance for line in measure.lines)
    # seat 0 alone was played; counts of all seats tell more
    seats = math.sqrt(moments.experiment.counted_seats)
    error = moments.share_of_variance(v, measure.lines).se * scale * seats
    return Estimate(share, error, deals)


def _judged(goal: Goal, played: Payouts, moments: Moments, variant: Variant, deals: int) -> Checked:
    found = played_figure(goal.measure, played, moments, variant, deals)
    assert goal.target is not None
    interval = Estimate(found.value, math.hypot(found.se, goal.target_se), deals).interval()
    met = {
        "=": interval.contains(goal.target),
        "<=": interval.low <= goal.target,
        ">=": interval.high >= goal.target,
    }[goal.relation]
    known = math.isfinite(interval.low)  # an error that is not known proves nothing
    return Checked(
        goal.text, goal.target, found.value, found.se, Interval(*interval), met and known
    )

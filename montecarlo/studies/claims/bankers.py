"""Is the banker favoured? His edge in V7, V8 and V8b, and what the both-report rule costs him."""

from __future__ import annotations

from functools import lru_cache

from montecarlo.simulation.paired import Arm, PairedExperiment
from montecarlo.statistics.rounding import with_error
from montecarlo.studies.attribution import Attribution, attribute
from montecarlo.studies.claims.findings import Finding
from montecarlo.studies.claims.registry import computation
from montecarlo.studies.claims.schema import Claim
from montecarlo.studies.claims.signs import above_zero, below_zero
from montecarlo.studies.claims.skill import ONE_SIDED_95
from montecarlo.studies.compare import Comparison, compare, estimate_data, run_paired
from montecarlo.studies.paired_sums import PairedSums
from montecarlo.variants import load

SEED = 7
DEALS = 3 * 65536
"""So many that every part of the edge has a standard error below 0.002 units."""
BANKER_GAMES = ("baodao2", "hongkong", "hongkong_edge")


@computation("banker_edge")
def banker_edge(claim: Claim) -> Finding:
    """The banker's edge in each banker game, and which rule of V8b makes it.

    Each deal is played with every hand in the banker's place, all games on the same deals.
    """
    sums = edges(DEALS)
    found = {name: (sums.mean(i), sums.sd(i)) for i, name in enumerate(BANKER_GAMES)}
    split = edge_by_rule(DEALS)
    edge, sd = found["hongkong_edge"]
    interval = edge.interval()
    numbers = {name: load(name).number for name in BANKER_GAMES}
    shown = ", ".join(
        f"{numbers[name]} {with_error(e.value, e.se)}" for name, (e, _) in found.items()
    )
    parts = ", ".join(
        f"{part.rule}={part.after} {with_error(part.in_order.value, part.in_order.se)}"
        for part in split.parts
    )
    return Finding(
        (f"{with_error(edge.value, edge.se)} units a deal from three players",),
        f"Edge under equilibrium: {shown} units a deal. How slight is that? {edge.value / 3:.3f} "
        f"units a player; {100 * edge.value / sd:.0f} % of the standard deviation of a V8b deal "
        f"({sd:.2f}), so that luck hides it for {(ONE_SIDED_95 * sd / edge.value) ** 2:.0f} deals. "
        f"From a fair V8 ({with_error(split.start.value, split.start.se)}) to V8b, rule by rule, "
        f"settings held as in V8b: {parts}. Set as in V8 the edge would be "
        f"{with_error(split.held_first.value, split.held_first.se)}; that the players respond "
        f"changes it by {with_error(split.response.value, split.response.se)}.",
        intervals=(interval,),
        verdict=above_zero(interval),
        details={
            "edges": {
                name: {**estimate_data(e), "sd": sd, "per_player": e.value / 3}
                for name, (e, sd) in found.items()
            },
            "by_rule": split.to_data(),
            "deals": sums.deals,
            "seed": SEED,
        },
    )


@computation("both_report_cost")
def both_report_cost(claim: Claim) -> Finding:
    """V8's banker pays when both report, against "the higher takes" on the same deals."""
    found = cost_of_both_report(DEALS)
    cost = found.units.difference
    interval = cost.interval()
    return Finding(
        (f"{with_error(-cost.value, cost.se)} units a deal",),
        f"The banker's edge in V8 is {with_error(found.units.first.value, found.units.first.se)} "
        f"as it stands and {with_error(found.units.second.value, found.units.second.se)} where the "
        f"higher special takes: the difference on common deals is "
        f"{with_error(cost.value, cost.se)} units a deal. Settings are the same under both rules: "
        "declared hands are not set.",
        intervals=(interval,),
        verdict=below_zero(interval),
        details={"comparison": found.to_data()},
    )


@lru_cache(maxsize=4)
def edges(deals: int) -> PairedSums:
    """Play the banker games on common deals; arms in the order of `BANKER_GAMES`."""
    arms = tuple(Arm(load(name), ("equilibrium",) * 4) for name in BANKER_GAMES)
    experiment = PairedExperiment(arms, rotate=True)
    return PairedSums.of(experiment, run_paired(experiment, deals, SEED, 1, "edges")[1])


@lru_cache(maxsize=4)
def edge_by_rule(deals: int) -> Attribution:
    """Split V8b's edge among its rules, from V8 without its both-report rule, which is fair."""
    fair = load("hongkong", ["both_special=higher"])
    return attribute(fair, load("hongkong_edge"), deals=deals, seed=SEED, hold_policy=True)


@lru_cache(maxsize=4)
def cost_of_both_report(deals: int) -> Comparison:
    """Compare V8 with V8 where the higher of two specials takes."""
    as_it_is, higher = load("hongkong"), load("hongkong", ["both_special=higher"])
    return compare(as_it_is, higher, deals=deals, seed=SEED, rotate=True, hold_first=True)

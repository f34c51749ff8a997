"""Study: what the sources leave open, and how much each reading of it moves.

Every other reading that a variant's assumptions list is applied alone, and every two of them that
can hold together. How many hands are declared otherwise is counted exactly. What it does to payouts
is measured on common deals, settings held: the banker's edge where there is a banker; elsewhere
the edge is 0 by symmetry, and the spread (SD) of a seat's units and the flow tell. A reading that
changes the specials of few hands only is played in deals that are given such a hand, with its exact
chance as their weight. ``respond`` adds what remains when the players are trained for a reading.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from montecarlo.errors import BadInput, PolicyMismatch
from montecarlo.setting.policies import POLICIES
from montecarlo.setting.policy_files import find_policy
from montecarlo.simulation.many_runs import run_together
from montecarlo.simulation.paired import Arm
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.simulation.readings import ReadingsExperiment
from montecarlo.specials.many_lists import ListCounts, count_lists
from montecarlo.specials.suit_shapes import TOTAL_HANDS
from montecarlo.statistics.clustered import Estimate
from montecarlo.studies.ambiguity_result import (
    COMMON,
    EXACT,
    GIVEN,
    Ambiguity,
    MovedSpecial,
    PairMoves,
    Payouts,
    ReadingMoves,
    ranking_figure,
)
from montecarlo.studies.rare_readings import given_changes, given_plans, only_calls_hands_otherwise
from montecarlo.studies.reading_sums import FIGURES, ReadingSums, Weights
from montecarlo.studies.readings import Reading, other_readings, pairs_of, under
from montecarlo.studies.train import Report, train
from montecarlo.studies.trained import roles_of
from montecarlo.studies.tuning.response import settings_differ
from montecarlo.variants import Variant, load

DEALS = 250_000
RARE = 0.02
"""A reading that only calls hands otherwise, in a smaller share of deals, is given such hands."""

FEWEST_MET = 30
"""Common deals that both readings of a pair must change for their interaction to be told."""


def ambiguity(
    variant: Variant | str,
    *,
    deals: int = DEALS,
    seed: int | None = None,
    players: int = 4,
    policy: str = "equilibrium",
    jobs: int = 1,
    hold_policy: bool = False,
    respond: bool = False,
    report: Report | None = None,
) -> Ambiguity:
    """Tell how much every reading of a variant's assumptions moves, alone and in pairs.

    ``policy`` is one name for all seats; settings are those of the variant as it stands, and every
    special is declared. ``respond`` also plays each reading with an equilibrium of its own, which
    is trained where it is not there (minutes each; ``report`` is told). ``seed`` is drawn when not
    given. Raises BadInput for input that cannot be used, PolicyMismatch when the variant's
    equilibrium is not trained.
    """
    if isinstance(variant, str):
        variant = load(variant)
    if not 2 <= players <= 4:
        raise BadInput(f"players must be 2, 3 or 4, not {players}")
    if policy not in POLICIES:
        raise BadInput(f"ambiguity wants one policy for all seats: {', '.join(POLICIES)}")
    if deals < 2:
        raise BadInput(f"deals must be 2 or more, not {deals}")
    if respond and policy != "equilibrium":
        raise BadInput(f"{policy} does not respond to rules: leave out --respond or --policy")
    readings = other_readings(variant)
    pairs = pairs_of(readings)
    cases = [variant, *(under(variant, r) for r in [*((one,) for one in readings), *pairs])]
    counts = count_lists([case.rules for case in cases])
    names = (policy,) * players
    arms = [Arm(case, names, variant, hold_policy) for case in cases]
    answers = {}
    if respond:
        for place, case in enumerate(cases[1 : 1 + len(readings)], start=1):
            if _asks_for_other_settings(variant, case, players):
                _train(case, players, report)
                answers[place] = len(arms)
                arms.append(Arm(case, names))
    experiment = ReadingsExperiment(tuple(arms), _together(readings, pairs, len(arms)))
    seed = secrets.randbits(32) if seed is None else seed
    rare = {
        place: given_plans(arms[0], arms[place], seed=seed, branch=place)
        for place in range(1, 1 + len(readings))
        if only_calls_hands_otherwise(variant, cases[place])
        and 0 < players * counts[place].changed < RARE * TOTAL_HANDS
    }
    plans = [Plan(experiment, seed, deals), *(plan for own in rare.values() for plan in own)]
    with progress_bar(f"{variant.id}: readings", sum(plan.deals for plan in plans)) as advance:
        tally, *given = run_together(plans, jobs=jobs, advance=advance)
    given_of = iter(given)
    sums = ReadingSums.of(experiment, tally)
    figures = FIGURES if variant.banker else FIGURES[1:]

    def changes(weights: Weights) -> Payouts:
        return {figure: sums.contrast(figure, weights) for figure in figures}

    slopes = {figure: sums.slopes(figure, 0) for figure in figures}
    singles = []
    for place, reading in enumerate(readings, start=1):
        moved, method = changes({place: 1, 0: -1}), COMMON
        if place in rare:
            tallies = [next(given_of) for _ in rare[place]]
            moved, method = given_changes(rare[place], tallies, slopes), GIVEN
        elif counts[place].changed == 0 and only_calls_hands_otherwise(variant, cases[place]):
            moved, method = {figure: Estimate(0.0, 0.0, deals) for figure in figures}, EXACT
        answer = changes({answers[place]: 1, 0: -1}) if place in answers else None
        specials = _moved_specials(variant, counts[0], counts[place])
        singles.append(
            ReadingMoves(reading, counts[place].changed, specials, moved, method, answer)
        )
    place_of = {reading.id: place for place, reading in enumerate(readings, start=1)}
    doubles = []
    for both, pair in enumerate(pairs, start=1 + len(readings)):
        one, other = (place_of[reading.id] for reading in pair)
        seen = min(sums.changed[one], sums.changed[other]) >= FEWEST_MET
        together = changes({both: 1, one: -1, other: -1, 0: 1}) if seen else None
        if together and not any(found.se for found in together.values()):
            together = None  # no deal was met in which both matter
        doubles.append(PairMoves(pair, counts[both].changed, changes({both: 1, 0: -1}), together))
    figure = ranking_figure(variant)
    return Ambiguity(
        variant, policy, players, deals, seed, respond,
        {name: sums.contrast(name, {0: 1}) for name in figures},
        tuple(sorted(singles, key=lambda moves: -abs(moves.changes[figure].value))),
        tuple(sorted(doubles, key=lambda pair: -_strength(pair, figure))),
    )  # fmt: skip


def _together(
    readings: Sequence[Reading], pairs: Sequence[tuple[Reading, Reading]], arms: int
) -> tuple[tuple[int, int], ...]:
    """Return the pairs of arms that some contrast sets against each other, or an arm alone."""
    place = {reading.id: number for number, reading in enumerate(readings, start=1)}
    listed = [(0, 0)]
    for arm in range(1, arms):
        listed += [(arm, arm), (0, arm)]
    for both, (a, b) in enumerate(pairs, start=1 + len(readings)):
        one, other = place[a.id], place[b.id]
        listed += [(one, other), (one, both), (other, both)]
    return tuple(listed)


def _moved_specials(
    variant: Variant, before: ListCounts, after: ListCounts
) -> tuple[MovedSpecial, ...]:
    triples = zip(variant.specials, before.exclusive, after.exclusive, strict=True)
    return tuple(MovedSpecial(entry.id, old, new) for entry, old, new in triples if old != new)


def _strength(pair: PairMoves, figure: str) -> float:
    return abs(pair.interaction[figure].value) if pair.interaction is not None else -1.0


def _asks_for_other_settings(variant: Variant, other: Variant, players: int) -> bool:
    """Tell whether players would set their cards otherwise under other rules."""
    if (variant.wheel, variant.compare) != (other.wheel, other.compare):
        return bool(roles_of(variant))
    return settings_differ(variant, other, players)


def _train(variant: Variant, players: int, report: Report | None) -> None:
    """See that the equilibrium of some rules is there."""
    try:
        for role in roles_of(variant):
            find_policy(variant, role, players)
    except PolicyMismatch:
        train(variant, players=players, report=report)

"""Study: what the banker's seat is worth, which rule makes it so, and how long his money lasts.

All readings of the rules play the same deals, each with every hand in the banker's place, so what
a rule changes has an error of its own. Settings are held as they were trained for the variant, and
on request trained anew for each reading (the players respond). From a fair game to the variant's
own rules the change is split rule by rule (`studies.attribution`).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, get_args

from montecarlo.errors import BadInput, PolicyMismatch
from montecarlo.setting.policy_files import counts_players
from montecarlo.setting.training import Training
from montecarlo.simulation.paired import Arm, PairedExperiment
from montecarlo.statistics.clustered import Estimate
from montecarlo.studies.attribution import Attribution, attribute
from montecarlo.studies.compare import estimate_data, run_paired
from montecarlo.studies.paired_sums import PairedSums
from montecarlo.studies.results import Result
from montecarlo.studies.ruin import BANKROLLS, FEWEST_DEALS, RiskOfRuin, risk_of_ruin
from montecarlo.studies.settings import check_players
from montecarlo.studies.train import train
from montecarlo.studies.tuning.response import respond, settings_differ
from montecarlo.variants import Variant, load
from montecarlo.variants.schema import Compare, Tie

Report = Callable[[str], None]

RULES: dict[str, tuple[str, ...]] = {
    "tie": get_args(Tie),
    "compare": get_args(Compare),
    "both_special": ("higher", "banker_pays"),
}
"""Rules whose readings are played, one at a time."""

FAIR = {"tie": "draw", "compare": "grouped", "both_special": "higher"}
"""The reading of each rule that favours nobody."""

PLAYERS = (2, 3, 4)
POLICY = "equilibrium"


@dataclass(frozen=True)
class Reading:
    """The variant with one rule read in another way; ``change`` is from the variant's own rules."""

    rule: str
    value: str
    is_own: bool
    edge: Estimate
    sd: float
    change: Estimate
    response: Estimate | None
    """what setting for this reading changes for the banker, beside holding the settings"""

    def to_data(self) -> dict[str, Any]:
        """Return the reading as JSON data."""
        return {
            "rule": self.rule, "value": self.value, "own": self.is_own,
            "edge": estimate_data(self.edge), "sd": self.sd, "change": estimate_data(self.change),
            "response": estimate_data(self.response) if self.response else None,
        }  # fmt: skip


@dataclass(frozen=True)
class AtTable:
    """The variant with so many players at the table, the banker among them."""

    players: int
    edge: Estimate
    sd: float
    edge_per_player: Estimate
    difference: Estimate
    """edge per player less that at the largest table, on common deals"""

    def to_data(self) -> dict[str, Any]:
        """Return the table as JSON data."""
        return {
            "players": self.players, "edge": estimate_data(self.edge), "sd": self.sd,
            "edge_per_player": estimate_data(self.edge_per_player),
            "difference": estimate_data(self.difference),
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class BankerStudy(Result):
    """A banker's edge by rule and players, where it comes from, and his risk of ruin."""

    variant: Variant
    players: int
    deals: int
    seed: int
    retrained: bool
    edge: Estimate
    sd: float
    readings: tuple[Reading, ...]
    tables: tuple[AtTable, ...]
    steps: Attribution | None
    """from a fair game to the variant's rules; None where they are fair"""
    ruin: tuple[RiskOfRuin, ...]

    def to_data(self) -> dict[str, Any]:
        """Return the study as JSON data."""
        return {
            "variant": self.variant.id,
            "knobs": self.variant.knobs,
            "policy": POLICY,
            "players": self.players,
            "deals": self.deals,
            "seed": self.seed,
            "retrained": self.retrained,
            "edge": {**estimate_data(self.edge), "sd": self.sd},
            "readings": [reading.to_data() for reading in self.readings],
            "tables": [table.to_data() for table in self.tables],
            "steps": self.steps.to_data() if self.steps else None,
            "ruin": [risk.to_data() for risk in self.ruin],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a reading."""
        return [
            {
                "rule": reading.rule, "value": reading.value, "own": reading.is_own,
                "edge": reading.edge.value, "edge_se": reading.edge.se, "sd": reading.sd,
                "change": reading.change.value, "change_se": reading.change.se,
                "response": reading.response.value if reading.response else None,
                "response_se": reading.response.se if reading.response else None,
            }
            for reading in self.readings
        ]  # fmt: skip


def banker(
    variant: Variant | str,
    *,
    deals: int = 200_000,
    seed: int | None = None,
    players: int = 4,
    bankrolls: Sequence[int] = BANKROLLS,
    jobs: int = 1,
    hold_policy: bool = False,
    retrain: bool = False,
    training: Training | None = None,
    report: Report | None = None,
) -> BankerStudy:
    """Study the banker of a variant on ``deals`` common deals; bankrolls are in units.

    With ``retrain`` an equilibrium is trained for each reading that asks for other settings
    (minutes each; kept for next time), as ``training`` says. ``report`` is told of each round.
    ``seed`` is drawn when not given. Raises BadInput where there is no banker, PolicyMismatch when
    the variant's own equilibrium is not trained (unless ``hold_policy``).
    """
    if isinstance(variant, str):
        variant = load(variant)
    check_players(players)
    if not variant.banker:
        raise BadInput(f"{variant.id} has no banker: all pairs settle, and every seat is alike")
    if deals < FEWEST_DEALS:
        raise BadInput(f"{deals} deals tell nothing of ruin: {FEWEST_DEALS} or more")
    if min(bankrolls) < 1:
        raise BadInput("a bankroll holds 1 unit or more")
    seed = secrets.randbits(32) if seed is None else seed
    readings = _readings(variant)
    names = (POLICY,) * players
    own = Arm(variant, names, hold_policy=hold_policy)
    arms = [own, *(Arm(rules, names, variant, hold_policy) for _, _, rules in readings)]
    small = [count for count in PLAYERS if count < players]
    arms += [Arm(variant, names[:count], hold_policy=hold_policy) for count in small]
    first_trained = len(arms)
    if retrain:
        for _, _, rules in readings:
            _see_trained(rules, variant, players, training, report)
            arms.append(Arm(rules, names))
    experiment = PairedExperiment(tuple(arms), rotate=True)
    _, tally = run_paired(experiment, deals, seed, jobs, f"{variant.id}, banker")
    sums = PairedSums.of(experiment, tally)
    found = tuple(
        Reading(
            rule, value, rules is variant, sums.mean(place), sums.sd(place),
            sums.difference(place, 0),
            sums.difference(first_trained + place - 1, place) if retrain else None,
        )
        for place, (rule, value, rules) in enumerate(readings, start=1)
    )  # fmt: skip
    first_small = 1 + len(readings)
    places = [*range(first_small, first_small + len(small)), 0]
    tables = tuple(
        _at_table(sums, place, count, players)
        for place, count in zip(places, [*small, players], strict=True)
    )
    steps = None
    if any(getattr(variant, rule) != value for rule, value in FAIR.items()):
        fair = Variant(**{**_fields(variant), **FAIR})
        steps = attribute(
            fair, variant, deals=deals, seed=seed, players=players, jobs=jobs, hold_policy=True
        )
    ruin = tuple(
        risk_of_ruin(
            variant, players=table.players, deals=deals, seed=seed, bankrolls=bankrolls,
            policies=names[: table.players], edge=_best_edge(variant, table, tables[-1]),
            jobs=jobs, hold_policy=hold_policy,
        )
        for table in tables
    )  # fmt: skip
    return BankerStudy(
        variant, players, deals, seed, retrain, sums.mean(0), sums.sd(0), found, tables, steps, ruin
    )


def _readings(variant: Variant) -> list[tuple[str, str, Variant]]:
    """Return (rule, value, rules) for every reading of every rule; the variant's own as it is."""
    found = []
    for rule, values in RULES.items():
        for value in values:
            own = getattr(variant, rule) == value
            if rule == "both_special" and not variant.specials:
                continue
            changed = {rule: value, "knobs": {**variant.knobs, rule: value}}
            rules = variant if own else Variant(**{**_fields(variant), **changed})
            found.append((rule, value, rules))
    return found


def _fields(variant: Variant) -> dict[str, Any]:
    return {name: getattr(variant, name) for name in Variant.model_fields}


def _at_table(sums: PairedSums, place: int, players: int, most: int) -> AtTable:
    each = Fraction(1, players - 1)
    weights = {place: each}
    weights[0] = weights.get(0, Fraction(0)) - Fraction(1, most - 1)
    return AtTable(
        players,
        sums.mean(place),
        sums.sd(place),
        sums.contrast({place: each}),
        sums.contrast(weights),
    )


def _best_edge(variant: Variant, table: AtTable, largest: AtTable) -> Estimate:
    """Return the edge at a table, from the largest one where each player adds the same to it.

    Players settle with the banker only, so that is everywhere but where home runs count them.
    """
    if counts_players(variant):
        return table.edge
    share = (table.players - 1) / (largest.players - 1)
    return Estimate(share * largest.edge.value, share * largest.edge.se, largest.edge.deals)


def _see_trained(
    rules: Variant,
    variant: Variant,
    players: int,
    training: Training | None,
    report: Report | None,
) -> None:
    """See that an equilibrium for a reading is there: found, carried over, or trained."""
    try:
        Arm(rules, (POLICY,) * players).seats()
    except PolicyMismatch:
        if rules.compare == variant.compare and not settings_differ(rules, variant, players):
            respond(rules, variant, players, report)
        else:
            train(rules, players=players, training=training, report=report)

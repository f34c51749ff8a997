"""Statistics of a run by name: what a stop goal, a plan or the coverage study may speak of.

``special.ID`` is a probability, ``flow.LINE`` the units that change hands through a payout line;
`statistics_of` lists them all. Each is read from a tally with its error. Where too little was met
for an error to be trusted, the error is unknown (infinite): a rare thing that has not come yet is
not a thing that is known precisely.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

from montecarlo.errors import BadInput, nearest
from montecarlo.scoring.lines import categories_of, line_ids
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.simulation.payouts import PayoutExperiment
from montecarlo.simulation.tallies import Tally
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.intervals import Interval, normal_quantile
from montecarlo.studies.exact import ExactResult, exact
from montecarlo.studies.frequencies import FEWEST_FOR_NORMAL, SpecialFrequency, frequency
from montecarlo.studies.payouts import Payouts, payouts, sd_estimate
from montecarlo.variants import Variant
from montecarlo.variants.schema import ROWS

Simulated = FrequencyExperiment | PayoutExperiment


@dataclass(frozen=True)
class Measured:
    """A statistic's estimate and its 95 % interval."""

    estimate: Estimate
    interval: Interval

    @classmethod
    def of(cls, estimate: Estimate) -> Measured:
        """Return an estimate with its normal interval."""
        return cls(estimate, estimate.interval())


@dataclass(frozen=True)
class Figures:
    """What a tally tells, worked out when asked for."""

    experiment: Simulated
    tally: Tally
    counts: ExactResult

    @classmethod
    def of(cls, experiment: Simulated, tally: Tally) -> Figures:
        """Read a tally of an experiment."""
        return cls(experiment, tally, exact(experiment.variant))

    def special(self, special: str) -> SpecialFrequency:
        """Return the frequency of one special; ValueError for an id there is not."""
        place = [entry.id for entry in self.counts.specials].index(special)
        return frequency(self.tally, self.counts, place)

    @cached_property
    def payouts(self) -> Payouts:
        """What was played."""
        assert isinstance(self.experiment, PayoutExperiment)
        return payouts(self.experiment, self.tally)


@dataclass(frozen=True)
class Statistic:
    """A statistic that can be named."""

    name: str
    about: str
    read: Callable[[Figures], Measured]
    is_zero: bool = False
    """its true value is 0, by the symmetry of the seats"""


def statistics_of(experiment: Simulated) -> dict[str, Statistic]:
    """Return the statistics of an experiment, by name, in the order they are listed."""
    variant = experiment.variant
    found = [_special(entry.id, entry.zh, entry.en) for entry in variant.specials]
    if isinstance(experiment, PayoutExperiment):
        found += _of_seats(experiment) + _of_rates(variant) + _of_lines(experiment)
        found += _of_values(variant) + _of_rows(experiment)
    return {statistic.name: statistic for statistic in found}


def find_statistic(experiment: Simulated, name: str) -> Statistic:
    """Return a statistic by name; BadInput says why there is none, or which name is near."""
    known = statistics_of(experiment)
    if name in known:
        return known[name]
    reason = _reason_for_none(experiment, name)
    if reason:
        raise BadInput(f"{name} is null here: {reason}")
    raise BadInput(
        f"{experiment.variant.id} has no statistic '{name}'{nearest(name, known)} "
        "(--until help lists them)"
    )


def _reason_for_none(experiment: Simulated, name: str) -> str | None:
    """Say why a statistic that other runs know is null in this one."""
    variant = experiment.variant
    kind = name.partition(".")[0]
    played = ("edge", "edge_per_player", "units", "sd", "gun_rate", "home_run_rate", "ties",
              "flow", "net", "share", "value", "row")  # fmt: skip
    if isinstance(experiment, FrequencyExperiment) and kind in played:
        return "with --policy none nothing is played"
    if kind in ("edge", "edge_per_player") and not variant.banker:
        return f"{variant.id} has no banker"
    if kind in ("gun_rate", "home_run_rate", "ties", "row") and variant.format == "ladder":
        return f"{variant.id} compares no rows"
    line = name.partition(".")[2]
    if kind in ("flow", "net", "share") and line in _unpaid(variant):
        return f"{variant.id} pays nothing for it"
    return None


def _unpaid(variant: Variant) -> set[str]:
    """Return the sweep lines through which no unit can flow."""
    sweep = variant.sweep
    pays_gun = sweep.gun != "none" or sweep.gun_add > 0
    pays_run = sweep.home_run != "none" or sweep.home_run_add > 0
    return {line for line, pays in (("gun", pays_gun), ("home_run", pays_run)) if not pays}


def _special(special: str, zh: str, en: str) -> Statistic:
    def read(figures: Figures) -> Measured:
        entry = figures.special(special)
        se = entry.se
        if entry.method == "exact":  # too few for a normal error: that of the exact interval
            se = (entry.ci95.high - entry.ci95.low) / (2 * normal_quantile(0.95))
        return Measured(Estimate(entry.p, se, figures.tally.deals), entry.ci95)

    return Statistic(f"special.{special}", f"probability that a hand is declared {zh} {en}", read)


def _of_seats(experiment: PayoutExperiment) -> list[Statistic]:
    players, fair = experiment.players, _is_symmetric(experiment)
    found = []
    if experiment.variant.banker:
        found += [
            _normal("edge", "units the banker nets a deal", partial(_units, 0, 1)),
            _normal("edge_per_player", "the same, a player", partial(_units, 0, players - 1)),
        ]
    for seat in range(players):
        about = f"units seat {seat} nets a deal"
        found.append(_normal(f"units.seat{seat}", about, partial(_units, seat, 1), fair))
    for name, seat in (("sd", 0), *((f"sd.seat{seat}", seat) for seat in range(players))):
        about = f"standard deviation of seat {seat}'s units a deal"
        found.append(_normal(name, about, partial(_sd, seat)))
    return found


def _of_rates(variant: Variant) -> list[Statistic]:
    if variant.format == "ladder":
        return []
    return [
        _normal("gun_rate", "guns 打枪 per settled pair of ordinary hands", _gun_rate),
        _normal("home_run_rate", "share of deals with a home run 全垒打", _home_run_rate),
        *(
            _normal(f"ties.{row}", f"share of settled pairs whose {row} rows are equal",
                    partial(_ties, row))
            for row in ROWS
        ),
    ]  # fmt: skip


def _of_lines(experiment: PayoutExperiment) -> list[Statistic]:
    variant, fair = experiment.variant, _is_symmetric(experiment)
    lines = [line for line in line_ids(variant) if line not in _unpaid(variant)]
    flow = "units that change hands through the line, a deal"
    net = "units seat 0 nets through the line, a deal"
    share = "the line's share of the variance of seat 0's units"
    return [
        *(_normal(f"flow.{line}", flow, partial(_flow, line)) for line in lines),
        *(_normal(f"net.{line}", net, partial(_net, line), fair) for line in lines),
        *(_normal(f"share.{line}", share, partial(_share, line)) for line in lines),
    ]


def _of_values(variant: Variant) -> list[Statistic]:
    return [
        _normal(f"value.{entry.id}", f"units a deal brings the holder of {entry.zh} {entry.en}",
                partial(_value, place))
        for place, entry in enumerate(variant.specials)
    ]  # fmt: skip


def _of_rows(experiment: PayoutExperiment) -> list[Statistic]:
    if experiment.variant.format == "ladder":
        return []
    groups = list(experiment.groups())
    found = []
    for prefix, group in (("row", groups[0]), *((f"row.{group}", group) for group in groups)):
        for row in ROWS:
            for category in categories_of(row):
                about = f"share of the ordinary hands of {group} whose {row} is {category}"
                found.append(
                    _normal(
                        f"{prefix}.{row}.{category}", about, partial(_row, group, row, category)
                    )
                )
    return found


def _normal(
    name: str, about: str, read: Callable[[Figures], Estimate], is_zero: bool = False
) -> Statistic:
    return Statistic(name, about, lambda figures: Measured.of(read(figures)), is_zero)


def _is_symmetric(experiment: PayoutExperiment) -> bool:
    return not experiment.variant.banker and len(set(experiment.policies)) == 1


def _units(seat: int, among: int, figures: Figures) -> Estimate:
    found = figures.payouts.units[seat]
    return Estimate(found.mean / among, found.se / among, figures.tally.deals)


def _sd(seat: int, figures: Figures) -> Estimate:
    return sd_estimate(figures.payouts.units[seat], figures.tally.deals)


def _gun_rate(figures: Figures) -> Estimate:
    return _known(figures.payouts.gun_rate)


def _home_run_rate(figures: Figures) -> Estimate:
    return _known(figures.payouts.home_run_rate)


def _ties(row: str, figures: Figures) -> Estimate:
    return _known((figures.payouts.row_ties or {}).get(row))


def _row(group: str, row: str, category: str, figures: Figures) -> Estimate:
    return _known(figures.payouts.rows[group][row][category])


def _flow(line: str, figures: Figures) -> Estimate:
    return _known(figures.payouts.lines[line].flow)


def _net(line: str, figures: Figures) -> Estimate:
    found = figures.payouts.lines[line]
    return found.net if _is_known(found.flow) else _unknown(found.net)


def _share(line: str, figures: Figures) -> Estimate:
    found = figures.payouts.lines[line]
    share = Estimate(found.share_of_variance, found.share_se, figures.tally.deals)
    return share if _is_known(found.flow) else _unknown(share)


def _value(special: int, figures: Figures) -> Estimate:
    found = figures.payouts.values[special]
    if found.units is None:
        return Estimate(0.0, math.inf, figures.tally.deals)
    return found.units if found.holders >= FEWEST_FOR_NORMAL else _unknown(found.units)


def _is_known(estimate: Estimate) -> bool:
    """Tell whether a quantity that is at least 0 was met about 30 times.

    A sum of N equal payments has (value / se)² = N; of unequal ones it has less.
    """
    return estimate.value > 0 and estimate.value**2 >= FEWEST_FOR_NORMAL * estimate.se**2


def _known(estimate: Estimate | None) -> Estimate:
    assert estimate is not None, "statistics that are null are not listed"
    return estimate if _is_known(estimate) else _unknown(estimate)


def _unknown(estimate: Estimate) -> Estimate:
    return Estimate(estimate.value, math.inf, estimate.deals)

"""Study: what played deals bring. Reads the tally of `PayoutExperiment`, with errors per deal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from montecarlo.scoring.kernels import EVENTS
from montecarlo.scoring.lines import line_ids
from montecarlo.simulation.payouts import BANKER_SEAT, PayoutExperiment
from montecarlo.simulation.tallies import Tally
from montecarlo.statistics.clustered import Estimate, PairSums, PowerSums
from montecarlo.statistics.quantiles import Quantile, quantile
from montecarlo.variants.schema import CATEGORIES, HEAD_CATEGORIES, ROWS

TOP_SETUPS = 20
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


@dataclass(frozen=True)
class SeatUnits:
    """Units of one seat a deal."""

    mean: float
    se: float
    sd: float
    skewness: float
    kurtosis: float


@dataclass(frozen=True)
class Line:
    """One payout line: flow a deal, seat 0's net through it, its share of seat 0's variance."""

    flow: Estimate
    net: Estimate
    share_of_variance: float
    share_se: float


@dataclass(frozen=True)
class SpecialValue:
    """Units a deal brings the holder of a declared special."""

    id: str
    points: int
    holders: int
    units: Estimate | None


@dataclass(frozen=True)
class Setup:
    """A set-up (categories of head, middle, tail): share of ordinary hands, and units of it."""

    head: str
    middle: str
    tail: str
    p: float
    p_se: float
    units: Estimate


@dataclass(frozen=True)
class Payouts:
    """Everything a played run tells beyond frequencies."""

    units: tuple[SeatUnits, ...]
    edge: Estimate | None
    edge_sd: float | None
    gun_rate: Estimate | None
    home_run_rate: Estimate | None
    row_ties: Mapping[str, Estimate] | None
    rows: Mapping[str, Mapping[str, Mapping[str, Estimate]]]
    lines: Mapping[str, Line]
    values: tuple[SpecialValue, ...]
    setups: Mapping[str, tuple[Setup, ...]]
    distribution: Mapping[int, int]
    quantiles: tuple[Quantile, ...]
    """of seat 0's units a deal"""

    def to_data(self, players: int) -> dict[str, Any]:
        """Return the keys that a played run adds to design.md's ``simulate`` shape."""
        edge = None
        if self.edge is not None:
            edge = {
                "mean": self.edge.value, "se": _finite(self.edge.se), "sd": self.edge_sd,
                "per_player": self.edge.value / (players - 1),
                "per_player_se": _finite(self.edge.se / (players - 1)),
            }  # fmt: skip
        return {
            "units": {
                "mean": [seat.mean for seat in self.units],
                "se": [_finite(seat.se) for seat in self.units],
                "sd": [seat.sd for seat in self.units],
                "skewness": [seat.skewness for seat in self.units],
            },
            "edge": edge,
            "gun_rate": _proportion(self.gun_rate),
            "home_run_rate": _proportion(self.home_run_rate),
            "row_ties": None
            if self.row_ties is None
            else {row: _proportion(p) for row, p in self.row_ties.items()},
            "rows": {
                policy: {
                    row: {category: _proportion(p) for category, p in by_category.items()}
                    for row, by_category in by_row.items()
                }
                for policy, by_row in self.rows.items()
            },
            "lines": {
                name: {
                    "flow": line.flow.value,
                    "se": _finite(line.flow.se),
                    "net": line.net.value,
                    "net_se": _finite(line.net.se),
                    "share_of_variance": line.share_of_variance,
                    "share_se": _finite(line.share_se),
                }
                for name, line in self.lines.items()
            },
            "values": [
                {
                    "id": value.id,
                    "points": value.points,
                    "holders": value.holders,
                    "mean": value.units.value if value.units else None,
                    "se": _finite(value.units.se) if value.units else None,
                }
                for value in self.values
            ],
            "setups": {
                seat: [
                    {
                        "head": s.head, "middle": s.middle, "tail": s.tail, "p": s.p, "se": s.p_se,
                        "units": s.units.value, "units_se": _finite(s.units.se),
                    }
                    for s in setups
                ]
                for seat, setups in self.setups.items()
            },
            "distribution": {str(units): count for units, count in self.distribution.items()},
            "quantiles": [
                {"q": quantile.q, "units": quantile.value,
                 "ci95": [_finite(bound) for bound in quantile.interval]}
                for quantile in self.quantiles
            ],
        }  # fmt: skip


def payouts(experiment: PayoutExperiment, tally: Tally) -> Payouts:
    """Turn a tally into estimates; every error comes from totals a deal."""
    variant, deals = experiment.variant, tally.deals
    sums = _table(tally, "sums")
    units = tuple(_seat_units(deals, row) for row in sums)
    is_ladder = variant.format == "ladder"
    distribution = _distribution(tally)
    edge = Estimate(units[0].mean, units[0].se, deals) if variant.banker else None
    values = _table(tally, "values")
    return Payouts(
        units=units,
        edge=edge,
        edge_sd=units[0].sd if variant.banker else None,
        gun_rate=None if is_ladder else _event_ratio(tally, "guns"),
        home_run_rate=None if is_ladder else _event_mean(tally, "home_runs"),
        row_ties=None if is_ladder else {r: _event_ratio(tally, f"ties_{r}") for r in ROWS},
        rows={} if is_ladder else _rows(experiment, tally),
        lines=_lines(experiment, tally, sums[0]),
        values=tuple(
            SpecialValue(entry.id, entry.points, values[i][0], _value(deals, values[i]))
            for i, entry in enumerate(variant.specials)
        ),
        setups={} if is_ladder else _setups(experiment, tally),
        distribution=distribution,
        quantiles=tuple(quantile(distribution, q) for q in QUANTILES),
    )


def sd_estimate(seat: SeatUnits, deals: int) -> Estimate:
    """Return a standard deviation with its error, from the fourth moment.

    Source: Var(s²) ≈ σ⁴ (excess kurtosis + 2) / n, Cramér (1946), Mathematical Methods of
    Statistics, §27.4, and the delta method.
    """
    return Estimate(seat.sd, seat.sd / 2 * math.sqrt(max(seat.kurtosis + 2, 0) / deals), deals)


def _table(tally: Tally, name: str) -> list[list[int]]:
    rows, columns = tally.shape(name)
    flat = tally.integers(name)
    return [flat[i * columns : (i + 1) * columns] for i in range(rows)]


def _seat_units(deals: int, sums: list[int]) -> SeatUnits:
    power = PowerSums(deals, sums[0], sums[1], sums[2])
    estimate = power.estimate()
    sd = power.sd() if deals > 1 else 0.0
    mean = sums[0] / deals
    central = (
        sums[3] / deals - 4 * mean * sums[2] / deals + 6 * mean**2 * sums[1] / deals - 3 * mean**4
    )
    kurtosis = central / sd**4 - 3 if sd else 0.0
    return SeatUnits(estimate.value, estimate.se, sd, power.skewness(), kurtosis)


def _events(tally: Tally, name: str) -> tuple[int, list[int]]:
    place = EVENTS.index(name)
    return place, _table(tally, "events")[place]


def _event_ratio(tally: Tally, name: str) -> Estimate:
    """Events per settled pair of ordinary hands."""
    _, pairs = _events(tally, "ordinary_pairs")
    place, event = _events(tally, name)
    if pairs[0] == 0:
        return Estimate(0.0, math.inf, tally.deals)
    return PairSums(
        tally.deals, pairs[0], event[0], pairs[1], event[1], event[1 + place]
    ).ratio()  # column 0 is the sum, column 1 the product with pairs (event 0)


def _event_mean(tally: Tally, name: str) -> Estimate:
    place, event = _events(tally, name)
    return PowerSums(tally.deals, event[0], event[1 + place]).estimate()


def _rows(experiment: PayoutExperiment, tally: Tally) -> dict[str, dict[str, dict[str, Estimate]]]:
    flat = iter(tally.integers("rows"))
    ordinary = _table(tally, "ordinary")
    result: dict[str, dict[str, dict[str, Estimate]]] = {}
    for place, group in enumerate(experiment.groups()):
        total, squares = ordinary[place]
        by_row: dict[str, dict[str, Estimate]] = {}
        for row in ROWS:
            shares = {}
            for category in CATEGORIES:
                count, square, product = next(flat), next(flat), next(flat)
                if row == "head" and category not in HEAD_CATEGORIES:
                    continue
                pair = PairSums(tally.deals, total, count, squares, product, square)
                shares[category] = pair.ratio() if total else Estimate(0.0, math.inf, tally.deals)
            by_row[row] = shares
        result[group] = by_row
    return result


def _lines(experiment: PayoutExperiment, tally: Tally, seat0: list[int]) -> dict[str, Line]:
    deals = tally.deals
    variance = seat0[1] / deals - (seat0[0] / deals) ** 2
    result = {}
    flows, nets = _table(tally, "flows"), _table(tally, "nets")
    for name, flow, net in zip(line_ids(experiment.variant), flows, nets, strict=True):
        share = share_se = 0.0
        if variance > 0:
            covariance = net[2] / deals - net[0] / deals * seat0[0] / deals
            share = covariance / variance
            # linearised: the deal's part of (covariance - share · variance), means being near 0
            spread = (net[3] - 2 * share * net[4] + share**2 * seat0[3]) / deals
            share_se = math.sqrt(max(spread, 0.0) / deals) / variance
        result[name] = Line(
            PowerSums(deals, flow[0], flow[1]).estimate(),
            PowerSums(deals, net[0], net[1]).estimate(),
            share,
            share_se,
        )
    return result


def _value(deals: int, sums: list[int]) -> Estimate | None:
    holders, units, squares, product, units2 = sums
    if holders == 0:
        return None
    return PairSums(deals, holders, units, squares, product, units2).ratio()


def _setups(experiment: PayoutExperiment, tally: Tally) -> dict[str, tuple[Setup, ...]]:
    """Commonest set-ups of seat 0, and in banker games of the first player too."""
    flat = tally.integers("setups")
    size = len(flat) // experiment.players
    seats = {"banker": BANKER_SEAT, "player": 1} if experiment.variant.banker else {"seat 0": 0}
    result = {}
    for label, seat in seats.items():
        part = flat[seat * size : (seat + 1) * size]
        table = [part[i : i + 3] for i in range(0, size, 3)]
        total = sum(row[0] for row in table)
        commonest = sorted(range(len(table)), key=lambda i: (-table[i][0], i))[:TOP_SETUPS]
        result[label] = tuple(_setup(i, table[i], total) for i in commonest if table[i][0])
    return result


def _setup(number: int, sums: list[int], total: int) -> Setup:
    head, rest = divmod(number, 81)
    middle, tail = divmod(rest, 9)
    p = sums[0] / total
    return Setup(
        HEAD_CATEGORIES[head],
        CATEGORIES[middle],
        CATEGORIES[tail],
        p,
        math.sqrt(p * (1 - p) / total),
        PowerSums(sums[0], sums[1], sums[2]).estimate(),
    )


def _distribution(tally: Tally) -> dict[int, int]:
    counts = tally.integers("histogram")
    half = len(counts) // 2
    return {units - half: count for units, count in enumerate(counts) if count}


def _proportion(estimate: Estimate | None) -> dict[str, float | None] | None:
    if estimate is None:
        return None
    return {"p": estimate.value, "se": _finite(estimate.se)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

"""The programme against every table there is; what clashes; figures against differences."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from montecarlo.errors import BadInput
from montecarlo.simulation.counts import CountExperiment
from montecarlo.studies.moments import Moments
from montecarlo.studies.tuning.figures import LINEAR, Figure, estimate
from montecarlo.studies.tuning.goals import MEASURES, Measure
from montecarlo.studies.tuning.infeasible import MET, clash_of
from montecarlo.studies.tuning.points import PointTable
from montecarlo.studies.tuning.programme import (
    Demand,
    LinearRule,
    Programme,
    change_of,
    nearest_table,
    reachable,
    smallest_miss,
)
from montecarlo.studies.tuning.request import programme_of, read_request
from montecarlo.variants import load

FREE = ("special.six_pairs", "special.three_flushes", "row.tail.four")


class Quadratic:
    """v' Q v + c · v on the entries of three free lines."""

    def __init__(self, table, square, linear):
        """Take the coefficients of the three lines."""
        self.columns = np.argmax(table.directions, axis=0)
        self.square, self.linear = np.array(square, float), np.array(linear, float)

    def values(self, vectors):
        x = vectors[:, self.columns]
        return np.einsum("np,pq,nq->n", x, self.square, x) + x @ self.linear

    def gradient(self, v):
        x = v[self.columns]
        found = np.zeros(v.size)
        found[self.columns] = 2 * self.square @ x + self.linear
        return found


def programme(demands, rules=(), highest=8, steps=(1, 1, 1)):
    table = PointTable(load("hongkong"), FREE)
    return Programme(
        table, np.array(steps), np.zeros(3, int), np.full(3, highest), tuple(demands(table)), rules
    )


def demand(table, linear, low, high, square=None, scale=0.1):
    is_linear = square is None
    square = np.zeros((3, 3)) if is_linear else square
    return Demand("a", Quadratic(table, square, linear), low, high, scale, is_linear)


def best_of_all(found):
    """The least miss, then the least change, over every table in whole steps."""
    tables = np.array(
        list(
            product(
                *(
                    range(0, int(h) + 1, int(s))
                    for h, s in zip(found.highest, found.steps, strict=True)
                )
            )
        ),
        float,
    )
    for rule in found.rules:
        values = tables @ rule.coefficients
        tables = tables[(values >= rule.low) & (values <= rule.high)]
    if not len(tables):
        return None
    vectors = np.array([found.table.vector(t) for t in tables])
    miss = np.max([d.misses(vectors) / d.scale for d in found.demands], axis=0)
    order = np.lexsort((change_of(found, tables), np.round(miss, 6)))
    return miss[order[0]], change_of(found, tables[order[0]])


def test_linear_programmes_find_the_best_of_all_tables():
    draw = np.random.default_rng(3)
    for case in range(12):
        linear = draw.normal(size=3)
        low = float(draw.normal() * 4)
        found = programme(
            lambda table, a=linear, b=low: [demand(table, a, b, b + 0.05)],
            (LinearRule("r", np.array([1.0, -1.0, 0.0]), -1, np.inf),) * (case % 2),
            steps=(1, 1, 1) if case % 3 else (2, 1, 2),
        )
        solution = nearest_table(found)
        miss, change = best_of_all(found)
        # the programme may stop 1e-6 above the least miss
        assert solution.miss == pytest.approx(miss, abs=1e-4)
        assert float(change_of(found, solution.points)) == pytest.approx(change, rel=2e-4)


def test_curved_figures_are_met_as_well_as_by_any_table():
    draw = np.random.default_rng(4)
    met = 0
    for _ in range(6):
        root = draw.normal(size=(3, 3))
        target = float(draw.uniform(20, 300))
        found = programme(
            lambda table, q=root @ root.T, t=target: [
                demand(table, [0, 0, 0], t - 3, t + 3, q, scale=3)
            ]
        )
        miss, change = best_of_all(found)
        solution = nearest_table(found)
        assert solution.miss >= miss - 1e-6
        if miss == 0 and solution.miss == 0:
            met += 1
            assert float(change_of(found, solution.points)) >= change - 1e-9
        # a local search need not be the best of all, but it must come as near as one table in ten
        assert solution.miss <= miss + 1
    assert met >= 2


def test_what_can_be_reached_is_what_all_tables_reach():
    found = programme(
        lambda table: [
            demand(table, [1.5, -2.0, 0.25], 100, 100.1),
            demand(table, [1, 1, 1], 3, 9),
        ]
    )
    vectors = np.array([found.table.vector(t) for t in product(range(9), repeat=3)])
    vectors = vectors[found.demands[1].misses(vectors) == 0]
    values = found.demands[0].function.values(vectors)
    assert reachable(found, 0) == pytest.approx((values.min(), values.max()))
    alone = replace(found, demands=found.demands[:1])
    # at most 1.5 · 8 + 0.25 · 7: the tail's entry is an extra on top of a base of 1
    assert smallest_miss(alone).miss * 0.1 == pytest.approx(100 - 13.75, rel=1e-5)


def counted(name="hongkong", deals=20_000):
    experiment = CountExperiment(load(name), 4, ("greedy",) * 4)
    return Moments(experiment, experiment.tally_block(1, 0, deals), (1,))


def test_gradients_of_figures_are_their_differences():
    found = counted()
    v = found.vector()
    draw = np.random.default_rng(1)
    for kind in MEASURES:
        lines = tuple(line for line in found.lines if line.startswith("row.tail."))
        measure = Measure(kind, lines, kind)
        figure = Figure(found, measure)
        assert figure.value(v) == pytest.approx(
            estimate(found, measure, v).value, rel=1e-4, abs=1e-9
        )
        direction = draw.normal(size=v.size)
        step = 1e-5
        slope = (figure.value(v + step * direction) - figure.value(v - step * direction)) / (
            2 * step
        )
        assert figure.gradient(v) @ direction == pytest.approx(slope, rel=1e-5, abs=1e-8)
        if kind in LINEAR:
            assert np.array_equal(figure.gradient(v), figure.gradient(2 * v + 1))


def request_of(goals, free, **bounds):
    return read_request(load("hongkong"), goals, free, **bounds)


def no_fair(_fair):
    raise AssertionError("no fair goal was given")


def test_a_clash_names_what_clashes_and_nothing_else():
    found = counted()
    request = request_of(
        ["edge = 5", "special.six_pairs <= 9", "special.dragon >= special.six_pairs"],
        ["special.*", "row.tail.four"],
        highest=["special.*=13", "row.tail.four=6"],
    )
    asked = programme_of(request, found, no_fair, 20_000)
    assert smallest_miss(asked).miss > MET
    clash = clash_of(request, asked)
    assert clash.texts[0] == "edge = 5"
    assert "special.dragon >= special.six_pairs" not in clash.texts
    assert any("--max special.*=13" in text for text in clash.texts)
    assert "nearest" in clash.sentence
    # without any one of them the rest can be met
    loose = replace(asked, highest=np.full(len(asked.highest), 1_000_000))
    assert smallest_miss(loose).miss <= MET
    assert smallest_miss(replace(asked, demands=())).miss <= MET


def test_rules_that_contradict_each_other_clash_without_any_figure():
    request = request_of(["special.dragon >= 9", "special.dragon <= 8"], ["special.dragon"])
    asked = programme_of(request, counted(deals=2000), no_fair, 2000)
    assert nearest_table(asked) is None
    assert set(clash_of(request, asked).texts) == {"special.dragon >= 9", "special.dragon <= 8"}
    with pytest.raises(BadInput):
        request_of(["special.dragon >= 9"], ["special.six_pairs"], lowest=["-1"])

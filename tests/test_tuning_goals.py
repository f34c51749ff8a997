"""Tuning requests: names of points, goals in words, what is refused and why; rule files."""

import random

import numpy as np
import pytest

from montecarlo.errors import BadInput
from montecarlo.scoring.lines import payout_vector
from montecarlo.studies.exact import exact
from montecarlo.studies.tuning.goals import Goal, read_goals
from montecarlo.studies.tuning.points import PointTable, free_points, points_of, with_points
from montecarlo.studies.tuning.request import read_request
from montecarlo.variants import load
from montecarlo.variants.load import variant_files
from montecarlo.variants.write import rule_file

VARIANTS = tuple(variant_files())


@pytest.mark.parametrize("name", VARIANTS)
def test_points_are_linear_in_the_payout_vector_and_are_those_of_the_variant(name):
    variant = load(name)
    draw = random.Random(7)
    names = tuple(points_of(variant))
    for _ in range(20):
        free = tuple(n for n in names if draw.random() < 0.4) or names[:1]
        table = PointTable(variant, free)
        points = [draw.randrange(0, 30) for _ in free]
        changed = table.to_variant(points)
        assert np.array_equal(table.vector(points), payout_vector(changed))
        assert [points_of(changed)[n] for n in free] == points
        assert table.to_variant(table.present).play_sha256 == variant.play_sha256


def test_points_are_those_of_the_override_of_the_same_name():
    for name, line in (("hongkong", "row.middle.full_house"), ("taiwan", "row.tail.four"),
                       ("taiwan", "row.head.base"), ("hongkong", "row.tail.base")):  # fmt: skip
        variant = load(name)
        changed = with_points(variant, {line: 6})
        assert np.array_equal(payout_vector(changed), payout_vector(load(name, [f"{line}=6"])))


@pytest.mark.parametrize("name", VARIANTS)
def test_a_written_rule_file_loads_to_the_same_rules(name, tmp_path):
    path = tmp_path / "mine.toml"
    for overrides in ((), ("wheel=none", "stake=2.5", "fee_rate=0.05")):
        variant = load(name, overrides)
        path.write_text(rule_file(variant, ["a remark"]), encoding="utf-8")
        again = load(str(path))
        assert again.sha256 == variant.sha256
        assert again.play_sha256 == variant.play_sha256
        assert (again.sources, again.assumptions) == (variant.sources, variant.assumptions)


def test_a_star_frees_what_pays_something_of_its_own_a_full_name_anything():
    hongkong = load("hongkong")
    assert free_points(hongkong, ["row.middle.*"]).free == (
        "row.middle.base", "row.middle.full_house", "row.middle.four", "row.middle.straight_flush"
    )  # fmt: skip
    assert free_points(hongkong, ["row.middle.flush"]).free == ("row.middle.flush",)
    assert len(free_points(hongkong, ["special.*"]).free) == 7
    assert free_points(load("baibian"), ["tier.*"]).free == tuple(f"tier.{k}" for k in range(1, 8))


@pytest.mark.parametrize(
    ("text", "relation", "target", "kind"),
    [
        ("edge = 0.02", "=", 0.02, "edge"),
        ("0.5 >= edge_per_player", "<=", 0.5, "edge_per_player"),
        ("sd = same", "=", None, "sd"),
        ("share(special.*) = 30%", "=", 0.3, "share"),
        ("variance_share(row.tail.*, gun) < 0.2", "<=", 0.2, "variance_share"),
        ("flow>=2", ">=", 2.0, "flow"),
    ],
)
def test_goals_are_read(text, relation, target, kind):
    (goal,) = read_goals(load("hongkong"), [text]).figures
    assert isinstance(goal, Goal)
    assert (goal.relation, goal.target, goal.measure.kind) == (relation, target, kind)
    if kind == "share":
        assert all(line.startswith("special.") for line in goal.measure.lines)
    if kind == "variance_share":
        assert set(goal.measure.lines) >= {"gun", "row.tail.flush"}


def test_bounds_and_ratios_are_rules_of_points():
    hongkong = load("hongkong")
    rules = read_goals(hongkong, ["13 >= special.*"]).rules
    assert len(rules) == 7
    assert all(r.relation == "<=" and r.constant == 13 for r in rules)
    (ratio,) = read_goals(hongkong, ["special.dragon >= 3 * special.six_pairs"]).rules
    assert dict(ratio.coefficients) == {"special.dragon": 1, "special.six_pairs": -3}


def test_monotone_orders_every_pair_of_specials_by_their_exact_counts():
    taiwan = load("taiwan")
    rules = read_goals(taiwan, ["monotone(special.*)"]).rules
    counts = {f"special.{s.id}": s.exclusive for s in exact(taiwan).specials}
    asked = {(r.coefficients[0][0], r.coefficients[1][0]) for r in rules}
    wanted = {(a, b) for a in counts for b in counts if counts[a] < counts[b]}
    assert asked == wanted


REFUSED = [
    ("taiwan", ["edge = 0.02"], ["special.*"], "has no banker"),
    ("hongkong", ["edge = 0.02"], ["special.dragn"], "did you mean 'special.dragon'"),
    ("hongkong", ["share(special.dragn) = 0.1"], ["special.*"], "did you mean 'special.dragon'"),
    ("hongkong", ["egde = 0.02"], ["special.*"], "did you mean 'edge'"),
    ("hongkong", ["edge = much"], ["special.*"], "'much' is no number"),
    ("hongkong", ["special.dragn <= 3"], ["special.*"], "did you mean 'special.dragon'"),
    ("hongkong", ["monoton(special.*)"], ["special.*"], "did you mean 'monotone'"),
    ("hongkong", ["monotone(row.middle.*)"], ["row.middle.*"], "depends on how players set"),
    ("hongkong", ["edge = 0.02"], [], "nothing is free"),
    ("hongkong", [], ["special.*"], "no goal"),
    ("taiwan", ["sd = same"], ["gun"], "multiplies what rows pay"),
    ("hongkong", ["share = 0.2"], ["special.*"], "of which lines"),
    ("hongkong", ["fair(special.dragon)"], ["row.*"], "is not free"),
    ("hongkong", ["row.tail.four <= 3"], ["special.*"], "is not free"),
    ("baibian", ["fair(tier.1)"], ["tier.*"], "is a ladder"),
    ("hongkong", ["3 <= 4"], ["special.*"], "compares two numbers"),
]


@pytest.mark.parametrize(("name", "goals", "free", "reason"), REFUSED)
def test_what_cannot_be_meant_is_refused_with_the_reason(name, goals, free, reason):
    with pytest.raises(BadInput, match=reason.replace("(", r"\(")):
        read_request(load(name), goals, free)


def test_steps_and_bounds_are_for_all_lines_or_some():
    hongkong = load("hongkong")
    request = read_request(
        hongkong, ["edge = 0"], ["special.*", "row.tail.four"],
        steps=["special.*=2"], lowest=["1"], highest=["special.*=13", "special.dragon=20"],
    )  # fmt: skip
    of = dict(
        zip(
            request.table.free,
            zip(request.steps, request.lowest, request.highest, strict=True),
            strict=True,
        )
    )
    assert of["special.dragon"] == (2, 1, 20)
    assert of["special.six_pairs"] == (2, 1, 13)
    assert of["row.tail.four"] == (1, 1, 100)
    for option, word in (("steps", "0"), ("steps", "special.*=half"), ("highest", "special.x=3")):
        with pytest.raises(BadInput):
            read_request(hongkong, ["edge = 0"], ["special.*"], **{option: [word]})
    with pytest.raises(BadInput, match="above --max"):
        read_request(hongkong, ["edge = 0"], ["special.*"], lowest=["9"], highest=["3"])

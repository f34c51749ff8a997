"""A variant's scoring rules compiled to a few small arrays that the scoring kernels read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput
from montecarlo.scoring.lines import (
    categories_of,
    line_ids,
    line_of_special,
    payout_ids,
    payout_of_special,
)
from montecarlo.variants.schema import CATEGORIES, ROWS, SpecialEntry, Variant

Integers = NDArray[np.int64]

FORMATS = ("rows", "majority", "tail", "ladder")
FORMAT_ROWS, FORMAT_MAJORITY, FORMAT_TAIL, FORMAT_LADDER = range(4)

LINE_KINDS = ("special", "row", "majority", "tail", "gun", "home_run")
LINE_SPECIAL, LINE_ROW, LINE_MAJORITY, LINE_TAIL, LINE_GUN, LINE_HOME_RUN = range(6)

STRENGTHS = (
    "none",
    "suit",
    "straight_flush second",
    "straight_flush lowest",
    "straight_flush none",
    "four",
    "three",
    "pair",
)
"""What compares two declared specials of one id: see `montecarlo.scoring.holdings`."""

MOST_SPECIALS = 32
MOST_LINES = 64

LARGEST_UNITS = 1 << 53
"""Units of a deal stay far inside int64, and exact as a double."""


ScoringRules = np.void
"""One record of `RULES`: what the kernels know of a variant, made by `compile_scoring`."""

RULES = np.dtype(
    [
        ("format", np.int64),  # place in FORMATS
        ("banker_game", np.int64),  # 1: only pairs with the banker settle; 0: all pairs do
        ("tie_to_banker", np.int64),  # 1: the banker wins equal rows; other players draw them
        ("banker_pays", np.int64),  # 1: banker and player both special: the banker pays
        ("special_points", np.int64, MOST_SPECIALS),
        ("special_rank", np.int64, MOST_SPECIALS),  # lower is better
        ("special_strength", np.int64, MOST_SPECIALS),  # place in STRENGTHS; 0: equal rank draws
        ("row_base", np.int64, 3),  # units of head, middle, tail
        ("row_extra", np.int64, (3, 9)),  # on top of the base, by the winner's category
        ("majority", np.int64),
        ("gun_base", np.int64),  # a gun multiplies the base by this, the extras by the next
        ("gun_extra", np.int64),
        ("gun_add", np.int64),
        ("home_run_base", np.int64),  # a home run multiplies the base, as a gun left it, by this
        ("home_run_extra", np.int64),
        ("home_run_gun_add", np.int64),  # and what the gun adds by this
        ("home_run_add", np.int64),
        ("lines", np.int64),  # number of payout lines
        ("line_of_special", np.int64, MOST_SPECIALS),  # lines are places in line_ids
        ("line_of_row", np.int64, (3, 9)),  # -1 where a row cannot have the category or is not paid
        ("line_majority", np.int64),
        ("line_gun", np.int64),
        ("line_home_run", np.int64),
        ("line_kind", np.int64, MOST_LINES),  # place in LINE_KINDS
        ("line_row", np.int64, MOST_LINES),  # the row a line belongs to, -1 for none
        ("payouts", np.int64),  # number of payout parameters
        ("payout_of_special", np.int64, MOST_SPECIALS),  # payouts: places in payout_ids
        ("payout_of_base", np.int64, 3),
        ("payout_of_extra", np.int64, (3, 9)),
        ("payout_majority", np.int64),
        ("payout_gun_add", np.int64),
        ("payout_home_run_add", np.int64),
    ]
)
"""A record, not a tuple of arrays: kernels get one pointer and count no references."""


def compile_scoring(variant: Variant) -> ScoringRules:
    """Return the scoring rules of a variant.

    Raises BadInput for rules that cannot be scored: a gun or home run that pays in a game that is
    not scored by rows, an ``equal`` rule for a special that compares nothing, units too large.
    """
    sweep = variant.sweep
    _check_sweep(variant)
    lines = {name: index for index, name in enumerate(line_ids(variant))}
    columns = {name: index for index, name in enumerate(payout_ids(variant))}
    line_of_row, payout_of_extra = np.full((2, 3, len(CATEGORIES)), -1, dtype=np.int64)
    row_extra = np.zeros((3, len(CATEGORIES)), dtype=np.int64)
    for place, row in enumerate(ROWS):
        for category in categories_of(row):
            index = CATEGORIES.index(category)
            name = "tail" if (variant.format, row) == ("tail", "tail") else f"row.{row}.{category}"
            line_of_row[place, index] = lines.get(name, -1)
            payout_of_extra[place, index] = columns.get(f"row.{row}.{category}", -1)
            row_extra[place, index] = variant.row(row).extra_of(category)
    payout_of_base = [columns.get(f"row.{row}.base", -1) for row in ROWS]
    payout_of_base[2] = columns.get("tail", payout_of_base[2])
    specials = variant.specials
    values: dict[str, Any] = {
        "format": FORMATS.index(variant.format),
        "banker_game": int(variant.banker),
        "tie_to_banker": int(variant.tie == "banker"),
        "banker_pays": int(variant.both_special == "banker_pays"),
        "special_points": [entry.points for entry in specials],
        "special_rank": [entry.rank for entry in specials],
        "special_strength": [STRENGTHS.index(_strength(entry)) for entry in specials],
        "row_base": [variant.base_units(row) for row in ROWS],
        "row_extra": row_extra,
        "majority": variant.majority,
        "gun_base": sweep.gun_times if sweep.gun != "none" else 1,
        "gun_extra": sweep.gun_times if sweep.gun == "pair" else 1,
        "gun_add": sweep.gun_add,
        "home_run_base": sweep.home_run_times if sweep.home_run != "none" else 1,
        "home_run_extra": sweep.home_run_times if sweep.home_run == "pair" else 1,
        "home_run_gun_add": sweep.home_run_times if sweep.home_run == "pair" else 1,
        "home_run_add": sweep.home_run_add,
        "lines": len(lines),
        "line_of_special": [lines[line_of_special(variant, entry)] for entry in specials],
        "line_of_row": line_of_row,
        "line_majority": lines.get("majority", -1),
        "line_gun": lines.get("gun", -1),
        "line_home_run": lines.get("home_run", -1),
        "line_kind": [_line_kind(name) for name in lines],
        "line_row": [_line_row(name) for name in lines],
        "payouts": len(columns),
        "payout_of_special": [columns[payout_of_special(variant, e)] for e in specials],
        "payout_of_base": payout_of_base,
        "payout_of_extra": payout_of_extra,
        "payout_majority": columns.get("majority", -1),
        "payout_gun_add": columns.get("gun_add", -1),
        "payout_home_run_add": columns.get("home_run_add", -1),
    }
    rules: NDArray[np.void] = np.zeros(1, dtype=RULES)
    for name, value in values.items():
        target = rules[name][0]
        if isinstance(value, list):
            target[: len(value)] = value
        else:
            rules[name][0] = value
    record: ScoringRules = rules[0]
    _check_size(record)
    return record


def _line_kind(line: str) -> int:
    head = line.partition(".")[0]
    return LINE_KINDS.index("special" if head == "tier" else head)


def _line_row(line: str) -> int:
    parts = line.split(".")
    if parts[0] == "row":
        return [str(row) for row in ROWS].index(parts[1])
    return 2 if line == "tail" else -1


def _strength(entry: SpecialEntry) -> str:
    if entry.equal == "draw":
        return "none"
    kinds = {
        "has_straight_flush": f"straight_flush {entry.wheel}",
        "has_quads": "four",
        "has_triple": "three",
        "has_pair": "pair",
    }
    if entry.equal == "suit" and entry.predicate == "suited_dragon":
        return "suit"
    if entry.equal == "strength" and entry.predicate in kinds:
        return kinds[entry.predicate]
    raise BadInput(
        f"special '{entry.id}': equal = {entry.equal} has no meaning for {entry.predicate} "
        f"(suit: suited_dragon; strength: {', '.join(kinds)})"
    )


def _check_sweep(variant: Variant) -> None:
    sweep = variant.sweep
    pays = sweep.gun != "none" or sweep.home_run != "none" or sweep.gun_add or sweep.home_run_add
    if pays and variant.format != "rows":
        raise BadInput(
            f"{variant.id}: guns and home runs are paid only where rows are "
            f"(format = rows, not {variant.format}); leave gun, home_run and their adds out"
        )


def _check_size(rules: ScoringRules) -> None:
    """Raise BadInput unless the units of a deal fit; computed without overflow, in Python ints."""
    one = {name: rules[name].tolist() for name in RULES.names or ()}
    rows = sum(one["row_base"]) * max(one["gun_base"], 1) * max(one["home_run_base"], 1)
    extra = sum(max(abs(units) for units in row) for row in one["row_extra"])
    rows += extra * max(one["gun_extra"], 1) * max(one["home_run_extra"], 1)
    rows += one["gun_add"] * max(one["home_run_gun_add"], 1) + one["home_run_add"]
    largest = 3 * max(rows, one["majority"], *one["special_points"])
    if largest > LARGEST_UNITS:
        raise BadInput(
            f"payouts too large: one deal could bring {largest} units, at most 2**53 are counted"
        )

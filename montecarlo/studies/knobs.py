"""What ``--set`` can change in a variant: every knob, its present value, the values it takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

from montecarlo.specials.predicates import WHEELS, Option
from montecarlo.variants import Variant
from montecarlo.variants.schema import (
    CATEGORIES,
    HEAD_CATEGORIES,
    ROWS,
    Compare,
    RowName,
    Scope,
    Tie,
    Wheel,
)

NUMBER = "whole number, 0 or more"
SHARE = "number from 0 to 1"
AMOUNT = "number above 0 (banker games: one, or one a seat, separated by commas)"


@dataclass(frozen=True)
class Knob:
    """Something ``--set`` can change: its present value, and the values it takes."""

    name: str
    value: Any
    values: tuple[Any, ...] | str
    """All values, or in words what kind of number."""

    def to_data(self) -> dict[str, Any]:
        """Return the knob as JSON data."""
        values = self.values if isinstance(self.values, str) else list(self.values)
        return {"knob": self.name, "value": self.value, "values": values}


def available_knobs(variant: Variant) -> tuple[Knob, ...]:
    """Return every knob of a variant: rules of comparing, payouts, options of specials, money."""
    return tuple(_knobs(variant))


def _knobs(variant: Variant) -> Iterator[Knob]:
    yield Knob("wheel", variant.wheel, get_args(Wheel))
    if variant.format != "ladder":
        yield Knob("compare", variant.compare, get_args(Compare))
        ties = tuple(tie for tie in get_args(Tie) if variant.banker or tie != "banker")
        yield Knob("tie", variant.tie, ties)
        yield Knob("fouls", variant.fouls, ("lose_rows", "refused"))
    if variant.banker:
        yield Knob("both_special", variant.both_special, ("higher", "banker_pays"))
    if variant.format == "majority":
        yield Knob("majority", variant.majority, NUMBER)
    elif variant.format == "ladder":
        yield Knob("tier_points", variant.tier_points, NUMBER)
    elif variant.format == "tail":
        yield Knob("row.tail.base", variant.base_units("tail"), NUMBER)
    else:
        for row in ROWS:
            yield Knob(f"row.{row}.base", variant.base_units(row), NUMBER)
            for category in categories_of(row):
                units = variant.row_units(row, category)
                yield Knob(f"row.{row}.{category}", units, NUMBER)
        for name, value in variant.sweep.model_dump().items():
            yield Knob(name, value, get_args(Scope) if isinstance(value, str) else NUMBER)
    for entry in variant.specials:
        yield Knob(f"{entry.id}.points", entry.points, NUMBER)
        for option, value in entry.rule.options:
            if option not in ("low", "high"):
                yield Knob(f"{entry.id}.{option}", value, _option_values(option, value))
    money = variant.settlement
    yield Knob("stake", money.stake, AMOUNT)
    yield Knob("fee_rate", money.fee_rate, SHARE)
    yield Knob("fee_flat", money.fee_flat, "number, 0 or more")
    yield Knob("settle", money.settle, ("units", "pot"))


def _option_values(option: str, value: Option) -> tuple[Option, ...]:
    if isinstance(value, bool):
        return (True, False)
    return WHEELS if option == "wheel" else (13, 12)


def categories_of(row: RowName) -> tuple[str, ...]:
    """Return the categories a row can have, weakest first."""
    return HEAD_CATEGORIES if row == "head" else CATEGORIES

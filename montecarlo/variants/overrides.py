"""Overrides: ``knob=value``, ``SPECIAL.option=value``, ``row.ROW.CATEGORY=units``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

from montecarlo.errors import BadInput, nearest
from montecarlo.specials.predicates import PREDICATES, rule
from montecarlo.variants.schema import (
    CATEGORIES,
    HEAD_CATEGORIES,
    ROWS,
    Compare,
    Scope,
    Settlement,
    Sweep,
    Tie,
    Wheel,
)

_TOP_KNOBS = ("wheel", "compare", "tie", "both_special", "fouls", "majority", "tier_points")
_CHOICES: dict[str, tuple[str, ...]] = {
    "wheel": get_args(Wheel),
    "compare": get_args(Compare),
    "tie": get_args(Tie),
    "both_special": ("higher", "banker_pays"),
    "fouls": ("lose_rows", "refused"),
    "gun": get_args(Scope),
    "home_run": get_args(Scope),
    "settle": ("units", "pot"),
}
KNOBS = (*_TOP_KNOBS, *Sweep.model_fields, *Settlement.model_fields)
_FIXED_OPTIONS = ("low", "high")


def parse_override(text: str) -> tuple[str, Any]:
    """Split ``"knob=value"``; raises BadInput when there is no ``=`` or no name."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip() or not value.strip():
        raise BadInput(f"'{text}' is no setting: write knob=value, as in wheel=lowest")
    return key.strip(), parse_value(value.strip())


def parse_value(text: str) -> Any:
    """Read true/false, a whole number, a number, a comma list of numbers, or a word."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if "," in text:
        return [parse_value(part.strip()) for part in text.split(",")]
    for number in (int, float):
        try:
            return number(text.replace("_", ""))
        except ValueError:
            continue
    return text


def apply_overrides(data: dict[str, Any], pairs: Iterable[tuple[str, Any]]) -> None:
    """Change ``data`` (a filled rule file, in place) and note each override under ``knobs``.

    Raises BadInput for a knob the variant does not have or a value the knob cannot take.
    """
    noted: dict[str, Any] = {}
    for key, value in pairs:
        _apply(data, key, value)
        noted[key] = value
    data["knobs"] = noted


def _apply(data: dict[str, Any], key: str, value: Any) -> None:
    if key in _CHOICES and value not in _CHOICES[key]:
        raise BadInput(f"{key} must be one of {', '.join(_CHOICES[key])}, not '{value}'")
    if key in _TOP_KNOBS:
        data[key] = value
        if key == "wheel":
            data["specials"] = [{**entry, "wheel": value} for entry in data["specials"]]
        elif key == "tier_points":
            data["specials"] = [{**entry, "points": value} for entry in data["specials"]]
    elif key in Sweep.model_fields:
        data["sweep"] = {**data["sweep"], key: value}
    elif key in Settlement.model_fields:
        data["settlement"] = {**data["settlement"], key: value}
    elif key.startswith("row."):
        _apply_row(data, key, value)
    else:
        _apply_special(data, key, value)


def _apply_row(data: dict[str, Any], key: str, value: Any) -> None:
    parts = key.split(".")
    known = HEAD_CATEGORIES if "head" in parts else CATEGORIES
    if len(parts) != 3 or parts[1] not in ROWS or parts[2] not in (*known, "base"):
        lines = [f"row.{r}.{c}" for r in ROWS for c in (*CATEGORIES, "base")]
        raise BadInput(
            f"unknown line '{key}'{nearest(key, lines)} (row.ROW.CATEGORY or row.ROW.base)"
        )
    _, name, category = parts
    row = dict(data["rows"].get(name, {}))
    if category == "base":
        row["base"] = value
    else:
        row["units"] = {**row.get("units", {}), category: value}
        row["extra"] = {k: v for k, v in row.get("extra", {}).items() if k != category}
    data["rows"] = {**data["rows"], name: row}


def _apply_special(data: dict[str, Any], key: str, value: Any) -> None:
    name, dot, option = key.removeprefix("special.").rpartition(".")
    changed = False
    entries = []
    for entry in data["specials"]:
        named = name in (entry["id"], entry["predicate"])
        has = option in PREDICATES[entry["predicate"]].options and option not in _FIXED_OPTIONS
        if (named or not dot) and has:
            entry = _with_option(entry, option, value)
            changed = True
        elif named and option == "points":
            entry = {**entry, "points": value}
            changed = True
        entries.append(entry)
    if not changed:
        raise BadInput(_unknown(data, key, name, option))
    data["specials"] = entries


def _with_option(entry: dict[str, Any], option: str, value: Any) -> dict[str, Any]:
    rule(entry["predicate"], **{option: value})  # raises BadInput for a value it cannot take
    if option == "wheel":
        return {**entry, "wheel": value}
    return {**entry, "options": {**entry["options"], option: value}}


def _unknown(data: dict[str, Any], key: str, name: str, option: str) -> str:
    settable = list(KNOBS)
    for entry in data["specials"]:
        options = [o for o in PREDICATES[entry["predicate"]].options if o not in _FIXED_OPTIONS]
        settable += [f"{entry['id']}.{o}" for o in (*options, "points")] + options
    return f"{data['id']} has no knob '{key}'{nearest(key, settable)}"

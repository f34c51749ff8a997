"""`Variant` -> rule file: TOML that loads to the same rules."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from montecarlo.specials.predicates import PREDICATES
from montecarlo.variants.schema import ROWS, SpecialEntry, Variant

_PLAIN = (
    "id", "number", "zh", "en", "format", "banker", "wheel", "compare", "tie", "majority",
    "tier_points",
    "both_special", "fouls",
)  # fmt: skip


def rule_file(variant: Variant, remarks: Iterable[str] = ()) -> str:
    """Return a variant as the text of a rule file, complete in itself: no ``like``, no knobs.

    ``remarks`` are comment lines at its top. Loading it gives the same rules (`Variant.sha256`).
    """
    lines = [f"# {' '.join(remark.split())}" for remark in remarks]
    lines += [f"{key} = {_value(getattr(variant, key))}" for key in _PLAIN]
    for name in ROWS:
        row = variant.row(name)
        lines += ["", f"[rows.{name}]", f"base = {row.base}"]
        lines += [
            f"{k} = {_value(v)}" for k, v in (("extra", row.extra), ("units", row.units)) if v
        ]
    for table in ("sweep", "settlement"):
        data = getattr(variant, table).model_dump()
        lines += ["", f"[{table}]", *(f"{key} = {_value(value)}" for key, value in data.items())]
    for entry in variant.specials:
        lines += ["", "[[specials]]", *_special(variant, entry)]
    for source in variant.sources:
        lines += ["", "[[sources]]", f"file = {_value(source.file)}"]
        lines += [f"passage = {_value(source.passage)}"]
    for assumption in variant.assumptions:
        lines += ["", "[[assumptions]]", f"text = {_value(assumption.text)}"]
        lines += [f"readings = {_value(assumption.readings)}"] if assumption.readings else []
    return "\n".join(lines) + "\n"


def _special(variant: Variant, entry: SpecialEntry) -> list[str]:
    fields: dict[str, Any] = {"id": entry.id}
    known = PREDICATES[entry.predicate]
    if entry.predicate != entry.id:
        fields["predicate"] = entry.predicate
    if (entry.zh, entry.en) != (known.zh, known.en):
        fields |= {"zh": entry.zh, "en": entry.en}
    options: dict[str, Any] = dict(entry.options)
    if entry.wheel != variant.wheel:
        options["wheel"] = entry.wheel
    if options:
        fields["options"] = options
    fields |= {"points": entry.points, "rank": entry.rank, "equal": entry.equal}
    if entry.tier is not None:
        fields["tier"] = entry.tier
    return [f"{key} = {_value(value)}" for key, value in fields.items()]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(v)}" for key, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    # a JSON string is a TOML basic string, but for the delete character
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

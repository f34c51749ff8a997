"""Rule files -> `Variant`: read TOML, fill in defaults, apply ``knob=value`` overrides, validate.

Every mistake in a rule file gives one line with the file, the key and what would be right.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from montecarlo.errors import BadInput, nearest
from montecarlo.specials.predicates import PREDICATES, rule
from montecarlo.variants.overrides import apply_overrides, parse_override
from montecarlo.variants.schema import (
    Row,
    Rows,
    Settlement,
    Source,
    SpecialEntry,
    Sweep,
    Variant,
)

FOLDER = Path(__file__).parent
LARGEST_FILE = 1_000_000

_DEFAULTS: Mapping[str, Any] = {
    "banker": False,
    "wheel": "second",
    "compare": "grouped",
    "tie": "draw",
    "majority": 0,
    "tier_points": 0,
    "rows": {},
    "sweep": {},
    "specials": [],
    "both_special": "higher",
    "fouls": "lose_rows",
    "settlement": {},
    "sources": [],
    "assumptions": [],
}


@lru_cache(maxsize=1)
def variant_files() -> Mapping[str, Path]:
    """Return the shipped rule files by variant id, in the rulebook's order (V1 … V12)."""
    files = {path.stem: path for path in FOLDER.glob("*.toml")}
    return dict(sorted(files.items(), key=lambda item: _number_key(_read(item[1])["number"])))


def all_variants() -> tuple[Variant, ...]:
    """Return the shipped variants in the rulebook's order."""
    return tuple(load(name) for name in variant_files())


def load(name: str, overrides: Iterable[str | tuple[str, Any]] = ()) -> Variant:
    """Return the variant of an id (``taiwan``), a number (``V9``) or a TOML file's path.

    ``overrides`` are ``"knob=value"`` texts or (knob, value) pairs, applied in order.
    Raises BadInput for an unknown name, knob or value, and for a file that is not right.
    """
    path, data = _find(str(name))
    if path.parent == FOLDER:
        path = Path(path.stem)  # a shipped variant is named, not located, in messages
    full = _fill(data, path)
    pairs = [parse_override(item) if isinstance(item, str) else item for item in overrides]
    apply_overrides(full, pairs)
    return _validate(full, path)


def _find(name: str) -> tuple[Path, dict[str, Any]]:
    files = variant_files()
    if name in files:
        return files[name], _read(files[name])
    for path in files.values():
        data = _read(path)
        if name.lower() == str(data["number"]).lower():
            return path, data
    if name.endswith(".toml") or "/" in name:
        return Path(name), _read(Path(name))
    known = [*files, *(str(_read(path)["number"]) for path in files.values())]
    raise BadInput(
        f"unknown variant '{name}'{nearest(name, known)} "
        "(`montecarlo variants` lists them; a rule file is given by its path, ending in .toml)"
    )


def _number_key(number: str) -> tuple[int, str]:
    match = re.fullmatch(r"V(\d+)(\w*)", number)
    return (int(match[1]), match[2]) if match else (99, number)


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise BadInput(f"{path}: larger than {LARGEST_FILE} bytes, that is no rule file")
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise BadInput(f"{path}: no such rule file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read as a rule file ({_one_line(error)})") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: not valid TOML: {_one_line(error)}") from None
    like = data.pop("like", None)
    if like is None:
        return data
    if like not in {p.stem for p in FOLDER.glob("*.toml")} or like == path.stem:
        known = [p.stem for p in FOLDER.glob("*.toml")]
        raise BadInput(f"{path}: like = {like!r} is no shipped variant{nearest(str(like), known)}")
    return _read(FOLDER / f"{like}.toml") | data


def _fill(data: dict[str, Any], path: Path) -> dict[str, Any]:
    for key in data:
        if key not in Variant.model_fields or key == "knobs":
            raise BadInput(f"{path}: unknown key '{key}'{nearest(key, Variant.model_fields)}")
    for key in ("id", "number", "zh", "en", "format"):
        if key not in data:
            raise BadInput(f"{path}: '{key}' is missing")
    full = {**_DEFAULTS, **data}
    for key, default in _DEFAULTS.items():
        if isinstance(default, (dict, list)) and not isinstance(full[key], type(default)):
            shape = "[[…]] list" if isinstance(default, list) else "[…] table"
            raise BadInput(f"{path}: '{key}' must be a {shape}")
    full["specials"] = [
        _fill_special(entry, place, full, path) for place, entry in enumerate(full["specials"], 1)
    ]
    return full


def _fill_special(entry: Any, place: int, data: dict[str, Any], path: Path) -> dict[str, Any]:
    where = f"{path}: special {place}"
    if not isinstance(entry, dict):
        raise BadInput(f"{where}: must be a [[specials]] table")
    known = [key for key in SpecialEntry.model_fields if key != "wheel"]
    for key in entry:
        if key not in known:
            raise BadInput(f"{where}: unknown key '{key}'{nearest(key, known)}")
    name = str(entry.get("predicate", entry.get("id", "")))
    if name not in PREDICATES:
        raise BadInput(f"{where}: unknown special '{name}'{nearest(name, PREDICATES)}")
    filled = {
        "id": name,
        "predicate": name,
        "zh": PREDICATES[name].zh,
        "en": PREDICATES[name].en,
        "rank": entry.get("tier", place),
        "wheel": data["wheel"],
        **entry,
    }
    if "points" not in filled:
        if data["format"] != "ladder":
            raise BadInput(f"{where} ({filled['id']}): 'points' is missing")
        filled["points"] = data["tier_points"]
    if data["format"] == "ladder" and "tier" not in entry:
        raise BadInput(f"{where} ({filled['id']}): 'tier' is missing (format = ladder)")
    options = filled.get("options", {})
    if not isinstance(options, dict):
        raise BadInput(f"{where} ({filled['id']}): 'options' must be a table")
    if "wheel" in options:
        filled["wheel"] = options["wheel"]
    try:
        checked = rule(name, **options)
    except BadInput as error:
        raise BadInput(f"{where} ({filled['id']}): {error}") from None
    filled["options"] = {k: v for k, v in checked.options if k != "wheel"}
    return filled


def _validate(full: dict[str, Any], path: Path) -> Variant:
    try:
        return Variant.model_validate_json(json.dumps(full, ensure_ascii=False))
    except TypeError as error:
        raise BadInput(f"{path}: {_one_line(error)}") from None
    except ValidationError as error:
        raise BadInput(f"{path}: {_explain(error)}") from None


def _explain(error: ValidationError) -> str:
    """Turn pydantic's first complaint into one line with the key and the nearest right name."""
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"] if part not in ("float", "tuple"))
    if first["type"] == "extra_forbidden":
        last = str(first["loc"][-1])
        models = (Variant, SpecialEntry, Sweep, Settlement, Row, Rows, Source)
        known = {name for model in models for name in model.model_fields}
        return f"unknown key '{key}'{nearest(last, known)}"
    if first["type"] == "missing":
        return f"'{key}' is missing"
    message = str(first["msg"]).removeprefix("Value error, ")
    return f"{key}: {message}" if key else message


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())

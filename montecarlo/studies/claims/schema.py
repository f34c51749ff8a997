"""The shape of a claim file, and reading ``data/claims/*.toml``.

Claim files are data: nothing in them is executed, and what is computed never stands in them.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from montecarlo.data_files import data_path
from montecarlo.errors import BadInput, nearest
from montecarlo.variants.schema import CATEGORIES

Unit = Literal[
    "one_in", "count", "percent", "units", "points", "coins", "mean", "ratio", "category", "text"
]
Relation = Literal["equal", "at_least", "at_most"]
Method = Literal["exact", "arithmetic", "simulation"]

LARGEST_FILE = 100_000
_NUMBER = r"^-?\d[\d,]*(\.\d+)?$"


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Figure(_Data):
    """One figure of a claim as it was published: a number and its unit, a row category, a text."""

    value: str
    unit: Unit
    name: str = ""
    relation: Relation = "equal"
    quoted_to: Annotated[str | None, Field(pattern=_NUMBER)] = None
    """The size of the last digit that was meant: ``"100"`` for "about 9,500". If not given, the
    last digit written."""

    @model_validator(mode="after")
    def _readable(self) -> Figure:
        if self.unit == "category":
            if self.value not in CATEGORIES:
                hint = nearest(self.value, CATEGORIES)
                raise ValueError(f"value: '{self.value}' is no row category{hint}")
        elif self.unit != "text" and not re.match(_NUMBER, self.value):
            raise ValueError(f"value: '{self.value}' is no number (unit = {self.unit})")
        return self

    @property
    def is_number(self) -> bool:
        """True unless the figure is a row category or a text."""
        return self.unit not in ("category", "text")

    @property
    def number(self) -> Fraction:
        """The published number, exactly; for a category its place from weak to strong."""
        if self.unit == "category":
            return Fraction(CATEGORIES.index(self.value))
        return Fraction(self.value.replace(",", ""))

    @property
    def decimals(self) -> int:
        """Digits after the point, as published."""
        return len(self.value.partition(".")[2]) if self.is_number else 0

    @property
    def half_step(self) -> Fraction:
        """Half a unit of the last digit that was meant: what rounding may have taken."""
        if not self.is_number:
            return Fraction(0)
        if self.quoted_to is not None:
            return Fraction(self.quoted_to.replace(",", "")) / 2
        return Fraction(1, 2 * 10**self.decimals)


class Claim(_Data):
    """A published figure, or a few that belong together, under test."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    source: str
    """File name of a source text, or a publication."""
    passage: str
    zh: str
    en: str
    definition: str
    method: Method
    computation: str
    """Name of a function of `registry`."""
    figures: Annotated[tuple[Figure, ...], Field(min_length=1)]


def claims_folder() -> Path:
    """Return the folder of the shipped claim files."""
    return data_path("claims")


def load_claims(folder: Path | None = None) -> Mapping[str, Claim]:
    """Return all claims of a folder by id, in order of file name.

    Raises BadInput, one line with file and key, for a file that is not right.
    """
    folder = folder or claims_folder()
    claims: dict[str, Claim] = {}
    for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem):
        claim = read_claim(path)
        if claim.id != path.stem:
            raise BadInput(f"{path}: id = '{claim.id}' must be the file's name, '{path.stem}'")
        claims[claim.id] = claim
    if not claims:
        raise BadInput(f"{folder}: no claim files (*.toml) there")
    return claims


def read_claim(path: Path) -> Claim:
    """Return the claim of one file; raises BadInput as `load_claims`."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise BadInput(f"{path}: larger than {LARGEST_FILE} bytes, that is no claim file")
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        return Claim.model_validate_json(json.dumps(data, ensure_ascii=False))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: not valid TOML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        raise BadInput(f"{path}: {_explain(error)}") from None
    except (OSError, UnicodeDecodeError, TypeError) as error:
        text = " ".join(str(error).split())
        raise BadInput(f"{path}: cannot be read as a claim file ({text})") from None


def _explain(error: ValidationError) -> str:
    errors = error.errors(include_url=False)
    # a misspelt key is both unknown and missing: the first says more
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    key = ".".join(str(part + 1 if isinstance(part, int) else part) for part in first["loc"])
    known = Figure.model_fields if first["loc"][0] == "figures" else Claim.model_fields
    if first["type"] == "extra_forbidden":
        return f"unknown key '{key}'{nearest(str(first['loc'][-1]), known)}"
    if first["type"] == "missing":
        return f"'{key}' is missing"
    if first["type"] == "string_type" and first["loc"][-1] in ("value", "quoted_to"):
        return f'{key}: put the number between quotes, its digits count (as in "9.050372")'
    message = str(first["msg"]).removeprefix("Value error, ")
    if first["type"] == "literal_error":
        return f"{key}: {message}{nearest(str(first['input']), _choices(first))}"
    return f"{key}: {message}"


def _choices(first: object) -> list[str]:
    context = first["ctx"] if isinstance(first, dict) else {}
    return re.findall(r"'([^']+)'", str(context.get("expected", "")))

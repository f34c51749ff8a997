"""The shape of a rule file: what a variant is, as frozen, validated data.

Rule files are data: TOML read with the standard library and checked here; nothing in them is
executed. Rulebook §3 is the source of every field.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from montecarlo.specials.predicates import PREDICATES, Rule, rule

Format = Literal["rows", "majority", "tail", "ladder"]
Wheel = Literal["second", "lowest", "none"]
Compare = Literal["grouped", "cards", "top_card"]
Tie = Literal["draw", "suit_baodao", "suit_top_card", "banker"]
Scope = Literal["none", "base", "pair"]
RowName = Literal["head", "middle", "tail"]

ROWS: tuple[RowName, ...] = ("head", "middle", "tail")
CATEGORIES = (
    "high_card", "pair", "two_pairs", "three", "straight",
    "flush", "full_house", "four", "straight_flush",
)  # fmt: skip
HEAD_CATEGORIES = ("high_card", "pair", "three")
CATEGORIES_ZH = {
    "high_card": "乌龙", "pair": "一对", "two_pairs": "两对", "three": "三条", "straight": "顺子",
    "flush": "同花", "full_house": "葫芦", "four": "铁支", "straight_flush": "同花顺",
}  # fmt: skip
ROWS_ZH = {"head": "头墩", "middle": "中墩", "tail": "尾墩"}

Points = Annotated[int, Field(ge=0, le=1_000_000)]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Source(_Data):
    """A passage of a source text that a rule is read from."""

    file: str
    passage: str


class Assumption(_Data):
    """What the sources leave open, and the other readings as ``--set`` expressions."""

    text: str
    readings: tuple[str, ...] = ()


class Row(_Data):
    """Units of a row: ``base``, and by the winner's category ``extra`` on top or ``units`` in all.

    ``units`` replaces the base for a category, ``extra`` adds to it; a category has one of them.
    """

    base: Points = 0
    extra: dict[str, Points] = {}
    units: dict[str, Points] = {}

    @model_validator(mode="after")
    def _one_of_both(self) -> Row:
        both = set(self.extra) & set(self.units)
        if both:
            raise ValueError(f"{sorted(both)[0]} stands under both extra and units: keep one")
        return self

    def extra_of(self, category: str) -> int:
        """Units that a win with ``category`` brings on top of the base (may be negative)."""
        if category in self.units:
            return self.units[category] - self.base
        return self.extra.get(category, 0)


class Rows(_Data):
    """The three rows' units."""

    head: Row = Row()
    middle: Row = Row()
    tail: Row = Row()

    @model_validator(mode="after")
    def _known_categories(self) -> Rows:
        for name in ROWS:
            known = HEAD_CATEGORIES if name == "head" else CATEGORIES
            row: Row = getattr(self, name)
            for category in (*row.extra, *row.units):
                if category not in known:
                    raise ValueError(
                        f"{name}: unknown category '{category}' (has: {', '.join(known)})"
                    )
        return self


class Sweep(_Data):
    """Gun 打枪 and home run 全垒打: what each multiplies (nothing, base, whole pair) and adds."""

    gun: Scope = "none"
    gun_times: Points = 2
    gun_add: Points = 0
    home_run: Scope = "none"
    home_run_times: Points = 2
    home_run_add: Points = 0


class SpecialEntry(_Data):
    """One special a variant knows: a predicate with options, its points and its rank."""

    id: str
    predicate: str
    zh: str
    en: str
    options: dict[str, bool | int | str] = {}
    points: Points
    rank: int
    equal: Literal["draw", "suit", "strength"] = "draw"
    tier: int | None = None
    wheel: Wheel = "second"

    @property
    def rule(self) -> Rule:
        """The predicate with all options fixed; a wheel option follows the variant's wheel."""
        options = dict(self.options)
        if "wheel" in PREDICATES[self.predicate].options:
            options["wheel"] = self.wheel
        return rule(self.predicate, **options)


class Settlement(_Data):
    """From units to money: stake (one, or one a seat in banker games), fees, units or pot."""

    stake: float | tuple[float, ...] = 1
    fee_rate: Annotated[float, Field(ge=0, le=1)] = 0
    fee_flat: Annotated[float, Field(ge=0)] = 0
    settle: Literal["units", "pot"] = "units"

    @field_validator("stake")
    @classmethod
    def _positive(cls, value: float | tuple[float, ...]) -> float | tuple[float, ...]:
        for stake in value if isinstance(value, tuple) else (value,):
            if not 0 < stake < float("inf"):
                raise ValueError(f"stake must be above 0, not {stake}")
        return value


class Variant(_Data):
    """One rule variant, complete and resolved: all knobs applied, all defaults filled in."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    number: str
    zh: str
    en: str
    format: Format
    banker: bool
    wheel: Wheel
    compare: Compare
    tie: Tie
    majority: Points
    tier_points: Points
    rows: Rows
    sweep: Sweep
    specials: tuple[SpecialEntry, ...]
    both_special: Literal["higher", "banker_pays"]
    fouls: Literal["lose_rows", "refused"]
    settlement: Settlement
    sources: tuple[Source, ...]
    assumptions: tuple[Assumption, ...]
    knobs: dict[str, Any] = {}

    @model_validator(mode="after")
    def _consistent(self) -> Variant:
        ids = [entry.id for entry in self.specials]
        for name in ids:
            if ids.count(name) > 1:
                raise ValueError(f"special '{name}' stands twice: ids must differ")
        if len(ids) > 32:
            raise ValueError(f"{len(ids)} specials: at most 32 are possible")
        ranks = [entry.rank for entry in self.specials]
        if ranks != sorted(ranks):
            raise ValueError("specials must be listed from the highest rank to the lowest")
        if self.both_special == "banker_pays" and not self.banker:
            raise ValueError("both_special = banker_pays needs banker = true")
        if isinstance(self.settlement.stake, tuple) and not self.banker:
            raise ValueError("stakes by seat need a banker game: give one stake")
        return self

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The specials' predicates in order of rank."""
        return tuple(entry.rule for entry in self.specials)

    def __hash__(self) -> int:
        return hash(self.sha256)

    @cached_property
    def sha256(self) -> str:
        """Hash of everything that decides results (not of sources, assumptions or knob names)."""
        return _digest(self.model_dump(mode="json", exclude={"sources", "assumptions", "knobs"}))

    @cached_property
    def play_sha256(self) -> str:
        """Hash of what a trained policy depends on: no names, stakes or fees."""
        data = self.model_dump(
            mode="json",
            exclude={"id", "number", "zh", "en", "sources", "assumptions", "knobs", "settlement"},
        )
        for entry in data["specials"]:
            del entry["zh"], entry["en"]
        data["rows"] = {
            name: {c: self.row_units(name, c) for c in CATEGORIES} | {"base": self.base_units(name)}
            for name in ROWS
        }
        return _digest(data)

    def row(self, name: RowName) -> Row:
        """The units of one row."""
        row: Row = getattr(self.rows, name)
        return row

    def base_units(self, name: RowName) -> int:
        """Units of winning a row, extras apart."""
        return self.row(name).base

    def row_units(self, name: RowName, category: str) -> int:
        """Units of winning a row with a category, base and extra, unmultiplied."""
        row = self.row(name)
        return row.base + row.extra_of(category)

    @classmethod
    def load(cls, name: str, overrides: tuple[str, ...] | list[str] = ()) -> Variant:
        """Load by id, V-number or TOML path, with ``knob=value`` overrides (see `load.load`)."""
        from montecarlo.variants.load import load

        return load(name, overrides)


def _digest(data: object) -> str:
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()

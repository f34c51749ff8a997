"""Study: a variant's rule sheet. What it pays for, what it rests on, what can be changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from montecarlo.specials.predicates import PREDICATES
from montecarlo.studies.knobs import available_knobs, categories_of
from montecarlo.studies.results import Result
from montecarlo.studies.trained import trained_policies
from montecarlo.variants import Variant, load
from montecarlo.variants.schema import CATEGORIES_ZH, ROWS, ROWS_ZH, RowName, SpecialEntry


@dataclass(frozen=True)
class RuleSheet(Result):
    """A resolved variant as people and programs read it."""

    variant: Variant

    def to_data(self) -> dict[str, Any]:
        """Return the resolved variant and what it rests on (design.md, ``rules``)."""
        variant = self.variant
        resolved = variant.model_dump(mode="json", exclude={"rows", "specials", "knobs"})
        sources, assumptions = resolved.pop("sources"), resolved.pop("assumptions")
        return {
            **resolved,
            "rows": {row: row_payouts(variant, row) for row in ROWS},
            "specials": [_special_data(entry) for entry in variant.specials],
            "knobs": variant.knobs,
            "sources": sources,
            "assumptions": assumptions,
            "sha256": variant.sha256,
            "policies": trained_policies(variant),
            "available_knobs": [knob.to_data() for knob in available_knobs(variant)],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a payout line: specials, then rows by category."""
        lines: list[dict[str, Any]] = [
            {"line": f"special.{e.id}", "zh": e.zh, "en": e.en, "units": e.points}
            for e in self.variant.specials
        ]
        if self.variant.format == "rows":
            lines += [
                {
                    "line": f"row.{row}.{category}",
                    "zh": ROWS_ZH[row] + CATEGORIES_ZH[category],
                    "en": f"{row}: {category.replace('_', ' ')}",
                    "units": self.variant.row_units(row, category),
                }
                for row in ROWS
                for category in categories_of(row)
            ]
        return lines

    def to_text(self) -> str:
        """Return the sheet for people, in Chinese and English (100 columns)."""
        from montecarlo.studies.rule_sheet_text import sheet_text

        return sheet_text(self.variant, trained_policies(self.variant))


def rule_sheet(variant: str | Variant, overrides: Iterable[str] = ()) -> RuleSheet:
    """Return the rule sheet of a variant (id, number or TOML path), with ``knob=value`` overrides.

    Raises BadInput as `montecarlo.variants.load`.
    """
    if isinstance(variant, Variant):
        return RuleSheet(variant)
    return RuleSheet(load(variant, overrides))


def row_payouts(variant: Variant, row: RowName) -> dict[str, Any]:
    """Return a row's base, and by category the extra on top and the units in all."""
    return {
        "base": variant.base_units(row),
        "categories": {
            category: {
                "extra": variant.row(row).extra_of(category),
                "units": variant.row_units(row, category),
            }
            for category in categories_of(row)
        },
    }


def _special_data(entry: SpecialEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "zh": entry.zh,
        "en": entry.en,
        "points": entry.points,
        "rank": entry.rank,
        "tier": entry.tier,
        "predicate": entry.predicate,
        "options": dict(entry.rule.options),
        "equal": entry.equal,
        "definition": PREDICATES[entry.predicate].definition,
    }

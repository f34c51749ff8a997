"""Readings of a rule book: what a variant's assumptions fix, and how else they may be read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from montecarlo.variants import Variant
from montecarlo.variants.overrides import apply_overrides, parse_override


@dataclass(frozen=True)
class Reading:
    """Another reading of one assumption: a knob and the value that it takes."""

    knob: str
    value: Any
    assumption: str
    """what the variant assumes instead, in words"""

    @property
    def id(self) -> str:
        """The reading as ``--set`` takes it: ``gun=base``."""
        value = str(self.value).lower() if isinstance(self.value, bool) else self.value
        return f"{self.knob}={value}"


def other_readings(variant: Variant) -> tuple[Reading, ...]:
    """Return every reading that the assumptions list and that is not the variant's own."""
    found = {}
    for assumption in variant.assumptions:
        for text in assumption.readings:
            knob, value = parse_override(text)
            reading = Reading(knob, value, assumption.text)
            if under(variant, (reading,)).sha256 != variant.sha256:
                found[reading.id] = reading
    return tuple(found.values())


def pairs_of(readings: Sequence[Reading]) -> tuple[tuple[Reading, Reading], ...]:
    """Return all pairs that can hold together: readings of two different knobs."""
    return tuple((a, b) for a, b in combinations(readings, 2) if a.knob != b.knob)


def under(variant: Variant, readings: Sequence[Reading]) -> Variant:
    """Return the variant under some readings, which its ``knobs`` then name."""
    data = variant.model_dump(mode="json")
    apply_overrides(data, [(reading.knob, reading.value) for reading in readings])
    data["knobs"] = {**variant.knobs, **data["knobs"]}
    return Variant.model_validate_json(json.dumps(data, ensure_ascii=False))

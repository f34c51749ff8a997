"""Payout lines as people read them: names, Chinese and English, and the kinds they fall into."""

from __future__ import annotations

from collections.abc import Mapping

from montecarlo.statistics.clustered import Estimate
from montecarlo.studies.payouts import Line
from montecarlo.variants import Variant
from montecarlo.variants.schema import CATEGORIES_ZH, ROWS_ZH

KINDS = {
    "special": ("特殊牌型 specials", "#CC79A7"),
    "tail": ("尾墩 tail", "#0072B2"),
    "middle": ("中墩 middle", "#56B4E9"),
    "head": ("头墩 head", "#009E73"),
    "gun": ("打枪 guns", "#E69F00"),
    "home_run": ("全垒打 home runs", "#D55E00"),
    "majority": ("两墩 two rows of three", "#F0E442"),
    "tier": ("级 tiers of the ladder", "#999999"),
}
"""What a payment was for, in broad kinds, with labels and colours (after Okabe and Ito)."""


def kind_of(line: str) -> str:
    """Return the kind of a line: ``row.head.three`` is of ``head``, ``special.ID`` of ``special``.

    Raises KeyError for a line that is of none.
    """
    first, *rest = line.split(".")
    kind = rest[0] if first == "row" else first
    if kind not in KINDS:
        raise KeyError(line)
    return kind


def line_name(variant: Variant, line: str) -> tuple[str, str]:
    """Return a line's name in Chinese and English."""
    first, *rest = line.split(".")
    if first == "row":
        row, category = rest
        zh = f"{ROWS_ZH[row]} {CATEGORIES_ZH[category]}"
        return zh, f"{row}: {category.replace('_', ' ')}"
    if first == "special":
        entry = next(entry for entry in variant.specials if entry.id == rest[0])
        return entry.zh, entry.en
    if first == "tier":
        entries = [entry for entry in variant.specials if entry.tier == int(rest[0])]
        return " · ".join(entry.zh for entry in entries), f"tier {rest[0]}"
    zh, _, en = KINDS[kind_of(line)][0].partition(" ")
    return zh, en


def flow_by_kind(lines: Mapping[str, Line]) -> dict[str, Estimate]:
    """Return the flow through the lines of each kind, in the order of `KINDS`, zeros left out.

    The lines' covariances are not tallied: the error is the sum of theirs, an upper bound.
    """
    found = {}
    for kind in KINDS:
        flows = [line.flow for name, line in lines.items() if kind_of(name) == kind]
        total = sum(flow.value for flow in flows)
        if total:
            se = sum(flow.se for flow in flows)
            found[kind] = Estimate(total, se, flows[0].deals)
    return found

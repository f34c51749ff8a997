"""``variants``, ``rules``, ``exact``: what the rules are and what they imply exactly."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from montecarlo.commands.words import Json, Set, VariantName, print_json, print_table, whole_number


def variants(as_json: Json = False) -> None:
    """List the rule variants: ids and names."""
    from montecarlo.variants import all_variants

    rows = [
        {
            "id": v.id, "number": v.number, "zh": v.zh, "en": v.en,
            "format": v.format, "banker": v.banker,
        }
        for v in all_variants()
    ]  # fmt: skip
    if as_json:
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
        return
    print_table(
        "Rule variants 玩法",
        ("no.", "id", "中文", "English", "format", "banker"),
        ((r["number"], r["id"], r["zh"], r["en"], r["format"], "yes" if r["banker"] else "–")
         for r in rows),
    )  # fmt: skip


def rules(variant: VariantName, overrides: Set = None, as_json: Json = False) -> None:
    """Show a variant's rule sheet: specials, payouts, knobs, sources, assumptions.

    Examples:  montecarlo rules taiwan   ·   montecarlo rules V8 --set wheel=lowest --json
    """
    from montecarlo.studies.rule_sheet import rule_sheet

    sheet = rule_sheet(variant, overrides or [])
    if as_json:
        print_json(sheet)
    else:
        sys.stdout.write(sheet.to_text())


def exact(
    variant: VariantName,
    overrides: Set = None,
    players: Annotated[
        int | None,
        typer.Option(
            parser=whole_number,
            metavar="P",
            help="also: the chance that at least one of P players (2 to 4) holds each special",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Count each special exactly, out of the 635,013,559,600 hands of 13 cards.

    Examples:  montecarlo exact taiwan   ·   montecarlo exact V9 --set three_straights.qka=true
    """  # fmt: skip
    from montecarlo.statistics.rounding import one_in, thousands
    from montecarlo.studies import exact as study
    from montecarlo.variants import load

    result = study.exact(load(variant, overrides or []), players)
    if as_json:
        print_json(result)
        return
    columns = [">points", "id", "中文", "English", ">inclusive", ">exclusive", ">one hand in"]
    if players:
        columns.append(f">at least one of {players} players")
    rows = []
    for entry in result.specials:
        p = entry.exclusive / study.TOTAL
        row = [entry.points, entry.id, entry.zh, entry.en, thousands(entry.inclusive),
               thousands(entry.exclusive), one_in(p) if p else "never"]  # fmt: skip
        if entry.at_least_one is not None:
            row.append(_chance(entry.at_least_one))
        if result.variant.format == "ladder":
            row[0] = entry.tier
        rows.append(row)
    rows.append(["", "none", "无", "no special", "", thousands(result.none),
                 one_in(result.none / study.TOTAL) if result.none else "never"])  # fmt: skip
    if result.variant.format == "ladder":
        columns[0] = ">tier"
    print_table(
        f"{result.variant.number} {result.variant.zh} {result.variant.en}: "
        f"exact counts of {thousands(study.TOTAL)} hands",
        columns,
        rows,
    )


def _chance(chance: object) -> str:
    from montecarlo.statistics.rounding import one_in, with_error
    from montecarlo.studies.exact import TableChance

    assert isinstance(chance, TableChance)
    if chance.method == "exact":
        return one_in(chance.p)
    return with_error(float(chance.p), chance.se)

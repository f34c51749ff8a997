"""``hand``: what can be done with thirteen cards."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from montecarlo.commands.words import (
    HoldPolicy,
    Json,
    Players,
    Role,
    Set,
    VariantName,
    note,
    print_json,
    print_table,
)
from montecarlo.errors import BadInput, MontecarloError

if TYPE_CHECKING:
    from montecarlo.studies.hand import HandSheet

MOST_ROWS = 40
"""Settings shown to people; JSON has them all."""


def hand(
    variant: VariantName,
    cards: Annotated[
        str, typer.Argument(metavar='"13 cards"', help="- reads one hand a line, prints JSON lines")
    ],
    players: Players = 4,
    role: Role = "player",
    hold_policy: HoldPolicy = False,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Show a hand's specials, its non-dominated settings, and the setting each policy picks.

    Examples:  montecarlo hand taiwan "As Ks Qs Js Ts 9h 9d 9c 2s 3h 4d 5c 7h"
    ·   montecarlo hand V8 - --role banker < hands.txt
    """
    from montecarlo.studies.hand import hand as study
    from montecarlo.variants import load

    rules = load(variant, overrides or [])

    def look(text: str) -> HandSheet:
        return study(rules, text, players=players, role=role, hold_policy=hold_policy)

    if cards == "-":
        _lines(look)
        return
    sheet = look(cards)
    for remark in sheet.notes:
        note(remark)
    if as_json:
        print_json(sheet)
    else:
        _print(sheet)


def _lines(look: Any) -> None:
    """Print one JSON object for each line of standard input; bad lines say what is wrong."""
    said: set[str] = set()
    refused = 0
    for line in sys.stdin:
        text = line.removeprefix("\ufeff").strip()
        if not text:
            continue
        try:
            sheet = look(text)
        except MontecarloError as error:
            refused += 1
            data: dict[str, Any] = {"hand": None, "error": str(error)}
        else:
            data = sheet.to_data()
            for remark in sheet.notes:
                if remark not in said:
                    note(remark)
                    said.add(remark)
        sys.stdout.write(json.dumps(data, ensure_ascii=False) + "\n")
    if refused:
        raise BadInput(f"-: {refused} hand{'s' * (refused > 1)} not read, see the output")


def _print(sheet: HandSheet) -> None:
    variant = sheet.variant
    names = {entry.id: f"{entry.zh} {entry.en}" for entry in variant.specials}
    sys.stdout.write(f"{variant.number} {variant.zh} {variant.en}: {sheet.hand}\n")
    if sheet.declared is None:
        sys.stdout.write("no special 无特殊牌型\n")
    else:
        rest = ", ".join(names[name] for name in sheet.specials[1:])
        also = f" (also satisfies: {rest})" if rest else ""
        sys.stdout.write(f"declares 报到: {names[sheet.declared]}{also}\n")
    if variant.format == "ladder":
        sys.stdout.write("the higher tier wins: no rows are set 比牌型\n")
        return

    columns = ("head 头墩", "middle 中墩", "tail 尾墩")
    if sheet.policies:
        print_table(
            "What the policies pick",
            ("policy", *columns),
            ([name, *setting.to_cells(variant.wheel)] for name, setting in sheet.policies.items()),
        )
    shown = sheet.frontier[:MOST_ROWS]
    more = len(sheet.frontier) - len(shown)
    print_table(
        f"Settings that no other one equals or beats in all rows: {len(sheet.frontier)}",
        (">no.", *columns),
        (
            [number, *setting.to_cells(variant.wheel)]
            for number, setting in enumerate(shown, start=1)
        ),
    )
    if more:
        sys.stdout.write(f"… and {more} more (--json lists all)\n")

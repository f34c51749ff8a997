"""``advise``: what each way to play a hand is worth."""

from __future__ import annotations

import sys
from typing import Annotated

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
    whole_number,
)

MOST_ROWS = 40
"""Choices shown to people; JSON has them all."""


def advise(
    variant: VariantName,
    cards: Annotated[str, typer.Argument(metavar='"13 cards"', help="the hand to be played")],
    known: Annotated[
        str, typer.Option(metavar="CARDS", help="further cards that no opponent can hold")
    ] = "",
    tables: Annotated[
        int, typer.Option(parser=whole_number, metavar="N", help="tables of opponents dealt")
    ] = 20_000,
    seed: Annotated[int, typer.Option(parser=whole_number, metavar="S", help="seed")] = 1,
    players: Players = 4,
    role: Role = "player",
    policy: Annotated[
        str,
        typer.Option(metavar="P[,P,…]", help="the opponents' policy: one, or one for each"),
    ] = "equilibrium",
    hold_policy: HoldPolicy = False,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Score every non-dominated setting of a hand, and declaring its special, against opponents.

    Examples:  montecarlo advise taiwan "As Ks Qs Js Ts 9h 9d 9c 2s 3h 4d 5c 7h"
    ·   montecarlo advise V8 "As Ad Kh Kd Qs Jc 9h 9s 7c 5d 4h 3h 2c" --role banker --players 3
    """
    from montecarlo.statistics.rounding import thousands, with_error
    from montecarlo.studies.advise import advise as study
    from montecarlo.variants import load

    advice = study(
        load(variant, overrides or []), cards,
        known=known, tables=tables, seed=seed, players=players, role=role, policy=policy,
        hold_policy=hold_policy,
    )  # fmt: skip
    for remark in advice.notes:
        note(remark)
    if as_json:
        print_json(advice)
        return
    rules = advice.variant
    names = {entry.id: f"{entry.zh} {entry.en}" for entry in rules.specials}
    rows = []
    for number, choice in enumerate(advice.choices[:MOST_ROWS], start=1):
        if choice.setting is None:
            what = names[choice.declare] if choice.declare else "no tier reached"
            cells = [f"declare 报到: {what}" if choice.declare else what, "", ""]
        else:
            cells = choice.setting.to_cells(rules.wheel)
        behind = with_error(choice.gap, choice.gap_se) if number > 1 else "–"
        rows.append([number, *cells, with_error(choice.mean, choice.se), behind])
    print_table(
        f"{rules.number} {rules.zh} {rules.en}: {advice.hand}, {thousands(advice.tables)} tables "
        f"against {advice.policy}, seed {advice.seed}",
        (">no.", "head 头墩", "middle 中墩", "tail 尾墩", ">units a deal", ">behind the best"),
        rows,
    )
    more = len(advice.choices) - len(rows)
    if more:
        sys.stdout.write(f"… and {more} more (--json lists all)\n")

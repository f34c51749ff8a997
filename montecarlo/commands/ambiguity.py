"""``ambiguity``: what the sources leave open, and how much each reading of it moves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from montecarlo.commands.words import (
    Deals,
    HoldPolicy,
    Jobs,
    Json,
    Players,
    Seed,
    Set,
    VariantName,
    note,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from montecarlo.statistics.clustered import Estimate
    from montecarlo.studies.ambiguity_result import Ambiguity, PairMoves, ReadingMoves

DEALS = 250_000
CHARTS = (".png", ".svg")

NAMES = {"edge": "banker's edge", "sd": "SD", "flow": "flow"}


def ambiguity(
    variant: VariantName,
    deals: Deals = DEALS,
    seed: Seed = None,
    jobs: Jobs = 1,
    players: Players = 4,
    policy: Annotated[str, typer.Option(metavar="P", help="one policy for all seats")] = (
        "equilibrium"
    ),
    hold_policy: HoldPolicy = False,
    respond: Annotated[
        bool,
        typer.Option(
            "--respond",
            help="also with the players trained for each reading (minutes each, kept for later)",
        ),
    ] = False,
    pairs: Annotated[
        int,
        typer.Option(metavar="N", help="pairs to print, the strongest interactions first"),
    ] = 10,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="a tornado chart, .png or .svg")
    ] = None,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Rank the readings that a variant's assumptions list by what they move, alone and in pairs.

    Frequencies are exact. Payouts come from common deals with settings held: the banker's edge,
    elsewhere the SD of a seat's units. Examples:  montecarlo ambiguity taiwan --seed 1
    ·   montecarlo ambiguity hongkong --chart tornado.svg   ·   montecarlo ambiguity V5 --json
    """
    from montecarlo.errors import BadInput
    from montecarlo.studies import ambiguity as study
    from montecarlo.variants import load

    if chart is not None and chart.suffix.lower() not in CHARTS:
        raise BadInput(f"{chart}: a chart's file ends in .png or .svg")
    result = study.ambiguity(
        load(variant, overrides or []), deals=deals, seed=seed, players=players, policy=policy,
        jobs=jobs, hold_policy=hold_policy, respond=respond, report=note,
    )  # fmt: skip
    if seed is None:
        note(f"seed {result.seed} (drawn; give --seed {result.seed} for the same result)")
    if chart is not None:
        _draw(result, chart)
    if as_json:
        print_json(result)
    else:
        _print(result, pairs)


def _draw(result: Ambiguity, path: Path) -> None:
    from montecarlo.reporting.style import drawing
    from montecarlo.reporting.tornado import tornado

    with drawing():
        drawn = tornado(result)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(drawn.svg if path.suffix.lower() == ".svg" else drawn.png)
    note(f"chart: {path}")


def _print(result: Ambiguity, pairs: int) -> None:
    from montecarlo.statistics.rounding import one_in, thousands
    from montecarlo.studies.ambiguity_result import COMMON
    from montecarlo.studies.exact import TOTAL

    rules = result.variant
    title = f"{rules.number} {rules.zh} {rules.en}"
    if not result.readings:
        sys.stdout.write(f"{title}: its assumptions list no other readings\n")
        return
    figures = tuple(result.base)
    base = ", ".join(f"{NAMES[figure]} {_shown(result.base[figure])}" for figure in figures)
    held = "" if rules.format == "ladder" else ", settings held"
    sys.stdout.write(f"{title}: {base} a deal\n")
    frequency = {id(moves): rank for rank, moves in enumerate(result.by_frequency, start=1)}

    def row(moves: ReadingMoves) -> tuple[str, ...]:
        answer = moves.responded
        return (
            moves.reading.id, *(_shown(moves.changes[figure]) for figure in figures),
            *([_shown(answer[result.figure]) if answer else "as held"] if result.respond else []),
            thousands(moves.hands_changed),
            one_in(moves.hands_changed / TOTAL) if moves.hands_changed else "–",
            str(frequency[id(moves)]) if moves.hands_changed else "–",
            "" if moves.method == COMMON else moves.method,
        )  # fmt: skip

    print_table(
        f"Readings by what they move: {result.players} players, {result.policy}{held}, "
        f"{thousands(result.deals)} common deals, seed {result.seed}",
        ("reading", *(f">Δ {NAMES[figure]}" for figure in figures),
         *([f">Δ {NAMES[result.figure]}, trained"] if result.respond else []),
         ">hands changed", ">one hand in", ">rank by hands", ""),
        map(row, result.readings),
        "hands changed: exact, those that declare another special, or none",
    )  # fmt: skip
    _print_pairs(result, result.pairs[:pairs])


def _print_pairs(result: Ambiguity, pairs: tuple[PairMoves, ...]) -> None:
    from montecarlo.statistics.rounding import thousands

    told = [pair for pair in pairs if pair.interaction is not None]
    if not told:
        return
    figures = tuple(result.base)
    print_table(
        f"Pairs, {len(told)} of {len(result.pairs)}: what both do beyond the sum of each alone",
        ("readings", "", f">Δ {NAMES[result.figure]} together",
         *(f">interaction: {NAMES[figure]}" for figure in figures), ">hands changed"),
        (
            (
                *(reading.id for reading in pair.readings), _shown(pair.changes[result.figure]),
                *(_shown(pair.interaction[figure]) for figure in figures if pair.interaction),
                thousands(pair.hands_changed),
            )
            for pair in told
        ),
    )  # fmt: skip


def _shown(estimate: Estimate) -> str:
    from montecarlo.statistics.rounding import with_error

    return with_error(estimate.value, estimate.se)

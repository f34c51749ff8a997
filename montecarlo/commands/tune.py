"""``tune``: a payout table that meets goals; ``--sensitivities``: what each line moves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from montecarlo.commands.words import (
    Jobs,
    Json,
    Players,
    Seed,
    Set,
    VariantName,
    note,
    print_json,
    print_table,
    whole_number,
)

if TYPE_CHECKING:
    from montecarlo.statistics.clustered import Estimate
    from montecarlo.studies.tuning.result import TuningResult
    from montecarlo.studies.tuning.sensitivities import Sensitivities

Words = list[str] | None


def tune(
    variant: VariantName,
    goal: Annotated[
        Words,
        typer.Option(
            metavar="GOAL",
            help="'edge = 0.02', edge_per_player, sd, flow(LINES), share(LINES), "
            "variance_share(LINES) with =, <=, >= and a number, 30% or same; fair(special.ID); "
            "'monotone(special.*)'; 'special.* <= 13'; 'special.a >= 2 * special.b' (repeatable)",
        ),
    ] = None,
    free: Annotated[
        Words,
        typer.Option(
            metavar="LINE",
            help="points that may change: special.ID, row.ROW.CATEGORY, row.ROW.base, gun_add, "
            "home_run_add, majority, tail, tier.K, or a pattern such as special.* (repeatable)",
        ),
    ] = None,
    step: Annotated[
        Words,
        typer.Option(metavar="N or LINE=N", help="points are multiples of N (1 if not given)"),
    ] = None,
    lowest: Annotated[
        Words, typer.Option("--min", metavar="N or LINE=N", help="least points (0 if not given)")
    ] = None,
    highest: Annotated[
        Words, typer.Option("--max", metavar="N or LINE=N", help="most points (repeatable)")
    ] = None,
    deals: Annotated[
        int,
        typer.Option(
            parser=whole_number,
            metavar="N",
            help="deals of the check, and of each run the table is found with",
        ),
    ] = 4_000_000,
    seed: Seed = None,
    jobs: Jobs = 1,
    players: Players = 4,
    rounds: Annotated[
        int,
        typer.Option(parser=whole_number, metavar="N", help="most responses and corrections"),
    ] = 4,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="write the tuned rule file")
    ] = None,
    sensitivities: Annotated[
        bool,
        typer.Option(
            "--sensitivities", help="no tuning: what a point more of each line (--free) moves"
        ),
    ] = False,
    response: Annotated[
        bool,
        typer.Option(
            "--response", help="with --sensitivities: also with players trained for a point more"
        ),
    ] = False,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Find the payout table nearest to the present one that meets goals, and check it on new deals.

    Examples:  montecarlo tune hongkong_edge --goal "edge = 0.5" --free "special.*" --out mine.toml
    ·   montecarlo tune taiwan --goal "monotone(special.*)" --goal "sd = same" --free "special.*"
    ·   montecarlo tune hongkong --sensitivities --deals 1e6
    """  # fmt: skip
    import secrets

    from montecarlo.errors import BadInput
    from montecarlo.studies.tuning.sensitivities import sensitivities as study
    from montecarlo.studies.tuning.tune import tune as tune_variant
    from montecarlo.variants import load

    rules = load(variant, overrides or [])
    chosen = secrets.randbits(32) if seed is None else seed
    if seed is None:
        note(f"seed {chosen} (drawn; give --seed {chosen} for the same result)")
    if sensitivities:
        if goal or out or step or lowest or highest:
            raise BadInput("--sensitivities tunes nothing: leave --goal, --step, --min, --max and "
                           "--out away")  # fmt: skip
        moved = study(
            rules, free or ("special.*", "row.*"), deals=deals, seed=chosen, players=players,
            jobs=jobs, response=response, note=note,
        )  # fmt: skip
        if as_json:
            print_json(moved)
        else:
            _print_sensitivities(moved)
        return
    if response:
        raise BadInput("--response goes with --sensitivities; a tuning always lets players respond")
    result = tune_variant(
        rules, goals=goal or [], free=free or [], steps=step or [], lowest=lowest or [],
        highest=highest or [], players=players, deals=deals, seed=chosen, jobs=jobs, rounds=rounds,
        out=out, note=note,
    )  # fmt: skip
    if as_json:
        print_json(result)
    else:
        _print_result(result)


def _print_result(result: TuningResult) -> None:
    from montecarlo.statistics.rounding import thousands

    changed = [line for line in result.points if line.before != line.after]
    print_table(
        f"{result.variant.number} {result.variant.zh} {result.variant.en}: {result.goal}\n\n"
        "Payout table 赔率",
        ("line", ">before", ">after"),
        ((line.name, line.before, line.after) for line in changed),
        f"{len(result.points) - len(changed)} other free lines stay as they are"
        if changed
        else "the table stays as it is",
    )
    figures = {"edge": "banker's edge 庄家优势", "sd": "SD a deal 标准差"}
    print_table(
        "\nFigures",
        ("", ">before", ">after"),
        (
            (figures.get(name, name), _shown(found), _shown(result.after[name]))
            for name, found in result.before.items()
        ),
    )
    print_table(
        "\nUnits that change hands a deal, by line",
        ("line", ">before", ">after"),
        (
            (line, _shown(before), _shown(after))
            for line, (before, after) in result.lines.items()
            if (before.value or after.value)
            and abs(before.value - after.value) > 3 * (before.se + after.se)
        ),
        "lines that move by more than three errors",
    )
    for number, check in enumerate(result.checks, 1):
        print_table(
            f"\nCheck {number}: {thousands(check.deals)} deals, fresh seed {check.seed}",
            ("goal", ">found", ">95 % interval", ""),
            (
                (
                    goal.goal,
                    f"{goal.value:.5f}",
                    f"{goal.ci95.low:.5f} … {goal.ci95.high:.5f}",
                    "✓ met" if goal.met else "✗ not met",
                )
                for goal in check.goals
            ),
        )
    sys.stdout.write(
        f"{'MET' if result.met else 'NOT MET'}: {result.goal}"
        f"{'; the players were trained for the new table' if result.retrained else ''}\n"
    )
    if result.toml:
        sys.stdout.write(f"{result.toml}\n")


def _print_sensitivities(result: Sensitivities) -> None:
    from montecarlo.statistics.rounding import thousands

    banker = result.variant.banker
    responded = any(line.edge_with_response for line in result.lines)
    columns = ["line", ">points"]
    columns += [">d edge / d points"] * banker + [">d SD / d points"]
    columns += [">d edge, players respond"] * responded
    rows = []
    for line in result.lines:
        row = [line.line, str(line.points)]
        met = line.sd.se > 0  # else the line was paid in no deal of the run
        row += [_shown(line.edge) if met else "not met"] if line.edge else []
        row.append(_shown(line.sd) if met else "not met")
        row += [_shown(line.edge_with_response)] if line.edge_with_response else ["–"] * responded
        rows.append(row)
    print_table(
        f"{result.variant.number} {result.variant.zh} {result.variant.en}: what one point more "
        f"moves a deal, {thousands(result.deals)} deals, seed {result.seed}",
        columns,
        rows,
        "settings held fixed, but in the last column" if responded else "settings held fixed",
    )


def _shown(found: Estimate) -> str:
    from montecarlo.statistics.rounding import with_error

    return with_error(found.value, found.se)

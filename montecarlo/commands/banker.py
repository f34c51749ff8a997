"""``banker``: what the banker's seat is worth, by which rule, and how long his money lasts."""

from __future__ import annotations

import sys
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
    whole_number,
)

if TYPE_CHECKING:
    from montecarlo.statistics.clustered import Estimate
    from montecarlo.studies.attribution import Attribution
    from montecarlo.studies.banker import BankerStudy
    from montecarlo.studies.ruin import RiskOfRuin


def banker(
    variant: VariantName,
    deals: Deals = 200_000,
    seed: Seed = None,
    jobs: Jobs = 1,
    players: Players = 4,
    bankrolls: Annotated[
        str,
        typer.Option("--bankroll", metavar="B[,B…]", help="bankrolls in units, stakes of 1 unit"),
    ] = "50,100,200,500",
    retrain: Annotated[
        bool,
        typer.Option(
            "--retrain", help="train for each reading: what the players' response adds (minutes)"
        ),
    ] = False,
    hold_policy: HoldPolicy = False,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Tell the banker's edge by rule and players, where it comes from, and his risk of ruin.

    Examples:  montecarlo banker hongkong_edge --deals 2e5 --jobs 2   ·   montecarlo banker V7
    --bankroll 100,1000   ·   montecarlo banker V8 --retrain
    """
    from montecarlo.studies import banker as study
    from montecarlo.variants import load

    result = study.banker(
        load(variant, overrides or []), deals=deals, seed=seed, players=players,
        bankrolls=[whole_number(word) for word in bankrolls.split(",")], jobs=jobs,
        hold_policy=hold_policy, retrain=retrain, report=note,
    )  # fmt: skip
    if seed is None:
        note(f"seed {result.seed} (drawn; give --seed {result.seed} for the same result)")
    if as_json:
        print_json(result)
    else:
        _print_banker(result)


def _print_banker(result: BankerStudy) -> None:
    from montecarlo.statistics.rounding import thousands

    rules = result.variant
    print_table(
        f"{rules.number} {rules.zh} {rules.en}: banker's edge 庄家优势 {_figure(result.edge)} "
        f"units a deal, {result.players} players\n{thousands(result.deals)} common deals, each "
        f"with every hand in the banker's place, seed {result.seed}\n\nOne rule read in another "
        "way, settings held",
        ("rule", "reading", ">edge", ">change", ">SD",
         *((">players' response",) if result.retrained else ())),
        (
            (
                reading.rule, f"{reading.value}{' (as it stands)' if reading.is_own else ''}",
                _figure(reading.edge), "–" if reading.is_own else _figure(reading.change),
                f"{reading.sd:.3f}", *([_figure(reading.response)] if reading.response else []),
            )
            for reading in result.readings
        ),
    )  # fmt: skip
    print_table(
        "\nBy players at the table, settings and deals the same",
        (">players", ">edge", ">SD", ">edge per player", ">less that of the largest table"),
        (
            (str(t.players), _figure(t.edge), f"{t.sd:.3f}", _figure(t.edge_per_player),
             _figure(t.difference))
            for t in result.tables
        ),
    )  # fmt: skip
    if result.steps is not None:
        _print_steps(result.steps)
    for risk in result.ruin:
        _print_ruin(risk)


def _print_steps(steps: Attribution) -> None:
    print_table(
        f"\nFrom a fair game to these rules, settings held: {_figure(steps.start)} at the start",
        ("rule", "from", "to", ">in this order", ">alone", ">average over orders"),
        (
            (part.rule, part.before, part.after, _figure(part.in_order), _figure(part.alone),
             _figure(part.average))
            for part in steps.parts
        ),
        f"the parts add up to {_figure(steps.change)}: {_figure(steps.end)} in the end",
    )  # fmt: skip


def _print_ruin(risk: RiskOfRuin) -> None:
    horizons = [each.deals for each in risk.bankrolls[0].within]
    known = "ruin is certain sooner or later"
    if risk.adjustment is not None:
        known = f"adjustment coefficient R {_figure(risk.adjustment)}"
    print_table(
        f"\nRisk of ruin 破产 in %, {risk.players} players: edge {_figure(risk.edge)}, "
        f"SD {risk.sd:.3f}, worst deal seen -{risk.worst}; {known}",
        (">bankroll, units", *(f">within {n:,} deals (played)" for n in horizons), ">ever",
         ">Lundberg's bounds"),
        (
            (
                f"{held.units:,}",
                *(f"{_percent(each.p)} ({each.ruined} of {each.runs:,})" for each in held.within),
                _percent(held.ever), f"{_bound(held.lundberg.low)} … {_bound(held.lundberg.high)}",
            )
            for held in risk.bankrolls
        ),
        "played: runs of so many deals in which a bankroll was ruined",
    )  # fmt: skip
    for limit in risk.limits:
        when = f"within {limit.deals:,} deals" if limit.deals else "ever"
        if limit.units is None or limit.stake_share is None:
            sys.stdout.write(f"1 % risk of ruin {when}: no bankroll is large enough\n")
            continue
        share = limit.stake_share
        sys.stdout.write(
            f"1 % risk of ruin {when}: {_figure(limit.units)} units, or stakes of "
            f"{_percent(share)} % of the bankroll at most\n"
        )


def _figure(estimate: Estimate) -> str:
    from montecarlo.statistics.rounding import with_error

    return with_error(estimate.value, estimate.se)


def _bound(value: float) -> str:
    from montecarlo.statistics.ruin import NEGLIGIBLE

    return f"{100 * value:.3g}" if value >= NEGLIGIBLE else "< 1e-7"


def _percent(estimate: Estimate) -> str:
    from montecarlo.statistics.rounding import with_error
    from montecarlo.statistics.ruin import NEGLIGIBLE

    if 0 < estimate.value < NEGLIGIBLE:
        return "< 1e-7"
    return with_error(100 * estimate.value, 100 * estimate.se)

"""``skill``: what a policy gains among others, how soon it shows, how much is the cards."""

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
)

if TYPE_CHECKING:
    from montecarlo.statistics.clustered import Estimate
    from montecarlo.studies.skill import Entry, Skill


def skill(
    variant: VariantName,
    deals: Deals = 100_000,
    seed: Seed = None,
    jobs: Jobs = 1,
    players: Players = 4,
    policy: Annotated[
        str,
        typer.Option(
            metavar="P,P[,…]",
            help="policies that meet each other; human takes human:second=0.2,foul=0.01, the "
            "shares of hands set second best and fouled",
        ),
    ] = "equilibrium,balanced,greedy,human",
    hold_policy: HoldPolicy = False,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Tell luck from skill: each policy, played by one, among players of each other policy.

    Examples:  montecarlo skill taiwan --deals 2e5 --jobs 2   ·   montecarlo skill V8b
    --policy equilibrium,greedy,human:second=0.5,foul=0
    """
    from montecarlo.studies import skill as study
    from montecarlo.variants import load

    result = study.skill(
        load(variant, overrides or []), deals=deals, seed=seed, policies=policy, players=players,
        jobs=jobs, hold_policy=hold_policy,
    )  # fmt: skip
    if seed is None:
        note(f"seed {result.seed} (drawn; give --seed {result.seed} for the same result)")
    if as_json:
        print_json(result)
    else:
        _print_skill(result)


def _print_skill(result: Skill) -> None:
    from montecarlo.statistics.rounding import thousands

    rules = result.variant
    lead = "units less those of the player beside him" if rules.banker else "units"
    apart = [entry for entry in result.entries if entry.lone != entry.others]
    print_table(
        f"{rules.number} {rules.zh} {rules.en}: {result.players} players, "
        f"{thousands(result.deals)} common deals, each with every hand in his place, seed "
        f"{result.seed}\n\nOne player among others 一人对众: {lead} a deal",
        ("he plays", "they play", ">gain", ">SD", ">deals until ahead with 95 %", ">exactly",
         ">hands rotated", ">luck of the cards"),
        map(_entry, apart),
        "hands rotated: deals until ahead when each deal is replayed with every hand in his place;"
        "\nluck of the cards: the share of the variance that this takes out",
    )  # fmt: skip
    print_table(
        "\nWhere a lone player's variance comes from, in %",
        ("they play", ">SD", ">the cards 牌", ">his policy 策略", ">both together"),
        (
            (part.others, f"{part.sd:.2f}", *map(_percent, (part.cards, part.policy, part.both)))
            for part in result.components
        ),
        "both together: what a policy makes of some cards and not of others",
    )
    print_table(
        "\nPlayed out: runs of consecutive deals after which he is ahead",
        ("he plays", "they play", ">deals", ">runs", ">ahead, %", ">95 % interval", ">expected, %"),
        (
            (
                entry.lone, entry.others, thousands(check.deals), thousands(check.runs),
                f"{100 * check.ahead / check.runs:.1f}",
                f"{100 * check.interval.low:.1f} … {100 * check.interval.high:.1f}",
                f"{100 * check.expected:.1f}",
            )
            for entry in apart
            if (check := entry.check) is not None
        ),
        "of each pair the runs nearest in length to the deals above; expected: from the "
        "distribution\nof a deal's lead",
    )  # fmt: skip
    _print_fans(result)


def _print_fans(result: Skill) -> None:
    from montecarlo.statistics.rounding import thousands
    from montecarlo.studies.skill import FAN_QUANTILES

    others = result.policies[0]
    print_table(
        f"\nWhat he has after some deals among players of {others}: quantiles of the sum",
        ("he plays", ">deals", *(f">{100 * q:.0f} %" for q in FAN_QUANTILES), ">mean"),
        (
            (entry.lone, thousands(fan.deals), *(f"{q:+,}" for q in fan.quantiles),
             _figure(fan.mean))
            for entry in result.entries
            if entry.others == others
            for fan in entry.fan
        ),
    )  # fmt: skip
    sys.stdout.write("\n")


def _entry(entry: Entry) -> tuple[str, ...]:
    until = entry.deals_until_ahead
    told = ("–", "–", "–")
    if until is not None:
        exact = f"{until.exact:,}" if until.exact is not None else "–"
        told = (
            f"{until.normal:,.0f} ({until.interval.low:,.0f} … {until.interval.high:,.0f})",
            exact, f"{until.duplicate:,.0f}",
        )  # fmt: skip
    return (
        entry.lone, entry.others, _figure(entry.gain), f"{entry.sd:.2f}", *told,
        f"{_percent(entry.rotation_share)} %",
    )  # fmt: skip


def _percent(share: Estimate) -> str:
    from montecarlo.statistics.rounding import with_error

    return with_error(100 * share.value, 100 * share.se)


def _figure(estimate: Estimate) -> str:
    from montecarlo.statistics.rounding import with_error

    return with_error(estimate.value, estimate.se)

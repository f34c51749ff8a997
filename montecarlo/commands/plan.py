"""``plan``: the deals and the time that a goal of precision needs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from montecarlo.commands.words import (
    HoldPolicy,
    Jobs,
    Json,
    Players,
    Set,
    VariantName,
    print_json,
    whole_number,
)


def plan(
    variant: VariantName,
    goal: Annotated[str, typer.Argument(metavar="GOAL", help='"se(edge) < 0.001 and …", or help')],
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="P[,P,…]",
            help="as in simulate (none if the goal is about specials only, else equilibrium)",
        ),
    ] = None,
    players: Players = 4,
    jobs: Jobs = 1,
    pilot: Annotated[
        int | None,
        typer.Option(
            parser=whole_number, metavar="N", help="deals of the pilot run (262,144 a worker)"
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(parser=whole_number, metavar="S", help="seed of the pilot run")
    ] = 0,
    hold_policy: HoldPolicy = False,
    overrides: Set = None,
    as_json: Json = False,
) -> None:
    """Say how many deals a goal needs, and how long they take on this machine.

    Examples:  montecarlo plan taiwan "width(special.dragon) < 1e-7"
    ·   montecarlo plan hongkong_edge "se(edge) < 0.001" --jobs 2
    """
    from montecarlo.statistics.rounding import thousands
    from montecarlo.studies.plan_goal import plan_goal
    from montecarlo.variants import load

    rules = load(variant, overrides or [])
    if goal == "help":
        from montecarlo.commands.goals import print_statistics
        from montecarlo.studies.recipe import Recipe

        recipe = Recipe.of(rules, policy or "equilibrium", players, hold_policy)
        print_statistics(recipe.experiment, as_json)
        return
    found = plan_goal(
        rules, goal, policy=policy, players=players, jobs=jobs, pilot=pilot, seed=seed,
        hold_policy=hold_policy,
    )  # fmt: skip
    if as_json:
        print_json(found)
        return
    if len(found.parts) > 1:
        for text, deals in found.parts:
            sys.stdout.write(f"{text}: {thousands(deals)} deals\n")
    sys.stdout.write(
        f"{found.goal} needs about {thousands(found.deals)} deals, {_duration(found.seconds)} on "
        f"this machine with {found.workers} worker{'s' if found.workers > 1 else ''} "
        f"({thousands(round(found.per_second))} deals a second in a pilot of "
        f"{thousands(found.pilot_deals)})\n"
        f'montecarlo simulate {variant} --policy {found.policy} --until "{found.goal}" '
        f"--jobs {found.workers}   # looks at {thousands(found.stops_at)} deals\n"
    )


def _duration(seconds: float) -> str:
    for size, word in ((86_400 * 365.25, "years"), (86_400, "days"), (3_600, "hours"),
                       (60, "minutes")):  # fmt: skip
        if seconds >= 1.5 * size:
            return f"{seconds / size:,.3g} {word}"
    return f"{seconds:.2g} seconds"

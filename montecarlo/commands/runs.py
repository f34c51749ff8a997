"""``runs``, ``extend``, ``merge``: what lies in results folders, more deals, runs joined."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from montecarlo.commands.simulate import print_simulation
from montecarlo.commands.words import (
    Backend,
    Jobs,
    Json,
    Scheduler,
    note,
    print_json,
    print_table,
    whole_number,
)


def runs(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="data/runs, else here, if not given")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the runs in a folder: deals done and left, age and size. Runs may be at work meanwhile.

    Examples:  montecarlo runs   ·   montecarlo runs data/runs/hk --json
    """
    from montecarlo.statistics.rounding import thousands
    from montecarlo.studies.runs import runs as study

    found = study(folder)
    for remark in found.unreadable:
        note(f"montecarlo: {remark}")
    if as_json:
        print_json(found)
        return
    print_table(
        f"{len(found.runs)} runs",
        ("run", "variant", "policy", ">done", ">left", ">size", ">last written", "state"),
        (
            (
                run.path, _few(run.variant), run.policy, thousands(run.deals_done),
                thousands(run.deals_wanted - run.deals_done), _size(run.bytes),
                f"{_age(run.age_s)} ago", run.state,
            )
            for run in found.runs
        ),
    )  # fmt: skip


def extend(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="folder of a run (simulate --out)")],
    deals: Annotated[
        int | None,
        typer.Option(
            parser=whole_number,
            metavar="N",
            help="deals to add; without it a run that was stopped is finished",
        ),
    ] = None,
    jobs: Jobs = 1,
    backend: Backend = "threading",
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Add N deals to a finished run, with its own rules, policies and seed.

    N deals and then M more are, to the byte, one run of N + M.
    Example:  montecarlo extend data/runs/hk --deals 1e7 --jobs 2
    """
    from montecarlo.studies.extend import extend as study

    result = study(run, deals, jobs=jobs, backend=backend, scheduler=scheduler)
    if as_json:
        print_json(result)
    else:
        print_simulation(result, f"seed {result.seed}")


def merge(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN RUN …", help="folders of finished runs")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="new folder for the joined run")],
    as_json: Json = False,
) -> None:
    """Join runs of the same game: of different seeds, or of different blocks of one seed.

    Example:  montecarlo merge data/runs/seed1 data/runs/seed2 --out data/runs/both
    """
    from montecarlo.studies.merge import merge as study

    merged = study(folders, out)
    if as_json:
        print_json(merged)
        return
    print_simulation(merged.result, merged.origin)


def _few(names: str) -> str:
    count = names.count(",") + 1
    return names if count < 5 else f"{count} variants"


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _age(seconds: float) -> str:
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"

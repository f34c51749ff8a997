"""``report``: deal, tabulate, judge, and render it all as pages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from montecarlo.commands.words import Deals, note, whole_number


def report(
    variants: Annotated[
        list[str] | None,
        typer.Argument(metavar="[VARIANT …]", help="all thirteen if none is named"),
    ] = None,
    deals: Deals = 100_000_000,
    played: Annotated[
        int | None,
        typer.Option(
            parser=whole_number,
            metavar="N",
            help="deals each variant is played (deals / 20 if not given, 1 million at most)",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(parser=whole_number, metavar="J", help="workers (one a CPU if not given)"),
    ] = None,
    seed: Annotated[int, typer.Option(parser=whole_number, metavar="S", help="seed")] = 1,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="where pages, figures and tables go")
    ] = Path("reports"),
    runs: Annotated[
        Path, typer.Option(metavar="DIR", help="where runs are kept; a stopped one goes on")
    ] = Path("data/runs"),
) -> None:
    """The main job: deal, tabulate special hands, play, judge published figures, render pages.

    Examples:  montecarlo report
    ·   montecarlo report taiwan V8 --deals 1e6 --out build/report
    """
    from joblib import cpu_count

    from montecarlo.reporting.edition import deal_edition
    from montecarlo.reporting.site import build
    from montecarlo.variants import variant_files

    names = variants or list(variant_files())
    workers = jobs if jobs is not None else cpu_count()
    edition = deal_edition(
        names,
        deals=deals, played=played, seed=seed, jobs=workers, out=out, runs=runs, note=note,
    )  # fmt: skip
    pages = build(edition, note)
    sys.stdout.write("".join(f"{path}\n" for path in pages))

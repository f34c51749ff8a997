"""Progress of long work: deals done and an honest time left, on stderr, only for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], None]


def silent(_deals: int) -> None:
    """Report nothing."""


@contextmanager
def progress_bar(
    label: str, total: int | None, done: int = 0, *, unit: str = "deals"
) -> Iterator[Advance]:
    """Yield a function that is told how much work each step finished.

    The time left comes from the speed of the last steps; deals that were done before this run
    (``done``) do not count toward it. A ``total`` of None is one that nobody knows beforehand.
    Silent when stderr is not a terminal.
    """
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total, completed=done, count="")
        finished = done

        def advance(step: int) -> None:
            nonlocal finished
            finished += step
            of_all = "" if total is None else f" / {total:,}"
            bar.update(task, advance=step, count=f"{finished:,}{of_all} {unit}")

        yield advance

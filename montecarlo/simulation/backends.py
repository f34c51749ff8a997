"""Backends: threads or processes of this machine, or the workers of a dask scheduler."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator

from joblib import Parallel, delayed

from montecarlo.errors import BadInput
from montecarlo.simulation.dask_workers import through_dask
from montecarlo.simulation.plan import Plan, Span, tally_span
from montecarlo.simulation.tallies import Tally

BACKENDS = ("threading", "loky", "dask")


def check_backend(jobs: int, backend: str, scheduler: str | None) -> None:
    """Raise BadInput for a backend, a number of workers or a scheduler that cannot be."""
    if backend not in BACKENDS:
        raise BadInput(f"backend must be one of {', '.join(BACKENDS)}, not '{backend}'")
    if jobs < 1:
        raise BadInput(f"jobs must be 1 or more, not {jobs}")
    if scheduler is not None and backend != "dask":
        raise BadInput(f"scheduler {scheduler} is of no use to backend {backend}: take dask")


def carry_out(
    plan: Plan,
    tasks: Iterable[tuple[Span, Span]],
    jobs: int,
    backend: str,
    scheduler: str | None,
) -> Iterator[tuple[Span, Span, Tally]]:
    """Yield (shard, task, tally) for each (shard, task) as workers finish them, in any order.

    ``jobs`` workers of this machine, or with ``scheduler`` all that have joined it (``jobs`` does
    not matter then); for errors see `dask_workers.through_dask`.
    """
    if backend == "dask":
        yield from through_dask(plan, tasks, jobs, scheduler)
    elif jobs == 1:
        for shard, task in tasks:
            yield _task(plan, shard, task)
    else:
        # after Ctrl-C joblib would tell how many tasks were not waited for
        warnings.filterwarnings("ignore", message=".*You could benefit from adjusting the input")
        parallel = Parallel(
            n_jobs=jobs, backend=backend, return_as="generator_unordered", batch_size=1
        )
        yield from parallel(delayed(_task)(plan, *spans) for spans in tasks)


def _task(plan: Plan, shard: Span, task: Span) -> tuple[Span, Span, Tally]:
    return shard, task, tally_span(plan.experiment, plan.seed, task)

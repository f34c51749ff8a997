"""Backends: threads or processes of this machine, or the workers of a dask scheduler.

What travels to a worker is the plan and a few block numbers, what comes back are tallies: integers,
some kilobytes a task. Workers of other machines have programs and policies of their own; each says
with its first words what it would compute with, and one that differs is refused by name.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import socket
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed, parallel_config

from montecarlo.errors import BadInput
from montecarlo.simulation.plan import Plan, Span, tally_span
from montecarlo.simulation.tallies import Tally

BACKENDS = ("threading", "loky", "dask")

ANSWER_SECONDS = 10
"""How long a scheduler may take to answer."""

WORKER_SECONDS = 60
"""How long a scheduler's first worker may take to come."""


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
    not matter then). Raises BadInput when no scheduler or no worker answers, or when a worker has
    another version of the program or other policies.
    """
    if backend == "dask":
        with _dask_client(jobs, scheduler) as client:
            yield from _through_dask(plan, tasks, client)
    elif jobs == 1:
        for shard, task in tasks:
            yield shard, task, tally_span(plan.experiment, plan.seed, task)
    else:
        with parallel_config(backend=backend, n_jobs=jobs):
            yield from _in_parallel(delayed(_task)(plan, *spans) for spans in tasks)


def identity(plan: Plan) -> str:
    """Return a digest of all that decides what this process makes of a plan.

    That is: the experiment with the hashes of its rules and policies, the package's sources that
    it rests on, numba's and numpy's versions.
    """
    from montecarlo.compiled import sources_hash

    source = sources_hash(Path(inspect.getfile(type(plan.experiment))))
    known = [plan.experiment.describe(), source, np.__version__]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]


def _in_parallel(calls: Iterable[Any]) -> Iterator[Any]:
    yield from Parallel(return_as="generator_unordered", batch_size=1)(calls)


def _task(plan: Plan, shard: Span, task: Span) -> tuple[Span, Span, Tally]:
    return shard, task, tally_span(plan.experiment, plan.seed, task)


def _checked_task(plan: Plan, shard: Span, task: Span, wanted: str) -> tuple[Span, Span, Tally]:
    """Carry out a task on a worker that may be another machine, if it is of one mind with us."""
    found = identity(plan)
    if found != wanted:
        raise BadInput(
            f"the worker on {socket.gethostname()} has another version of montecarlo, numba or "
            f"numpy, or other policies, than the machine that asks ({found}, not {wanted}): "
            "install the same on both"
        )
    return _task(plan, shard, task)


def _through_dask(
    plan: Plan, tasks: Iterable[tuple[Span, Span]], client: Any
) -> Iterator[tuple[Span, Span, Tally]]:
    mine = identity(plan)
    with parallel_config(backend="dask", n_jobs=-1):
        yield from _in_parallel(delayed(_checked_task)(plan, *spans, mine) for spans in tasks)


@contextmanager
def _dask_client(jobs: int, scheduler: str | None) -> Iterator[Any]:
    try:
        from distributed import Client
    except ImportError:
        raise BadInput("backend dask needs the extra: pip install 'montecarlo[dask]'") from None
    with ExitStack() as stack:
        if scheduler is None:
            client: Any = Client(  # type: ignore[no-untyped-call]
                n_workers=jobs, threads_per_worker=1, dashboard_address=None
            )
            yield stack.enter_context(client)
            return
        try:
            client = Client(scheduler, timeout=ANSWER_SECONDS)  # type: ignore[no-untyped-call]
            stack.enter_context(client)
        except (OSError, TimeoutError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise BadInput(f"no dask scheduler answers at {scheduler}: {reason}") from None
        try:
            client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError:
            raise BadInput(
                f"the dask scheduler at {scheduler} has no worker: start one with "
                f"`dask worker {scheduler}`"
            ) from None
        yield client

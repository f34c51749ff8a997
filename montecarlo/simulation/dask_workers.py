"""Workers of a dask scheduler, on this machine or on others.

What travels to a worker is the plan and a few block numbers, what comes back are tallies: some
kilobytes a task. Workers of other machines have programs and policies of their own; each compares
what it would compute with, and one that differs from the machine that asks is refused by name.

joblib's dask backend is not used: it deals here when there is one worker, and gives nothing to
workers that come later.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import socket
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError
from contextlib import contextmanager, suppress
from itertools import islice
from logging import ERROR
from pathlib import Path
from typing import Any

import numpy as np

from montecarlo.errors import BadInput
from montecarlo.simulation.plan import Plan, Span, tally_span
from montecarlo.simulation.tallies import Tally

ANSWER_SECONDS = 10
"""How long a scheduler may take to answer."""

WORKER_SECONDS = 60
"""How long a scheduler may be without a worker."""

LOOK_SECONDS = 2.0
"""How often a run looks whether workers have joined or left."""


def through_dask(
    plan: Plan, tasks: Iterable[tuple[Span, Span]], jobs: int, scheduler: str | None
) -> Iterator[tuple[Span, Span, Tally]]:
    """Yield (shard, task, tally) for each (shard, task), dealt by the workers of a scheduler.

    Workers that join later get their share; a task whose worker is gone is dealt by another.
    Without ``scheduler`` there are ``jobs`` workers on this machine. Raises BadInput when no
    scheduler or no worker answers, when a worker has another program or other policies, and when
    workers die again and again.
    """
    try:
        from distributed import KilledWorker, wait
    except ImportError:
        raise BadInput("backend dask needs the extra: pip install 'montecarlo[dask]'") from None
    wait_for: Any = wait
    waiting = iter(tasks)
    with _client(jobs, scheduler) as client:
        mine = identity(plan)
        window = _Window(client)

        def submit(count: int) -> list[Any]:
            chosen = islice(waiting, max(0, count))
            return [client.submit(_task, plan, *spans, mine, pure=False) for spans in chosen]

        running = set(submit(window.size()))
        try:
            while running:
                with suppress(TimeoutError):
                    wait_for(running, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
                finished = {future for future in running if future.done()}
                running -= finished
                running.update(submit(window.size() - len(running)))
                for future in finished:
                    yield future.result()
        except KilledWorker as error:
            raise BadInput(f"workers died again and again: {_line(error)}") from None
        except (CancelledError, OSError, ImportError) as error:
            raise BadInput(f"the dask scheduler or a worker failed: {_line(error)}") from None


def identity(plan: Plan) -> str:
    """Return a digest of all that decides what this process makes of a plan.

    That is: the experiment with the hashes of its rules and policies, the package's sources that
    it rests on, numba's and numpy's versions.
    """
    from montecarlo.compiled import sources_hash

    source = sources_hash(Path(inspect.getfile(type(plan.experiment))))
    known = [plan.experiment.describe(), source, np.__version__]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]


def _task(plan: Plan, shard: Span, task: Span, wanted: str) -> tuple[Span, Span, Tally]:
    """Carry out a task; this is what runs on a worker."""
    found = identity(plan)
    if found != wanted:
        raise BadInput(
            f"the worker on {socket.gethostname()} has another version of montecarlo, numba or "
            f"numpy, or other policies, than the machine that asks ({found}, not {wanted}): "
            "install the same on both"
        )
    return shard, task, tally_span(plan.experiment, plan.seed, task)


class _Window:
    """How many tasks shall be under way: two for each thread of the workers there are by now."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._looked = self._seen = -math.inf
        self._size = 0

    def size(self) -> int:
        """Look at the workers now and then; BadInput when there has been none for long."""
        now = time.monotonic()
        if now - self._looked >= LOOK_SECONDS:
            self._looked = now
            threads = sum(self._client.nthreads().values())
            self._size = 2 * max(1, threads)
            if threads or self._seen == -math.inf:
                self._seen = now
            if now - self._seen > WORKER_SECONDS:
                raise BadInput(
                    "no worker is left at the dask scheduler: their logs tell why; "
                    "a run with --out goes on with --resume"
                )
        return self._size


@contextmanager
def _client(jobs: int, scheduler: str | None) -> Iterator[Any]:
    from distributed import Client

    if scheduler is None:
        with Client(  # type: ignore[no-untyped-call]
            n_workers=jobs, threads_per_worker=1, dashboard_address=None, silence_logs=ERROR
        ) as client:
            yield client
        return
    try:
        client = Client(scheduler, timeout=ANSWER_SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise BadInput(f"no dask scheduler answers at {scheduler}: {_line(error)}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError:
            raise BadInput(
                f"the dask scheduler at {scheduler} has no worker: start one with "
                f"`dask worker {scheduler}`"
            ) from None
        yield client


def _line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__} {error}".split())[:200]

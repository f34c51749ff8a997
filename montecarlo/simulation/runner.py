"""The runner: carries out a plan on one or many workers, storing finished shards as it goes.

It knows processes and files, never a rule. Whatever the backend, the number of workers and the
order in which they finish, the merged tally is the same: addition of integers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from joblib import Parallel, delayed, parallel_config

from montecarlo.errors import BadInput
from montecarlo.simulation.plan import TASK_BLOCKS, Plan, Span, tally_span
from montecarlo.simulation.progress import Advance, silent
from montecarlo.simulation.store import Store
from montecarlo.simulation.tallies import Tally, merge

BACKENDS = ("threading", "loky", "dask")


def run(
    plan: Plan,
    *,
    jobs: int = 1,
    backend: str = "threading",
    scheduler: str | None = None,
    store: Store | None = None,
    advance: Advance = silent,
) -> Tally:
    """Deal everything the plan holds and return the merged tally.

    With a ``store``, shards that are already there are not dealt again, and each new one is
    written as soon as its last task is done. ``advance`` is told the deals each step finished.
    Raises BadInput for an unknown backend or a number of workers below 1.
    """
    if backend not in BACKENDS:
        raise BadInput(f"backend must be one of {', '.join(BACKENDS)}, not '{backend}'")
    if jobs < 1:
        raise BadInput(f"jobs must be 1 or more, not {jobs}")
    finished: dict[Span, Tally] = store.finished(plan) if store else {}
    waiting = [shard for shard in plan.shards() if shard not in finished]
    parts: dict[Span, list[Tally]] = defaultdict(list)
    if waiting:
        plan.experiment.prepare()  # compile once here: workers then only load the cache
    for shard, task, tally in _results(plan, waiting, jobs, backend, scheduler):
        parts[shard].append(tally)
        advance(task.deals)
        if sum(part.deals for part in parts[shard]) == shard.deals:
            finished[shard] = merge(parts.pop(shard))
            if store:
                store.write(plan, shard, finished[shard])
    return merge(finished[shard] for shard in plan.shards())


def _results(
    plan: Plan, shards: list[Span], jobs: int, backend: str, scheduler: str | None
) -> Iterator[tuple[Span, Span, Tally]]:
    tasks = [(shard, task) for shard in shards for task in shard.split(TASK_BLOCKS)]
    if jobs == 1 and backend != "dask":
        for shard, task in tasks:
            yield _task(plan, shard, task)
        return
    with ExitStack() as stack:
        options: dict[str, Any] = {"n_jobs": jobs}
        if backend == "dask":
            stack.enter_context(_dask_client(jobs, scheduler))
        stack.enter_context(parallel_config(backend=backend, **options))
        parallel = Parallel(return_as="generator_unordered", batch_size=1)
        yield from parallel(delayed(_task)(plan, shard, task) for shard, task in tasks)


def _task(plan: Plan, shard: Span, task: Span) -> tuple[Span, Span, Tally]:
    return shard, task, tally_span(plan.experiment, plan.seed, task)


def _dask_client(jobs: int, scheduler: str | None) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise BadInput("backend dask needs the extra: pip install 'montecarlo[dask]'") from None
    if scheduler is None:
        return Client(  # type: ignore[no-untyped-call]
            n_workers=jobs, threads_per_worker=1, dashboard_address=None
        )
    try:
        return Client(scheduler, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise BadInput(f"no dask scheduler answers at {scheduler}: {error}") from None

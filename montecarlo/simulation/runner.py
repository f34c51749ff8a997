"""The runner: carries out a plan on one or many workers, storing finished shards as it goes.

It knows processes and files, never a rule. Whatever the backend, the number of workers and the
order in which they finish, the merged tally is the same: addition of integers. Tallies are added
up as they come, so that memory does not grow with the number of deals.
"""

from __future__ import annotations

from collections.abc import Iterator

from montecarlo.simulation.backends import BACKENDS, carry_out, check_backend
from montecarlo.simulation.plan import TASK_BLOCKS, Plan, Span
from montecarlo.simulation.progress import Advance, silent
from montecarlo.simulation.store import Store
from montecarlo.simulation.tallies import Tally, merge

__all__ = ["BACKENDS", "run"]


def run(
    plan: Plan,
    *,
    jobs: int = 1,
    backend: str = "threading",
    scheduler: str | None = None,
    store: Store | None = None,
    advance: Advance = silent,
    done: Tally | None = None,
) -> Tally:
    """Deal everything the plan holds and return the merged tally.

    With a ``store``, shards that are already there are not dealt again, and each new one is
    written as soon as its last task is done. ``advance`` is told the deals each step finished.
    ``done`` is the tally of the plan's first ``done.deals`` deals, whole shards of them
    (`Plan.shard_deals`), which are then neither dealt nor read again: so a run grows by
    ``tally = run(plan, done=tally)`` with ever longer plans (`Plan.extended`).

    Raises BadInput for an unknown backend, a number of workers below 1 or a scheduler that does
    not answer, ValueError for a ``done`` that is no beginning of the plan.
    """
    check_backend(jobs, backend, scheduler)
    total = _Total(done)
    waiting = []
    for shard in _left(plan, done):
        stored = store.read(shard) if store else None
        if stored is None:
            waiting.append(shard)
        else:
            total.add(stored)
    if waiting:
        plan.experiment.prepare()  # compile once here: workers then only load the cache
    unfinished: dict[Span, _Total] = {}
    for shard, task, tally in carry_out(plan, _tasks(waiting), jobs, backend, scheduler):
        part = unfinished.setdefault(shard, _Total(None))
        part.add(tally)
        advance(task.deals)
        if part.deals == shard.deals:
            whole = unfinished.pop(shard).tally
            if store:
                store.write(shard, whole)
            total.add(whole)
    return total.tally


class _Total:
    """A sum of tallies that is added to one by one."""

    def __init__(self, start: Tally | None) -> None:
        self._parts = [] if start is None else [start]

    @property
    def deals(self) -> int:
        return sum(part.deals for part in self._parts)

    @property
    def tally(self) -> Tally:
        return merge(self._parts)

    def add(self, tally: Tally) -> None:
        self._parts = [merge([*self._parts, tally])]


def _left(plan: Plan, done: Tally | None) -> list[Span]:
    """Return the shards that are not in ``done``."""
    if done is None:
        return plan.shards()
    if done.deals > plan.deals or (done.deals < plan.deals and done.deals % plan.shard_deals):
        raise ValueError(
            f"{done.deals} deals are no whole shards ({plan.shard_deals} deals each) at the "
            f"beginning of a plan of {plan.deals}"
        )
    return plan.shards()[done.deals // plan.shard_deals :] if done.deals < plan.deals else []


def _tasks(shards: list[Span]) -> Iterator[tuple[Span, Span]]:
    return ((shard, task) for shard in shards for task in shard.split(TASK_BLOCKS))

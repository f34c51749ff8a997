"""Runs that stop by themselves: dealt in waves until enough is known.

Between waves, and only there, somebody who knows the statistics is asked whether it is enough. The
waves are fixed beforehand, so the answer, and with it the number of deals, is the same for any
backend and number of workers, interrupted or not. What a run has stored when it stops is what a
plain run of as many deals stores.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import BadInput
from montecarlo.simulation.backends import carry_out, check_backend
from montecarlo.simulation.plan import TASK_BLOCKS, Plan, Span
from montecarlo.simulation.progress import Advance, silent
from montecarlo.simulation.store import Store
from montecarlo.simulation.tallies import Tally, merge
from montecarlo.simulation.waves import wave_sizes

Ending = Literal["goal", "max_deals", "max_time"]

SMALL_WAVE = 16 * TASK_BLOCKS
"""Blocks below which a wave is cut into tasks of one block, so that all workers get some."""


@dataclass(frozen=True)
class Workers:
    """Who deals: the words of `montecarlo.simulation.runner.run`."""

    jobs: int = 1
    backend: str = "threading"
    scheduler: str | None = None


def run_until(
    plan: Plan,
    is_enough: Callable[[Tally], bool],
    *,
    least: int = 1,
    max_seconds: float | None = None,
    workers: Workers | None = None,
    store: Store | None = None,
    advance: Advance = silent,
) -> tuple[Tally, Ending]:
    """Deal waves of a plan until ``is_enough`` holds, at most all of the plan; say what ended it.

    ``least``: deals of the first wave that is looked at (of a resumed run: all that is stored).
    After ``max_seconds`` no further wave is begun; then, and only then, the result depends on the
    clock. Raises BadInput for workers or a time that cannot be.
    """
    workers = workers or Workers()
    check_backend(workers.jobs, workers.backend, workers.scheduler)
    if max_seconds is not None and not max_seconds > 0:
        raise BadInput(f"a run has more than 0 seconds, not {max_seconds:g}")
    begun = time.monotonic()
    growing = _Growing(plan, workers, store, advance)
    plan.experiment.prepare()
    ending: Ending = "max_deals"
    for size in wave_sizes():
        if size < least and size < plan.deals:
            continue
        total = growing.reach(min(size, plan.deals))
        if is_enough(total):
            ending = "goal"
        elif size < plan.deals:
            if max_seconds is None or time.monotonic() - begun < max_seconds:
                continue
            ending = "max_time"
        growing.close()
        return total, ending
    raise AssertionError("waves have no end")  # pragma: no cover


class _Growing:
    """A plan of more and more deals; whole shards are stored as soon as they are."""

    def __init__(self, most: Plan, workers: Workers, store: Store | None, advance: Advance) -> None:
        self._most, self._workers, self._store, self._advance = most, workers, store, advance
        self._whole: list[Tally] = []
        """all whole shards, merged"""
        self._open: tuple[Span, Tally] | None = None
        """the beginning of a shard that is not whole"""

    def reach(self, deals: int) -> Tally:
        """Deal what is missing up to ``deals`` and return the tally of all."""
        plan = replace(self._most, deals=deals)
        if self._store:
            self._store.grow(plan)
        begun, self._open = self._open, None
        waiting: dict[Span, list[Tally]] = {}
        tasks: list[tuple[Span, Span]] = []
        done = sum(tally.deals for tally in self._whole)
        size = 1 if deals - done < SMALL_WAVE * BLOCK_DEALS else TASK_BLOCKS
        for shard in plan.shards():
            if shard.end <= plan.first_block + done // BLOCK_DEALS:
                continue
            stored = self._store.read(shard) if self._store and begun is None else None
            if stored is not None:
                self._add(plan, shard, stored)
                continue
            left, waiting[shard] = _left(shard, begun)
            tasks += [(shard, task) for task in left.split(size)]
        for shard, task, tally in carry_out(
            plan, tasks, self._workers.jobs, self._workers.backend, self._workers.scheduler
        ):
            self._advance(task.deals)
            waiting[shard] = [merge([*waiting[shard], tally])]
            if waiting[shard][0].deals == shard.deals:
                self._add(plan, shard, waiting.pop(shard)[0])
        return merge([*self._whole, *([self._open[1]] if self._open else [])])

    def close(self) -> None:
        """Store the beginning of the last shard."""
        if self._open and self._store:
            self._store.write(*self._open)

    def _add(self, plan: Plan, shard: Span, tally: Tally) -> None:
        if shard.deals < plan.shard_deals:
            self._open = shard, tally
            return
        if self._store and self._store.read(shard) is None:
            self._store.write(shard, tally)
        self._whole = [merge([*self._whole, tally])]


def _left(shard: Span, begun: tuple[Span, Tally] | None) -> tuple[Span, list[Tally]]:
    """Return what of a shard is still to be dealt, and the tally of what is not."""
    if begun is None or begun[0].first_block != shard.first_block:
        return shard, []
    span, tally = begun
    return Span.of(span.end, shard.deals - span.deals), [tally]

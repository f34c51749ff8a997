"""What a benchmark is, and how it is timed: CPU time of one thread, the best of several runs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

FEWEST_RUNS = 5
SECONDS = 3.0

Run = Callable[[], float]
"""Does some work and returns how many units of it (a part of one is possible)."""


class Benchmark(NamedTuple):
    """Our way and a peer's way of doing the same; nothing but the work itself is in the runs."""

    unit: str
    run: Run
    baseline: str
    baseline_run: Run


class Measurement(NamedTuple):
    """Speeds in units a second of CPU time, and their ratio."""

    name: str
    per_second: float
    unit: str
    threads: int
    baseline: str
    baseline_per_second: float
    ratio: float


def measure(name: str, benchmark: Benchmark, seconds: float = SECONDS) -> Measurement:
    """Time both ways by turns, so that a busy machine disturbs them alike.

    Each way runs once unmeasured (compiling, warming caches), then at least `FEWEST_RUNS` times
    and until it has used ``seconds``.
    """
    runs = (benchmark.run, benchmark.baseline_run)
    best, used = [math.inf, math.inf], [0.0, 0.0]
    for run in runs:
        run()
    rounds = 0
    while rounds < FEWEST_RUNS or min(used) < seconds:
        for way, run in enumerate(runs):
            if rounds < FEWEST_RUNS or used[way] < seconds:
                taken, units = _timed(run)
                best[way] = min(best[way], taken / units)
                used[way] += taken
        rounds += 1
    ours, theirs = 1 / best[0], 1 / best[1]
    return Measurement(
        name=name,
        per_second=ours,
        unit=benchmark.unit,
        threads=1,
        baseline=benchmark.baseline,
        baseline_per_second=theirs,
        ratio=ours / theirs,
    )


def _timed(run: Run) -> tuple[float, float]:
    start = time.thread_time()
    units = run()
    return time.thread_time() - start, units

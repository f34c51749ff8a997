"""Many small plans carried out together, block by block, on one or many threads."""

from __future__ import annotations

from collections.abc import Sequence

from joblib import Parallel, delayed

from montecarlo.errors import BadInput
from montecarlo.simulation.plan import Plan, Span, tally_span
from montecarlo.simulation.progress import Advance, silent
from montecarlo.simulation.tallies import Tally, merge


def run_together(plans: Sequence[Plan], *, jobs: int = 1, advance: Advance = silent) -> list[Tally]:
    """Return the tally of each plan; the same whatever ``jobs`` is.

    Workers are threads and share the plans' blocks, so that plans of a single block run side by
    side too. ``advance`` is told the deals each block finished. Raises BadInput for ``jobs`` below
    1.
    """
    if jobs < 1:
        raise BadInput(f"jobs must be 1 or more, not {jobs}")
    for plan in plans:
        plan.experiment.prepare()
    tasks = [
        (number, block)
        for number, plan in enumerate(plans)
        for shard in plan.shards()
        for block in shard.split(1)
    ]

    def work(number: int, block: Span) -> tuple[int, Tally]:
        plan = plans[number]
        return number, tally_span(plan.experiment, plan.seed, block)

    parts: list[list[Tally]] = [[] for _ in plans]
    parallel = Parallel(n_jobs=jobs, backend="threading", return_as="generator_unordered")
    for number, tally in parallel(delayed(work)(*task) for task in tasks):
        parts[number].append(tally)
        advance(tally.deals)
    return [merge(tallies) for tallies in parts]

"""A plan: which deals a run consists of, cut into shards, tasks and blocks.

Blocks are the unit of randomness, tasks the unit of work that travels to a worker, shards the
unit that is stored. All three depend on the number of deals only, never on workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import BadInput
from montecarlo.simulation.tallies import Tally, merge

TASK_BLOCKS = 4
SHARD_BLOCKS = 64
MOST_DEALS = BLOCK_DEALS * 2**32


class Experiment(Protocol):
    """What is done with each deal; knows rules and kernels, nothing of processes or files."""

    def tally_block(self, seed: int, block: int, deals: int) -> Tally:
        """Deal the first ``deals`` deals of a block and add them up."""

    def prepare(self) -> None:
        """Compile kernels and build tables, once a process, before work is handed out."""

    def describe(self) -> dict[str, Any]:
        """Return everything that decides the result's bits, as JSON data."""


@dataclass(frozen=True)
class Span:
    """Consecutive blocks; all are whole but the last, which holds ``last_deals`` deals."""

    first_block: int
    blocks: int
    last_deals: int

    @property
    def deals(self) -> int:
        """Number of deals in the span."""
        return (self.blocks - 1) * BLOCK_DEALS + self.last_deals

    def split(self, size: int) -> Iterator[Span]:
        """Cut into spans of ``size`` blocks (the last one may be shorter)."""
        for start in range(0, self.blocks, size):
            count = min(size, self.blocks - start)
            is_last = start + count == self.blocks
            yield Span(self.first_block + start, count, self.last_deals if is_last else BLOCK_DEALS)


@dataclass(frozen=True)
class Plan:
    """An experiment, a seed and a number of deals."""

    experiment: Experiment
    seed: int
    deals: int

    def __post_init__(self) -> None:
        if not 1 <= self.deals <= MOST_DEALS:
            raise BadInput(f"deals must be between 1 and {MOST_DEALS}, not {self.deals}")
        if self.seed < 0:
            raise BadInput(f"seed must be 0 or more, not {self.seed}")

    def shards(self) -> list[Span]:
        """Return the spans that are stored as one file each, in order."""
        blocks, rest = divmod(self.deals, BLOCK_DEALS)
        whole = Span(0, blocks + bool(rest), rest or BLOCK_DEALS)
        return list(whole.split(SHARD_BLOCKS))


def tally_span(experiment: Experiment, seed: int, span: Span) -> Tally:
    """Deal a span of blocks and add them up; this is what a worker runs."""
    experiment.prepare()
    return merge(
        experiment.tally_block(seed, part.first_block, part.last_deals) for part in span.split(1)
    )

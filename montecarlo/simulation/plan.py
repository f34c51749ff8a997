"""A plan: which deals a run consists of, cut into shards, tasks and blocks.

Blocks are the unit of randomness, tasks the unit of work that travels to a worker, shards the
unit that is stored. All three depend on the plan only, never on workers. A plan that grows keeps
its whole blocks and shards, so that N deals and then M more are the plan of N + M.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

from montecarlo.dealing.streams import BLOCK_DEALS, BLOCKS
from montecarlo.errors import BadInput
from montecarlo.simulation.tallies import Tally, merge

TASK_BLOCKS = 4
SHARD_BLOCKS = 64
PLAYED_SHARD_BLOCKS = 8
"""Blocks of a shard where deals are played: a kill shall not cost minutes of work."""

MOST_DEALS = BLOCK_DEALS * BLOCKS


class Experiment(Protocol):
    """What is done with each deal; knows rules and kernels, nothing of processes or files.

    One that takes long over a deal has an attribute ``shard_blocks``, fewer than `SHARD_BLOCKS`.
    """

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

    @classmethod
    def of(cls, first_block: int, deals: int) -> Span:
        """Return the span of ``deals`` deals (1 or more) that starts with a block."""
        blocks, rest = divmod(deals, BLOCK_DEALS)
        return cls(first_block, blocks + bool(rest), rest or BLOCK_DEALS)

    @property
    def deals(self) -> int:
        """Number of deals in the span."""
        return (self.blocks - 1) * BLOCK_DEALS + self.last_deals

    @property
    def end(self) -> int:
        """The block after the last one."""
        return self.first_block + self.blocks

    def split(self, size: int) -> Iterator[Span]:
        """Cut into spans of ``size`` blocks (the last one may be shorter)."""
        for start in range(0, self.blocks, size):
            count = min(size, self.blocks - start)
            is_last = start + count == self.blocks
            yield Span(self.first_block + start, count, self.last_deals if is_last else BLOCK_DEALS)


@dataclass(frozen=True)
class Plan:
    """An experiment, a seed and a number of deals, taken from consecutive blocks of the seed."""

    experiment: Experiment
    seed: int
    deals: int
    first_block: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.deals <= MOST_DEALS:
            raise BadInput(f"deals must be between 1 and {MOST_DEALS}, not {self.deals}")
        if self.seed < 0:
            raise BadInput(f"seed must be 0 or more, not {self.seed}")
        if self.first_block < 0 or self.span.end > BLOCKS:
            raise BadInput(
                f"a seed has blocks 0 to {BLOCKS - 1}: {self.deals} deals from block "
                f"{self.first_block} on are not among them"
            )

    @property
    def span(self) -> Span:
        """All blocks of the plan."""
        return Span.of(self.first_block, self.deals)

    @property
    def shard_blocks(self) -> int:
        """Blocks that are stored as one file."""
        return int(getattr(self.experiment, "shard_blocks", SHARD_BLOCKS))

    @property
    def shard_deals(self) -> int:
        """Deals of a whole shard: where a plan may stop without dealing anything again later."""
        return self.shard_blocks * BLOCK_DEALS

    def shards(self) -> list[Span]:
        """Return the spans that are stored as one file each, in order."""
        return list(self.span.split(self.shard_blocks))

    def extended(self, more: int) -> Plan:
        """Return the plan of ``more`` deals on top of these; its first whole shards are the same.

        Raises BadInput for a total that cannot be.
        """
        return replace(self, deals=self.deals + more)


def tally_span(experiment: Experiment, seed: int, span: Span) -> Tally:
    """Deal a span of blocks and add them up; this is what a worker runs."""
    experiment.prepare()
    return merge(
        experiment.tally_block(seed, part.first_block, part.last_deals) for part in span.split(1)
    )

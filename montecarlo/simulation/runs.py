"""Run folders as they are read, also while another process writes them. Data only.

A folder holds one run, or the parts that `montecarlo merge` joined: runs of the same experiment
with different seeds, or with different blocks of one seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import StoreError
from montecarlo.simulation.plan import SHARD_BLOCKS, Span
from montecarlo.simulation.shards import SCHEMA, read_shard, read_span, shard_name
from montecarlo.simulation.tallies import Tally

MANIFEST = "manifest.json"
SHARDS = "shards"
SUMMARY = "summary.json"


class IncompleteRun(StoreError):
    """A run of which something is missing: a shard, or all of it."""


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return a run's manifest.

    Raises IncompleteRun when there is none, StoreError when it is unreadable or of another schema.
    """
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise IncompleteRun(f"{path}: no such file, so no run was begun here") from None
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise StoreError(f"{path}: cannot be read as a manifest ({reason})") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        found = data.get("schema") if isinstance(data, dict) else None
        raise StoreError(
            f"{path}: written with results schema {found}, this version reads schema {SCHEMA}"
        )
    return data


@dataclass(frozen=True)
class Part:
    """Consecutive deals of one seed, and the folder of their shards."""

    seed: int
    first_block: int
    deals: int
    shard_blocks: int
    plan: str | None
    """digest of the plan the shards were dealt for; None where the manifest does not tell"""
    shards: Path

    @property
    def span(self) -> Span:
        """All blocks of the part."""
        return Span.of(self.first_block, self.deals)

    @property
    def deals_done(self) -> int:
        """Deals that are stored, by the names of the shards."""
        done = 0
        for span in self.span.split(self.shard_blocks):
            path = self.shards / shard_name(span)
            if path.exists() and (span.last_deals == BLOCK_DEALS or _span_of(path) == span):
                done += span.deals
        return done

    def tallies(self) -> Iterator[tuple[Span, Tally]]:
        """Yield the stored tallies in order of blocks, one shard at a time.

        Raises IncompleteRun that names a shard that is missing, StoreError for one that is damaged
        or of another plan.
        """
        for span in self.span.split(self.shard_blocks):
            path = self.shards / shard_name(span)
            if not path.exists():
                raise IncompleteRun(f"{path}: missing, the run is not complete; --resume deals it")
            shard = read_shard(path)
            if shard.span != span:
                raise StoreError(f"{path}: holds other deals than its name and the manifest say")
            if self.plan not in (None, shard.plan):
                raise StoreError(f"{path}: dealt for another seed, policy or rules than the run")
            yield span, shard.tally


@dataclass(frozen=True)
class RunFolder:
    """A run folder and its manifest."""

    folder: Path
    manifest: Mapping[str, Any]

    @classmethod
    def open(cls, folder: Path) -> RunFolder:
        """Read a folder's manifest; StoreError when it cannot be read."""
        return cls(folder, read_manifest(folder))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts that were joined, in order; the run itself when it was not joined."""
        data = self.manifest
        parts = data.get("parts") or [{**data, "deals": data["deals_wanted"], "shards": SHARDS}]
        return tuple(
            Part(
                part["seed"],
                part.get("first_block", 0),
                part["deals"],
                data.get("shard_blocks", SHARD_BLOCKS),
                part.get("plan"),
                self.folder / part["shards"],
            )
            for part in parts
        )

    @property
    def deals_wanted(self) -> int:
        """Deals the run shall hold."""
        return sum(part.deals for part in self.parts)

    @property
    def deals_done(self) -> int:
        """Deals that are stored."""
        return sum(part.deals_done for part in self.parts)

    def tallies(self) -> Iterator[tuple[Span, Tally]]:
        """Yield all stored tallies, part by part; errors as `Part.tallies`."""
        for part in self.parts:
            yield from part.tallies()


def _span_of(path: Path) -> Span | None:
    try:
        return read_span(path)
    except StoreError:
        return None

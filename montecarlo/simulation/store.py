"""A run on disk, as it is written: ``manifest.json``, immutable shards, ``summary.json``.

A folder has one writer at a time, and may be read meanwhile (see `runs`): a name always stands for
a whole file. Each shard carries a digest of what it holds and of its plan; one that is damaged is
refused by name (with resume: set aside and dealt again), one of another plan is always refused.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import StoreError
from montecarlo.simulation.files import TEMPORARY, encode_json, remove_leftovers, replace_file
from montecarlo.simulation.lock import LOCK_NAME, Lock
from montecarlo.simulation.plan import SHARD_BLOCKS, Plan, Span
from montecarlo.simulation.provenance import code_commit, package_versions
from montecarlo.simulation.runs import MANIFEST, SHARDS, SUMMARY, Part, read_manifest
from montecarlo.simulation.shards import (
    SCHEMA,
    DamagedShard,
    Shard,
    encode_shard,
    read_shard,
    shard_blocks,
    shard_name,
)
from montecarlo.simulation.tallies import Tally


class Store:
    """One run folder, open for writing; a context manager that gives the folder free."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        *,
        resume: bool = False,
        recipe: Mapping[str, Any] | None = None,
    ) -> None:
        """Open a new folder, or with ``resume`` one that an earlier run of this plan left.

        With ``resume`` the plan may hold more deals than before: the run is extended. ``recipe``
        is kept in the manifest: JSON data from which the same experiment can be made again.
        Raises StoreError when the folder cannot be written, is being written by another process,
        is not empty (without resume), or belongs to another plan: the first thing that differs is
        named.
        """
        self.folder = folder
        self.resume = resume
        self._recipe = recipe
        self._plan_digest = digest_of(description(plan))
        if folder.exists() and not folder.is_dir():
            raise StoreError(f"{folder}: is a file, not a folder for results")
        self._check(plan)
        try:
            (folder / SHARDS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{folder}: cannot be written ({error.strerror})") from None
        self._lock = Lock(folder)
        try:
            self._check(plan)  # once more: now nobody else writes
            for place in (folder, folder / SHARDS):
                remove_leftovers(place)
            self._note_plan(plan)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give the folder free for other processes."""
        self._lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def grow(self, plan: Plan) -> None:
        """Note in the manifest that this plan, of more deals than before, is carried out now."""
        self._write_manifest(plan, 0)

    def deals_done(self, plan: Plan) -> int:
        """Return how many of the plan's deals are stored, by the names of the shards."""
        return _part(self.folder, plan).deals_done

    def read(self, span: Span) -> Tally | None:
        """Return the stored tally of a span; None when it is still to be dealt.

        A last, partial span that holds fewer deals than wanted is to be dealt again. Raises
        StoreError for a shard of another plan or schema, DamagedShard (without resume) for one
        that is not whole.
        """
        path = self._path(span)
        if not path.exists():
            return None
        try:
            shard = read_shard(path)
        except DamagedShard:
            if not self.resume:
                raise
            os.replace(path, path.with_suffix(".damaged"))
            return None
        if shard.plan != self._plan_digest:
            raise StoreError(
                f"{path}: dealt for another seed, policy or rules than {self.folder}; "
                "move it away, then --resume deals its blocks"
            )
        return shard.tally if shard.span == span else None

    def write(self, span: Span, tally: Tally) -> None:
        """Store one finished shard; StoreError when the disk is full or refuses."""
        replace_file(self._path(span), encode_shard(Shard(span, tally, self._plan_digest)))

    def finish(self, plan: Plan, summary: Mapping[str, Any]) -> None:
        """Write ``summary.json`` and note in the manifest that all deals are done.

        Last, partial shards of a run that was extended since are deleted: their deals are part of
        longer shards now.
        """
        replace_file(self.folder / SUMMARY, encode_json(summary))
        wanted = {shard_name(span) for span in plan.shards()}
        span = plan.span
        for path in (self.folder / SHARDS).iterdir():
            blocks = shard_blocks(path) or range(span.end, span.end + 1)
            is_within = blocks[0] >= span.first_block and blocks[-1] < span.end
            if is_within and path.name not in wanted:
                path.unlink()
        self._write_manifest(plan, plan.deals)

    def _path(self, span: Span) -> Path:
        return self.folder / SHARDS / shard_name(span)

    def _check(self, plan: Plan) -> None:
        """Refuse a folder that holds something else."""
        if (self.folder / MANIFEST).exists():
            if not self.resume:
                raise StoreError(
                    f"{self.folder}: not empty; --resume continues it, or take another folder"
                )
            _compare(self.folder, read_manifest(self.folder), plan)
        elif self.folder.is_dir() and not _is_fresh(self.folder):
            says = (
                "no manifest.json here, so this is no run to resume"
                if self.resume
                else "not empty; --resume continues a run, or take another folder"
            )
            raise StoreError(f"{self.folder}: {says}")

    def _note_plan(self, plan: Plan) -> None:
        """Write the manifest of a new run, or of one that is to hold another number of deals."""
        if (self.folder / MANIFEST).exists():
            before = read_manifest(self.folder)
            self._recipe = self._recipe or before.get("recipe")
            if before.get("deals_wanted") == plan.deals:
                return
        self._write_manifest(plan, 0)

    def _write_manifest(self, plan: Plan, done: int) -> None:
        data = {
            "schema": SCHEMA,
            **description(plan),
            "first_block": plan.first_block,
            "block_deals": BLOCK_DEALS,
            "shard_blocks": plan.shard_blocks,
            "deals_wanted": plan.deals,
            "deals_done": done,
            "plan": self._plan_digest,
            "recipe": self._recipe,
            "versions": package_versions(),
            "commit": code_commit(),
        }
        replace_file(self.folder / MANIFEST, encode_json(data))


def stored_tallies(folder: Path, plan: Plan) -> Iterator[tuple[Span, Tally]]:
    """Yield the shards of a plan in order, from a folder that others may be reading or writing.

    Raises StoreError when the folder is of another plan, or when a shard is missing or damaged.
    """
    _compare(folder, read_manifest(folder), plan)
    yield from _part(folder, plan).tallies()


def description(plan: Plan) -> dict[str, Any]:
    """Return what decides the bits of a plan's shards, as JSON data."""
    return {**plan.experiment.describe(), "seed": plan.seed}


def digest_of(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of JSON data."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _part(folder: Path, plan: Plan) -> Part:
    digest = digest_of(description(plan))
    numbers = plan.seed, plan.first_block, plan.deals, plan.shard_blocks
    return Part(*numbers, digest, folder / SHARDS)


def _is_fresh(folder: Path) -> bool:
    """Tell whether a folder holds nothing but what a run killed at its first step leaves."""
    for path in folder.iterdir():
        if path.name == SHARDS and path.is_dir() and not any(path.iterdir()):
            continue
        if path.name != LOCK_NAME and not (path.name[0] == "." and path.suffix == TEMPORARY):
            return False
    return True


def _compare(folder: Path, manifest: Mapping[str, Any], plan: Plan) -> None:
    """Refuse a folder of another plan, naming the first thing that differs."""
    if "parts" in manifest:
        raise StoreError(f"{folder}: joined of several runs; go on with one of those and join anew")
    wanted = json.loads(json.dumps(description(plan)))
    found = {"first_block": 0, "block_deals": BLOCK_DEALS, "shard_blocks": SHARD_BLOCKS, **manifest}
    wanted |= {
        "first_block": plan.first_block,
        "block_deals": BLOCK_DEALS,
        "shard_blocks": plan.shard_blocks,
    }
    for key in sorted(wanted, key=lambda k: isinstance(wanted[k], dict)):  # short answers first
        if found.get(key) != wanted[key]:
            shown = [str(value)[:60] for value in (found.get(key), wanted[key])]
            raise StoreError(f"{folder}: holds a run with {key} {shown[0]}, not {shown[1]}")

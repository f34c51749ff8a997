"""A run on disk: ``manifest.json``, immutable Parquet shards, ``summary.json``. Data only.

A shard is written to a temporary name, flushed to the disk and renamed, so that a name in
``shards/`` always stands for a whole file. Each carries a digest of what it holds; a shard that
does not match it is refused by name (with resume: set aside and dealt again).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from montecarlo.errors import StoreError
from montecarlo.simulation.plan import Plan, Span
from montecarlo.simulation.provenance import code_commit, package_versions
from montecarlo.simulation.tallies import Tally

SCHEMA = 1
_META = b"montecarlo"
_SHARD_NAME = re.compile(r"blocks-(\d{10})-(\d{10})\.parquet")


class Store:
    """One run folder."""

    def __init__(self, folder: Path, plan: Plan, *, resume: bool = False) -> None:
        """Open a new folder, or with ``resume`` one that an earlier run of this plan left.

        Raises StoreError when the folder cannot be written, is not empty (without resume), or
        belongs to another plan: the first thing that differs is named.
        """
        self.folder = folder
        self.resume = resume
        if folder.exists() and not folder.is_dir():
            raise StoreError(f"{folder}: is a file, not a folder for results")
        has_files = folder.is_dir() and any(folder.iterdir())
        if has_files and not resume:
            raise StoreError(f"{folder}: not empty; --resume continues it, or take another folder")
        if resume and (folder / "manifest.json").exists():
            _compare(folder, self.manifest(), _description(plan))
        elif has_files:
            raise StoreError(f"{folder}: no manifest.json here, so this is no run to resume")
        try:
            (folder / "shards").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{folder}: cannot be written ({error.strerror})") from None
        if not (folder / "manifest.json").exists():
            self._write_manifest(plan, 0)

    def manifest(self) -> dict[str, Any]:
        """Return the manifest; StoreError when it is unreadable or of another schema."""
        path = self.folder / "manifest.json"
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise StoreError(f"{path}: cannot be read as a manifest ({error})") from None
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            found = data.get("schema") if isinstance(data, dict) else None
            raise StoreError(
                f"{path}: written with results schema {found}, this version reads schema {SCHEMA}"
            )
        return data

    def finished(self, plan: Plan) -> dict[Span, Tally]:
        """Return the tallies of the plan's shards that are stored whole.

        A shard of the plan's last, partial span that holds fewer deals is left to be dealt again.
        """
        found: dict[Span, Tally] = {}
        for span in plan.shards():
            path = self._path(span)
            if not path.exists():
                continue
            try:
                stored, tally = read_shard(path)
            except StoreError:
                if not self.resume:
                    raise
                os.replace(path, path.with_suffix(".damaged"))
                continue
            if stored == span:
                found[span] = tally
        return found

    def write(self, plan: Plan, span: Span, tally: Tally) -> None:
        """Store one finished shard; StoreError when the disk is full or refuses."""
        table = _table(span, tally, _digest_of(_description(plan)))
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        self._replace(self._path(span), sink.getvalue().to_pybytes())

    def finish(self, plan: Plan, summary: Mapping[str, Any]) -> None:
        """Write ``summary.json`` and note in the manifest that all deals are done."""
        self._replace(self.folder / "summary.json", encode_json(summary))
        self._write_manifest(plan, plan.deals)

    def _path(self, span: Span) -> Path:
        last = span.first_block + span.blocks - 1
        return self.folder / "shards" / f"blocks-{span.first_block:010d}-{last:010d}.parquet"

    def _write_manifest(self, plan: Plan, done: int) -> None:
        data = {
            "schema": SCHEMA,
            **_description(plan),
            "deals_wanted": plan.deals,
            "deals_done": done,
            "versions": package_versions(),
            "commit": code_commit(),
        }
        self._replace(self.folder / "manifest.json", encode_json(data))

    def _replace(self, path: Path, data: bytes) -> None:
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
            _sync_folder(path.parent)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise StoreError(
                f"{path}: cannot be written ({error.strerror}); "
                "what was stored before is whole, --resume goes on from it"
            ) from None


def read_shard(path: Path) -> tuple[Span, Tally]:
    """Read one shard and check its digest; StoreError names a damaged one."""
    try:
        table = pq.read_table(path)
        meta = json.loads((table.schema.metadata or {})[_META])
        names = table.column("tally").to_pylist()
        values = np.asarray(table.column("value").to_numpy(), dtype=np.int64)
        if meta["schema"] != SCHEMA:
            raise StoreError(f"{path}: schema {meta['schema']}, this version reads {SCHEMA}")
        if meta["digest"] != _digest(values):
            raise ValueError("its digest does not match")
        arrays: dict[str, Any] = {}
        start = 0
        for name, shape in meta["shapes"]:
            size = int(np.prod(shape, dtype=np.int64))
            if names[start : start + size] != [name] * size:
                raise ValueError(f"tally {name} is not whole")
            arrays[name] = values[start : start + size].reshape(shape)
            start += size
        span = Span(meta["first_block"], meta["blocks"], meta["last_deals"])
    except StoreError:
        raise
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())[:120]
        raise StoreError(f"{path}: damaged ({reason}); --resume deals it again") from None
    return span, Tally(span.deals, arrays)


def encode_json(data: Mapping[str, Any]) -> bytes:
    """Return data as readable UTF-8 JSON, ending in a newline; no NaN or infinity."""
    return (json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _table(span: Span, tally: Tally, plan_digest: str) -> pa.Table:
    names: list[str] = []
    parts: list[np.ndarray[Any, np.dtype[np.int64]]] = []
    shapes: list[tuple[str, list[int]]] = []
    for name in sorted(tally.arrays):
        array = tally.arrays[name].astype(np.int64)
        names += [name] * array.size
        parts.append(array.ravel())
        shapes.append((name, list(array.shape)))
    values = np.concatenate(parts)
    meta = {
        "schema": SCHEMA,
        "plan": plan_digest,
        "first_block": span.first_block,
        "blocks": span.blocks,
        "last_deals": span.last_deals,
        "shapes": shapes,
        "digest": _digest(values),
    }
    columns = {
        "tally": pa.array(names).dictionary_encode(),
        "value": pa.array(values),
    }
    encoded = json.dumps(meta, sort_keys=True).encode()
    return pa.table(columns).replace_schema_metadata({_META: encoded})


def _digest(values: np.ndarray[Any, np.dtype[np.int64]]) -> str:
    return hashlib.sha256(values.astype("<i8").tobytes()).hexdigest()


def _description(plan: Plan) -> dict[str, Any]:
    return {**plan.experiment.describe(), "seed": plan.seed}


def _digest_of(data: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _compare(folder: Path, manifest: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuse a folder of another plan, naming the first thing that differs."""
    plain = json.loads(json.dumps(wanted))
    for key in sorted(plain, key=lambda k: isinstance(plain[k], dict)):  # short answers first
        if manifest.get(key) != plain[key]:
            shown = [str(value)[:60] for value in (manifest.get(key), plain[key])]
            raise StoreError(f"{folder}: holds a run with {key} {shown[0]}, not {shown[1]}")


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

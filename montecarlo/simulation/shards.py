"""Shards: one Parquet file for the tally of consecutive blocks, with a digest of what it holds."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from montecarlo.errors import StoreError
from montecarlo.simulation.plan import Span
from montecarlo.simulation.tallies import Tally

SCHEMA = 1
"""Version of the results folder: of manifests and shards."""

_META = b"montecarlo"
_NAME = re.compile(r"blocks-(\d{10})-(\d{10})\.parquet")


class DamagedShard(StoreError):
    """A shard that is cut off, or does not hold what it says."""


@dataclass(frozen=True)
class Shard:
    """A stored tally, the blocks it is of, and the digest of the plan it was dealt for."""

    span: Span
    tally: Tally
    plan: str


def shard_name(span: Span) -> str:
    """Return the file name of a span's shard."""
    return f"blocks-{span.first_block:010d}-{span.end - 1:010d}.parquet"


def shard_blocks(path: Path) -> range | None:
    """Return the blocks that a shard's file name tells; None for another kind of file."""
    match = _NAME.fullmatch(path.name)
    return range(int(match[1]), int(match[2]) + 1) if match else None


def encode_shard(shard: Shard) -> bytes:
    """Return the bytes of a shard's file; the same shard gives the same bytes."""
    names: list[str] = []
    parts: list[NDArray[np.int64]] = []
    shapes: list[tuple[str, list[int]]] = []
    for name in sorted(shard.tally.arrays):
        array = shard.tally.arrays[name].astype(np.int64)
        names += [name] * array.size
        parts.append(array.ravel())
        shapes.append((name, list(array.shape)))
    values = np.concatenate(parts)
    meta = {
        "schema": SCHEMA,
        "plan": shard.plan,
        "first_block": shard.span.first_block,
        "blocks": shard.span.blocks,
        "last_deals": shard.span.last_deals,
        "shapes": shapes,
        "digest": _digest(values),
    }
    columns = {"tally": pa.array(names).dictionary_encode(), "value": pa.array(values)}
    encoded = json.dumps(meta, sort_keys=True).encode()
    sink = pa.BufferOutputStream()
    table = pa.table(columns).replace_schema_metadata({_META: encoded})
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue().to_pybytes())


def read_shard(path: Path) -> Shard:
    """Read a shard and check its digest.

    Raises DamagedShard for a file that is not whole, StoreError for one of another schema.
    """
    try:
        table = pq.read_table(path)
        meta = _meta(path, table.schema)
        names = table.column("tally").to_pylist()
        values = np.asarray(table.column("value").to_numpy(), dtype=np.int64)
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
        if start != values.size:
            raise ValueError("it holds more than it says")
        span = _span(meta)
        return Shard(span, Tally(span.deals, arrays), str(meta["plan"]))
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        raise _damaged(path, error) from None


def read_span(path: Path) -> Span:
    """Return the blocks a shard is of without reading what it holds; errors as `read_shard`."""
    try:
        return _span(_meta(path, pq.read_schema(path)))
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        raise _damaged(path, error) from None


def _meta(path: Path, schema: Any) -> dict[str, Any]:
    meta: dict[str, Any] = json.loads((schema.metadata or {})[_META])
    if meta["schema"] != SCHEMA:
        raise StoreError(f"{path}: schema {meta['schema']}, this version reads {SCHEMA}")
    return meta


def _span(meta: dict[str, Any]) -> Span:
    return Span(int(meta["first_block"]), int(meta["blocks"]), int(meta["last_deals"]))


def _damaged(path: Path, error: Exception) -> StoreError:
    if isinstance(error, StoreError):
        return error
    reason = " ".join(str(error).split())[:120]
    return DamagedShard(f"{path}: damaged ({reason}); --resume deals it again")


def _digest(values: NDArray[np.int64]) -> str:
    return hashlib.sha256(values.astype("<i8").tobytes()).hexdigest()

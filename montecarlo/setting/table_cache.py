"""Arrays that take seconds to build, kept on disk and never trusted blindly.

A file is named by a sha256 over everything its arrays depend on (the caller's parts and the
sources that build them), is written under a temporary name and renamed, and is used only when its
header and the sha256 of its content are right; otherwise the arrays are built again.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.compiled import DAYS_KEPT, cache_folder

Arrays = Mapping[str, NDArray[Any]]

_MAGIC = b"montecarlo tables 1\n"
_SOURCES = (
    "strength/tables.py",
    "setting/rank_multisets.py",
    "setting/static_tables.py",
    "setting/objective.py",
    "setting/bounds.py",
    "setting/best_setting.py",
    "setting/compiled_policy.py",
)


def cached_arrays(
    name: str, parts: Iterable[bytes], build: Callable[[], Arrays]
) -> dict[str, NDArray[Any]]:
    """Return the arrays of ``build()``, from disk when they were built before from equal parts.

    ``name`` starts the file's name; ``parts`` are all inputs as bytes. A folder that cannot be
    written is no error: the arrays are then built each time. Returned arrays are read-only.
    """
    digest = hashlib.sha256(_source_bytes())
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    key = digest.hexdigest()
    path = cache_folder() / "settings" / f"{name}-{key[:32]}.bin"
    arrays = _read(path, key)
    if arrays is None:
        arrays = {n: np.ascontiguousarray(array) for n, array in build().items()}
        with suppress(OSError):
            _write(path, key, arrays)
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


@lru_cache(maxsize=1)
def _source_bytes() -> bytes:
    package = Path(__file__).parent.parent
    return b"\0".join((package / source).read_bytes() for source in _SOURCES)


def _read(path: Path, key: str) -> dict[str, NDArray[Any]] | None:
    """Arrays of a file, or None when it is missing, damaged or another's."""
    try:
        content = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    if not content.startswith(_MAGIC):
        return None
    end = content.find(b"\n", len(_MAGIC))
    body = memoryview(content)[end + 1 :]
    try:
        header = json.loads(content[len(_MAGIC) : end])
        if header["key"] != key or header["sha256"] != hashlib.sha256(body).hexdigest():
            return None
        arrays, position = {}, 0
        for name, dtype, shape in header["arrays"]:
            count = int(np.prod(shape, dtype=np.int64))
            flat = np.frombuffer(body, np.dtype(dtype), count, position)
            arrays[name] = flat.reshape(shape)
            position += -(-flat.nbytes // 64) * 64
    except (ValueError, KeyError, TypeError):
        return None
    return arrays


def _write(path: Path, key: str, arrays: Arrays) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    _drop_old(path.parent)
    body = b"".join(a.tobytes() + bytes(-a.nbytes % 64) for a in arrays.values())
    header = {
        "key": key,
        "sha256": hashlib.sha256(body).hexdigest(),
        "arrays": [[name, a.dtype.str, list(a.shape)] for name, a in arrays.items()],
    }
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + json.dumps(header).encode() + b"\n" + body)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _drop_old(folder: Path) -> None:
    oldest = time.time() - DAYS_KEPT * 86400
    for file in folder.iterdir():
        with suppress(OSError):
            if file.stat().st_mtime < oldest:
                file.unlink()

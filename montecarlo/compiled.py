"""The one way this package compiles a kernel with numba.

numba's on-disk cache watches only the file a kernel stands in, so an edit to a kernel that is
inlined from another file would go stale. Here the cache folder is named after a hash of all the
package's sources: any edit starts a fresh one, and two versions never share code.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config
from platformdirs import user_cache_path

Function = TypeVar("Function", bound=Callable[..., Any])

DAYS_KEPT = 14


def cache_folder() -> Path:
    """Folder for everything that can be made anew (``MONTECARLO_CACHE`` overrides it)."""
    own = os.environ.get("MONTECARLO_CACHE")
    return Path(own) if own else user_cache_path("montecarlo")


@lru_cache(maxsize=1)
def source_hash() -> str:
    """Return a 16-digit hash of the package's Python sources and of the compiler's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache(maxsize=1)
def _kernel_folder() -> str:
    base = cache_folder() / "kernels"
    folder = base / source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for other in base.iterdir():
            if other != folder and other.stat().st_mtime < time.time() - DAYS_KEPT * 86400:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:
        return ""  # read-only home: numba falls back to its own folders
    return str(folder)


def kernel(function: Function) -> Function:
    """Compile ``function`` on first use: nopython, no GIL, cached on disk.

    A kernel takes arrays and returns arrays; it does no I/O and has no randomness of its own.
    """
    before = config.CACHE_DIR
    config.CACHE_DIR = _kernel_folder() or before
    try:
        compiled: Function = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = before
    return compiled

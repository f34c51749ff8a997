"""The one way this package compiles a kernel with numba.

numba's on-disk cache watches only the file a kernel stands in, so an edit to a kernel that is
inlined from another file would go stale. Here the cache folder is named after a hash of the
kernel's own file and of every file of the package that it imports, directly or not.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config
from platformdirs import user_cache_path

Function = TypeVar("Function", bound=Callable[..., Any])

DAYS_KEPT = 14

_PACKAGE = Path(__file__).parent
_IMPORT = re.compile(
    r"^\s*(?:from\s+montecarlo(\.[\w.]+)?\s+import\s+(\([^)]*\)|.+)|import\s+montecarlo\.([\w.]+))",
    re.MULTILINE,
)


def cache_folder() -> Path:
    """Folder for everything that can be made anew (``MONTECARLO_CACHE`` overrides it)."""
    own = os.environ.get("MONTECARLO_CACHE")
    return Path(own) if own else user_cache_path("montecarlo")


@cache
def _imports(path: Path) -> frozenset[Path]:
    """Return the package's files that one file names in its import statements."""
    found: set[Path] = set()
    for module, names, plain in _IMPORT.findall(path.read_text(encoding="utf-8")):
        base = _PACKAGE.joinpath(*(module or f".{plain}").split(".")[1:])
        candidates = [base.with_suffix(".py"), base / "__init__.py"]
        candidates += [base / f"{name}.py" for name in re.findall(r"\w+", names)]
        found.update(file for file in candidates if file.is_file())
    return frozenset(found)


@cache
def sources_hash(path: Path) -> str:
    """Return a 16-digit hash of a file, the package's files it rests on, and the compiler."""
    seen = {path}
    waiting = [path]
    while waiting:
        new = _imports(waiting.pop()) - seen
        seen |= new
        waiting += new
    digest = hashlib.sha256(numba.__version__.encode())
    for file in sorted(seen):
        digest.update(str(file.relative_to(_PACKAGE.parent)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache(maxsize=1)
def _kernels_folder() -> Path | None:
    folder = cache_folder() / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for other in folder.iterdir():
            if other.stat().st_mtime < time.time() - DAYS_KEPT * 86400:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:
        return None  # read-only home: numba falls back to its own folders
    return folder


def _folder_for(function: Callable[..., Any]) -> str:
    base = _kernels_folder()
    path = Path(function.__code__.co_filename)
    if base is None or not path.is_relative_to(_PACKAGE):
        return ""
    folder = base / sources_hash(path)
    folder.mkdir(exist_ok=True)
    os.utime(folder)
    return str(folder)


def kernel(function: Function) -> Function:
    """Compile ``function`` on first use: nopython, no GIL, cached on disk.

    A kernel takes arrays and returns arrays; it does no I/O and has no randomness of its own.
    """
    return _compile(function)


def inner_kernel(function: Function) -> Function:
    """Compile the inside of a kernel: as `kernel`, but it may allocate nothing.

    Where nothing is allocated, numba need not count references to arrays; in loops over many
    arrays that counting costs several times the work itself.
    """
    return _compile(function, _nrt=False)


def _compile(function: Function, **options: bool) -> Function:
    settings = vars(config)
    before = settings["CACHE_DIR"]
    settings["CACHE_DIR"] = _folder_for(function) or before
    try:
        njit = cast(Any, numba.njit)  # its type stubs know no option for reference counts
        compile_lazily = njit(cache=True, nogil=True, error_model="numpy", **options)
        return cast(Function, compile_lazily(function))
    finally:
        settings["CACHE_DIR"] = before

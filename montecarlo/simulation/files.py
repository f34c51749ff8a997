"""Files of a run folder: written whole or not at all, whatever happens to process or disk."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from montecarlo.errors import StoreError

TEMPORARY = ".tmp"
"""Ending of names that stand for nothing yet."""


def encode_json(data: Mapping[str, Any]) -> bytes:
    """Return data as readable UTF-8 JSON, ending in a newline; no NaN or infinity."""
    return (json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def replace_file(path: Path, data: bytes) -> None:
    """Write a file under a temporary name, flush it to the disk, and rename it.

    So ``path`` always stands for a whole file, the old one or the new one. Raises StoreError when
    the disk is full or refuses; nothing is left behind then.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}{TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise StoreError(
            f"{path}: cannot be written ({error.strerror}); "
            "what was stored before is whole, --resume goes on from it"
        ) from None


def remove_leftovers(folder: Path) -> None:
    """Delete temporary files that a killed process left in a folder; only its owner may do so."""
    for path in folder.glob(f".*{TEMPORARY}"):
        path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

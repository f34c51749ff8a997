"""The lock of a run folder: a file that names the one process that may write there.

A process that was killed leaves its lock behind. Such a lock is recognised: its process is gone, or
its number belongs to another process now (they differ in the time they started). A process on
another machine cannot be looked at; its lock is respected until somebody removes the file.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import get_ident

from montecarlo.errors import StoreError
from montecarlo.simulation.files import TEMPORARY

LOCK_NAME = "run.lock"


@dataclass(frozen=True)
class Owner:
    """A process, so described that no other one of any time or machine is mistaken for it."""

    host: str
    pid: int
    start: str
    """boot of the machine and clock ticks from there to the process's start; "" where unknown"""

    @classmethod
    def of(cls, pid: int) -> Owner:
        """Describe a process of this machine."""
        return cls(socket.gethostname(), pid, _start(pid))

    @property
    def is_gone(self) -> bool:
        """Tell whether it is sure that the process no longer runs."""
        if self.host != socket.gethostname():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass  # somebody else's process: it runs
        return bool(self.start) and _start(self.pid) != self.start

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


class Lock:
    """The lock of one folder, taken until `release`."""

    def __init__(self, folder: Path) -> None:
        """Take the lock of a folder that is there.

        Raises StoreError that names the owner when another process holds it.
        """
        self.path = folder / LOCK_NAME
        self.owner = Owner.of(os.getpid())
        mine = self.path.with_name(f".{LOCK_NAME}.{os.getpid()}-{get_ident()}{TEMPORARY}")
        try:
            mine.write_text(json.dumps(asdict(self.owner)), encoding="utf-8")
            while not self._take(mine):
                pass
        except OSError as error:
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"{self.path}: cannot be written ({error.strerror})") from None
        finally:
            with suppress(OSError):
                mine.unlink(missing_ok=True)

    def release(self) -> None:
        """Give the folder free; does nothing when the lock is somebody else's by now."""
        if owner_of(self.path.parent) == self.owner:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)

    def _take(self, mine: Path) -> bool:
        """Put a whole lock file in place; False when the lock in the way has just changed."""
        try:
            os.link(mine, self.path)  # fails when there is a lock: one of two gets it
            return True
        except FileExistsError:
            pass
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return False
        with file:
            # of several that find a stale lock, one at a time replaces it
            fcntl.flock(file, fcntl.LOCK_EX)
            if not _is_same(file.fileno(), self.path):
                return False
            owner = _read(file.read())
            if owner is not None and not owner.is_gone:
                raise StoreError(_held(self.path, owner))
            os.replace(mine, self.path)
            return True


def owner_of(folder: Path) -> Owner | None:
    """Return the process that is writing a folder; None when there is none any more."""
    try:
        owner = _read((folder / LOCK_NAME).read_bytes())
    except OSError:
        return None
    return None if owner is None or owner.is_gone else owner


def _held(path: Path, owner: Owner) -> str:
    if owner.host == socket.gethostname():
        return f"{path.parent}: {owner} is writing it; wait for it, or take another folder"
    return (
        f"{path.parent}: {owner} is writing it, or was killed there, which cannot be seen from "
        f"{socket.gethostname()}; if it is gone, remove {path}"
    )


def _read(data: bytes) -> Owner | None:
    """Return the owner a lock file names; None when a power cut has left no whole file."""
    try:
        found = json.loads(data)
        return Owner(str(found["host"]), int(found["pid"]), str(found["start"]))
    except (ValueError, KeyError, TypeError):
        return None


def _start(pid: int) -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    if fields[0] in "ZX":
        return "ended"  # killed, and not yet waited for by its parent
    return f"{boot}:{fields[19]}"


def _is_same(handle: int, path: Path) -> bool:
    try:
        now = path.stat()
    except FileNotFoundError:
        return False
    held = os.fstat(handle)
    return (now.st_dev, now.st_ino) == (held.st_dev, held.st_ino)

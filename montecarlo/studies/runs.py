"""Study: which runs lie in a folder, how far they are, and whether somebody is at work on them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from montecarlo.errors import BadInput, StoreError
from montecarlo.simulation.lock import owner_of
from montecarlo.simulation.runs import MANIFEST, SHARDS, SUMMARY, RunFolder
from montecarlo.studies.results import Result

DEFAULT_FOLDER = Path("data/runs")
DEEPEST = 4
"""Folders below the one that is asked for in which runs are looked for."""


@dataclass(frozen=True)
class RunLine:
    """One run: what it is of, deals done and wanted, size, and seconds since it was written."""

    path: str
    variant: str
    policy: str
    deals_done: int
    deals_wanted: int
    bytes: int
    age_s: float
    state: str
    """``finished``, ``stopped``, or who is writing it"""

    @classmethod
    def of(cls, run: RunFolder) -> RunLine:
        """Look at a run folder, which may be being written."""
        files = list(_files(run.folder))
        owner = owner_of(run.folder)
        done, wanted = run.deals_done, run.deals_wanted
        is_finished = done == wanted and (run.folder / SUMMARY).exists()
        return cls(
            str(run.folder),
            _variant(run.manifest),
            _policy(run.manifest),
            done,
            wanted,
            sum(size for size, _ in files),
            round(max(0.0, time.time() - max(when for _, when in files)), 1),
            str(owner) if owner else "finished" if is_finished else "stopped",
        )


@dataclass(frozen=True)
class Runs(Result):
    """The runs of a folder by path, and what looked like a run but cannot be read."""

    runs: tuple[RunLine, ...]
    unreadable: tuple[str, ...]

    def to_data(self) -> list[dict[str, Any]]:
        """Return the ``runs`` shape of design.md."""
        return self.rows()

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a run."""
        return [asdict(run) for run in self.runs]


def runs(folder: Path | str | None = None) -> Runs:
    """List the runs in a folder and below it (``data/runs`` if there is one, else here).

    Runs may be written meanwhile. Raises BadInput when there is no such folder.
    """
    if folder is None:
        folder = DEFAULT_FOLDER if DEFAULT_FOLDER.is_dir() else Path()
    folder = Path(folder)
    if not folder.is_dir():
        raise BadInput(f"{folder}: no such folder; runs lie where --out has put them")
    found, unreadable = [], []
    for path in sorted(_run_folders(folder, DEEPEST)):
        try:
            found.append(RunLine.of(RunFolder.open(path)))
        except (StoreError, KeyError, TypeError) as error:
            unreadable.append(str(error) if isinstance(error, StoreError) else f"{path}: no run")
    return Runs(tuple(found), tuple(unreadable))


def _run_folders(folder: Path, depth: int) -> Iterator[Path]:
    if (folder / MANIFEST).is_file() and (folder / SHARDS).is_dir():
        yield folder
        return
    if depth == 0:
        return
    try:
        below = [path for path in folder.iterdir() if path.is_dir() and path.name[0] != "."]
    except PermissionError:
        return
    for path in below:
        yield from _run_folders(path, depth - 1)


def _files(folder: Path) -> Iterator[tuple[int, float]]:
    """Yield size and time of a run's files; some may vanish while they are looked at."""
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                status = os.stat(os.path.join(place, name))
            except FileNotFoundError:
                continue
            yield status.st_size, status.st_mtime


def _variant(manifest: Any) -> str:
    if "arms" in manifest:
        return ",".join(dict.fromkeys(arm["variant"] for arm in manifest["arms"]))
    return str(manifest.get("variant") or ",".join(manifest["variants"]))


def _policy(manifest: Any) -> str:
    if "arms" in manifest:
        return " / ".join(dict.fromkeys(_policy(arm) for arm in manifest["arms"]))
    names = manifest["policy"]
    return names if isinstance(names, str) else ",".join(_short(names))


def _short(names: list[str]) -> list[str]:
    """Return one name when all seats have the same."""
    return names[:1] if len(set(names)) == 1 else names

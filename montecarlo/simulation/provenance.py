"""Where a result comes from: versions of what computed it, and the commit of this package."""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from montecarlo import __version__

_PACKAGES = ("numpy", "numba", "scipy", "pandas", "pyarrow", "joblib")


@lru_cache(maxsize=1)
def package_versions() -> dict[str, str]:
    """Return the versions of Python, montecarlo and what it computes with."""
    found = {"python": sys.version.split()[0], "montecarlo": __version__}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # pragma: no cover - all are requirements
            continue
    return found


@lru_cache(maxsize=1)
def code_commit() -> str | None:
    """Return the commit this package runs from ("+" when edited since), None outside a checkout."""
    home = Path(__file__).resolve().parents[2]
    if not (home / ".git").exists():
        return None
    try:
        commit = _git(home, "rev-parse", "--short=12", "HEAD")
        return commit + ("+" if _git(home, "status", "--porcelain", "montecarlo") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(home: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(home), *words], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()

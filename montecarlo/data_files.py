"""Where the package's data lies: beside it in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_path(*parts: str) -> Path:
    """Return the path of a file or folder under ``data/``, whether it exists or not.

    ``data_path("claims")`` is the folder of the published figures under test. Meant for reading:
    an installed package's folder may be write-protected.
    """
    return _folder("data").joinpath(*parts)


def notebook_path(*parts: str) -> Path:
    """Return the path of a file or folder under ``notebooks/``, whether it exists or not."""
    return _folder("notebooks").joinpath(*parts)


def _folder(name: str) -> Path:
    installed = _PACKAGE / f"_{name}"
    return installed if installed.is_dir() else _PACKAGE.parent / name

"""Running notebooks: in a kernel of this very interpreter, on results that are already there."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from montecarlo.data_files import notebook_path
from montecarlo.errors import MontecarloError
from montecarlo.reporting.edition import FOLDER_VARIABLE, Edition

Notebook = Any
"""A notebook as nbformat reads it: a NotebookNode."""

SECONDS_A_CELL = 600


def report_notebooks() -> list[Path]:
    """Return the report's notebooks, in order."""
    return sorted(notebook_path().glob("[0-9][0-9]_*.ipynb"))


def read(path: Path) -> Notebook:
    """Read a notebook; MontecarloError when it is none."""
    import nbformat

    try:
        return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, nbformat.ValidationError) as error:
        raise MontecarloError(f"{path}: cannot be read as a notebook ({error})") from None


def needs_games(notebook: Notebook) -> bool:
    """Tell whether a notebook reads played games; its metadata says so if it does not."""
    return bool(notebook.metadata.get("montecarlo", {}).get("needs_games", True))


def execute(notebook: Notebook, edition: Edition, name: str) -> None:
    """Run a notebook's cells in place, with ``edition`` as the results it reads.

    Raises MontecarloError with the failing cell's last line when a cell fails.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    with tempfile.TemporaryDirectory() as folder, _environment(edition, Path(folder)):
        client = NotebookClient(
            notebook,
            km=_kernel_of_this_interpreter(Path(folder)),
            timeout=SECONDS_A_CELL,
            resources={"metadata": {"path": str(Path.cwd())}},
        )
        try:
            client.execute(cleanup_kc=True)
        except CellExecutionError as error:
            raise MontecarloError(f"{name}: {error.ename}: {error.evalue}") from error


def _kernel_of_this_interpreter(folder: Path) -> Any:
    """Return a kernel manager whose kernel runs on ``sys.executable``, whatever is installed."""
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager

    spec = folder / "kernels" / "montecarlo"
    spec.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}",
               "--HistoryManager.enabled=False"]  # fmt: skip
    description = {"argv": command, "display_name": "montecarlo", "language": "python"}
    (spec / "kernel.json").write_text(json.dumps(description), encoding="utf-8")
    specs = KernelSpecManager(kernel_dirs=[str(spec.parent)], ensure_native_kernel=False)
    manager = AsyncKernelManager(kernel_name="montecarlo", kernel_spec_manager=specs)
    if os.name == "posix":  # sockets in a folder of our own: no port is opened
        manager.transport, manager.ip = "ipc", str(folder / "socket")
    return manager


@contextmanager
def _environment(edition: Edition, folder: Path) -> Iterator[None]:
    """Let a kernel started here find the edition, and leave nothing in the user's home."""
    new: Mapping[str, str] = {
        FOLDER_VARIABLE: str(edition.folder),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_PLATFORM_DIRS": "1",
    }
    before = {name: os.environ.get(name) for name in new}
    os.environ.update(new)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

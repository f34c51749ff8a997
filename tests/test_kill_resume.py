"""A run that is killed at any moment goes on to the bytes of one that was not."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

import pytest

DEALS = "2_000_000"


def deal(folder: Path) -> None:
    """Run or resume the command in a process of its own, quietly, with many small shards."""
    from montecarlo.cli import run
    from montecarlo.simulation import plan

    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    plan.SHARD_BLOCKS = 1
    words = ["simulate", "taiwan", "--policy", "none", "--deals", DEALS, "--seed", "11"]
    os._exit(run([*words, "--out", str(folder), "--resume"]))


def bytes_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("kills", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_random_moments(tmp_path: Path, kills: int) -> None:
    # children are forked from a server that has imported everything: no kill falls on that
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["montecarlo.studies.simulate", "montecarlo.commands.simulate"])

    def start(folder: Path) -> multiprocessing.process.BaseProcess:
        process = context.Process(target=deal, args=(folder,))
        process.start()
        return process

    whole = start(tmp_path / "warm")  # kernels are compiled or loaded once before times are taken
    whole.join()
    before = time.monotonic()
    whole = start(tmp_path / "whole")
    whole.join()
    seconds = time.monotonic() - before
    assert whole.exitcode == 0
    wanted = bytes_of(tmp_path / "whole")
    assert len(wanted) == 31 + 1

    moments = random.Random(20261130)
    killed = finished = 0
    while killed < kills:
        folder = tmp_path / f"killed-{finished}"  # a new one when a run came to its end
        process = start(folder)
        process.join(moments.uniform(0, seconds / 2))
        if process.is_alive():
            os.kill(process.pid or 0, signal.SIGKILL)
            killed += 1
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        if process.exitcode == 0:
            assert bytes_of(folder) == wanted
            finished += 1
    last = start(tmp_path / f"killed-{finished}")
    last.join()
    assert last.exitcode == 0
    assert bytes_of(tmp_path / f"killed-{finished}") == wanted

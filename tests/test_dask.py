"""Dask: a scheduler and two workers in processes of their own, one of them killed at work."""

from __future__ import annotations

import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import BadInput
from montecarlo.simulation import dask_workers
from montecarlo.simulation import plan as plan_module
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.simulation.payouts import PayoutExperiment
from montecarlo.simulation.plan import Plan, Span, tally_span
from montecarlo.studies.simulate import simulate
from montecarlo.variants import Variant

pytest.importorskip("distributed")

TAIWAN = Variant.load("taiwan")


def bytes_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


class Cluster:
    """`dask scheduler` and `dask worker` as a user starts them, on the loopback."""

    def __init__(self, folder: Path) -> None:
        """Start the scheduler; workers are added."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.folder = folder
        self.address = f"tcp://127.0.0.1:{port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"
        )

    def add_worker(self) -> None:
        """Start one more worker of one thread."""
        place = str(self.folder / f"worker{len(self.workers)}")
        words = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", place)
        self.workers.append(self._start("worker", self.address, *words))

    def stop(self) -> None:
        """End all processes."""
        for process in (*self.workers, self.scheduler):
            process.terminate()
        for process in (*self.workers, self.scheduler):
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @staticmethod
    def _start(*words: str) -> subprocess.Popen[bytes]:
        nothing = subprocess.DEVNULL
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *words], stdout=nothing, stderr=nothing
        )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    found = Cluster(tmp_path)
    yield found
    found.stop()


def memory_of(process: subprocess.Popen[bytes]) -> int:
    """Return the most memory a process has held, in kilobytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


@pytest.mark.slow
def test_a_run_outlives_a_killed_worker(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_module, "SHARD_BLOCKS", 4)
    cluster.add_worker()
    words = {"deals": 120 * BLOCK_DEALS - 1, "seed": 5, "policy": "none"}
    simulate(TAIWAN, out=tmp_path / "alone", **words)
    shards = len(list((tmp_path / "alone" / "shards").iterdir()))

    out = tmp_path / "dask"
    dask = {"backend": "dask", "scheduler": cluster.address}
    failures: list[BaseException] = []

    def deal() -> None:
        try:
            simulate(TAIWAN, out=out, **words, **dask)
        except BaseException as error:
            failures.append(error)

    run = threading.Thread(target=deal)
    run.start()

    def wait_for(count: int) -> None:
        deadline = time.monotonic() + 100
        while len(list(out.glob("shards/blocks-*"))) < count and run.is_alive():
            assert time.monotonic() < deadline
            time.sleep(0.002)

    wait_for(1)
    cluster.add_worker()  # joins a run that has begun
    wait_for(4)
    cluster.workers[0].send_signal(signal.SIGKILL)
    done_when_killed = len(list(out.glob("shards/blocks-*")))
    run.join()
    assert not failures
    assert done_when_killed < shards
    assert bytes_of(out) == bytes_of(tmp_path / "alone")
    assert memory_of(cluster.workers[1]) < 600_000


def test_only_tallies_travel() -> None:
    plan = Plan(PayoutExperiment(TAIWAN, 4, ("greedy",) * 4), 1, 10**9)
    assert len(pickle.dumps(plan)) < 20_000
    span = Span(0, 1, 200)
    assert len(pickle.dumps(tally_span(plan.experiment, 1, span))) < 100_000


def test_a_worker_with_something_else_is_refused_by_name() -> None:
    plan = Plan(FrequencyExperiment(TAIWAN, 4), 1, 100)
    mine, span = dask_workers.identity(plan), Span(0, 1, 100)
    shard, task, tally = dask_workers._task(plan, span, span, mine)
    assert (shard, task, tally.deals) == (span, span, 100)
    with pytest.raises(BadInput, match=f"worker on {socket.gethostname()} has another version"):
        dask_workers._task(plan, span, span, "something else")
    knob = Variant.load("taiwan", ["wheel=none"])
    others = (FrequencyExperiment(knob, 4), FrequencyExperiment(TAIWAN, 3))
    assert all(dask_workers.identity(Plan(other, 1, 100)) != mine for other in others)


def test_schedulers_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    words = {"deals": 1000, "seed": 1, "policy": "none"}
    with pytest.raises(BadInput, match=r"is of no use to backend threading: take dask"):
        simulate(TAIWAN, **words, scheduler="tcp://127.0.0.1:1")
    monkeypatch.setattr(dask_workers, "ANSWER_SECONDS", 0.2)
    with pytest.raises(BadInput, match=r"no dask scheduler answers at tcp://127\.0\.0\.1:1"):
        simulate(TAIWAN, **words, backend="dask", scheduler="tcp://127.0.0.1:1")
    with pytest.raises(BadInput, match="no dask scheduler answers at nonsense"):
        simulate(TAIWAN, **words, backend="dask", scheduler="nonsense")


@pytest.mark.slow
def test_a_scheduler_without_workers(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_workers, "ANSWER_SECONDS", 60)
    monkeypatch.setattr(dask_workers, "WORKER_SECONDS", 0.2)
    words = {"deals": 1000, "seed": 1, "policy": "none"}
    with pytest.raises(BadInput, match=f"start one with `dask worker {cluster.address}`"):
        simulate(TAIWAN, **words, backend="dask", scheduler=cluster.address)

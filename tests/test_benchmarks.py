"""The benchmark frame: its contract on the command line, and that it times CPU, not waiting."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def speed(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    import speed

    return speed


def test_unknown_name_is_one_line_and_status_2() -> None:
    command = [sys.executable, str(FOLDER / "speed.py"), "--json", "dael"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("unknown benchmark 'dael'")
    assert done.stderr.count("\n") == 1


def test_json_has_the_agreed_keys(
    speed: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from measuring import Benchmark, measure

    quick = Benchmark("sums", lambda: sum(range(20_000)) and 1, "the same", lambda: 0.5)
    monkeypatch.setattr(speed, "measured", lambda name: measure(name, quick, seconds=0))
    assert speed.main(["--json", "deal"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    result = json.loads(line)
    keys = "name per_second unit threads baseline baseline_per_second ratio"
    assert list(result) == keys.split()
    assert result["name"] == "deal"
    assert result["threads"] == 1
    assert result["ratio"] == pytest.approx(result["per_second"] / result["baseline_per_second"])


def test_waiting_is_not_counted(speed: ModuleType) -> None:
    from measuring import Benchmark, measure

    def waiting() -> float:
        time.sleep(0.05)
        return sum(range(20_000)) and 1.0

    result = measure("wait", Benchmark("sums", waiting, "the same", waiting), seconds=0)
    assert result.per_second > 40  # at most 20 would be possible if sleep counted


def test_every_case_has_what_the_frame_asks(speed: ModuleType) -> None:
    names = speed.benchmark_names()
    assert names[0] == "deal"
    for name in names:
        assert "def benchmark() -> Benchmark:" in (FOLDER / "cases" / f"{name}.py").read_text()


def test_rounded_figures(speed: ModuleType) -> None:
    assert speed.rounded(15_234_567.8) == "15,200,000"
    assert speed.rounded(1234.5) == "1,230"
    assert speed.rounded(0.012345) == "0.0123"

"""The command line: every kind of bad input is one clear line and exit status 2."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from montecarlo.cli import run

HAND = "As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s"
GOLDEN = Path(__file__).parent / "golden"
SIMULATE = ["simulate", "taiwan", "--policy", "none"]

BAD_INPUT = [
    # words
    (["exct", "taiwan"], "no command 'exct'; did you mean 'exact'"),
    (["exact"], "Missing argument 'VARIANT'"),
    (["exact", "taiwan", "--jason"], "No such option: --jason"),
    # variants, knobs, options
    (["exact", "taiwam"], "unknown variant 'taiwam'; did you mean 'taiwan'"),
    (["rules", "V13"], "unknown variant 'V13'"),
    (["exact", "nowhere.toml"], "nowhere.toml: no such rule file"),
    (["exact", "taiwan", "--set", "wheal=none"], "no knob 'wheal'; did you mean 'wheel'"),
    (["exact", "taiwan", "--set", "wheel=maybe"], "wheel must be one of second, lowest, none"),
    (["exact", "taiwan", "--set", "wheel"], "write knob=value"),
    (["exact", "taiwan", "--set", "six_pairs.quad=true"], "did you mean 'six_pairs.quads'"),
    (["exact", "taiwan", "--players", "5"], "players must be 2, 3 or 4"),
    # numbers
    ([*SIMULATE, "--deals", "-5"], "deals must be"),
    ([*SIMULATE, "--deals", "0"], "deals must be"),
    ([*SIMULATE, "--deals", "1.5"], "'1.5' is no whole number"),
    ([*SIMULATE, "--deals", "many"], "'many' is no number"),
    ([*SIMULATE, "--seed", "-1"], "seed must be"),
    ([*SIMULATE, "--players", "1"], "players must be 2, 3 or 4"),
    ([*SIMULATE, "--jobs", "0"], "jobs must be"),
    ([*SIMULATE, "--backend", "mpi"], "backend must be one of"),
    (["simulate", "taiwan", "--policy", "clever"], "unknown policy 'clever'"),
    # places
    ([*SIMULATE, "--out", "/dev/null/x"], "/dev/null/x: cannot"),
    ([*SIMULATE, "--out", "/dev/null"], "not a folder"),
    ([*SIMULATE, "--resume"], "--out"),
    (["score", "taiwan", "nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
    (["score", "taiwam", "nowhere.jsonl"], "did you mean 'taiwan'"),
    # claims
    (["verify", "dragon-ods"], "did you mean 'dragon-odds'"),
]


@pytest.mark.parametrize(("words", "says"), BAD_INPUT)
def test_bad_input_is_one_line(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert says in err
    assert "Traceback" not in err


BAD_TABLES = [
    ("{", "JSON"),
    ("[]", "object"),
    ("{}", "players"),
    (json.dumps({"players": []}), "players"),
    (json.dumps({"players": [{"special": "dragon", "hand": HAND}] * 2}), "As"),
    (json.dumps({"players": [{"special": "dragon", "hand": "As"}] * 2}), "13"),
    (json.dumps({"players": [{"hand": HAND, "specal": "dragon"}] * 2}), "special"),
]


@pytest.mark.parametrize(("line", "says"), BAD_TABLES)
def test_bad_tables_are_named_and_the_others_scored(
    line: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = (GOLDEN / "score_cases.jsonl").read_text(encoding="utf-8").splitlines()[0]
    path = tmp_path / "tables.jsonl"
    path.write_text(f"{line}\n{good}\n", encoding="utf-8")
    assert run(["score", "bidaxiao", str(path)]) == 2
    out, err = capsys.readouterr()
    first, second = map(json.loads, out.splitlines())
    assert first["units"] is None
    assert says in first["error"]
    assert second["units"] == json.loads(good)["units"]
    assert err.count("\n") == 1


def test_a_damaged_rule_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('like = "taiwan"\nid = "mine"\nwheell = "none"\n', encoding="utf-8")
    assert run(["exact", str(path)]) == 2
    assert f"{path}: unknown key 'wheell'; did you mean 'wheel'" in capsys.readouterr().err


def test_a_rule_file_stands_wherever_an_id_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('like = "coins"\nid = "mine"\n', encoding="utf-8")
    simulate = ["simulate", str(path), "--policy", "none", "--deals", "1e3", "--seed", "1"]
    for words in (["rules", str(path)], ["exact", str(path)], simulate):
        assert run([*words, "--json"]) == 0
        data = json.loads(capsys.readouterr().out)
        assert data.get("variant", data.get("id")) == "mine"


def test_json_is_all_that_stdout_holds(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*SIMULATE, "--deals", "10_000", "--json"]
    assert run(words) == 0
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert f"--seed {data['seed']}" in err  # a drawn seed is reported
    assert run([*words, "--seed", str(data["seed"])]) == 0
    again, err = capsys.readouterr()
    assert again == out
    assert err == ""
    keys = {"id", "count", "hands", "p", "ci95", "exact_p", "z", "p_value"}
    assert keys <= data["specials"][0].keys()
    assert data["units"] is None


def test_exact_json_has_the_agreed_shape(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["exact", "taiwan", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    wanted = json.loads((GOLDEN / "exact_counts.json").read_text(encoding="utf-8"))
    exclusive = {entry["id"]: entry["exclusive"] for entry in data["specials"]}
    assert exclusive == wanted["exclusive"]["taiwan"]
    assert sum(exclusive.values()) + data["none"] == data["total"] == 635_013_559_600
    assert run(["exact", "V4", "--json"]) == 0
    ladder = json.loads(capsys.readouterr().out)
    assert sum(t["exclusive"] for t in ladder["tiers"]) + ladder["remainder"] == ladder["total"]
    assert [tier["tier"] for tier in ladder["tiers"]] == [1, 2, 3, 4, 5, 6, 7]


def test_variants_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["variants", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data) == 13
    assert all({"id", "number", "zh", "en", "format", "banker"} <= entry.keys() for entry in data)


def test_help_loads_nothing_heavy() -> None:
    heavy = ("numpy", "numba", "scipy", "pandas", "pyarrow", "matplotlib", "pydantic", "rich")
    code = f"import sys, montecarlo.cli; print([m for m in {heavy} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert loaded.stdout.strip() == "[]"
    for words, says in ((["--help"], "simulate"), (["--version"], "montecarlo "), ([], "simulate")):
        command = [sys.executable, "-m", "montecarlo", *words]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0
        assert says in done.stdout


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m montecarlo rules taiwan | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""

"""Run folders: one writer, many readers; runs that grow and runs that are joined."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from montecarlo.cli import run as command
from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import BadInput, StoreError
from montecarlo.simulation import plan as plan_module
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.simulation.lock import LOCK_NAME, Lock, Owner, owner_of
from montecarlo.simulation.plan import Plan, Span
from montecarlo.simulation.runner import run
from montecarlo.simulation.runs import RunFolder
from montecarlo.simulation.shards import read_shard
from montecarlo.simulation.store import Store, stored_tallies
from montecarlo.simulation.tallies import merge as add_up
from montecarlo.studies.extend import extend
from montecarlo.studies.merge import merge
from montecarlo.studies.recipe import Recipe
from montecarlo.studies.runs import runs
from montecarlo.studies.simulate import simulate
from montecarlo.variants import Variant

COINS = Variant.load("coins")
HERE = socket.gethostname()


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_module, "SHARD_BLOCKS", 2)


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder but the manifest, whose commit may change under a test."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def tabulated(out: Path, deals: int, seed: int = 1, **words: object) -> None:
    simulate(COINS, deals=deals, seed=seed, policy="none", out=out, **words)


# the lock


def put_lock(folder: Path, owner: Owner) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / LOCK_NAME).write_text(json.dumps(asdict(owner)))


def test_a_folder_has_one_writer(tmp_path: Path) -> None:
    plan = Plan(FrequencyExperiment(COINS, 4), 1, 1000)
    with (
        Store(tmp_path / "run", plan),
        pytest.raises(StoreError, match=f"process {os.getpid()} on {HERE} is writing it"),
    ):
        Store(tmp_path / "run", plan, resume=True)
    assert owner_of(tmp_path / "run") is None
    Store(tmp_path / "run", plan, resume=True).close()


def test_a_living_process_is_respected_and_named(tmp_path: Path) -> None:
    put_lock(tmp_path, Owner.of(os.getppid()))
    with pytest.raises(StoreError, match=f"process {os.getppid()} on {HERE}"):
        Lock(tmp_path)
    assert owner_of(tmp_path) == Owner.of(os.getppid())


def test_a_lock_from_another_machine_says_how_to_remove_it(tmp_path: Path) -> None:
    put_lock(tmp_path, Owner("elsewhere", 1, ""))
    with pytest.raises(
        StoreError, match=f"process 1 on elsewhere .* remove {tmp_path}/{LOCK_NAME}"
    ):
        Lock(tmp_path)


def test_stale_locks_are_recognised(tmp_path: Path) -> None:
    child = subprocess.Popen(["sleep", "60"])
    killed = Owner.of(child.pid)
    assert not killed.is_gone
    child.kill()
    while not killed.is_gone:  # not yet waited for: the number still stands in the process table
        time.sleep(0.01)
    child.wait()
    again = Owner(HERE, os.getppid(), "another boot:1")  # the number is another process's now
    for owner in (killed, again):
        put_lock(tmp_path, owner)
        assert owner_of(tmp_path) is None
        Lock(tmp_path).release()
        assert not (tmp_path / LOCK_NAME).exists()
    (tmp_path / LOCK_NAME).write_text('{"host": "cut o')  # a power cut
    Lock(tmp_path).release()


def test_one_of_many_takes_a_stale_lock(tmp_path: Path) -> None:
    for turn in range(20):
        folder = tmp_path / str(turn)
        put_lock(folder, Owner(HERE, os.getppid(), "another boot:1"))
        start, won = threading.Barrier(6), []

        def take(folder: Path = folder, start: threading.Barrier = start, won: list = won) -> None:
            start.wait()
            try:
                won.append(Lock(folder))
            except StoreError as error:
                assert "is writing it" in str(error)  # noqa: PT017

        threads = [threading.Thread(target=take) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 1
        assert [path.name for path in folder.iterdir()] == [LOCK_NAME]


# what a kill leaves behind


def test_leftovers_are_cleared_away(tmp_path: Path) -> None:
    tabulated(tmp_path / "whole", 1000)
    out = tmp_path / "run"
    (out / "shards").mkdir(parents=True)
    (out / ".manifest.json.1-1.tmp").write_bytes(b"{")
    put_lock(out, Owner(HERE, os.getppid(), "another boot:1"))
    tabulated(out, 1000)  # killed before it had a manifest: as good as a new folder
    (out / "summary.json").unlink()
    (out / "shards" / ".blocks-0000000000-0000000000.parquet.1-1.tmp").write_bytes(b"PAR1")
    tabulated(out, 1000, resume=True)
    assert bytes_of(out) == bytes_of(tmp_path / "whole")


@pytest.mark.usefixtures("small_shards")
def test_a_finished_run_with_a_shard_missing_is_not_finished(tmp_path: Path) -> None:
    out = tmp_path / "run"
    tabulated(out, 5 * BLOCK_DEALS)
    before = bytes_of(out)
    sorted(out.glob("shards/*"))[1].unlink()
    (line,) = runs(out).runs
    assert (line.deals_done, line.deals_wanted) == (3 * BLOCK_DEALS, 5 * BLOCK_DEALS)
    assert line.state == "stopped"
    with pytest.raises(StoreError, match="missing, the run is not complete"):
        list(RunFolder.open(out).tallies())
    with pytest.raises(StoreError, match=r"not finished .* `montecarlo extend .*` finishes it"):
        extend(out, 1000)
    extend(out)
    assert bytes_of(out) == before


def test_no_flipped_bit_changes_what_is_read(tmp_path: Path) -> None:
    tabulated(tmp_path / "run", 70_000)
    path = next((tmp_path / "run" / "shards").iterdir())
    whole, right = path.read_bytes(), read_shard(path)
    refused = 0
    for place in range(0, len(whole), 3):
        data = bytearray(whole)
        data[place] ^= 1 << place % 8
        path.write_bytes(data)
        try:
            read = read_shard(path)
        except StoreError:
            refused += 1
            continue
        # a store and a reader compare span and plan with what they want, whatever the file says
        if (read.span, read.plan) == (right.span, right.plan):
            assert read.tally.deals == right.tally.deals
            assert read.tally.integers("holders") == right.tally.integers("holders")
            assert read.tally.shape("holders") == right.tally.shape("holders")
    assert refused > 0


@pytest.mark.usefixtures("small_shards")
def test_a_shard_of_another_run_is_refused_by_name(tmp_path: Path) -> None:
    for seed in (1, 2):
        tabulated(tmp_path / str(seed), 3 * BLOCK_DEALS, seed)
    name = "shards/blocks-0000000000-0000000001.parquet"
    shutil.copy(tmp_path / "2" / name, tmp_path / "1" / name)
    with pytest.raises(StoreError, match=f"{name}: dealt for another seed"):
        tabulated(tmp_path / "1", 3 * BLOCK_DEALS, resume=True)
    with pytest.raises(StoreError, match=f"{name}: dealt for another seed"):
        list(RunFolder.open(tmp_path / "1").tallies())
    assert (tmp_path / "1" / name).exists()  # not ours to set aside


def test_a_run_does_not_shrink(tmp_path: Path) -> None:
    tabulated(tmp_path / "run", 2000)
    before = bytes_of(tmp_path / "run")
    with pytest.raises(StoreError, match="holds a run of 2000 deals, not 1000"):
        tabulated(tmp_path / "run", 1000, resume=True)
    with pytest.raises(StoreError, match="first_block 0, not 1"):
        tabulated(tmp_path / "run", 2000, resume=True, first_block=1)
    assert bytes_of(tmp_path / "run") == before


@pytest.mark.usefixtures("small_shards")
def test_a_run_is_read_while_it_is_written(tmp_path: Path) -> None:
    plan = Plan(FrequencyExperiment(COINS, 4), 1, 3 * BLOCK_DEALS)
    with Store(tmp_path / "run", plan) as store:
        first = plan.shards()[0]
        store.write(first, run(Plan(plan.experiment, 1, first.deals)))
        (line,) = runs(tmp_path).runs
        assert (line.deals_done, line.deals_wanted) == (first.deals, plan.deals)
        assert line.state == f"process {os.getpid()} on {HERE}"
        assert line.age_s < 60
        assert next(RunFolder.open(tmp_path / "run").tallies())[0] == first


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    size = "size=32k"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", size, "none", place], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("only root may mount a small disk")
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.mark.usefixtures("small_shards")
def test_a_full_disk_loses_nothing(
    small_disk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["simulate", "coins", "--policy", "none", "--deals", "3e6", "--seed", "1"]
    assert command([*words, "--out", str(tmp_path / "whole")]) == 0
    capsys.readouterr()
    out = small_disk / "run"
    assert command([*words, "--out", str(out)]) == 2
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert "cannot be written (No space left on device)" in complaint
    stored = list(out.glob("shards/*"))
    assert stored
    assert not list(out.rglob("*.tmp"))
    for path in stored:
        read_shard(path)
    shutil.copytree(out, tmp_path / "moved")
    assert command([*words, "--out", str(tmp_path / "moved"), "--resume"]) == 0
    assert bytes_of(tmp_path / "moved") == bytes_of(tmp_path / "whole")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_told_to_stop_ends_with_a_line(tmp_path: Path, number: int) -> None:
    out = tmp_path / "run"
    words = ["simulate", "coins", "--policy", "none", "--deals", "1e9", "--seed", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "montecarlo", *words, "--jobs", "2", "--out", str(out)],
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not (out / "manifest.json").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(number)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert complaint == "montecarlo: interrupted; a run with --out goes on with --resume\n"
    assert owner_of(out) is None
    assert not (out / LOCK_NAME).exists()


# runs that grow


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize(
    ("first", "more"), [(1000, 2000), (70_000, 80_000), (130_000, 200_000), (131_072, 1000)]
)
def test_n_deals_and_m_more_are_one_run(tmp_path: Path, first: int, more: int) -> None:
    tabulated(tmp_path / "whole", first + more)
    tabulated(tmp_path / "grown", first)
    result = extend(tmp_path / "grown", more, jobs=2)
    assert result.deals == first + more
    assert bytes_of(tmp_path / "grown") == bytes_of(tmp_path / "whole")
    manifests = [
        json.loads((tmp_path / n / "manifest.json").read_text()) for n in ("grown", "whole")
    ]
    for manifest in manifests:
        del manifest["commit"]
    assert manifests[0] == manifests[1]


def test_a_played_run_with_knobs_grows_to_the_same_bytes(tmp_path: Path) -> None:
    held = Variant.load("coins", ["gun=none", "dragon.points=20"])
    words = {"seed": 4, "policy": "equilibrium", "hold_policy": True, "players": 3}
    simulate(held, deals=3000, out=tmp_path / "grown", **words)
    extend(tmp_path / "grown", 2000)
    whole = simulate(held, deals=5000, out=tmp_path / "whole", **words)
    assert whole.held
    assert bytes_of(tmp_path / "grown") == bytes_of(tmp_path / "whole")


@pytest.mark.parametrize("policy", ["none", "greedy", "balanced,greedy:declare=always,greedy"])
@pytest.mark.parametrize("overrides", [[], ["wheel=none", "six_pairs.quads=false", "stake=2.5"]])
def test_a_manifest_holds_what_the_run_was_asked_for(policy: str, overrides: list[str]) -> None:
    asked = Recipe.of(Variant.load("coins", overrides), policy, 3, hold_policy=True)
    read = Recipe.from_data(json.loads(json.dumps(asked.to_data())))
    assert read == asked
    assert read.experiment.describe() == asked.experiment.describe()


def test_what_is_no_longer_the_same_is_not_extended(tmp_path: Path) -> None:
    out = tmp_path / "run"
    simulate(COINS, deals=1000, seed=1, policy="greedy", out=out)
    manifest = json.loads((out / "manifest.json").read_text())
    for change, says in (
        ({"policy_sha256": ["00"] * 4}, "policy_sha256"),
        ({"variant_sha256": "00"}, "variant_sha256 00"),
        ({"recipe": None}, "no recipe"),
        ({"recipe": {**manifest["recipe"], "kind": "other"}}, "kind other"),
        ({"recipe": {**manifest["recipe"], "players": 9}}, "players must be 2, 3 or 4"),
        ({"schema": 0}, "schema 0, this version reads"),
    ):
        (out / "manifest.json").write_text(json.dumps({**manifest, **change}))
        with pytest.raises(StoreError, match=says):
            extend(out, 1000)
    with pytest.raises(BadInput, match="deals must be 1 or more"):
        extend(out, 0)
    with pytest.raises(StoreError, match="no such file, so no run was begun here"):
        extend(tmp_path, 1)


def test_a_plan_goes_on_from_what_is_tallied() -> None:
    experiment = FrequencyExperiment(COINS, 4)
    plan = Plan(experiment, 3, 64 * BLOCK_DEALS)
    assert plan.shard_deals == plan.deals
    done = add_up([run(Plan(experiment, 3, 1000))])
    with pytest.raises(ValueError, match="no whole shards"):
        run(plan, done=done)
    first = run(plan)
    dealt: list[int] = []
    total = run(plan.extended(5000), done=first, advance=dealt.append)
    assert sum(dealt) == 5000
    assert total.integers("holders") == run(plan.extended(5000)).integers("holders")
    assert run(plan, done=first).integers("holders") == first.integers("holders")


# runs that are joined


def counts_of(folder: Path) -> list[int]:
    return add_up(tally for _, tally in RunFolder.open(folder).tallies()).integers("holders")


@pytest.mark.usefixtures("small_shards")
def test_runs_of_different_seeds_are_joined(tmp_path: Path) -> None:
    for seed in (1, 2, 3):
        tabulated(tmp_path / str(seed), 3 * BLOCK_DEALS + seed, seed)
    pair = merge([tmp_path / "2", tmp_path / "1"], tmp_path / "pair")
    every = merge([tmp_path / "pair", tmp_path / "3"], tmp_path / "every")
    assert pair.to_data()["seed"] == [1, 2]
    assert every.result.deals == 9 * BLOCK_DEALS + 6
    sums = [sum(c) for c in zip(*(counts_of(tmp_path / str(s)) for s in (1, 2, 3)), strict=True)]
    assert counts_of(tmp_path / "every") == sums
    for special in every.result.specials:
        single = (json.loads((tmp_path / str(s) / "summary.json").read_text()) for s in (1, 2, 3))
        counts = [e["count"] for run in single for e in run["specials"] if e["id"] == special.id]
        assert special.count == sum(counts)
    # neither the order nor the way matters, and the shards are those of the runs
    merge([tmp_path / str(seed) for seed in (3, 2, 1)], tmp_path / "again")
    assert bytes_of(tmp_path / "again") == bytes_of(tmp_path / "every")
    for seed in (1, 2, 3):
        for path in (tmp_path / str(seed) / "shards").iterdir():
            copy = tmp_path / "every" / "shards" / f"seed-{seed}" / path.name
            assert copy.read_bytes() == path.read_bytes()
    parts = json.loads((tmp_path / "every" / "manifest.json").read_text())["parts"]
    assert [(part["seed"], part["first_block"]) for part in parts] == [(1, 0), (2, 0), (3, 0)]
    assert {part["versions"]["montecarlo"] for part in parts} == {"0.1.0"}
    line = next(run for run in runs(tmp_path).runs if run.path.endswith("every"))
    assert (line.deals_done, line.state) == (9 * BLOCK_DEALS + 6, "finished")


@pytest.mark.usefixtures("small_shards")
def test_disjoint_blocks_joined_are_one_run(tmp_path: Path) -> None:
    whole = simulate(
        COINS, deals=5 * BLOCK_DEALS + 7, seed=1, policy="none", out=tmp_path / "whole"
    )
    tabulated(tmp_path / "a", 3 * BLOCK_DEALS)
    tabulated(tmp_path / "b", 2 * BLOCK_DEALS + 7, first_block=3)
    joined = merge([tmp_path / "a", tmp_path / "b"], tmp_path / "joined")
    assert joined.result.specials == whole.specials
    assert joined.to_data()["seed"] == 1
    assert counts_of(tmp_path / "joined") == counts_of(tmp_path / "whole")


def test_played_runs_are_joined(tmp_path: Path) -> None:
    deals = 3000
    for seed in (1, 2):
        simulate(COINS, deals=deals, seed=seed, policy="greedy", out=tmp_path / str(seed))
    joined = merge([tmp_path / "1", tmp_path / "2"], tmp_path / "joined").to_data()
    single = [json.loads((tmp_path / name / "summary.json").read_text()) for name in "12"]
    for seat in range(4):
        means = [run["units"]["mean"][seat] for run in single]
        assert joined["units"]["mean"][seat] == pytest.approx(sum(means) / 2, rel=1e-12)
        deviations = [run["units"]["sd"][seat] for run in single]
        squares = sum(sd**2 * (deals - 1) for sd in deviations)
        squares += deals * (means[0] - means[1]) ** 2 / 2
        pooled = (squares / (2 * deals - 1)) ** 0.5
        assert joined["units"]["sd"][seat] == pytest.approx(pooled, rel=1e-9)


def test_what_cannot_be_joined_is_refused_by_name(tmp_path: Path) -> None:
    tabulated(tmp_path / "a", 70_000)
    tabulated(tmp_path / "blocks", 10, first_block=1)
    tabulated(tmp_path / "players", 1000, 2, players=3)
    simulate("coins", deals=1000, seed=2, policy="greedy", out=tmp_path / "policy")
    knob = Variant.load("coins", ["dragon.points=20"])
    simulate(knob, deals=1000, seed=2, policy="none", out=tmp_path / "knob")
    tabulated(tmp_path / "short", 1000, 2)
    next((tmp_path / "short" / "shards").iterdir()).unlink()
    tabulated(tmp_path / "cut", 1000, 2)
    shard = next((tmp_path / "cut" / "shards").iterdir())
    shard.write_bytes(shard.read_bytes()[:-50])
    tabulated(tmp_path / "changed", BLOCK_DEALS, 2)
    shard = next((tmp_path / "changed" / "shards").iterdir())
    whole = shard.read_bytes()
    shard.write_bytes(whole[:4] + bytes(40) + whole[44:])
    for other, says in (
        ("a", "both hold blocks 0 to 1 of seed 1"),
        ("blocks", "both hold blocks 1 to 1 of seed 1"),
        ("players", "players: holds a run with players 3"),
        ("policy", "holds a run with policy"),
        ("knob", "holds a run with variant_sha256"),
        ("short", r"short: not finished \(0 of 1000 deals\)"),
        ("cut", r"cut: not finished \(0 of 1000 deals\)"),
        ("changed", f"{shard.name}: damaged"),
        ("nothing", "nothing/manifest.json: no such file"),
    ):
        with pytest.raises(StoreError, match=says):
            merge([tmp_path / "a", tmp_path / other], tmp_path / "out")
        assert not (tmp_path / "out").exists()
        assert not list(tmp_path.glob(".out*"))
    with pytest.raises(BadInput, match="two runs or more"):
        merge([tmp_path / "a"], tmp_path / "out")
    with pytest.raises(StoreError, match="not empty"):
        merge([tmp_path / "a", tmp_path / "blocks"], tmp_path / "a")
    tabulated(tmp_path / "b", 1000, 2)
    merge([tmp_path / "a", tmp_path / "b"], tmp_path / "joined")
    with pytest.raises(StoreError, match="joined of several runs"):
        extend(tmp_path / "joined", 1000)
    with pytest.raises(StoreError, match="joined of several runs"):
        tabulated(tmp_path / "joined", 71_000, resume=True)


# the command line


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in ("1", "2"):
        words = ["simulate", "coins", "--policy", "none", "--deals", "1000", "--seed", seed]
        assert command([*words, "--out", str(tmp_path / seed)]) == 0
    capsys.readouterr()
    assert command(["extend", str(tmp_path / "1"), "--deals", "1_000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["deals"] == 2000
    places = [str(tmp_path / name) for name in ("1", "2", "both")]
    assert command(["merge", *places[:2], "--out", places[2], "--json"]) == 0
    merged = json.loads(capsys.readouterr().out)
    assert (merged["deals"], merged["seed"]) == (3000, [1, 2])
    (tmp_path / "old" / "shards").mkdir(parents=True)
    (tmp_path / "old" / "manifest.json").write_text("{}")
    assert command(["runs", str(tmp_path), "--json"]) == 0
    printed = capsys.readouterr()
    listed = json.loads(printed.out)
    assert [line["path"] for line in listed] == places
    assert [line["deals_done"] for line in listed] == [2000, 1000, 3000]
    for line in listed:
        assert line["deals_wanted"] == line["deals_done"]
        assert (line["variant"], line["policy"], line["state"]) == ("coins", "none", "finished")
        files = [path for path in Path(line["path"]).rglob("*") if path.is_file()]
        assert line["bytes"] == sum(path.stat().st_size for path in files)
    assert "old/manifest.json: written with results schema None" in printed.err
    assert command(["runs", str(tmp_path)]) == 0
    assert "3,000" in capsys.readouterr().out
    assert command(["merge", *places[:2], "--out", places[2]]) == 2
    assert command(["extend", str(tmp_path / "none")]) == 2
    assert command(["runs", str(tmp_path / "none")]) == 2


def test_blocks_that_a_seed_does_not_have() -> None:
    with pytest.raises(BadInput, match="a seed has blocks 0 to 4294967295"):
        simulate(COINS, deals=BLOCK_DEALS + 1, seed=1, policy="none", first_block=2**32 - 1)
    plan = Plan(FrequencyExperiment(COINS, 4), 1, BLOCK_DEALS, 2**32 - 1)
    assert plan.span == Span(2**32 - 1, 1, BLOCK_DEALS)


def test_a_reader_refuses_another_plan(tmp_path: Path) -> None:
    tabulated(tmp_path / "run", 1000)
    other = Plan(FrequencyExperiment(COINS, 4), 2, 1000)
    with pytest.raises(StoreError, match="seed 1, not 2"):
        list(stored_tallies(tmp_path / "run", other))

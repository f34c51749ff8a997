"""Runs: the same bits for any workers and backend, and after damage (kills: test_kill_resume)."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from montecarlo.dealing.dealer import deal_block
from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import BadInput, StoreError
from montecarlo.simulation import plan as plan_module
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.simulation.plan import Plan, Span
from montecarlo.simulation.runner import run
from montecarlo.simulation.shards import read_shard
from montecarlo.simulation.store import Store, stored_tallies
from montecarlo.simulation.tallies import Tally, merge
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.studies.simulate import simulate
from montecarlo.variants import Variant

TAIWAN = Variant.load("taiwan")


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_module, "SHARD_BLOCKS", 2)


def folder_bytes(folder: Path) -> dict[str, bytes]:
    files = sorted(folder.rglob("*"))
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if path.is_file() and path.name != "manifest.json"
    }


def test_spans_cover_every_deal_once() -> None:
    for deals in (1, BLOCK_DEALS, BLOCK_DEALS + 1, 200 * BLOCK_DEALS - 1):
        plan = Plan(FrequencyExperiment(TAIWAN, 4), 1, deals)
        shards = plan.shards()
        assert sum(shard.deals for shard in shards) == deals
        blocks = [block for shard in shards for part in shard.split(1) for block in (part,)]
        assert [part.first_block for part in blocks] == list(range(len(blocks)))
        assert sum(part.deals for part in blocks) == deals


def test_tallies_add_up_in_any_order_without_overflow() -> None:
    rng = random.Random(1)
    tallies = [Tally(1, {"x": np.array([2**62, -k])}) for k in range(9)]
    total = merge(tallies)
    rng.shuffle(tallies)
    assert merge(tallies).integers("x") == total.integers("x") == [9 * 2**62, -36]
    with pytest.raises(ValueError, match="different kinds"):
        merge([tallies[0], Tally(1, {"y": np.zeros(2, np.int64)})])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_kernel_counts_what_arrays_say(players: int) -> None:
    tally = FrequencyExperiment(TAIWAN, players).tally_block(3, 5, 20_000)
    hands = deal_block(3, 5, deals=20_000, players=players)
    first = first_special(hands, compile_rules(TAIWAN.rules))
    table = np.array(tally.integers("holders")).reshape(tally.shape("holders"))
    for i in range(len(TAIWAN.specials)):
        holders = (first == i).sum(axis=1)
        assert np.array_equal(table[i], np.bincount(holders, minlength=players + 1))
    assert np.array_equal(table[-1], np.bincount((first < 0).sum(axis=1), minlength=players + 1))


@pytest.mark.usefixtures("small_shards")
def test_the_same_bytes_for_any_workers_and_backend(tmp_path: Path) -> None:
    deals = 5 * BLOCK_DEALS + 321
    seen = []
    for jobs, backend in ((1, "threading"), (2, "threading"), (4, "threading"), (2, "loky")):
        out = tmp_path / f"{backend}{jobs}"
        simulate("taiwan", deals=deals, seed=7, policy="none", jobs=jobs, backend=backend, out=out)
        seen.append(folder_bytes(out))
    assert len(seen[0]) == 4  # three shards and the summary
    assert all(other == seen[0] for other in seen[1:])


RUN = """
import sys
from montecarlo.simulation import plan
plan.SHARD_BLOCKS = 1
from montecarlo.cli import run
sys.exit(run(["simulate", "taiwan", "--policy", "none", "--deals", "2_000_000", "--seed", "11",
              "--out", sys.argv[1], *sys.argv[2:]]))
"""


def start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(folder), *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


@pytest.mark.usefixtures("small_shards")
def test_damage_is_named_and_dealt_again(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = {"deals": 5 * BLOCK_DEALS, "seed": 2, "policy": "none", "out": out}
    simulate("taiwan", **words)
    before = folder_bytes(out)
    victim = sorted(out.glob("shards/*.parquet"))[1]
    victim.write_bytes(victim.read_bytes()[:-100])
    with pytest.raises(StoreError, match=f"{victim.name}: damaged"):
        read_shard(victim)
    simulate("taiwan", **words, resume=True)
    after = folder_bytes(out)
    aside = [name for name in after if name.endswith(".damaged")]
    assert len(aside) == 1
    assert {name: data for name, data in after.items() if name not in aside} == before


@pytest.mark.usefixtures("small_shards")
def test_a_changed_value_does_not_match_the_digest(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = tmp_path / "run"
    simulate("taiwan", deals=1000, seed=2, policy="none", out=out)
    victim = next(out.glob("shards/*.parquet"))
    table = pq.read_table(victim)
    values = table.column("value").to_numpy().copy()
    values[0] += 1
    pq.write_table(table.set_column(1, "value", pa.array(values)), victim)
    with pytest.raises(StoreError, match="digest does not match"):
        read_shard(victim)


def test_a_run_of_something_else_is_refused_by_name(tmp_path: Path) -> None:
    out = tmp_path / "run"
    simulate("taiwan", deals=1000, seed=2, policy="none", out=out)
    with pytest.raises(StoreError, match="not empty"):
        simulate("taiwan", deals=1000, seed=2, policy="none", out=out)
    for change, says in (
        ({"seed": 3}, "seed 2, not 3"),
        ({"players": 3}, "players 4, not 3"),
        ({"variant": "coins"}, "variant taiwan, not coins"),
        ({"variant": Variant.load("taiwan", ["wheel=none"])}, "variant_sha256"),
    ):
        words = {"variant": "taiwan", "seed": 2, "players": 4, **change}
        with pytest.raises(StoreError, match=says):
            simulate(words.pop("variant"), deals=1000, policy="none", out=out, resume=True, **words)
    manifest = json.loads((out / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps({**manifest, "schema": 99}))
    with pytest.raises(StoreError, match="schema 99, this version reads"):
        simulate("taiwan", deals=1000, seed=2, policy="none", out=out, resume=True)


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for out in (file, file / "below"):
        with pytest.raises(StoreError, match=str(out)):
            simulate("taiwan", deals=1000, seed=1, policy="none", out=out)


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    out = tmp_path / "run"
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))\n"
    done = subprocess.run(
        [sys.executable, "-c", limited + RUN, str(out)], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot be written" in done.stderr
    assert start(out, "--resume").wait() == 0
    assert not list(out.rglob("*.tmp"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"deals": 0}, "deals must be"),
        ({"deals": -5}, "deals must be"),
        ({"seed": -1}, "seed must be"),
        ({"players": 5}, "players must be 2, 3 or 4"),
        ({"jobs": 0}, "jobs must be 1 or more"),
        ({"backend": "mpi"}, "backend must be one of"),
        ({"policy": "clever"}, "clever"),
        ({"resume": True}, "--out"),
    ],
)
def test_words_that_cannot_be(words: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        simulate("taiwan", **{"deals": 1000, "seed": 1, "policy": "none", **words})


def test_runs_agree_with_exact_counts() -> None:
    # fixed seed; Holm keeps the chance of any false alarm below 5 %, and the seed was not chosen
    result = simulate("taiwan", deals=2_000_000, seed=20261129, policy="none", jobs=2)
    assert "agree in all 12 rows" in result.sentence
    assert {entry.method for entry in result.specials} == {"clustered", "exact"}
    for entry in result.specials:
        assert entry.ci95.low <= entry.p <= entry.ci95.high
        assert 0 <= entry.p_value <= 1
    assert result.specials[0].count == 0
    assert result.specials[0].ci95.low == 0
    assert len(result.to_frame()) == 12


def test_a_partial_block_is_dealt_again_when_more_is_wanted(tmp_path: Path) -> None:
    out = tmp_path / "run"
    experiment = FrequencyExperiment(TAIWAN, 4)
    few, more = Plan(experiment, 1, 1000), Plan(experiment, 1, 70_000)
    with Store(out, few) as store:
        run(few, store=store)
    with Store(out, more, resume=True) as store:
        longer = run(more, store=store)
    assert longer.integers("holders") == run(more).integers("holders")
    assert dict(stored_tallies(out, more)).keys() == {Span(0, 2, 70_000 - BLOCK_DEALS)}

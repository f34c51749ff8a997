"""`montecarlo deal`: what a file says of a table, scored again, gives the units it says."""

from __future__ import annotations

import csv
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from montecarlo import deal, score
from montecarlo.cards import format_mask
from montecarlo.cli import run
from montecarlo.dealing.dealer import deal_block
from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import StoreError
from montecarlo.studies import export
from montecarlo.variants import load

ROWS = ("head", "middle", "tail")


def rows_of(path):
    """Rows of a file as dictionaries of texts; None where nothing stands."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    whole = {"deal": int, "seat": int, "units": int, "money": float}
    return [{k: whole.get(k, str)(v) if v else None for k, v in row.items()} for row in rows]


def told(rows, players):
    """Tables of the shape `score` reads."""
    tables = [{"players": []} for _ in range(len(rows) // players)]
    for row in rows:
        if row["special"] is not None:
            player = {"special": row["special"], "hand": row["hand"]}
        elif row["head"] is None:
            player = {"hand": row["hand"]}
        else:
            player = {name: row[name] for name in ROWS}
        tables[row["deal"] - rows[0]["deal"]]["players"].append(player)
    return tables


@pytest.mark.parametrize(
    ("name", "overrides", "options", "ending"),
    [
        ("taiwan", [], {}, ".csv"),
        ("coins", ["stake=2.5", "fee_rate=0.05", "fee_flat=0.1"], {}, ".parquet"),
        ("hongkong", ["stake=1,2,3,4"], {"policy": "equilibrium,greedy,balanced,greedy"}, ".csv"),
        ("taiwan", [], {"policy": "balanced:declare=best", "players": 3}, ".parquet"),
        ("baodao", [], {"players": 2}, ".csv"),
        ("points123", ["settle=pot"], {"policy": "greedy"}, ".parquet"),
        ("bidaxiao", [], {"policy": "balanced"}, ".csv"),
        ("bidaxiao2", [], {"policy": "greedy"}, ".parquet"),
        ("baibian", [], {}, ".csv"),
    ],
)
def test_scored_again_a_file_gives_its_units(name, overrides, options, ending, tmp_path):
    variant, players = load(name, overrides), options.get("players", 4)
    path = tmp_path / f"deals{ending}"
    deals = 300
    done = deal(variant, deals=deals, seed=8, out=path, **options)
    assert done.path == path
    rows = rows_of(path)
    assert [(row["deal"], row["seat"]) for row in rows] == [
        (number, seat) for number in range(deals) for seat in range(players)
    ]
    hands = [format_mask(int(mask)) for mask in deal_block(8, 0, deals, players).ravel()]
    assert [row["hand"] for row in rows] == hands
    for row in rows:
        if row["head"] is not None:
            assert row["special"] is None
            cards = " ".join(row[name] for name in ROWS).split()
            assert sorted(cards) == sorted(row["hand"].split())
    scores = score(variant, told(rows, players))
    assert [u for table in scores for u in table.units] == [row["units"] for row in rows]
    if overrides:
        assert [m for table in scores for m in table.money] == [row["money"] for row in rows]
    else:
        assert "money" not in rows[0]
    if name in ("taiwan", "baibian"):
        assert any(row["special"] for row in rows)


def test_declaring_by_value_keeps_rows_of_special_hands(tmp_path):
    """Where points are nothing, a special is better played: rows stand, the special does not."""
    variant = load("coins", [f"{entry.id}.points=0" for entry in load("coins").specials])
    path = tmp_path / "deals.parquet"
    deal(variant, deals=400, seed=8, out=path, policy="balanced:declare=best")
    best = rows_of(path)
    path.unlink()
    deal(variant, deals=400, seed=8, out=path, policy="balanced")
    always = rows_of(path)
    played = [i for i, (a, b) in enumerate(zip(best, always, strict=True)) if a != b]
    changed = [i for i in played if best[i]["special"] != always[i]["special"]]
    assert changed
    assert all(best[i]["special"] is None and best[i]["head"] for i in changed)


def test_both_kinds_of_file_say_the_same(tmp_path):
    for ending in (".csv", ".parquet"):
        deal("coins", deals=50, seed=3, out=tmp_path / f"deals{ending}", policy="greedy")
    assert rows_of(tmp_path / "deals.csv") == rows_of(tmp_path / "deals.parquet")
    described = json.loads(pq.read_schema(tmp_path / "deals.parquet").metadata[b"montecarlo"])
    assert described["variant"] == "coins"
    assert described["seed"] == 3
    assert described["policy"] == "greedy"


def test_chunks_and_blocks_leave_no_trace(tmp_path, monkeypatch):
    """Deals go on across blocks as `simulate` deals them, however many are written together."""
    whole, parts = tmp_path / "whole.csv", tmp_path / "parts.csv"
    deal("coins", deals=40, seed=3, out=whole, policy="greedy")
    monkeypatch.setattr(export, "CHUNK", 7)
    deal("coins", deals=40, seed=3, out=parts, policy="greedy")
    assert whole.read_bytes() == parts.read_bytes()
    monkeypatch.setattr(export, "CHUNK", 16_384)
    dealt = list(export._dealt(3, BLOCK_DEALS + 5, 2))
    firsts = [first for first, _ in dealt]
    assert firsts == [0, 16_384, 32_768, 49_152, 65_536]
    joined = np.concatenate([masks for _, masks in dealt])
    assert np.array_equal(joined[:BLOCK_DEALS], deal_block(3, 0, players=2))
    assert np.array_equal(joined[BLOCK_DEALS:], deal_block(3, 1, deals=5, players=2))


def test_no_policy_writes_hands_and_their_specials(tmp_path):
    path = tmp_path / "hands.parquet"
    deal("taiwan", deals=200, seed=3, out=path, policy="none")
    rows = rows_of(path)
    assert all(row["units"] is None and row["head"] is None for row in rows)
    assert any(row["special"] for row in rows)
    assert any(row["special"] is None for row in rows)


def test_a_file_is_whole_or_not_there(tmp_path, monkeypatch):
    whole = export._columns
    calls = []

    def fail(*words):
        calls.append(words)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        return whole(*words)

    monkeypatch.setattr(export, "_columns", fail)
    monkeypatch.setattr(export, "CHUNK", 10)
    for ending in (".csv", ".parquet"):
        calls.clear()
        with pytest.raises(StoreError, match="No space left"):
            deal("coins", deals=30, seed=3, out=tmp_path / f"deals{ending}", policy="greedy")
        assert len(calls) == 2
        assert list(tmp_path.iterdir()) == []


def test_the_command(tmp_path, capsys):
    path = tmp_path / "deals.csv"
    words = ["deal", "coins", "--deals", "20", "--policy", "greedy", "--out", str(path)]
    assert run([*words, "--json"]) == 0
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert data["path"] == str(path)
    assert f"--seed {data['seed']}" in err  # a drawn seed is reported
    first = path.read_bytes()
    assert run([*words, "--seed", "1"]) == 2  # refused: nothing is overwritten
    assert "is there already" in capsys.readouterr().err
    assert path.read_bytes() == first
    path.unlink()
    assert run([*words, "--seed", str(data["seed"])]) == 0
    assert capsys.readouterr() == (f"{path}\n", "")
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--out", "deals.txt"], "must end in .csv or .parquet"),
        (["--out", "/dev/null/deals.csv"], "/dev/null/deals.csv: cannot be written"),
        (["--out", "nowhere/at/all.csv"], "nowhere/at/all.csv: cannot be written"),
        (["--out", "d.csv", "--deals", "0"], "deals must be 1 or more"),
        (["--out", "d.csv", "--players", "5"], "players must be 2, 3 or 4"),
        (["--out", "d.csv", "--policy", "clever"], "unknown policy 'clever'"),
        (["--out", "d.csv", "--seed", "-1"], "seed must be"),
        ([], "Missing option '--out'"),
        (["--out", "d.csv", "--set", "row.head.three=9"], "montecarlo train coins --set"),
    ],
)
def test_bad_input_is_one_line(words, says, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["deal", "coins", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert says in err
    assert list(tmp_path.iterdir()) == []

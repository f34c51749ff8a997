"""The rule sheet: every variant, as data and as text."""

import json

import pytest
from rich.cells import cell_len

from montecarlo.cli import run
from montecarlo.errors import BadInput
from montecarlo.studies.knobs import available_knobs
from montecarlo.studies.rule_sheet import rule_sheet
from montecarlo.variants import load, variant_files

VARIANTS = tuple(variant_files())
ROWS = ("head", "middle", "tail")


def test_there_are_thirteen_variants():
    assert len(VARIANTS) == 13


@pytest.mark.parametrize("name", VARIANTS)
def test_data_is_the_resolved_variant(name):
    variant = load(name)
    data = json.loads(rule_sheet(name).to_json())
    for key in ("id", "number", "zh", "en", "format", "banker", "wheel", "compare", "tie",
                "both_special", "fouls", "majority", "tier_points"):  # fmt: skip
        assert data[key] == getattr(variant, key), key
    assert data["sha256"] == variant.sha256
    assert data["knobs"] == {}
    assert [entry["id"] for entry in data["specials"]] == [e.id for e in variant.specials]
    for shown, entry in zip(data["specials"], variant.specials, strict=True):
        assert shown["points"] == entry.points
        assert shown["options"] == dict(entry.rule.options)
        assert all(shown[key] for key in ("zh", "en", "definition"))
    for row in ROWS:
        assert data["rows"][row]["base"] == variant.base_units(row)
        for category, paid in data["rows"][row]["categories"].items():
            assert paid["units"] == variant.row_units(row, category)
            assert paid["units"] == data["rows"][row]["base"] + paid["extra"]
    assert len(data["sources"]) == len(variant.sources) > 0
    assert [each["text"] for each in data["assumptions"]] == [a.text for a in variant.assumptions]


@pytest.mark.parametrize("name", VARIANTS)
def test_text_names_everything_and_fits_the_page(name):
    variant = load(name)
    text = rule_sheet(name).to_text()
    assert max(cell_len(line) for line in text.splitlines()) <= 100
    words = "".join(text.split())
    for entry in variant.specials:
        assert entry.zh in text
        assert entry.id in text
    for source in variant.sources:
        assert source.file in text
        assert "".join(source.passage.split()) in words
    for assumption in variant.assumptions:
        assert "".join(assumption.text.split()) in words
        for reading in assumption.readings:
            assert reading in words
    assert variant.sha256 in text
    for knob in available_knobs(variant):
        plain_row = knob.name.startswith("row.") and not knob.name.endswith(".base")
        assert plain_row or knob.name in text


@pytest.mark.parametrize("name", VARIANTS)
def test_every_knob_it_offers_can_be_turned(name):
    variant = load(name)
    rows_seen = set()
    for knob in available_knobs(variant):
        kind = knob.name.split(".")[-1] if knob.name.startswith("row.") else knob.name
        if kind in rows_seen:  # a row's lines are all read alike: each category once
            continue
        rows_seen.add(kind)
        if isinstance(knob.values, str):
            kept = load(name, [(knob.name, knob.value)])
            other = 0.5 if knob.name.startswith("fee") else knob.value + 7
            assert _decides(kept) == _decides(variant), knob
            assert _decides(load(name, [(knob.name, other)])) != _decides(variant), knob
        else:
            assert knob.value in knob.values
            for value in knob.values:
                changed = load(name, [(knob.name, value)])
                same = _decides(changed) == _decides(variant)
                assert same == (value == knob.value), (knob, value)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_reading_of_an_assumption_is_among_the_knobs(name):
    variant = load(name)
    knobs = {knob.name for knob in available_knobs(variant)}
    bare = {knob.rpartition(".")[2] for knob in knobs}
    for assumption in variant.assumptions:
        for reading in assumption.readings:
            key = reading.partition("=")[0]
            assert key in knobs or ("." not in key and key in bare), reading


def test_overrides_are_shown():
    sheet = rule_sheet("V9", ["wheel=lowest", "dragon.points=40", "row.middle.four=9"])
    data = sheet.to_data()
    assert data["knobs"] == {"wheel": "lowest", "dragon.points": 40, "row.middle.four": 9}
    assert data["wheel"] == "lowest"
    assert data["rows"]["middle"]["categories"]["four"]["units"] == 9
    assert next(e for e in data["specials"] if e["id"] == "dragon")["points"] == 40
    text = sheet.to_text()
    assert "wheel=lowest, dragon.points=40, row.middle.four=9" in text
    assert "four 铁支 9" in text


def test_figures_of_the_sources_stand_on_the_sheets():
    hongkong = rule_sheet("hongkong").to_text()
    assert (
        "middle 中墩: 1 unit; full house 葫芦 2; four 铁支 8; straight flush 同花顺 10" in hongkong
    )
    assert "the banker pays the player's" in hongkong
    points = rule_sheet("points123").to_text()
    assert "tail 尾墩: 3 units; four 铁支 11; straight flush 同花顺 13" in points
    assert "gun 打枪 (all three rows of one opponent): + 6 units" in points


def test_rows_list_every_payout_line():
    lines = {row["line"]: row["units"] for row in rule_sheet("taiwan").rows()}
    assert lines["special.suited_dragon"] == 108
    assert lines["row.tail.straight_flush"] == 4
    assert len(lines) == 12 + 3 + 9 + 9
    assert rule_sheet("taiwan").to_frame().shape[0] == len(lines)


def test_command_line(capsys):
    assert run(["rules", "V8", "--set", "wheel=none", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["knobs"] == {"wheel": "none"}
    assert run(["rules", "taiwan"]) == 0
    assert capsys.readouterr().out == rule_sheet("taiwan").to_text()
    assert run(["rules", "taiwam"]) == 2
    assert "did you mean 'taiwan'" in capsys.readouterr().err


def test_unknown_knob_is_bad_input():
    with pytest.raises(BadInput, match="did you mean 'wheel'"):
        rule_sheet("taiwan", ["wheal=none"])


def _decides(variant):
    """What results depend on, however it is written down."""
    return variant.play_sha256, variant.settlement

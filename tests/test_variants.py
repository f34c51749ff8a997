"""Rule files: the thirteen shipped ones, overrides, and every mistake a writer can make."""

from __future__ import annotations

from pathlib import Path

import pytest

from montecarlo.errors import BadInput
from montecarlo.variants import Variant, all_variants

IDS = (
    "bidaxiao", "mianbai", "baodao", "baibian", "shaoxing", "bidaxiao2", "baodao2",
    "hongkong", "hongkong_edge", "taiwan", "taiwan_classic", "points123", "coins",
)  # fmt: skip
NUMBERS = ("V1", "V2", "V3", "V4", "V5", "V6", "V7", "V8", "V8b", "V9", "V10", "V11", "V12")


def test_thirteen_variants_in_the_rulebooks_order() -> None:
    variants = all_variants()
    assert tuple(v.id for v in variants) == IDS
    assert tuple(v.number for v in variants) == NUMBERS
    assert [v.id for v in variants if v.banker] == ["baodao2", "hongkong", "hongkong_edge"]
    for variant in variants:
        assert variant.sources
        assert variant.assumptions
        assert variant.zh != variant.en


@pytest.mark.parametrize(("number", "name"), list(zip(NUMBERS, IDS, strict=True)))
def test_numbers_and_ids_name_the_same(number: str, name: str) -> None:
    assert Variant.load(number) == Variant.load(name) == Variant.load(number.lower())


def test_payouts_follow_the_rulebook() -> None:
    taiwan, hongkong, points = (Variant.load(v) for v in ("V9", "V8", "V11"))
    assert [e.points for e in taiwan.specials] == [108, 36, 24, 20, 20, 10, 10, 10, 6, 4, 4, 3]
    assert taiwan.row_units("middle", "full_house") == 2
    assert taiwan.row_units("tail", "straight_flush") == 4
    assert hongkong.row_units("middle", "four") == 8
    assert hongkong.row_units("tail", "full_house") == 1
    assert points.row_units("tail", "four") == 11
    assert [entry.rank for entry in hongkong.specials] == [1, 2, 3, 3, 3, 3, 3]


def test_every_reading_named_in_an_assumption_loads() -> None:
    for variant in all_variants():
        for assumption in variant.assumptions:
            for reading in assumption.readings:
                other = Variant.load(variant.id, [reading])
                assert other.sha256 != variant.sha256, (variant.id, reading)
                assert len(other.knobs) == 1


def test_overrides_reach_what_they_name() -> None:
    words = ["wheel=none", "three_straights.qka=true", "quads=false", "row.tail.four=9",
             "dragon.points=40", "stake=2.5", "gun=base"]  # fmt: skip
    variant = Variant.load("taiwan", words)
    assert variant.wheel == "none"
    assert variant.knobs["quads"] is False
    rules = {entry.id: entry.rule for entry in variant.specials}
    assert str(rules["three_straights"]) == "three_straights[wheel=none,a23=true,qka=true]"
    assert str(rules["three_straight_flushes"]).endswith("[wheel=none,a23=true,qka=false]")
    assert str(rules["six_pairs"]) == "six_pairs[quads=false,triple=true]"
    assert variant.row_units("tail", "four") == 9
    assert variant.specials[1].points == 40
    assert variant.settlement.stake == 2.5


def test_hashes_tell_what_matters_to_whom() -> None:
    plain = Variant.load("taiwan")
    fees = Variant.load("taiwan", ["fee_rate=0.05"])
    points = Variant.load("taiwan", ["dragon.points=40"])
    assert plain.sha256 != fees.sha256
    assert plain.play_sha256 == fees.play_sha256 != points.play_sha256


@pytest.mark.parametrize(
    ("name", "overrides", "says"),
    [
        ("taiwam", [], "unknown variant 'taiwam'; did you mean 'taiwan'"),
        ("taiwan", ["wheel=low"], "wheel must be one of second, lowest, none"),
        ("taiwan", ["wheal=lowest"], "no knob 'wheal'; did you mean 'wheel'"),
        ("taiwan", ["six_pairs.quad=false"], "did you mean 'six_pairs.quads'"),
        ("taiwan", ["distinct=3"], "three_flushes.distinct must be true or false"),
        ("taiwan", ["both_special=banker_pays"], "needs banker = true"),
        ("taiwan", ["stake=1,2"], "stakes by seat need a banker game"),
        ("taiwan", ["stake=-1"], "stake must be above 0"),
        ("taiwan", ["row.midle.four=3"], "did you mean 'row.middle.four'"),
        ("taiwan", ["row.head.four=3"], "unknown line 'row.head.four'"),
        ("taiwan", ["gun_times=-1"], "sweep.gun_times"),
        ("taiwan", ["wheel"], "write knob=value"),
        ("taiwan", ["window_8_A.low=2"], "no knob 'window_8_A.low'"),
        ("taiwan", ["twelve_royals.min=11"], "min must be 12 or 13"),
        ("nowhere.toml", [], "nowhere.toml: no such rule file"),
    ],
)
def test_mistakes_in_words(name: str, overrides: list[str], says: str) -> None:
    with pytest.raises(BadInput) as caught:
        Variant.load(name, overrides)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


HEAD = 'id = "mine"\nnumber = "X1"\nzh = "我的"\nen = "Mine"\nformat = "rows"\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HEAD + "[rows.head]\nbse = 1", "unknown key 'rows.head.bse'; did you mean 'base'"),
        (HEAD.replace('"rows"', '"rws"'), "format: Input should be 'rows'"),
        (HEAD + '[[specials]]\nid = "dragn"\npoints = 1', "did you mean 'dragon'"),
        (HEAD + '[[specials]]\nid = "dragon"', "'points' is missing"),
        (HEAD + '[[specials]]\nid = "dragon"\npont = 3', "did you mean 'points'"),
        (HEAD + '[[specials]]\nid = "dragon"\npoints = "3"', "points"),
        (HEAD + '[[specials]]\nid = "dragon"\npoints = -3', "points"),
        (
            HEAD + '[[specials]]\nid="dragon"\npoints=1\n[[specials]]\nid="dragon"\npoints=1',
            "twice",
        ),
        (HEAD + "[rows.head]\nbase = 1\nextra = { fuor = 1 }", "unknown category 'fuor'"),
        (HEAD + "banker = 1", "banker"),
        (HEAD + "both_special = 'banker_pays'", "needs banker = true"),
        (HEAD + "rows = 3", "'rows' must be a"),
        (HEAD + "sweep = 2026-01-01", "'sweep' must be a"),
        ("number = 'X'", "'id' is missing"),
        ('like = "taiwam"\nid = "x"', "did you mean 'taiwan'"),
        ("id = ", "not valid TOML"),
    ],
)
def test_mistakes_in_files(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        Variant.load(str(path))
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('like = "taiwan"\nid = "mine"\nwheel = "lowest"\n', encoding="utf-8")
    mine = Variant.load(str(path))
    assert mine.id == "mine"
    assert mine.specials == Variant.load("taiwan", ["wheel=lowest"]).specials
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="cannot be read"):
        Variant.load(str(path))

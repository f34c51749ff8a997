"""The frame of `verify`: claim files, the one rule that judges, the command line."""

import json
import re
from fractions import Fraction

import pytest

from montecarlo.cli import run
from montecarlo.errors import BadInput
from montecarlo.statistics.intervals import Interval
from montecarlo.studies.claims.findings import Finding
from montecarlo.studies.claims.judgement import format_value, judge, overall
from montecarlo.studies.claims.registry import computation, computations, find_computation
from montecarlo.studies.claims.schema import Claim, Figure, claims_folder, load_claims, read_claim
from montecarlo.studies.verify import verify

FILE = """\
id = "yarborough"
source = "bridge tables"
passage = "Yarborough"
zh = "没有大过 9 的牌"
en = "no card above the nine"
definition = "13 cards from 2 to 9"
method = "exact"
computation = "yarborough"

[[figures]]
value = "1,828"
unit = "one_in"
"""


def claim_of(*figures):
    return Claim(
        id="made", source="s", passage="p", zh="z", en="e", definition="d",
        method="exact", computation="yarborough", figures=figures,
    )  # fmt: skip


def verdict_of(figure, value, interval=None):
    intervals = (Interval(*interval),) if interval else ()
    return judge(claim_of(figure), Finding((value,), "", intervals))[0]


# --- judging --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quoted", "more", "value", "verdict"),
    [
        ("12", {}, 12, "confirmed"),
        ("12", {}, 11, "refuted"),
        ("12", {}, Fraction(25, 2), "confirmed"),
        ("12", {}, Fraction(2501, 200), "refuted"),
        ("21.55", {}, Fraction("21.5549"), "confirmed"),
        ("21.55", {}, Fraction("21.5551"), "refuted"),
        ("21.550", {}, Fraction("21.5549"), "refuted"),
        ("9,500", {}, Fraction(9462), "refuted"),
        ("9,500", {"quoted_to": "100"}, Fraction(9462), "confirmed"),
        ("9,500", {"quoted_to": "100"}, Fraction(9449), "refuted"),
        ("84", {"relation": "at_least"}, 84, "confirmed"),
        ("84", {"relation": "at_least"}, 108, "confirmed"),
        ("84", {"relation": "at_least"}, 83, "refuted"),
        ("84", {"relation": "at_most"}, 83, "confirmed"),
        ("84", {"relation": "at_most"}, 85, "refuted"),
    ],
)
def test_exact_values_are_judged_by_the_digits_quoted(quoted, more, value, verdict):
    figure = Figure(value=quoted, unit="ratio", **more)
    assert verdict_of(figure, value).verdict == verdict


@pytest.mark.parametrize(
    ("relation", "interval", "verdict"),
    [
        ("equal", (9.9, 10.2), "confirmed"),
        ("equal", (10.4, 10.6), "confirmed"),  # 10.4 still rounds to 10
        ("equal", (10.51, 10.6), "refuted"),
        ("equal", (9.0, 9.49), "refuted"),
        ("equal", (5.0, 15.0), "undecided"),
        ("at_least", (10.1, 12.0), "confirmed"),
        ("at_least", (9.0, 12.0), "undecided"),
        ("at_least", (8.0, 9.4), "refuted"),
        ("at_most", (8.0, 9.4), "confirmed"),
        ("at_most", (9.0, 12.0), "undecided"),
        ("at_most", (10.6, 12.0), "refuted"),
    ],
)
def test_simulated_values_are_judged_by_their_interval(relation, interval, verdict):
    figure = Figure(value="10", unit="units", relation=relation)
    assert verdict_of(figure, sum(interval) / 2, interval).verdict == verdict


def test_categories_are_judged_by_their_order():
    figure = Figure(value="two_pairs", unit="category", relation="at_least")
    assert verdict_of(figure, "pair").verdict == "refuted"
    assert verdict_of(figure, "two_pairs").verdict == "confirmed"
    assert verdict_of(figure, "three").verdict == "confirmed"


def test_factor_says_how_far_off_either_way():
    assert verdict_of(Figure(value="18", unit="units"), 11).factor == pytest.approx(18 / 11)
    assert verdict_of(Figure(value="11", unit="units"), 18).factor == pytest.approx(18 / 11)
    assert verdict_of(Figure(value="11", unit="units"), 11).factor is None
    assert verdict_of(Figure(value="0", unit="count"), 4).factor is None


def test_one_wrong_figure_refutes_a_claim():
    figures = tuple(Figure(value=str(n), unit="units") for n in (1, 2, 3))
    right = judge(claim_of(*figures), Finding((1, 2, 3), ""))
    wrong = judge(claim_of(*figures), Finding((1, 5, 3), ""))
    assert overall(right) == "confirmed"
    assert overall(wrong) == "refuted"
    assert [judged.verdict for judged in wrong] == ["confirmed", "refuted", "confirmed"]


def test_a_text_needs_a_verdict_of_its_computation():
    with pytest.raises(BadInput, match="needs a verdict"):
        verdict_of(Figure(value="often", unit="text"), "seldom")


def test_as_many_values_as_figures():
    with pytest.raises(BadInput, match="claim made: 1 figures, but computation 'yarborough'"):
        judge(claim_of(Figure(value="1", unit="units")), Finding((1, 2), ""))


@pytest.mark.parametrize(
    ("value", "unit", "decimals", "text"),
    [
        (Fraction(28388317, 3000), "one_in", 2, "1 in 9,463"),
        (Fraction(7, 2), "one_in", 2, "1 in 3.50"),
        (Fraction("3.42004"), "percent", 5, "3.42004 %"),
        (12, "units", 2, "12 units"),
        ("two_pairs", "category", 2, "two pairs 两对"),
    ],
)
def test_values_are_written_for_people(value, unit, decimals, text):
    assert format_value(value, unit, decimals) == text


# --- claim files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("definition =", "defintion =", r"unknown key 'defintion'; did you mean 'definition'"),
        ("value =", "valeu =", r"unknown key 'figures\.1\.valeu'; did you mean 'value'"),
        ('source = "bridge tables"\n', "", r"'source' is missing"),
        ('unit = "one_in"', "", r"'figures\.1\.unit' is missing"),
        ('unit = "one_in"', 'unit = "one_inn"', r"figures\.1\.unit: .*did you mean 'one_in'"),
        ('method = "exact"', 'method = "exakt"', r"method: .*did you mean 'exact'"),
        ('value = "1,828"', "value = 1828", r"figures\.1\.value: put the number between quotes"),
        ('value = "1,828"', 'value = "many"', r"figures\.1: value: 'many' is no number"),
        ('"1,828"\nunit = "one_in"', '"two_pair"\nunit = "category"', r"did you mean 'two_pairs'"),
        ('id = "yarborough"', 'id = "yarbrough"', r"id = 'yarbrough' must be the file's name"),
        ('id = "yarborough"', "id = yarborough", r"not valid TOML"),
        ('computation = "yarborough"', 'verdict = "confirmed"\ncomputation = "yarborough"',
         r"unknown key 'verdict'"),
    ],
)  # fmt: skip
def test_a_wrong_file_gives_one_line_with_file_and_key(tmp_path, old, new, message):
    assert old in FILE
    path = tmp_path / "yarborough.toml"
    path.write_text(FILE.replace(old, new), encoding="utf-8")
    with pytest.raises(BadInput, match=message) as caught:
        load_claims(tmp_path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_folder_and_a_missing_file_are_bad_input(tmp_path):
    with pytest.raises(BadInput, match="no claim files"):
        load_claims(tmp_path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_claim(tmp_path / "none.toml")


def test_an_unknown_computation_names_the_nearest(tmp_path):
    path = tmp_path / "yarborough.toml"
    path.write_text(FILE.replace('computation = "y', 'computation = "yy'), encoding="utf-8")
    with pytest.raises(BadInput, match=r"claim yarborough: .*did you mean 'yarborough'"):
        verify(folder=tmp_path)


def test_a_new_claim_is_a_file(tmp_path):
    (tmp_path / "mine.toml").write_text(
        FILE.replace('"yarborough"', '"mine"', 1).replace("1,828", "1,800"), encoding="utf-8"
    )
    result = verify(folder=tmp_path)
    assert result["mine"].verdict == "refuted"
    assert result["mine"].factor == pytest.approx(1828.042 / 1800)


def test_a_computation_is_registered_once():
    with pytest.raises(ValueError, match="twice"):
        computation("dragon_odds")(computations()["yarborough"])


def test_shipped_files_are_complete():
    claims = load_claims()
    assert list(claims) == sorted(path.stem for path in claims_folder().glob("*.toml"))
    for claim in claims.values():
        assert re.search(r"[\u4e00-\u9fff]", claim.zh), claim.id
        assert all(ord(letter) < 0x2E80 for letter in claim.en), claim.id
        assert find_computation(claim)


# --- results and command line ---------------------------------------------------------------


def test_data_has_the_shape_of_the_contract():
    (entry,) = verify("page-quads").to_data()
    assert {
        "id",
        "source",
        "claimed",
        "computed",
        "ci95",
        "factor",
        "method",
        "verdict",
        "why",
    } <= (entry.keys())
    assert entry["ci95"] is None
    assert entry["figures"][0]["claimed"] == 21_789_354_224
    assert entry["figures"][0]["computed"] == 21_717_689_136


def test_rows_are_one_a_figure():
    frame = verify(["sweep-72", "yarborough"]).to_frame()
    assert list(frame["id"]) == ["sweep-72"] * 3 + ["yarborough"]
    assert list(frame["verdict"]) == ["confirmed"] * 4


def test_ids_are_answered_once_in_the_order_asked():
    result = verify(["yarborough", "dragon-108", "yarborough"])
    assert [v.claim.id for v in result.claims] == ["yarborough", "dragon-108"]
    with pytest.raises(KeyError):
        result["sweep-72"]


def test_unknown_id_is_bad_input_with_the_nearest():
    with pytest.raises(BadInput, match="unknown claim 'dragon-od'; did you mean 'dragon-odds'"):
        verify(["dragon-od"])


def test_command_exits_0_whatever_the_verdicts(capsys):
    assert run(["verify", "dragon-odds", "suited-dragon-odds", "--json"]) == 0
    first = capsys.readouterr().out
    entries = json.loads(first)
    assert [entry["verdict"] for entry in entries] == ["refuted", "confirmed"]
    assert run(["verify", "dragon-odds", "suited-dragon-odds", "--json"]) == 0
    assert capsys.readouterr().out == first  # same input, same bytes


def test_command_prints_for_people(capsys):
    assert run(["verify", "dragon-odds", "strongest-normal-hk"]) == 0
    text = capsys.readouterr().out
    assert "REFUTED by a factor of 1,290,555" in text
    assert "C(52,13)/52" in text
    assert text.endswith("2 claims: 1 confirmed, 1 refuted\n")


def test_command_refuses_an_unknown_claim_in_one_line(capsys):
    assert run(["verify", "dragn-odds"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "did you mean 'dragon-odds'" in captured.err

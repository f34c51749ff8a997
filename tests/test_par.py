"""PAR sheets: two tallies of the same deals agree, bands and odds by brute force, files."""

import csv
import io
import json
import math
import zipfile
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from montecarlo import cli
from montecarlo.errors import BadInput
from montecarlo.reporting.par_files import FORMATS, write_par
from montecarlo.reporting.par_sections import sections
from montecarlo.scoring.many_deals import count_deals, score_deals
from montecarlo.simulation.payouts import scoring_rules
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.double_sampling import regression_mean
from montecarlo.statistics.sums import MOST_PLACES, sum_distribution
from montecarlo.studies.exact import TOTAL, exact
from montecarlo.studies.par_parts import exposure, proportion
from montecarlo.studies.par_sheet import FEE_RATES, par
from montecarlo.studies.winnings import first_deals, winnings_sample
from montecarlo.variants import load
from montecarlo.variants.load import variant_files

DEALS, SEED = 10_000, 4
FALSE_ALARM = 4.9
"""Standard errors: 1e-6 of false alarms, two-sided."""


def sheet_of(name, deals=DEALS, **words):
    return par(name, deals=deals, seed=SEED, policy="greedy", **words)


@pytest.fixture(scope="module")
def hongkong():
    return sheet_of("hongkong_edge")


@pytest.fixture(scope="module")
def taiwan():
    return sheet_of("taiwan")


@pytest.mark.parametrize("name", ["hongkong", "taiwan"])
def test_payments_and_results_of_the_same_deals_agree(name, request):
    """Two kernels that tally differently: flow, nets and edge are the same numbers."""
    sheet = request.getfixturevalue(name)
    for line in sheet.lines:
        found = sheet.played.lines[line.id]
        assert line.flow.value == pytest.approx(found.flow.value, abs=1e-12)
        assert line.flow.se == pytest.approx(found.flow.se, rel=1e-9)
        if line.edge:
            assert line.edge.value == pytest.approx(found.net.value, abs=1e-12)
            assert line.share_of_variance.value == pytest.approx(found.share_of_variance, abs=1e-9)
    if sheet.edge:
        assert sheet.edge.value == pytest.approx(sheet.played.units[0].mean)
        assert sheet.sd.value == pytest.approx(sheet.played.units[0].sd)


@pytest.mark.parametrize("name", variant_files())
def test_lines_of_every_variant_add_up(name):
    sheet = sheet_of(name, 1000)
    assert sum(line.share_of_flow.value for line in sheet.lines) == pytest.approx(1)
    assert sum(line.share_of_variance.value for line in sheet.lines) == pytest.approx(1)
    assert sum(line.flow.value for line in sheet.lines) == pytest.approx(sheet.flow.value)
    if sheet.variant.banker:
        assert sum(line.edge.value for line in sheet.lines) == pytest.approx(sheet.edge.value)
        assert [role.name for role in sheet.roles] == ["banker", "player"]
        assert sheet.roles[1].mean.value == pytest.approx(
            np.mean([seat.mean for seat in sheet.played.units[1:]])
        )
    else:
        assert sheet.edge is None
        assert all(line.edge is None for line in sheet.lines)
    assert sum(p.value for p in sheet.results.values()) == pytest.approx(1)
    assert sheet.exposure.worst <= sheet.exposure.bound
    assert sheet.exposure.best <= sheet.exposure.bound
    assert json.loads(sheet.to_json())["variant"] == name
    for section in sections(sheet):
        assert section.rows or section.notes
        assert all(len(row) == len(section.columns) for row in section.rows)


def test_odds_of_specials_are_exact_and_payments_agree_with_them(taiwan):
    counts = exact("taiwan")
    for line in taiwan.lines:
        kind, _, name = line.id.partition(".")
        if kind != "special":
            assert line.p is None
            continue
        assert line.p == Fraction(counts[name].exclusive, TOTAL)
        # a special is paid by each of three others, less those that hold a higher one or draw
        most = 4 * 3 * float(line.p)
        assert line.payments.value <= most + FALSE_ALARM * max(line.payments.se, most / DEALS**0.5)
    flagged = {award.id for award in taiwan.rare if award.flagged}
    assert flagged == {"special.suited_dragon", "special.twelve_royals"}
    assert all(award.p < Fraction(1, 10**8) for award in taiwan.rare if award.flagged)


def test_payments_are_counted_once_each(hongkong):
    """Every ordinary pair settles three rows, so rows of one kind are paid at most 3 times."""
    for row in ("head", "middle", "tail"):
        paid = sum(x.payments.value for x in hongkong.lines if x.id.startswith(f"row.{row}."))
        specials = sum(x.payments.value for x in hongkong.lines if x.id.startswith("special."))
        assert paid <= 3
        assert paid > 3 - 2 * specials - 0.5  # ties between players' rows go to the banker


@pytest.mark.parametrize("draws", [1, 2, 7, 100])
def test_sums_by_transform_are_those_of_repeated_convolution(draws):
    counts = {-3: 5, 0: 2, 1: 9, 8: 1}
    p = np.zeros(12)
    for value, count in counts.items():
        p[value + 3] = count / 17
    expected = np.ones(1)
    for _ in range(draws):
        expected = np.convolve(expected, p)
    found = sum_distribution(counts, draws)
    for place, p in enumerate(expected):
        assert found.between(place - 3 * draws, place - 3 * draws) == pytest.approx(p, abs=1e-12)
    assert found.p.sum() == pytest.approx(1, abs=1e-11)
    cumulative = np.cumsum(expected)
    for q in (0.025, 0.5, 0.975):
        least = -3 * draws + int(np.flatnonzero(cumulative >= q)[0])
        assert found.quantile(q) == least
    assert found.between(-1.5, 2) == pytest.approx(
        sum(x for i, x in enumerate(expected) if -1.5 <= i - 3 * draws <= 2)
    )


def test_sums_that_cannot_be_worked_out_are_refused():
    with pytest.raises(BadInput, match=r"sums need .* places"):
        sum_distribution({0: 1, MOST_PLACES: 1}, 1)
    with pytest.raises(BadInput, match="counts that are not all 0"):
        sum_distribution({}, 3)


def test_bands_hold_in_bootstrapped_sums_of_a_hundred_deals(hongkong):
    """Sums of deals drawn anew fall into the band as often as the convolution says."""
    values = np.array(list(hongkong.played.distribution))
    counts = np.array(list(hongkong.played.distribution.values()))
    generator = np.random.default_rng(1)
    times = 20_000
    sums = generator.choice(values, (times, 100), p=counts / counts.sum()).sum(axis=1)
    checks = [check for check in hongkong.checks if check.deals == 100]
    assert {check.confidence for check in checks} == {0.90, 0.95}
    for check in checks:
        inside = np.mean((sums >= check.normal[0]) & (sums <= check.normal[1]))
        p = check.coverage
        assert abs(inside - p) < FALSE_ALARM * math.sqrt(p * (1 - p) / times)
        assert abs(p - check.confidence) < 0.02
        # quantiles of the sum: as many sums below as they say, to a sum's own probability
        below = np.mean(sums < check.exact[0])
        assert below < (1 - check.confidence) / 2 + FALSE_ALARM * math.sqrt(0.05 / times)


def test_bands_and_volatility_follow_the_definition(hongkong):
    assert hongkong.volatility_index(0.90).value == pytest.approx(1.6448536 * hongkong.sd.value)
    assert hongkong.volatility_index(0.95).value == pytest.approx(1.9599640 * hongkong.sd.value)
    band = next(
        b for b in hongkong.bands if (b.role, b.deals, b.confidence) == ("banker", 100, 0.9)
    )
    half = hongkong.volatility_index(0.90).value * 10
    assert band.low == pytest.approx(100 * hongkong.edge.value - half)
    assert band.high == pytest.approx(100 * hongkong.edge.value + half)
    assert {b.deals for b in hongkong.bands} == {100, 1000, 10_000, 100_000, 1_000_000}


def test_exposure_by_hand():
    distribution = Counter({-30: 1, -10: 9, -2: 490, 0: 100, 5: 399, 40: 1})
    found = exposure(load("taiwan"), 4, distribution)
    assert (found.worst, found.worst_deals, found.best, found.best_deals) == (30, 1, 40, 1)
    assert found.worst_p.low < 1 / 1000 < found.worst_p.high
    losses = {tail.chance: tail.units for tail in found.tails}
    assert losses == {0.01: 3, 0.001: 11}  # 10 deals lose 3 or more; one loses 11 or more
    for chance, units in losses.items():
        assert sum(n for u, n in distribution.items() if -u >= units) <= chance * 1000
        assert sum(n for u, n in distribution.items() if -u >= units - 1) > chance * 1000
    assert proportion(distribution, -1).value == 0.5
    assert proportion(distribution, 0).value == 0.1


def test_fees_take_from_what_seats_win_deal_by_deal(hongkong, taiwan):
    """Against the units of all seats, settled one deal after the other."""
    for sheet in (hongkong, taiwan):
        moments = sheet.moments
        units, _ = score_deals(scoring_rules(sheet.variant), first_deals(moments), 0)
        won = np.maximum(units, 0)
        roles = {fee.role: fee.won for fee in sheet.fees}
        if sheet.variant.banker:
            assert roles["banker"].value == pytest.approx(won[:, 0].mean())
            assert roles["player"].value == pytest.approx(won[:, 1:].mean())
            per_deal = won[:, 1:].mean(axis=1)
            assert roles["player"].se == pytest.approx(per_deal.std(ddof=1) / math.sqrt(DEALS))
        else:
            # a seat's wins are half its absolute units, on average
            half = np.abs(units[:, 0]) / 2
            assert roles["seat"].value == pytest.approx(half.mean())
            error = math.hypot(roles["seat"].se, won.mean(axis=1).std() / math.sqrt(DEALS))
            assert abs(roles["seat"].value - won.mean()) < FALSE_ALARM * error
        for fee in sheet.fees:
            assert fee.taken.value == pytest.approx(fee.rate * fee.won.value)
        assert {fee.rate for fee in sheet.fees} == set(FEE_RATES)


def test_a_variants_own_fee_is_among_them():
    sheet = sheet_of(load("hongkong", ["fee_rate=0.03", "fee_flat=0.5"]), 1000)
    own = [fee for fee in sheet.fees if fee.flat]
    assert [fee.role for fee in own] == ["banker", "player"]
    banker = own[0]
    wins = sheet.results["win"].value
    assert banker.taken.value == pytest.approx(0.03 * banker.won.value + 0.5 * wins)
    assert banker.left.value == pytest.approx(sheet.edge.value - banker.taken.value)


@pytest.mark.parametrize("name", ["hongkong", "taiwan"])
def test_winnings_under_other_tables_agree_with_all_deals(name, request):
    """The stratified sample against every deal of the block it was taken from."""
    sheet = request.getfixturevalue(name)
    sample = winnings_sample(sheet.moments, sheet.fees[0].won)
    assert sum(sample.sizes) == DEALS
    assert sum(len(kept) for kept in sample.counts) < DEALS / 10
    rules = scoring_rules(sheet.variant)
    counts = count_deals(rules, first_deals(sheet.moments), 0, 0)
    played = sheet.moments.vector()
    as_played = sample.winnings(played)
    assert as_played.value == pytest.approx(sample.known.value)
    assert as_played.se == pytest.approx(sample.known.se)
    assert sample.winnings(3 * played).value == pytest.approx(3 * sample.known.value)
    generator = np.random.default_rng(2)
    for _ in range(20):
        v = np.round(played * generator.uniform(0, 3, len(played)))
        found = sample.winnings(v)
        units = counts @ v
        won = np.maximum(units, 0) if sheet.variant.banker else np.abs(units) / 2
        assert abs(found.value - won.mean()) < FALSE_ALARM * found.se


def test_regression_mean_covers_the_truth():
    """A population of two strata, sampled 400 times: errors are as large as they say."""
    generator = np.random.default_rng(3)
    off = []
    for _ in range(400):
        first = generator.random(2000) < 0.1
        x = np.where(first, 10, 1) + generator.normal(size=2000)
        y = x + np.where(first, 4, 0) + generator.normal(size=2000)
        sizes, target, control = [], [], []
        for members in (np.flatnonzero(first), np.flatnonzero(~first)):
            kept = members[:60]
            sizes.append(len(members))
            target.append(y[kept])
            control.append(x[kept])
        found = regression_mean(sizes, target, control, Estimate(1.9, 0.0, 1))
        off.append((found.value - 2.3) / found.se)
    # mean and spread of 400 standardised errors, at 1e-6 each
    assert abs(np.mean(off)) < FALSE_ALARM * 1.15 / 20
    assert 0.75 < np.std(off) < 1.3


def test_files_hold_the_figures(hongkong, tmp_path):
    paths = write_par(hongkong, tmp_path)
    assert [path.name for path in paths] == [f"hongkong_edge.{name}" for name in FORMATS]
    with (tmp_path / "hongkong_edge.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    edge = next(row for row in rows if row["item"] == "banker's edge a deal")
    assert float(edge["value"]) == hongkong.edge.value
    assert float(edge["se"]) == hongkong.edge.se
    assert edge["item_zh"] == "庄家优势，每局"
    assert {row["section"] for row in rows} == {s.id for s in sections(hongkong) if s.rows}
    with zipfile.ZipFile(tmp_path / "hongkong_edge.xlsx") as book:
        texts = book.read("xl/sharedStrings.xml").decode()
        numbers = book.read("xl/worksheets/sheet1.xml").decode()
        assert "庄家优势" in texts
        assert f"<v>{hongkong.edge.value:.16G}</v>" in numbers
    again = FORMATS["xlsx"](hongkong)
    assert again == (tmp_path / "hongkong_edge.xlsx").read_bytes()
    page = (tmp_path / "hongkong_edge.html").read_text(encoding="utf-8")
    assert "montecarlo par hongkong_edge --deals 10_000 --seed 4 --policy greedy" in page
    assert "http" not in page.replace("http-equiv", "")


def test_the_command_prints_writes_and_refuses(tmp_path, capsys):
    words = ["par", "bidaxiao", "--deals", "500", "--seed", "1", "--policy", "greedy"]
    assert cli.run(words) == 0
    text = capsys.readouterr().out
    assert "波动指数" in text
    assert "nobody has an edge" in text
    assert cli.run([*words, "--json"]) == 0
    printed = capsys.readouterr().out
    assert cli.run([*words, "--json", "--jobs", "2"]) == 0
    assert capsys.readouterr().out == printed
    assert json.loads(printed)["edge"] is None
    assert cli.run([*words, "--out", str(tmp_path / "a"), "--format", "csv"]) == 0
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["bidaxiao.csv"]
    reader = csv.reader(io.StringIO((tmp_path / "a" / "bidaxiao.csv").read_text("utf-8")))
    assert next(reader)[0] == "section"
    capsys.readouterr()
    for wrong, says in (
        (["--format", "xlsx"], "--out"),
        (["--out", str(tmp_path / "b"), "--format", "xslx"], "did you mean 'xlsx'"),
        (["--deals", "1"], "an error needs two"),
        (["--players", "5"], "players must be"),
    ):
        assert cli.run([*words, *wrong]) == 2
        complaint = capsys.readouterr().err
        assert says in complaint
        assert complaint.count("\n") == 1
    assert not (tmp_path / "b").exists()

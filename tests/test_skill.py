"""Luck and skill: tallies by a second way, sums of deals, variance components, the command."""

import json
import math

import numpy as np
import pytest

from montecarlo.cli import run
from montecarlo.dealing.dealer import deal_block
from montecarlo.errors import BadInput
from montecarlo.scoring.many_deals import score_deals
from montecarlo.setting.seating import seat_policies
from montecarlo.simulation import runner
from montecarlo.simulation.payouts import play_hands, scoring_rules
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.skill import BATCHES, RUN_LENGTHS, SkillExperiment
from montecarlo.statistics.jackknife import jackknife
from montecarlo.statistics.sums import sum_distribution
from montecarlo.studies.compare import compare
from montecarlo.studies.skill import ONE_SIDED_95, read_skill, skill
from montecarlo.variants import load

SEED, DEALS = 6, 5000
NAMES = ("equilibrium", "greedy", "human:second=0.5,foul=0.02")


def leads_of(variant, players, names, lone):
    """Leads (deals, plays, K, K) by playing every table on its own."""
    masks = deal_block(SEED, 0, DEALS, players)
    found = np.empty((DEALS, players, len(names), len(names)), np.int64)
    for turn in range(players):
        turned = np.roll(masks, -turn, axis=1)
        for i, one in enumerate(names):
            for j, other in enumerate(names):
                words = tuple(one if seat == lone else other for seat in range(players))
                seats = seat_policies(variant, words, players)
                rules = scoring_rules(variant)
                units, _ = score_deals(rules, play_hands(variant, rules, turned, seats)[1], 0)
                found[:, turn, i, j] = units[:, lone] - (units[:, 2] if variant.banker else 0)
    return found


@pytest.fixture(scope="module", params=[("taiwan", 4, 0), ("baodao2", 3, 1)])
def played(request):
    """Return an experiment's tally of some deals, and the leads the plain way."""
    name, players, lone = request.param
    experiment = SkillExperiment(load(name), players, NAMES)
    tally = experiment.tally_block(SEED, 0, DEALS)
    return experiment, tally, leads_of(load(name), players, NAMES, lone)


def test_tallies_are_those_of_tables_played_one_by_one(played):
    _, tally, leads = played
    totals = leads.sum(axis=1).reshape(DEALS, -1)
    batch = np.arange(DEALS) // 4096 % BATCHES
    for place in (0, 1):
        held = totals[batch == place]
        assert tally.arrays["deals"][place] == len(held)
        assert np.array_equal(tally.arrays["sums"][place], held.sum(axis=0))
        assert np.array_equal(tally.arrays["products"][place], held.T @ held)
        cells = leads[batch == place]
        for other in range(len(NAMES)):
            flat = cells[..., other].reshape(-1, len(NAMES))
            assert np.array_equal(tally.arrays["cells"][place, other], flat.T @ flat)
    for arm, histogram in enumerate(tally.arrays["histogram"]):
        values, counts = np.unique(leads[:, :, *divmod(arm, len(NAMES))], return_counts=True)
        half = histogram.size // 2
        assert dict(zip(values + half, counts, strict=True)) == {
            place: histogram[place] for place in np.flatnonzero(histogram)
        }
    once = leads[:, 0].reshape(DEALS, -1)
    for length, runs in zip(RUN_LENGTHS, tally.arrays["runs"], strict=True):
        whole = DEALS // length * length
        sums = once[:whole].reshape(-1, length, once.shape[1]).sum(axis=1)
        signs = [(sums < 0).sum(axis=0), (sums == 0).sum(axis=0), (sums > 0).sum(axis=0)]
        assert np.array_equal(runs, np.stack(signs, axis=1))


def test_gain_is_that_of_the_comparison_on_the_same_deals(played):
    experiment, tally, leads = played
    entry = read_skill(experiment, tally, SEED).entry("greedy", "equilibrium")
    by_deal = leads[:, :, 1, 0].mean(axis=1)
    assert entry.gain.value == pytest.approx(by_deal.mean(), rel=1e-12)
    assert entry.gain.se == pytest.approx(by_deal.std(ddof=1) / DEALS**0.5, rel=1e-9)
    if experiment.variant.banker:  # comparisons look at the banker's seat
        return
    lone = ("greedy", *("equilibrium",) * 3)
    other = compare(
        ("taiwan", lone), ("taiwan", "equilibrium"), deals=DEALS, seed=SEED, rotate=True
    )
    assert entry.gain.value == pytest.approx(other.units.difference.value, rel=1e-12)
    assert entry.gain.se == pytest.approx(other.units.difference.se, rel=1e-12)
    assert entry.sd == pytest.approx(other.sd[0], rel=1e-4)


def test_components_are_those_of_a_two_way_layout(played):
    experiment, tally, leads = played
    found = read_skill(experiment, tally, SEED)
    for place, part in enumerate(found.components):
        table = leads[..., place].reshape(-1, len(NAMES)).astype(float)  # cells by policies
        mean, rows, columns = table.mean(), table.mean(axis=1), table.mean(axis=0)
        rest = table - rows[:, None] - columns + mean
        whole = table.var()
        assert part.sd == pytest.approx(math.sqrt(whole))
        assert part.cards.value == pytest.approx(rows.var() / whole)
        assert part.policy.value == pytest.approx(columns.var() / whole)
        assert part.both.value == pytest.approx(rest.var() / whole)
        assert sum(s.value for s in (part.cards, part.policy, part.both)) == pytest.approx(1)


def test_rotating_the_hands_takes_all_luck_out_of_equal_play(played):
    experiment, tally, leads = played
    found = read_skill(experiment, tally, SEED)
    for arm, entry in enumerate(found.entries):
        single = leads[:, :, *divmod(arm, len(NAMES))].astype(float)
        share = 1 - experiment.players * single.mean(axis=1).var() / single.var()
        assert entry.rotation_share.value == pytest.approx(share)
        if entry.lone == entry.others and not experiment.variant.banker:
            assert entry.rotation_share.value == 1
            assert entry.deals_until_ahead is None


def test_errors_of_shares_cover_the_truth():
    """Shares of many small runs spread as their jackknife errors say (chi-square, 1e-6)."""
    experiment = SkillExperiment(load("coins"), 2, ("equilibrium", "greedy"))
    found = [
        read_skill(experiment, experiment.tally_block(SEED, block, 16 * 4096), SEED).components[0]
        for block in range(6)
    ]
    for name in ("cards", "policy", "both"):
        shares = np.array([getattr(part, name).value for part in found])
        errors = np.array([getattr(part, name).se for part in found])
        ratio = ((shares - shares.mean()) ** 2 / (errors**2).mean()).sum()
        # 5 degrees of freedom: 36 is exceeded once in a million; the errors' own spread (16
        # batches, under 20 %) is allowed for
        assert 0 < ratio < 36 * 1.4


def test_a_sum_is_the_convolution():
    counts = {-30: 3, -2: 400, 0: 100, 1: 300, 5: 150, 60: 1}
    total = sum(counts.values())
    one = np.zeros(91)
    for value, count in counts.items():
        one[value + 30] = count / total
    many = one
    for n in range(2, 13):
        many = np.convolve(many, one)
        found = sum_distribution(counts, n)
        low = -30 * n - found.lowest
        padded = np.concatenate([np.zeros(max(low, 0)), many, np.zeros(found.p.size)])
        start = max(-low, 0)
        assert found.p == pytest.approx(padded[start : start + found.p.size], abs=1e-13)
        assert found.above(3) == pytest.approx(many[30 * n + 4 :].sum(), abs=1e-12)
        assert found.below(3) == pytest.approx(many[: 30 * n + 3].sum(), abs=1e-12)
        place = int(np.searchsorted(np.cumsum(many), 0.3)) - 30 * n
        assert found.quantile(0.3) == place


def test_a_sum_of_many_is_nearly_normal():
    counts = {-1: 3, 0: 5, 4: 1}
    n = 40_000
    found = sum_distribution(counts, n)
    values = found.lowest + np.arange(found.p.size)
    mean, variance = 1 / 9, 19 / 9 - 1 / 81
    assert found.p.sum() == pytest.approx(1, abs=1e-9)
    assert found.p @ values == pytest.approx(n * mean, abs=1e-3)
    assert found.p @ (values - n * mean) ** 2 == pytest.approx(n * variance, rel=1e-6)
    assert found.quantile(0.95) == pytest.approx(
        n * mean + ONE_SIDED_95 * (n * variance) ** 0.5, abs=3
    )


def test_sums_of_nothing_are_refused():
    with pytest.raises(BadInput, match="one value or more"):
        sum_distribution({1: 1}, 0)
    with pytest.raises(BadInput, match="not all 0"):
        sum_distribution({1: 0}, 3)


def test_jackknife_of_a_mean_is_its_usual_error():
    values = np.random.default_rng(2).normal(size=40)
    found = jackknife(lambda t: float(t[1] / t[0]), (np.ones(40), values), 40)
    assert found.value == pytest.approx(values.mean())
    assert found.se == pytest.approx(values.std(ddof=1) / math.sqrt(40))
    assert math.isinf(jackknife(lambda t: 0.0, (np.ones(1),), 1).se)


def test_runs_that_were_played_agree_with_the_distribution():
    """The better is ahead as often as sums of independent leads say (binomial, 1e-6 in all)."""
    from scipy.stats import binomtest

    found = skill("coins", deals=60_000, seed=SEED, policies=("equilibrium", "greedy"), players=2)
    entry = found.entry("equilibrium", "greedy")
    until = entry.deals_until_ahead
    for check in entry.runs:
        p = binomtest(check.ahead, check.runs, check.expected).pvalue
        assert p > 1e-6 / len(entry.runs), check
    assert until.normal == pytest.approx((ONE_SIDED_95 * entry.sd / entry.gain.value) ** 2)
    assert until.interval.low < until.normal < until.interval.high
    assert until.exact == pytest.approx(until.normal, rel=0.25)
    assert entry.ahead(until.exact) >= 0.95 > entry.ahead(until.exact - 1)
    assert until.duplicate < until.normal
    check = entry.check
    assert 0.5 < check.deals / until.normal < 2
    behind = found.entry("greedy", "equilibrium")
    assert behind.gain.value == pytest.approx(-entry.gain.value)  # two players: one game
    assert behind.deals_until_ahead.exact == pytest.approx(until.exact, abs=1)


def test_fan_opens_with_the_root_of_deals():
    found = skill("coins", deals=8_000, seed=SEED, policies=("balanced", "greedy"), players=2)
    fan = found.entry("balanced", "balanced").fan
    assert [each.deals for each in fan] == [100, 200, 500, 1000, 2000, 5000, 10_000]
    for each in fan:
        assert list(each.quantiles) == sorted(each.quantiles)
    width = [each.quantiles[-2] - each.quantiles[1] for each in fan]
    assert width[-1] / width[0] == pytest.approx(10, rel=0.05)
    sd = found.entry("balanced", "balanced").sd
    assert width[-1] == pytest.approx(2 * ONE_SIDED_95 * sd * 100, rel=0.02)


def test_two_workers_give_the_same_bits():
    plan = Plan(SkillExperiment(load("coins"), 2, ("balanced", "greedy")), SEED, 66_000)
    one, two = runner.run(plan), runner.run(plan, jobs=2)
    for name in one.arrays:
        assert one.integers(name) == two.integers(name)


def test_command(capsys):
    words = ["skill", "coins", "--deals", "3000", "--seed", "1", "--policy",
             "equilibrium,human:second=0.5,foul=0.1,greedy", "--players", "2"]  # fmt: skip
    assert run([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["policies"] == ["equilibrium", "human:second=0.5,foul=0.1", "greedy"]
    assert [len(data["matrix"]), len(data["components"])] == [9, 3]
    assert data["matrix"][0]["deals_until_ahead"] is None
    assert set(data["matrix"][1]["gain"]) == {"mean", "se"}
    assert run(words) == 0
    shown = capsys.readouterr().out
    assert "One player among others" in shown
    assert "the cards 牌" in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["shaoxing"], "is a ladder: nothing is set, so it is luck alone"),
        (["hongkong", "--players", "2"], "play with 3 or 4"),
        (["taiwan", "--policy", "greedy,greedy"], "each named once"),
        (["taiwan", "--policy", "greedy"], "two or more policies"),
        (["taiwan", "--policy", "greedy,humna"], "did you mean 'human'"),
    ],
)
def test_bad_words(words, says, capsys):
    assert run(["skill", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert err.count("\n") == 1

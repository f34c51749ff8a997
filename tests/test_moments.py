"""Counted payments: exact identities with played deals, errors by a second way, other tables."""

import numpy as np
import pytest

from montecarlo.dealing.dealer import deal_block
from montecarlo.errors import BadInput
from montecarlo.scoring.lines import line_ids, payout_ids, payout_vector
from montecarlo.scoring.many_deals import count_deals, score_deals_by_line
from montecarlo.scoring.payments import (
    line_of_payment,
    payment_ids,
    payment_places,
    payouts_of_payments,
)
from montecarlo.setting.seating import seat_policies
from montecarlo.simulation import runner
from montecarlo.simulation.counts import CountExperiment, packed_square
from montecarlo.simulation.counts_kernel import count_payments
from montecarlo.simulation.payouts import PayoutExperiment, play_hands, scoring_rules
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.store import Store
from montecarlo.statistics.clustered import PairSums, PowerSums
from montecarlo.studies.moments import Moments, moments
from montecarlo.studies.payouts import payouts
from montecarlo.variants import load
from montecarlo.variants.load import variant_files

SEED, DEALS = 5, 3000
GREEDY = ("greedy",) * 4
VARIANTS = tuple(variant_files())


def counted(variant, deals=DEALS, seed=SEED):
    experiment = CountExperiment(variant, 4, GREEDY)
    return Moments(experiment, experiment.tally_block(seed, 0, deals), (seed,))


def played(variant, deals=DEALS):
    experiment = PayoutExperiment(variant, 4, GREEDY)
    return experiment, experiment.tally_block(SEED, 0, deals)


def seats_of(variant, deals=DEALS):
    rules = scoring_rules(variant)
    masks = deal_block(SEED, 0, deals)
    _, seats = play_hands(variant, rules, masks, seat_policies(variant, GREEDY, 4))
    return rules, seats


@pytest.mark.parametrize("name", VARIANTS)
def test_counts_hold_the_units_and_flows_of_the_same_deals_to_the_last_one(name):
    variant = load(name)
    found = counted(variant)
    tally, size = found.tally, len(payment_ids(variant))
    weights = payouts_of_payments(variant) @ payout_vector(variant)
    sums = tally.arrays["sums"].sum(axis=0)
    products = packed_square(tally.arrays["products"].sum(axis=0), size)
    seats = found.experiment.counted_seats
    assert seats == (1 if variant.banker else 4)
    _, plain = played(variant)
    assert sums @ weights == plain.arrays["sums"][:seats, 0].sum()
    assert weights @ products @ weights == plain.arrays["sums"][:seats, 1].sum()
    line_of = line_of_payment(variant)
    for place in range(len(line_ids(variant))):
        part = np.where(line_of == place, weights, 0)
        assert part @ tally.arrays["flow_sums"] == plain.arrays["flows"][place, 0]
        flows = packed_square(tally.arrays["flow_products"], size)
        assert part @ flows @ part == plain.arrays["flows"][place, 1]
        if seats == 1:
            assert part @ sums == plain.arrays["nets"][place, 0]
            assert part @ products @ weights == plain.arrays["nets"][place, 2]


@pytest.mark.parametrize("name", VARIANTS)
def test_payments_are_payout_counts_without_multipliers_and_lines_in_parts(name):
    variant = load(name)
    rules, seats = seats_of(variant, 400)
    matrix, line_of = payouts_of_payments(variant), line_of_payment(variant)
    weights = matrix @ payout_vector(variant)
    by_line, _ = score_deals_by_line(rules, seats, 0)
    for seat in (0, 2):
        found = count_payments(rules, payment_places(variant), seats, 0, seat, len(weights))
        assert np.array_equal(found @ matrix, count_deals(rules, seats, 0, seat))
        for place in range(len(line_ids(variant))):
            assert np.array_equal(found @ (weights * (line_of == place)), by_line[:, place, seat])


@pytest.mark.parametrize("name", ["hongkong", "taiwan", "points123"])
def test_sums_are_those_of_counts_deal_by_deal(name):
    variant = load(name)
    rules, seats = seats_of(variant)
    found = counted(variant)
    size = len(found.payments)
    each = [
        count_payments(rules, payment_places(variant), seats, 0, seat, size)
        for seat in range(found.experiment.counted_seats)
    ]
    # chunks of 512 deals go to batches in turn; the last one is shorter
    assert found.tally.integers("deals")[:7] == [512, 512, 512, 512, 512, DEALS - 5 * 512, 0]
    for batch, deals in ((b, slice(b * 512, (b + 1) * 512)) for b in range(6)):
        assert np.array_equal(
            found.tally.arrays["sums"][batch], sum(z[deals].sum(axis=0) for z in each)
        )
        assert np.array_equal(
            packed_square(found.tally.arrays["products"][batch], size),
            sum(z[deals].T @ z[deals] for z in each),
        )


CHANGED = {
    "hongkong": ("dragon.points=40", "row.middle.four=3", "row.tail.base=2", "six_pairs.points=7"),
    "taiwan": ("dragon.points=50", "row.head.three=9", "row.middle.base=3", "gun_add=2"),
    "points123": ("gun_add=1", "home_run_add=30", "row.tail.straight_flush=4", "dragon.points=0"),
    "baibian": ("tier_points=3",),
    "mianbai": ("majority=4", "has_quads.points=9"),
    "bidaxiao2": ("row.tail.base=2", "row.tail.flush=5"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_another_payout_table_needs_no_other_deal(name):
    # greedy settings look at no payouts: the changed game played anew has the same settings
    variant, other = load(name), load(name, CHANGED[name])
    found, v = counted(variant), payout_vector(other)
    assert payout_ids(variant) == payout_ids(other)
    experiment, tally = played(other)
    plain = payouts(experiment, tally)
    sums = [PowerSums(DEALS, *seat[:2]) for seat in tally.arrays["sums"].tolist()]
    if variant.banker:
        edge = found.edge(v)
        assert (edge.value, edge.se) == pytest.approx((plain.edge.value, plain.edge.se), rel=1e-9)
        assert found.sd(v).value == pytest.approx(sums[0].sd(), rel=1e-12)
    else:
        assert (found.units(v).value, found.units(v).se) == (0, 0)
        squares = sum(seat.second for seat in sums) / (4 * DEALS) * DEALS / (DEALS - 1)
        assert found.sd(v).value == pytest.approx(squares**0.5, rel=1e-12)
    shares = 0.0
    for line, entry in plain.lines.items():
        flow = found.flow(v, [line])
        assert flow.value == pytest.approx(entry.flow.value, rel=1e-12)
        assert flow.se == pytest.approx(entry.flow.se, rel=1e-6, abs=1e-12)
        share = found.share_of_variance(v, [line])
        shares += share.value
        if variant.banker:
            assert share.value == pytest.approx(entry.share_of_variance, rel=1e-9, abs=1e-12)
            units = found.line_units(v)[line]
            assert (units.value, units.se) == pytest.approx(
                (entry.net.value, entry.net.se), rel=1e-6, abs=1e-12
            )
            m = v @ found.line_products([line]) @ v
            assert m / sums[0].sd() ** 2 == pytest.approx(share.value, rel=1e-3, abs=1e-9)
    assert shares == pytest.approx(1, abs=1e-9)
    change = found.difference(v, found.vector())
    assert change.value == pytest.approx(found.units(v).value - found.units(found.vector()).value)


def test_errors_are_those_of_the_deals_themselves():
    variant = load("hongkong")
    rules, seats = seats_of(variant)
    found, v = counted(variant), payout_vector(variant)
    x = count_deals(rules, seats, 0, 0)
    other = v + np.arange(len(v)) % 3
    change = x @ (other - v)
    assert found.difference(other, v).se == pytest.approx(change.std(ddof=1) / DEALS**0.5)
    assert np.allclose(found.covariance, np.cov(x.T), atol=1e-12)
    # share of the flow: a ratio of two sums over deals
    _, flow = score_deals_by_line(rules, seats, 0)
    chosen = [i for i, line in enumerate(found.lines) if line.startswith("row.tail.")]
    part, whole = flow[:, chosen].sum(axis=1), flow.sum(axis=1)
    ratio = PairSums.of(zip(whole.tolist(), part.tolist(), strict=True)).ratio()
    share = found.share_of_flow(v, [found.lines[i] for i in chosen])
    assert (share.value, share.se) == pytest.approx((ratio.value, ratio.se), rel=1e-6)


def test_errors_of_spreads_agree_with_those_from_fourth_powers():
    # 32 batches: the jackknife's own relative error is 1 / sqrt(2 * 31) = 0.127, or a little more
    variant = load("taiwan_classic")
    found = counted(variant, 65536)
    sd = found.sd(found.vector())
    _, tally = played(variant, 65536)
    units = tally.arrays["sums"].astype(float) / 65536
    fourth = units[0, 3] - units[0, 1] ** 2
    of_one_seat = (fourth / 65536) ** 0.5 / (2 * sd.value)
    # four seats of one deal tell at least as much as one, and at most four times as much
    assert of_one_seat / 2 * (1 - 5 * 0.13) < sd.se < of_one_seat * (1 + 5 * 0.13)


def test_any_number_of_workers_and_a_stored_run_give_the_same_tally(monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "TASK_BLOCKS", 1)
    deals = 65536 + 4097
    one, two = (
        moments("bidaxiao2", deals=deals, seed=1, policy="greedy", jobs=jobs) for jobs in (1, 2)
    )
    plan = Plan(one.experiment, 1, deals)
    with Store(tmp_path / "run", plan) as store:
        runner.run(plan, store=store)
    with Store(tmp_path / "run", plan, resume=True) as store:
        stored = runner.run(plan, store=store)
    for name in one.tally.arrays:
        assert one.tally.integers(name) == two.tally.integers(name) == stored.integers(name)
    assert sum(one.tally.integers("deals")) == deals


def test_pooled_runs_are_one_run_and_never_the_same_deals_twice():
    variant = load("hongkong")
    one, other = counted(variant, 500), counted(variant, 700, seed=6)
    both = one.pooled(other)
    v = one.vector()
    assert both.deals == 1200
    assert both.edge(v).value == pytest.approx(
        (500 * one.edge(v).value + 700 * other.edge(v).value) / 1200
    )
    with pytest.raises(BadInput, match="same seed"):
        both.pooled(one)
    with pytest.raises(BadInput, match="different experiments"):
        one.pooled(counted(load("hongkong", ["row.tail.base=2"]), 100, seed=9))


def test_what_cannot_be_answered_is_refused_in_one_line():
    found = counted(load("taiwan"), 50)
    with pytest.raises(BadInput, match="no banker"):
        found.edge(found.vector())
    with pytest.raises(BadInput, match="entries"):
        found.sd([1, 2])
    with pytest.raises(BadInput, match="no payout line 'guns'"):
        found.flow(found.vector(), ["guns"])
    with pytest.raises(BadInput, match="multipliers of 1 or more"):
        payment_ids(load("taiwan", ["gun_times=0"]))

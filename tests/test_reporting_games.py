"""Played games of the report: stored runs, how hands are set, and what variants pay."""

import csv
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from montecarlo.dealing.dealer import deal_block
from montecarlo.errors import BadInput, PolicyMismatch, StoreError
from montecarlo.reporting import expected_payouts, one_hand, settings
from montecarlo.reporting.edition import Edition, deal_edition, opened
from montecarlo.reporting.games import FEWEST_PLAYED, games_of, played_by_default
from montecarlo.reporting.payout_lines import KINDS, flow_by_kind, kind_of, line_name
from montecarlo.scoring.lines import line_ids
from montecarlo.setting.frontier import frontier
from montecarlo.setting.policies import POLICIES, load_policy
from montecarlo.setting.static_tables import setting_tables
from montecarlo.simulation.payouts import PayoutExperiment
from montecarlo.simulation.settings import SettingsExperiment
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.statistics.clustered import Estimate
from montecarlo.variants import all_variants, load

PLAYED = 4_000
SEED = 4


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    """A rows game, a banker game and a ladder, played little."""
    folder = tmp_path_factory.mktemp("played")
    return deal_edition(
        ["points123", "hongkong", "baibian"], deals=2_000, played=PLAYED, seed=SEED, jobs=2,
        out=folder / "reports", runs=folder / "runs",
    )  # fmt: skip


# --- runs ---


def test_games_are_kept_and_read_again(edition: Edition, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise AssertionError("played again")

    monkeypatch.setattr(PayoutExperiment, "play", refuse)
    again = deal_edition(
        edition.names, deals=2_000, played=PLAYED, seed=SEED, jobs=1, out=edition.out,
        runs=edition.folder.parent,
    )  # fmt: skip
    read = opened(edition.folder)
    for game in edition.games.values():
        for other in (again, read):
            assert other.games[game.variant.id].payouts == game.payouts


def test_the_bits_do_not_depend_on_workers(edition: Edition, tmp_path: Path) -> None:
    one = deal_edition(
        ["points123"], deals=2_000, played=PLAYED, seed=SEED, jobs=1, out=tmp_path / "reports",
        runs=tmp_path / "runs",
    )  # fmt: skip
    for stored, other in zip(
        edition.games["points123"].runs, one.games["points123"].runs, strict=True
    ):
        assert stored.folder.name == other.folder.name
        name = "summary.json"
        assert (stored.folder / name).read_bytes() == (other.folder / name).read_bytes()


def test_a_run_that_is_not_complete_is_named(tmp_path: Path) -> None:
    games = games_of([load("points123")], FEWEST_PLAYED, 1, tmp_path)
    with pytest.raises(StoreError, match="montecarlo report plays it"):
        _ = games["points123"].payouts


def test_what_cannot_be_played_is_said_before_dealing(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="too few to be played"):
        games_of([load("points123")], FEWEST_PLAYED - 1, 1, tmp_path)
    with pytest.raises(PolicyMismatch, match="montecarlo train"):
        games_of([load("points123", ["row.head.base=7"])], FEWEST_PLAYED, 1, tmp_path)
    assert [played_by_default(n) for n in (1, 10**6, 10**9)] == [FEWEST_PLAYED, 50_000, 10**6]


# --- how hands are set ---


def test_settings_are_counted_as_one_by_one() -> None:
    """The tally of some hands equals what a plain loop over them finds."""
    variant = load("points123")
    tally = SettingsExperiment(variant).tally_block(seed=3, block=1, deals=60)
    dealt = deal_block(3, 1, 60, players=2)[:, 0]
    hands = [h for h in dealt if first_special(np.array([h]), compile_rules(variant.rules))[0] < 0]
    assert tally.integers("hands") == [len(hands)]
    tables = setting_tables(variant.wheel, variant.compare)
    sizes = tally.integers("frontier")
    expected = [len(frontier(int(hand), tables)[0]) for hand in hands]
    assert all(sizes[size] == expected.count(size) for size in range(len(sizes)))
    picks = [
        [tuple(load_policy(variant, name, "any", 4).set_classes(np.array([h]))[0]) for h in hands]
        for name in POLICIES
    ]
    same = [[sum(a == b for a, b in zip(p, q, strict=True)) for q in picks] for p in picks]
    assert tally.arrays["same"].tolist() == same
    rows = tally.arrays["rows"]
    assert (rows.sum(axis=-1) == len(hands)).all()
    heads = [int(tables.rows.head_category[pick[0]]) for pick in picks[2]]
    assert rows[2, 0].tolist() == [heads.count(category) for category in range(9)]


def test_the_hand_of_the_story_is_set_in_three_ways_best_first() -> None:
    found = one_hand.sheet().policies
    assert all(found[a].rows != found[b].rows for a, b in combinations(POLICIES, 2))
    choices = one_hand.picked(seed=1)
    assert choices["equilibrium"].gap == 0
    # gaps of many standard errors: luck has no say
    assert choices["balanced"].gap > 6 * choices["balanced"].gap_se
    assert choices["greedy"].gap > choices["balanced"].gap


def test_greedy_loses_among_equilibrium_players(edition: Edition) -> None:
    for name in ("points123", "hongkong"):
        paired = edition.games[name].paired
        assert paired is not None
        change = paired.difference(1, 0)
        assert change.value < -6 * change.se


def test_quantiles_of_the_frontier(edition: Edition) -> None:
    found = settings.Settings.of(edition.games["points123"])
    assert sum(found.sizes.values()) == found.hands
    assert found.quantile(0.0) == min(found.sizes)
    assert found.quantile(1.0) == max(found.sizes)
    below = sum(n for size, n in found.sizes.items() if size <= found.quantile(0.5))
    assert below >= found.hands / 2


# --- payouts ---


@pytest.mark.parametrize("variant", all_variants(), ids=lambda variant: variant.id)
def test_every_payout_line_has_a_kind_and_a_name(variant) -> None:  # type: ignore[no-untyped-def]
    for line in line_ids(variant):
        assert kind_of(line) in KINDS
        assert all(line_name(variant, line))
    with pytest.raises(KeyError):
        kind_of("row.nose.pair")


def test_kinds_share_all_of_the_flow(edition: Edition) -> None:
    for game in edition.games.values():
        lines = game.payouts.lines
        kinds = flow_by_kind(lines)
        assert sum(k.value for k in kinds.values()) == pytest.approx(
            sum(line.flow.value for line in lines.values())
        )


def test_the_error_of_an_sd_is_that_of_the_normal_law_where_it_holds() -> None:
    from montecarlo.studies.payouts import SeatUnits, sd_estimate

    normal = sd_estimate(SeatUnits(0.0, 0.0, 2.0, 0.0, 0.0), 800)
    assert normal == Estimate(2.0, 2.0 / (2 * 800) ** 0.5, 800)


def test_tables_of_all_figures_are_written(edition: Edition) -> None:
    expected_payouts.overview(edition)
    expected_payouts.save_tables(edition)
    with (edition.out / "tables" / "payouts.csv").open(encoding="utf-8") as file:
        rows = {row["variant"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["points123", "hongkong", "baibian"]
    edge = edition.games["hongkong"].payouts.edge
    assert edge is not None
    assert float(rows["hongkong"]["edge"]) == edge.value
    assert rows["points123"]["edge"] == rows["baibian"]["gun_rate"] == ""
    with (edition.out / "tables" / "units_distribution.csv").open(encoding="utf-8") as file:
        deals = [int(r["deals"]) for r in csv.DictReader(file) if r["variant"] == "baibian"]
    assert sum(deals) == PLAYED


def test_pages_of_ladders_only_say_that_nothing_is_set(tmp_path: Path) -> None:
    ladders = deal_edition(
        ["shaoxing"], deals=2_000, seed=1, jobs=1, out=tmp_path, runs=tmp_path / "runs"
    )
    for part in (
        settings.frontier_sentence, settings.frontier_sizes, settings.rows_chart,
        settings.rows_by_policy, settings.set_differently, settings.what_it_costs,
        settings.costs_headline,
    ):  # fmt: skip
        assert "no rows are set" in part(ladders)._repr_html_()
    assert "No variant of this report has a banker" in expected_payouts.headline(ladders).markup
    assert "no edge" in expected_payouts.edges_picture(ladders)._repr_html_()
    assert expected_payouts.flows(ladders).svg
    assert expected_payouts.distributions(ladders).svg

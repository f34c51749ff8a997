"""How errors are made and shown to hold: what ``05_methods_and_validation`` shows."""

from __future__ import annotations

from joblib import cpu_count

from montecarlo.reporting import special_hands
from montecarlo.reporting.edition import Edition
from montecarlo.reporting.style import Picture
from montecarlo.reporting.tables import Prose, Table, paragraph, write_csv
from montecarlo.reporting.validation_charts import ALLOWED, coverage_chart, p_value_chart
from montecarlo.simulation.waves import wave_sizes
from montecarlo.statistics.hypothesis_tests import holm, z_test
from montecarlo.statistics.rounding import one_in, thousands, with_error
from montecarlo.studies.coverage import CoverageStudy, coverage_study
from montecarlo.studies.fair_deals import same_bits, seats_of_cards, suit_shapes
from montecarlo.studies.value import HeldSpecial, value
from montecarlo.studies.variance_reduction import reduced_means

MOST_RUNS, FEWEST_RUNS, DEALS_A_RUN = 2_000, 100, 5_000
"""Runs of the coverage study: one for so many deals of the edition, within bounds."""

SHARED_DEALS = 300_000
CHECKED_BLOCKS = 4
RARE_VARIANT = "taiwan"
RARE_DEALS = 8_192
REDUCED_DEALS = 20_000


def study(edition: Edition) -> CoverageStudy:
    """Carry out the coverage study; more deals in the edition, more runs."""
    runs = min(MOST_RUNS, max(FEWEST_RUNS, edition.deals // DEALS_A_RUN))
    return coverage_study(runs, seed=edition.seed, jobs=cpu_count())


def headline(found: CoverageStudy) -> Prose:
    """Say in one paragraph whether errors hold."""
    usual = [entry.found.share for entry in found.fixed if entry.kind == "normal"]
    exact = [entry.found.share for entry in found.fixed if entry.kind == "exact"]
    after = [entry.found.share for entry in found.stopped]
    return paragraph(
        f"In {thousands(found.runs)} independent runs, intervals that promise 95 % held the truth "
        f"in {_span(usual)} % of the runs, exact intervals of rare specials in {_span(exact)} %, "
        f"and those of runs that stopped by themselves in {_span(after)} %.",
        "answer",
    )


def same_bits_table(edition: Edition) -> Table:
    """Return one run, carried out in four ways, with a digest of each result."""
    found = same_bits(SHARED_DEALS, edition.seed)
    return Table(
        f"{thousands(SHARED_DEALS)} deals of seed {edition.seed}, tabulated under taiwan",
        ("how it was dealt", "sha256 of all counts"),
        [(way.how, way.digest) for way in found],
    )


def fairness_table(edition: Edition) -> Table:
    """Return tests that the deck is dealt fairly."""
    cards = seats_of_cards(edition.seed, CHECKED_BLOCKS)
    shapes = suit_shapes(edition.seed, CHECKED_BLOCKS)
    adjusted = holm([card.p_value for card in cards])
    deals = thousands(CHECKED_BLOCKS * 65_536)
    return Table(
        f"Chi-square tests of {deals} deals",
        ("what is tested", ">tests", ">degrees of freedom", ">smallest p-value, adjusted (Holm)"),
        [
            ("each card lies in each of the four seats equally often", str(len(cards)),
             f"{cards[0].degrees} each", f"{min(adjusted):.3f}"),
            ("suit lengths of a hand: 4-4-3-2, 5-3-3-2, …", "1", str(shapes.degrees),
             f"{shapes.p_value:.3f}"),
        ],
    )  # fmt: skip


def coverage_picture(edition: Edition, found: CoverageStudy) -> Picture:
    """Draw the coverage of every statistic, and save figure and table."""
    write_csv(edition.out / "tables" / "coverage.csv", found.rows())
    drawn = coverage_chart(found)
    drawn.save(edition.out / "figures")
    return drawn


def coverage_table(found: CoverageStudy) -> Table:
    """Return the coverage of every statistic, with the truth it was held against."""
    rows = []
    for entry in (*found.fixed, *found.stopped):
        low, high = entry.found.interval
        rows.append(
            (
                (entry.statistic, f"until {entry.goal}" if entry.goal else ""),
                thousands(round(entry.deals)),
                f"{entry.truth:.6g}",
                "exact" if entry.truth_is_exact else "a run of its own",
                f"{100 * entry.found.share:.1f}",
                f"{100 * low:.1f} … {100 * high:.1f}",
                f"{entry.found.below} / {entry.found.above}",
            )
        )
    return Table(
        f"Nominal 95 % intervals of {thousands(found.runs)} runs each; the study wants "
        f"{ALLOWED[0]} to {ALLOWED[1]} %, of exact intervals {ALLOWED[0]} or more",
        ("statistic", ">deals a run", ">truth", "truth known by", ">coverage, %",
         ">its 95 % interval", ">too low / too high"),
        rows,
    )  # fmt: skip


def p_value_picture(edition: Edition, found: CoverageStudy) -> Picture:
    """Draw the distribution of p-values of true hypotheses, and save the figure."""
    drawn = p_value_chart(found)
    drawn.save(edition.out / "figures")
    return drawn


def p_value_table(found: CoverageStudy) -> Table:
    """Return how often true hypotheses were rejected, and tests of uniformity."""
    rows = []
    for test in found.tests:
        data = test.to_data()
        rows.append(
            (
                test.statistic,
                "rejects no more than it says" if test.kind == "exact" else "uniform",
                f"{100 * data['rejected_at_5_percent'] / data['tests']:.1f}",
                f"{test.verdict:.3f}",
            )
        )
    return Table(
        f"{thousands(found.runs)} tests of each hypothesis; all are true",
        (
            "hypothesis on",
            "what is asked of its p-values",
            ">rejected at 5 %, %",
            ">p-value of that",
        ),
        rows,
    )


def waves(edition: Edition) -> Prose:
    """Say at which numbers of deals a run with a goal looks whether it may stop."""
    sizes = [f"{size:,}" for size, _ in zip(wave_sizes(), range(8), strict=False)]
    return paragraph(f"It looks after {', '.join(sizes)}, … deals, and nowhere else.")


def exact_against_simulated(edition: Edition) -> Prose:
    """Say whether all exact counts of the edition agree with its deals."""
    return special_hands.agreement(edition)


def rare_table(edition: Edition) -> Table:
    """Return what every special of a variant moves: dealt on purpose, and met by chance."""
    found = value(RARE_VARIANT, deals=RARE_DEALS, seed=edition.seed, jobs=cpu_count())
    game = edition.games.get(RARE_VARIANT)
    rows = []
    for entry in found.specials:
        plain = "–"
        if game is not None:
            flow = game.payouts.lines[f"special.{entry.id}"].flow
            if flow.value:
                z = z_test(flow.value - entry.flow.value, _both(flow.se, entry.flow.se), 0.0).z
                plain = f"{with_error(flow.value, flow.se)} (z {z:+.1f})".replace("-", "−")
        rows.append(
            (
                (entry.zh, entry.en),
                one_in(entry.p),
                with_error(entry.units.value, entry.units.se) if entry.units else "–",
                with_error(entry.flow.value, entry.flow.se),
                plain,
                _times(entry),
            )
        )
    return Table(
        f"Specials of {RARE_VARIANT}, dealt on purpose; units a deal",
        ("special", ">a hand is one", ">its holder nets", ">flow, dealt on purpose",
         ">flow, met by chance", ">times fewer deals"),
        rows,
    )  # fmt: skip


def reduced_table(edition: Edition) -> Table:
    """Return means over all deals by three estimators, with what each saves."""
    found = reduced_means(RARE_VARIANT, deals=REDUCED_DEALS, seed=edition.seed, jobs=cpu_count())
    return Table(
        f"{RARE_VARIANT}: {thousands(REDUCED_DEALS)} deals for each estimator",
        ("statistic", "estimator", ">value", ">times fewer deals"),
        [
            (mean.statistic, mean.method, with_error(mean.estimate.value, mean.estimate.se),
             _factor(mean.factor) if mean.factor else "–")
            for mean in found.means
        ],
    )  # fmt: skip


def checks_table() -> Table:
    """Return what the tests of the package compare, method against method."""
    return Table(
        "Two methods for everything: what the tests compare",
        ("what", "one method", "the other", "how far", "test"),
        [
            ("rows of five", "tables by rank classes", "phevaluator, a peer's evaluator",
             "all 2,598,960", "test_strength_rows"),
            ("special hands", "compiled predicates on hand masks",
             "twins written from the definitions", "random and built hands of every kind",
             "test_specials_kernels"),
            ("exact counts", "rank vectors × suit shapes", "lists of single hands; simulation",
             "every special of every variant", "test_exact_counts"),
            ("best setting", "rank multisets and flushes", "all 72,072 splits", "random hands",
             "test_setting_best"),
            ("units", "compiled scoring of many deals", "a twin written from the rulebook",
             "random tables, all variants", "test_scoring_twin"),
            ("intervals", "beta and gamma quantiles", "mpmath, 50 digits",
             "k = 0, k = n, n = 1e12, p = 1e-11", "test_statistics_intervals"),
            ("runs", "one worker, never interrupted", "several workers; killed and resumed",
             "byte for byte", "test_runs, test_kill_resume"),
        ],
    )  # fmt: skip


def _times(entry: HeldSpecial) -> str:
    return _factor(entry.plain_deals / entry.deals) if entry.plain_deals else "–"


def _factor(times: float) -> str:
    """Write a factor with two or three digits, in full below a billion."""
    if times >= 1e9:
        return f"{times:.1e}".replace("e+", "e")
    return f"{float(f'{times:.2g}'):,.0f}" if times >= 10 else f"{times:.2f}"


def _both(first: float, second: float) -> float:
    return float((first**2 + second**2) ** 0.5)


def _span(shares: list[float]) -> str:
    return f"{100 * min(shares):.1f} to {100 * max(shares):.1f}"

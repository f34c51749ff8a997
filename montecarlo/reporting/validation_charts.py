"""Charts of the evidence: coverage of intervals, and p-values of true hypotheses."""

from __future__ import annotations

from montecarlo.reporting.style import BAND, EXACT, QUIET, SIMULATED, Picture, drawing, picture
from montecarlo.statistics.rounding import thousands
from montecarlo.studies.coverage import CoverageStudy, CoveredStatistic

NOMINAL = 95.0
ALLOWED = (93.5, 96.5)

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")


def coverage_chart(study: CoverageStudy) -> Picture:
    """Draw the share of runs whose 95 % interval held the truth, a line a statistic."""
    with drawing():
        return _draw_coverage(study)


def p_value_chart(study: CoverageStudy) -> Picture:
    """Draw how far the distribution of p-values is from the uniform one, a line a hypothesis."""
    with drawing():
        return _draw_p_values(study)


def _draw_coverage(study: CoverageStudy) -> Picture:
    from matplotlib.figure import Figure

    rows = [*study.fixed, *study.stopped]
    figure = Figure(figsize=(8.0, 1.7 + 0.33 * len(rows)))
    axes = figure.subplots()
    axes.axvspan(*ALLOWED, color="#e6eef6", zorder=0)
    axes.axvline(NOMINAL, color="#222222", lw=1)
    styles = {
        "normal": ("o", SIMULATED, "normal interval"),
        "exact": ("D", EXACT, "exact interval: 95 % or more"),
        "stopped": ("s", "#009E73", "after a stop goal"),
    }
    used = set()
    for place, row in enumerate(rows):
        kind = "stopped" if row.goal else row.kind
        marker, colour, label = styles[kind]
        share, (low, high) = 100 * row.found.share, (100 * b for b in row.found.interval)
        axes.errorbar(
            [share], [place], xerr=[[share - low], [high - share]], fmt=marker, ms=5.5,
            color=colour, elinewidth=1.5, capsize=3, label=None if kind in used else label,
        )  # fmt: skip
        used.add(kind)
        axes.annotate(
            f"{share:.1f}", xy=(1.01, place), xycoords=("axes fraction", "data"), va="center",
            fontsize=8.5, color=QUIET, annotation_clip=False,
        )  # fmt: skip
    axes.set_yticks(range(len(rows)), [_label(row) for row in rows], fontsize=8.5)
    axes.tick_params(axis="y", length=0)
    lowest = min(100 * row.found.interval.low for row in rows)
    axes.set(
        xlim=(min(92.0, lowest - 0.5), 100.3), ylim=(len(rows) - 0.4, -0.6),
        xlabel="runs whose nominal 95 % interval held the truth, %",
        title=f"Coverage in {thousands(study.runs)} independent runs",
    )  # fmt: skip
    figure.legend(loc="outside lower center", ncols=3, fontsize=8.5)
    return picture(
        figure,
        "coverage",
        f"Coverage of the intervals of {len(rows)} statistics, about 95 percent; intervals of rare "
        "specials cover more.",
        "Bars: exact 95 % intervals of the coverage itself. Shaded: 93.5 to 96.5 %, where an "
        "interval that is right lies in 998 of 1,000 studies of 2,000 runs.",
    )


def _label(row: CoveredStatistic) -> str:
    return row.goal or f"{row.statistic}, {thousands(round(row.deals))} deals"


def _draw_p_values(study: CoverageStudy) -> Picture:
    from matplotlib.figure import Figure
    from scipy.stats import kstwo

    figure = Figure(figsize=(8.0, 4.2))
    panels = figure.subplots(1, 2)
    band = float(kstwo.isf(0.05, study.runs))
    titles = {"normal": "tests by normal errors", "exact": "exact tests of rare counts"}
    for axes, title in zip(panels, titles.values(), strict=True):
        axes.axhspan(-band, band, color=BAND, alpha=0.35, lw=0)
        axes.axhline(0, color="#222222", lw=1)
        axes.set(xlim=(0, 1), xlabel="p-value", title=title)
    panels[0].set_ylabel("share of p-values up to it, minus itself")
    for number, test in enumerate(study.tests):
        size = len(test.p_values)
        gaps = [(i + 0.5) / size - p for i, p in enumerate(test.p_values)]
        panels[list(titles).index(test.kind)].plot(
            test.p_values, gaps, lw=1.3, color=COLOURS[number % len(COLOURS)],
            label=test.statistic,
        )  # fmt: skip
    panels[0].set_ylim(-max(0.1, 2 * band), max(0.1, 2 * band))
    figure.suptitle("P-values of true hypotheses", x=0.02, ha="left", fontsize=11.5)
    figure.legend(loc="outside lower center", ncols=3, fontsize=8.5)
    return picture(
        figure,
        "p_values",
        "The distribution of p-values minus the uniform one: near 0 for the usual tests, below 0 "
        "for exact tests of rare counts.",
        "Shaded: where 95 % of samples of uniform p-values stay altogether (Kolmogorov–Smirnov). "
        "Below 0 a test rejects less often than it might: exact tests of small counts do, because "
        "counts are whole numbers.",
    )

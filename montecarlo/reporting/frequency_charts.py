"""Charts of special hands: how often each comes, and how far simulation is from exact."""

from __future__ import annotations

import math

from montecarlo.reporting.edition import Edition, Special
from montecarlo.reporting.style import EXACT, QUIET, SIMULATED, Picture, drawing, picture
from montecarlo.statistics.intervals import normal_quantile
from montecarlo.statistics.rounding import one_in
from montecarlo.studies.exact import TOTAL
from montecarlo.studies.frequencies import SIGNIFICANCE
from montecarlo.variants import Variant

_EXACT, _DEALT, _UNMET = "exact", "simulated, 95 % interval", "not met: 95 % upper limit"


def frequency_chart(edition: Edition, group: tuple[Variant, ...]) -> Picture:
    """Draw one list's specials on a logarithmic axis, exact and simulated, and save the figure."""
    with drawing():
        drawn = _draw_frequencies(edition.specials[group[0].id], group, edition.deals)
    drawn.save(edition.out / "figures")
    return drawn


def z_chart(edition: Edition) -> Picture:
    """Draw each comparison's z-value, a line a list of specials, and save the figure."""
    with drawing():
        drawn = _draw_z_values(edition)
    drawn.save(edition.out / "figures")
    return drawn


def _draw_frequencies(
    specials: tuple[Special, ...], group: tuple[Variant, ...], deals: int
) -> Picture:
    from matplotlib.figure import Figure

    places = range(len(specials))
    exact_p = [special.exact.exclusive / TOTAL for special in specials]
    dealt = [(i, s.simulated) for i, s in zip(places, specials, strict=True) if s.simulated.count]
    unmet = [
        (i, s.simulated) for i, s in zip(places, specials, strict=True) if not s.simulated.count
    ]
    figure = Figure(figsize=(8.0, 1.7 + 0.36 * len(specials)))
    axes = figure.subplots()
    if dealt:
        axes.errorbar(
            [seen.p for _, seen in dealt], [i for i, _ in dealt],
            xerr=[[seen.p - seen.ci95.low for _, seen in dealt],
                  [seen.ci95.high - seen.p for _, seen in dealt]],
            fmt="o", ms=4, color=SIMULATED, ecolor=SIMULATED, elinewidth=1.6, capsize=3.5,
            label=_DEALT,
        )  # fmt: skip
    for number, (i, seen) in enumerate(unmet):
        axes.annotate(
            "", xy=(seen.ci95.high / 30, i), xytext=(seen.ci95.high, i),
            arrowprops={"arrowstyle": "->", "color": SIMULATED, "lw": 1.4},
        )  # fmt: skip
        axes.plot(
            [seen.ci95.high], [i], ls="", marker="|", ms=9, color=SIMULATED,
            label=_UNMET if not number else None,
        )  # fmt: skip
    met = [(p, i) for p, i in zip(exact_p, places, strict=True) if p > 0]
    axes.plot(
        [p for p, _ in met], [i for _, i in met], ls="", marker="D", ms=9, mfc="none", mec=EXACT,
        mew=1.4, label=_EXACT,
    )  # fmt: skip
    shown = [*(p for p, _ in met), *(s.ci95.high for _, s in unmet)]
    low, high = 10 ** math.floor(math.log10(min(shown)) - 0.35), 1.0
    for p, i in met:
        axes.annotate(
            one_in(p), xy=(1.01, i), xycoords=("axes fraction", "data"), va="center", fontsize=8.5,
            color=QUIET, annotation_clip=False,
        )  # fmt: skip
    axes.set(
        xscale="log", xlim=(low, high), ylim=(len(specials) - 0.4, -0.6),
        xlabel="probability that a hand is declared as this special",
        title=" · ".join(f"{v.number} {v.zh} {v.id}" for v in group),
    )  # fmt: skip
    axes.set_yticks(list(places), [f"{s.exact.zh}  {s.exact.en}" for s in specials])
    axes.tick_params(axis="y", length=0)
    handles, labels = axes.get_legend_handles_labels()
    entries = dict(zip(labels, handles, strict=True))
    shown_first = [label for label in (_EXACT, _DEALT, _UNMET) if label in entries]
    figure.legend(
        [entries[label] for label in shown_first], shown_first,
        loc="outside lower center", ncols=3, fontsize=9,
    )  # fmt: skip
    return picture(
        figure,
        f"special_hands_{group[0].id}",
        f"Special hands of {group[0].id}: exact probabilities as diamonds, simulated ones as dots "
        "with error bars, on a logarithmic axis from rare to common.",
        f"After precedence: a hand counts as the first special it satisfies. {deals:,} deals of "
        "four hands. On the right: the exact odds.",
    )


def _draw_z_values(edition: Edition) -> Picture:
    from matplotlib.figure import Figure

    groups = edition.groups()
    rows = [edition.specials[group[0].id] for group in groups]
    tests = sum(len(row) for row in rows)
    single = normal_quantile(1 - SIGNIFICANCE)
    family = normal_quantile(1 - SIGNIFICANCE / max(tests, 1))
    figure = Figure(figsize=(8.0, 1.8 + 0.34 * len(groups)))
    axes = figure.subplots()
    axes.axvspan(-single, single, color="#eef2f7", zorder=0)
    for limit in (-family, family):
        axes.axvline(limit, color=EXACT, lw=1.2, ls="--")
    usual: list[tuple[float, int]] = []
    few: list[tuple[float, int]] = []
    for place, row in enumerate(rows):
        for special in row:
            by_normal = special.simulated.method == "clustered"
            (usual if by_normal else few).append((special.simulated.z, place))
    for points, fill, label in (
        (usual, SIMULATED, "30 or more expected"),
        (few, "none", "fewer: judged by the exact p-value"),
    ):
        if points:
            axes.plot(
                [z for z, _ in points], [i for _, i in points], ls="", marker="o", ms=6,
                mfc=fill, mec=SIMULATED, alpha=0.85, label=label,
            )  # fmt: skip
    widest = max([family + 0.5, *(abs(z) + 0.3 for z, _ in (*usual, *few))])
    axes.set(
        xlim=(-widest, widest), ylim=(len(groups) - 0.4, -0.6),
        xlabel="z: standard errors above or below the exact probability",
        title=f"{tests} comparisons of simulated with exact frequencies",
    )  # fmt: skip
    axes.set_yticks(range(len(groups)), [", ".join(v.id for v in group) for group in groups])
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    return picture(
        figure,
        "z_values",
        f"The z-values of all {tests} comparisons, one line a list of specials, lie about 0.",
        f"Shaded: where 95 % of single comparisons should lie. Dashed: the limits for all {tests} "
        f"together (Bonferroni, ±{family:.2f}). All lists were tabulated on the same deals.",
    )

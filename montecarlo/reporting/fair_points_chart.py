"""The chart of fair points: what specials pay, beside what they would by each yardstick."""

from __future__ import annotations

from montecarlo.reporting.payout_lines import line_name
from montecarlo.reporting.style import EXACT, PUBLISHED, QUIET, SIMULATED, Picture, picture
from montecarlo.statistics.rounding import one_in, thousands
from montecarlo.studies.audit import Audit

LARGEST = 2000
"""Points beyond which the axis ends: 1 / p gives the rarest hands thousands of millions."""


def fair_points_chart(found: Audit) -> Picture:
    """Draw points now and by each yardstick, the rarest special on top; inside `drawing`."""
    from matplotlib.figure import Figure

    chances = {special.id: found.rarities.specials[special.id].p for special in found.fair}
    shown = sorted(found.fair, key=lambda special: chances[special.id])
    places = list(range(len(shown)))
    figure = Figure(figsize=(9.0, 1.9 + 0.44 * len(shown)))
    axes = figure.subplots()
    beyond = [place for place in places if float(shown[place].by_rarity) > LARGEST]
    inside = [place for place in places if place not in beyond]
    axes.plot([float(shown[place].by_rarity) for place in inside], inside, ls="", marker="|",
              ms=13, mew=2, color=EXACT, label="as 1 / p (exact)")  # fmt: skip
    for place in beyond:
        axes.annotate(f"{float(shown[place].by_rarity):.2g} →", (LARGEST, place), ha="right",
                      va="center", fontsize=8.5, color=EXACT)  # fmt: skip
    flows = [place for place in places if (fair := shown[place].equal_flow) is not None
             and fair.value <= LARGEST]  # fmt: skip
    axes.plot([getattr(shown[place].equal_flow, "value", 0.0) for place in flows], flows, ls="",
              marker="x", ms=7, color=QUIET, label="equal flow")  # fmt: skip
    worth = [(place, s.by_worth) for place, s in enumerate(shown) if s.by_worth is not None]
    axes.errorbar(
        [fair.value for _, fair in worth], [place for place, _ in worth],
        xerr=[1.96 * fair.se for _, fair in worth], fmt="s", ms=5, color=SIMULATED,
        elinewidth=1.4, capsize=3, label="worth of the hand when it is set (95 %)",
    )  # fmt: skip
    axes.plot([s.points for s in shown], places, ls="", marker="o", ms=9, mfc="none",
              mew=1.6, color=PUBLISHED, label="points now")  # fmt: skip
    axes.set_yticks(
        places,
        [f"{line_name(found.variant, f'special.{s.id}')[0]}  {one_in(chances[s.id])}"
         for s in shown],
    )  # fmt: skip
    axes.tick_params(axis="y", length=0)
    axes.set_xscale("symlog", linthresh=1)
    ticks = [0, 1, 2, 4, 10, 20, 40, 100, 200, 400, 1000, 2000]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set(
        xlim=(-0.6, LARGEST * 1.15), ylim=(len(shown) - 0.4, -0.6),
        xlabel="points from each opponent (linear below 1, logarithmic beyond)",
        title=f"{found.variant.number} {found.variant.zh}: points, and three ideas of what they "
        "should be",
    )  # fmt: skip
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.11), ncols=4, columnspacing=1.2)
    return picture(
        figure,
        "fair_points",
        "Points of each special, the rarest on top, beside points in proportion to 1/p, points of "
        "equal flow, and the worth of the hand when it is set.",
        f"Exact odds on the left. Worth: {thousands(found.deals)} deals given each special, "
        f"{found.players} players, {found.policy}. Blue to the right of the circle: better not "
        "declared.",
    )

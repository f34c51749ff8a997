"""Payout tables made to measure: what the notebook ``06_payout_tuning`` shows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from montecarlo.errors import BadInput
from montecarlo.reporting.edition import Edition
from montecarlo.reporting.games import PLAYERS
from montecarlo.reporting.payout_lines import line_name
from montecarlo.reporting.settings import signed, title
from montecarlo.reporting.style import BAND, EXACT, QUIET, SIMULATED, Picture, drawing, picture
from montecarlo.reporting.tables import Prose, Table, paragraph, write_csv
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.rounding import one_in, thousands, with_error
from montecarlo.studies.exact import TOTAL, exact
from montecarlo.studies.tuning.result import TuningResult
from montecarlo.studies.tuning.sensitivities import Sensitivities, Sensitivity, sensitivities
from montecarlo.studies.tuning.tune import tune
from montecarlo.variants import Variant

BANKER_GAMES = ("hongkong_edge", "hongkong", "baodao2")
SPECIAL_GAMES = ("taiwan", "taiwan_classic")
"""Games that show tuning best, the first of them that is part of the report."""

NOT_MET = "not met"
"""Shown where the line was paid in no deal of the run: nothing is known of it."""

TENTH = 0.9
"""The banker's edge is to be brought down by a tenth."""


def headline(edition: Edition) -> Prose:
    """Say what was asked of which table, and whether it is met."""
    parts = [
        f"{found.variant.id}: {found.goal}, {'met' if found.met else 'not met'} on "
        f"{thousands(found.check.deals)} fresh deals"
        for found in (edge_tuning(edition), order_tuning(edition))
        if isinstance(found, TuningResult)
    ]
    if not parts:
        return paragraph("No variant of this report has a payout table to tune.", "answer")
    return paragraph(f"Two tables made to measure. {'; '.join(parts)}.", "answer")


@lru_cache(maxsize=2)
def edge_tuning(edition: Edition) -> TuningResult | Prose:
    """Return a banker game whose edge was brought down by a tenth, by the points of specials."""
    variant = _first(edition, BANKER_GAMES)
    if variant is None:
        return paragraph("No variant of this report has a banker.")
    edge = edition.games[variant.id].payouts.edge
    assert edge is not None
    goals = [f"edge = {TENTH * edge.value:.4f}"]
    return _tuned(edition, variant, goals, ["special.*"])


@lru_cache(maxsize=2)
def order_tuning(edition: Edition) -> TuningResult | Prose:
    """Return a game whose specials were made to pay the more the rarer they are, SD unchanged."""
    variant = _first(edition, SPECIAL_GAMES)
    if variant is None:
        return paragraph("Neither taiwan nor taiwan_classic is part of this report.")
    return _tuned(edition, variant, ["monotone(special.*)", "sd = same"], ["special.*"])


def points_table(edition: Edition) -> Table | Prose:
    """Return the tuned banker game's points before and after."""
    found = edge_tuning(edition)
    if isinstance(found, Prose):
        return found
    rows = [
        (line_name(found.variant, point.name), str(point.before), str(point.after))
        for point in found.points
    ]
    write_csv(edition.out / "tables" / "payout_tuning.csv", found.rows())
    return Table(
        f"{found.variant.number} {found.variant.zh}: points of specials, {found.goal}",
        ("special", ">before", ">after"),
        rows,
    )


def figures_table(edition: Edition) -> Table | Prose:
    """Return figures of both tunings before and after, and the check of each goal."""
    rows = []
    for found in (edge_tuning(edition), order_tuning(edition)):
        if isinstance(found, Prose):
            continue
        for name, before in found.before.items():
            after = found.after[name]
            goal = next((g for g in found.check.goals if g.goal.startswith(name)), None)
            verdict: str | tuple[str, str] = "–"
            if goal is not None and goal.target is not None:
                span = f"{goal.ci95.low:.4f} … {goal.ci95.high:.4f}".replace("-", "−")
                verdict = ("✓ met" if goal.met else "✗ not met", f"{goal.target:.4f} in {span}")
                if not goal.met:
                    verdict = (verdict[0], f"{goal.target:.4f} outside of {span}")
            rows.append((title(found.variant), name, _figure(name, before), _figure(name, after),
                         verdict))  # fmt: skip
    if not rows:
        return paragraph("Nothing was tuned.")
    return Table(
        f"Units a deal, before and after; goals are judged on {thousands(_deals(edition))} deals "
        "of a seed that no decision has seen",
        ("variant", "figure", ">before", ">after", "goal in the check, 95 % interval"),
        rows,
    )


def order_table(edition: Edition) -> Table | Prose:
    """Return the specials from the rarest to the commonest, with points before and after."""
    found = order_tuning(edition)
    if isinstance(found, Prose):
        return found
    rows, saved = [], []
    for name, count, before, after in _by_rarity(found):
        change = "" if before == after else f"{after - before:+d}".replace("-", "−")
        rows.append((line_name(found.variant, name), one_in(count / TOTAL), str(before),
                     str(after), change))  # fmt: skip
        saved.append({"special": name, "hands": count, "before": before, "after": after})
    write_csv(edition.out / "tables" / "points_by_rarity.csv", saved)
    return Table(
        f"{found.variant.number} {found.variant.zh}: specials from the rarest to the commonest, "
        "exact odds",
        ("special", ">one hand in", ">points before", ">after", ">change"),
        rows,
    )


def order_picture(edition: Edition) -> Picture | Prose:
    """Draw points by rarity, before and after, and save the figure."""
    found = order_tuning(edition)
    if isinstance(found, Prose):
        return found
    with drawing():
        drawn = _draw_order(found)
    drawn.save(edition.out / "figures")
    return drawn


def sensitivities_picture(edition: Edition) -> Picture | Prose:
    """Draw what a point more of each line does to the banker's edge, and save the figure."""
    found = edge_sensitivities(edition)
    if isinstance(found, Prose):
        return found
    with drawing():
        drawn = _draw_sensitivities(found)
    drawn.save(edition.out / "figures")
    return drawn


def sensitivities_table(edition: Edition) -> Table | Prose:
    """Return d(edge) and d(SD) by points of every line that pays something of its own."""
    found = edge_sensitivities(edition)
    if isinstance(found, Prose):
        return found
    write_csv(edition.out / "tables" / "sensitivities.csv", found.rows())
    rows = [
        (
            _line(found.variant, line),
            str(line.points),
            signed(line.edge) if line.edge and line.edge.se else NOT_MET,
            with_error(line.sd.value, line.sd.se).replace("-", "−") if line.sd.se else NOT_MET,
        )
        for line in found.lines
    ]
    return Table(
        f"{found.variant.number} {found.variant.zh}: what one point more moves, settings held "
        f"fixed, {thousands(found.deals)} deals",
        ("line", ">points now", ">banker's edge", ">SD of his units"),
        rows,
    )


@lru_cache(maxsize=2)
def edge_sensitivities(edition: Edition) -> Sensitivities | Prose:
    """Return the sensitivities of the banker game that was tuned."""
    variant = _first(edition, BANKER_GAMES)
    if variant is None:
        return paragraph("No variant of this report has a banker.")
    return sensitivities(variant, deals=_deals(edition), seed=edition.seed)


def _tuned(
    edition: Edition, variant: Variant, goals: list[str], free: list[str]
) -> TuningResult | Prose:
    try:
        return tune(variant, goals=goals, free=free, deals=_deals(edition), seed=edition.seed,
                    players=PLAYERS)  # fmt: skip
    except BadInput as error:  # a goal out of reach is an answer as well
        return paragraph(f"{error}.")


def _figure(name: str, found: Estimate) -> str:
    if name.startswith("edge"):
        return signed(found)
    return with_error(found.value, found.se).replace("-", "−")


def _deals(edition: Edition) -> int:
    return edition.played


def _first(edition: Edition, names: tuple[str, ...]) -> Variant | None:
    return next((edition.games[name].variant for name in names if name in edition.games), None)


def _by_rarity(found: TuningResult) -> list[tuple[str, int, int, int]]:
    """Return (line, hands, points before, points after), the rarest first."""
    counts = {f"special.{entry.id}": entry.exclusive for entry in exact(found.variant).specials}
    rows = [(p.name, counts[p.name], p.before, p.after) for p in found.points]
    return sorted(rows, key=lambda row: row[1])


def _line(variant: Variant, line: Sensitivity) -> tuple[str, str]:
    if line.line.endswith(".base"):
        row = line.line.split(".")[1]
        zh = {"head": "头墩", "middle": "中墩", "tail": "尾墩"}[row]
        return f"{zh} 底注", f"{row}: base"
    return line_name(variant, line.line)


def _draw_order(found: TuningResult) -> Picture:
    from matplotlib.figure import Figure

    rows = _by_rarity(found)
    figure = Figure(figsize=(8.0, 1.4 + 0.42 * len(rows)))
    axes = figure.subplots()
    for place, (_, _, before, after) in enumerate(rows):
        axes.plot([before, after], [place, place], color=BAND, lw=4, zorder=1)
    places = range(len(rows))
    axes.plot([row[2] for row in rows], places, ls="", marker="o", ms=8, mfc="white",
              color=QUIET, label="before")  # fmt: skip
    axes.plot([row[3] for row in rows], places, ls="-", lw=1.2, marker="o", ms=5,
              color=SIMULATED, label="after: rarer specials pay at least as much")  # fmt: skip
    labels = [
        f"{line_name(found.variant, name)[0]}  {one_in(count / TOTAL)}" for name, count, *_ in rows
    ]
    axes.set_yticks(places, labels)
    axes.tick_params(axis="y", length=0)
    axes.set_xscale("symlog", linthresh=1)
    ticks = [0, 1, 2, 3, 4, 6, 10, 20, 40, 100]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    points = [number for row in rows for number in row[2:]]
    axes.set(
        xlim=(0.8 * min(points) - 0.2, 1.4 * max(points)), ylim=(len(rows) - 0.4, -0.6),
        xlabel="points from each opponent (logarithmic)",
        title=f"{found.variant.number} {found.variant.zh}: points by rarity, SD unchanged",
    )  # fmt: skip
    axes.legend(loc="upper left")
    return picture(
        figure,
        "points_by_rarity",
        "Points of each special before and after tuning, the rarest special on top.",
        "Exact odds on the left. Points are whole numbers and carry no error; the spread of units "
        "was kept, within the check's interval.",
    )


def _draw_sensitivities(found: Sensitivities) -> Picture:
    from matplotlib.figure import Figure

    shown = [(line, line.edge) for line in found.lines if line.edge and line.edge.se]
    figure = Figure(figsize=(8.0, 1.5 + 0.36 * len(shown)))
    axes = figure.subplots()
    axes.axvline(0, color="#222222", lw=1)
    for place, (line, edge) in enumerate(shown):
        colour = EXACT if line.line.startswith("special.") else SIMULATED
        _bar(axes, place, edge, colour)
    axes.set_yticks(
        range(len(shown)), [" ".join(_line(found.variant, line)) for line, _ in shown], fontsize=8.5
    )
    axes.tick_params(axis="y", length=0)
    axes.set_xscale("symlog", linthresh=0.001)
    ticks = [-0.1, -0.01, -0.001, 0, 0.001, 0.01, 0.1, 1]
    axes.set_xticks(ticks, [f"{tick:g}".replace("-", "−") for tick in ticks])
    axes.minorticks_off()
    axes.set(
        ylim=(len(shown) - 0.4, -0.6),
        xlabel="change of the banker's edge by one point more, units a deal\n"
        "(linear within ±0.001, logarithmic beyond)",
        title=f"{found.variant.number} {found.variant.zh}: which line moves the edge",
    )
    return picture(
        figure,
        "edge_sensitivities",
        "Derivative of the banker's edge by the points of each payout line, with 95 % intervals.",
        f"Settings held fixed, {thousands(found.deals)} deals; bars: 95 % intervals. Orange: "
        "specials, blue: rows. Where a bar crosses 0, the sign is not known.",
    )


def _bar(axes: Any, place: int, edge: Estimate, colour: str) -> None:
    low, high = edge.interval()
    axes.errorbar(
        [edge.value], [place], xerr=[[edge.value - low], [high - edge.value]], fmt="o", ms=5,
        color=colour, elinewidth=1.6, capsize=3,
    )  # fmt: skip

"""Charts of payouts: banker's edge, flow by payout line, distribution of units."""

from __future__ import annotations

import math
from typing import Any

from montecarlo.reporting.edition import Edition
from montecarlo.reporting.games import Game
from montecarlo.reporting.payout_lines import KINDS, flow_by_kind
from montecarlo.reporting.style import BAND, QUIET, SIMULATED, Picture, drawing, picture
from montecarlo.statistics.intervals import goodman
from montecarlo.statistics.rounding import thousands, with_error

PANELS_A_ROW = 3


def edge_chart(edition: Edition) -> Picture:
    """Draw the banker's edge of each banker game with its interval, and save the figure."""
    return _saved(edition, _draw_edges)


def flow_chart(edition: Edition) -> Picture:
    """Draw the flow a deal by kind of payout line, a bar a variant, and save the figure."""
    return _saved(edition, _draw_flows)


def distribution_chart(edition: Edition) -> Picture:
    """Draw the distribution of seat 0's units a deal, and save the figure."""
    return _saved(edition, _draw_distributions)


def _saved(edition: Edition, draw: Any) -> Picture:
    with drawing():
        drawn: Picture = draw(edition)
    drawn.save(edition.out / "figures")
    return drawn


def _label(game: Game) -> str:
    return f"{game.variant.number} {game.variant.zh}\n{game.variant.id}"


def _draw_edges(edition: Edition) -> Picture:
    from matplotlib.figure import Figure

    games = [game for game in edition.games.values() if game.payouts.edge]
    figure = Figure(figsize=(8.0, 1.5 + 0.55 * len(games)))
    axes = figure.subplots()
    axes.axvline(0, color="#222222", lw=1)
    for place, game in enumerate(games):
        edge = game.payouts.edge
        assert edge is not None
        axes.errorbar(
            [edge.value], [place], xerr=[[edge.value - edge.interval().low],
                                         [edge.interval().high - edge.value]],
            fmt="o", ms=6, color=SIMULATED, elinewidth=1.8, capsize=4,
        )  # fmt: skip
        axes.annotate(
            f"{with_error(edge.value, edge.se)}".replace("-", "−"), xy=(edge.value, place),
            xytext=(0, 8), textcoords="offset points", ha="center", fontsize=9, color=QUIET,
        )  # fmt: skip
    axes.set_yticks(range(len(games)), [_label(game) for game in games])
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.15)
    axes.set(
        ylim=(len(games) - 0.4, -0.7), xlabel="units a deal, against three players together",
        title="The banker's edge 庄家优势",
    )  # fmt: skip
    return picture(
        figure,
        "banker_edge",
        "The banker's edge in units a deal, with 95 % intervals, for each banker game.",
        f"Bars: 95 % intervals, {thousands(edition.played)} deals. All seats play the "
        "equilibrium policy of their role.",
    )


def _draw_flows(edition: Edition) -> Picture:
    from matplotlib.figure import Figure

    games = list(edition.games.values())
    figure = Figure(figsize=(8.0, 1.9 + 0.46 * len(games)))
    axes = figure.subplots()
    used = set()
    for place, game in enumerate(games):
        flows = flow_by_kind(game.payouts.lines)
        total = sum(flow.value for flow in flows.values())
        left = 0.0
        for kind, flow in flows.items():
            width = 100 * flow.value / total
            axes.barh(place, width, left=left, height=0.66, color=KINDS[kind][1],
                      edgecolor="white", linewidth=0.6)  # fmt: skip
            left += width
            used.add(kind)
            if kind == list(flows)[-1]:
                continue
            axes.errorbar(
                [left], [place], xerr=[196 * flow.se / total], fmt="none", ecolor="#222222",
                elinewidth=1.0, capsize=2.2,
            )  # fmt: skip
        axes.annotate(
            f"{total:#.3g}", xy=(1.02, place), xycoords=("axes fraction", "data"),
            va="center", annotation_clip=False, color="#333333",
        )  # fmt: skip
    axes.annotate(
        "units\na deal", xy=(1.02, -0.62), xycoords=("axes fraction", "data"), va="bottom",
        annotation_clip=False, fontsize=9, color=QUIET,
    )  # fmt: skip
    axes.set_yticks(range(len(games)), [_label(game) for game in games], fontsize=8.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.set(
        xlim=(0, 100), ylim=(len(games) - 0.4, -0.6),
        xlabel="share of the units that change hands, %",
        title="What is paid for",
    )  # fmt: skip
    from matplotlib.patches import Patch

    figure.legend(
        handles=[Patch(color=colour, label=label) for kind, (label, colour) in KINDS.items()
                 if kind in used],
        loc="outside lower center", ncols=4, fontsize=8.5,
    )  # fmt: skip
    return picture(
        figure,
        "payout_flow",
        "Stacked bars, one a variant: shares of rows, guns, home runs and specials in the units "
        "that change hands.",
        "Each payment counted once, to the line it was made for. Black bars: 95 % intervals of "
        "the size of the part on their left (an upper bound: errors of a part's lines are added). "
        "On the right: units that change hands a deal at a table of four.",
    )


def _draw_distributions(edition: Edition) -> Picture:
    from matplotlib.figure import Figure

    games = list(edition.games.values())
    rows = math.ceil(len(games) / PANELS_A_ROW)
    columns = min(PANELS_A_ROW, len(games))
    figure = Figure(figsize=(8.0, 0.7 + 1.9 * rows))
    panels = figure.subplots(rows, columns, squeeze=False)
    for place, axes in enumerate(panels.flat):
        if place >= len(games):
            axes.set_visible(False)
            continue
        _draw_distribution(axes, games[place], edition.played)
        if place % PANELS_A_ROW == 0:
            axes.set_ylabel("share of deals", fontsize=8.5)
        if place + PANELS_A_ROW >= len(games):
            axes.set_xlabel("units of seat 0", fontsize=8.5)
    return picture(
        figure,
        "units_distribution",
        "For each variant a histogram of seat 0's units a deal, on a logarithmic axis.",
        f"{thousands(edition.played)} deals a variant; seat 0 is the banker in banker games. "
        "Light: 95 % intervals that hold together for all points of a panel (Goodman). The tails "
        "show what a single deal can cost.",
    )


def _draw_distribution(axes: Any, game: Game, deals: int) -> None:
    counts = game.payouts.distribution
    units = sorted(counts)
    shares = [counts[u] / deals for u in units]
    bands = goodman([counts[u] for u in units])
    floor = 0.3 / deals
    axes.vlines(
        units, [max(band.low, floor) for band in bands], [band.high for band in bands],
        color=BAND, lw=2.2,
    )  # fmt: skip
    axes.plot(units, shares, ls="", marker=".", ms=2.6, color=SIMULATED)
    axes.axvline(0, color="#9aa4af", lw=0.8)
    axes.set(yscale="log", ylim=(floor, 2))
    axes.set_title(f"{game.variant.number} {game.variant.zh} {game.variant.id}", fontsize=8.5,
                   pad=4)  # fmt: skip
    axes.tick_params(labelsize=8)

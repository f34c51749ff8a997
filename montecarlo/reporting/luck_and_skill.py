"""Luck and skill: what the notebook ``08_luck_and_skill`` shows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from montecarlo.reporting.edition import Edition
from montecarlo.reporting.games import PLAYERS
from montecarlo.reporting.one_hand import MARKS, POLICIES_ZH
from montecarlo.reporting.settings import signed, title
from montecarlo.reporting.style import BAND, QUIET, SIMULATED, Picture, drawing, picture
from montecarlo.reporting.tables import Prose, Table, paragraph, write_csv
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.rounding import thousands, with_error
from montecarlo.studies.skill import FAN_QUANTILES, Entry, Skill, skill

GAMES = ("taiwan", "coins", "points123", "baodao", "taiwan_classic", "hongkong", "hongkong_edge")
"""Games that show luck and skill best; the first two that are part of the report are played."""

SHOWN_GAMES = 2
MOST_DEALS = 200_000

NAMES_ZH = {**POLICIES_ZH, "human": "凡人"}
COLOURS = {**{name: mark for name, (mark, _) in MARKS.items()}, "human": "#009E73"}

Row = tuple[str | tuple[str, str], ...]

NONE = "No variant of this report has settings to choose: it is luck alone."


def headline(edition: Edition) -> Prose:
    """Say how soon an equilibrium player is seen to be better than others."""
    found = studies(edition)
    if not found:
        return paragraph(NONE, "answer")
    parts = []
    for result in found:
        until = {
            lone: result.entry(lone, "equilibrium").deals_until_ahead
            for lone in ("greedy", "human", "balanced")
        }
        told = ", ".join(
            f"{name} after {each.normal:,.0f}" if each else f"{name} not told apart"
            for name, each in until.items()
        )
        parts.append(f"{result.variant.id}: {told}")
    return paragraph(
        "Deals after which one player among three equilibrium players is behind with 95 %: "
        f"{'; '.join(parts)}.",
        "answer",
    )


@lru_cache(maxsize=2)
def studies(edition: Edition) -> tuple[Skill, ...]:
    """Play the report's games of skill, every policy among players of every other."""
    chosen = [edition.games[name].variant for name in GAMES if name in edition.games]
    deals = min(edition.played, MOST_DEALS)
    return tuple(
        skill(variant, deals=deals, seed=edition.seed, players=PLAYERS)
        for variant in chosen[:SHOWN_GAMES]
    )


def matrix(edition: Edition) -> Table | Prose:
    """Return gain, SD and deals until ahead of every policy among players of every other."""
    rows: list[Row] = []
    saved: list[dict[str, Any]] = []
    for result in studies(edition):
        saved += [{"variant": result.variant.id, **row} for row in result.rows()]
        for entry in result.entries:
            if entry.lone != entry.others:
                rows.append((title(result.variant), _name(entry.lone), _name(entry.others),
                             signed(entry.gain), f"{entry.sd:.2f}", *_until(entry)))  # fmt: skip
    if not rows:
        return paragraph(NONE)
    write_csv(edition.out / "tables" / "skill.csv", saved)
    return Table(
        f"One player among three others: units a deal, {_deals(edition)} common deals of each game",
        ("variant", "he plays", "they play", ">gain", ">SD", ">deals until ahead with 95 %",
         ">hands rotated"),
        rows,
    )  # fmt: skip


def components(edition: Edition) -> Table | Prose:
    """Return the shares of cards, policy and both in a lone player's variance."""
    rows: list[Row] = []
    saved: list[dict[str, Any]] = []
    for result in studies(edition):
        for part in result.components:
            shares = (part.cards, part.policy, part.both)
            rows.append((title(result.variant), _name(part.others), f"{part.sd:.2f}",
                         *map(_percent, shares)))  # fmt: skip
            row: dict[str, Any] = {
                "variant": result.variant.id, "others": part.others, "sd": part.sd
            }  # fmt: skip
            for name, share in zip(("cards", "policy", "both"), shares, strict=True):
                row |= {name: share.value, f"{name}_se": share.se}
            saved.append(row)
    if not rows:
        return paragraph(NONE)
    write_csv(edition.out / "tables" / "variance_components.csv", saved)
    return Table(
        "Where the variance of one player's result comes from, in % (his policy drawn from the "
        "four, each as likely)",
        ("variant", "the others play", ">SD", ">the cards 牌", ">his policy 策略",
         ">both together"),
        rows,
    )  # fmt: skip


def ahead_picture(edition: Edition) -> Picture | Prose:
    """Draw the chance that the better is ahead by deals, with the runs that were played."""
    return _drawn(edition, _draw_ahead)


def fans_picture(edition: Edition) -> Picture | Prose:
    """Draw what a player has after 100 to 10,000 deals: quantile bands of the sum."""
    return _drawn(edition, _draw_fans)


def fans_table(edition: Edition) -> Table | Prose:
    """Return the quantiles that the fans show, at 100, 1,000 and 10,000 deals."""
    rows: list[Row] = []
    saved: list[dict[str, Any]] = []
    for result in studies(edition):
        for lone in result.policies:
            for fan in result.entry(lone, "equilibrium").fan:
                saved.append({"variant": result.variant.id, "lone": lone, **fan.to_data()})
                if fan.deals in (100, 1000, 10_000):
                    bands = [f"{q:+,}".replace("-", "−") for q in fan.quantiles[1:-1]]
                    rows.append((title(result.variant), _name(lone), f"{fan.deals:,}", *bands,
                                 signed(fan.mean) if fan.mean.se else "0"))  # fmt: skip
    if not rows:
        return paragraph(NONE)
    write_csv(edition.out / "tables" / "skill_fans.csv", saved)
    shown = [f">{100 * q:.0f} %" for q in FAN_QUANTILES[1:-1]]
    return Table(
        "Units after some deals, one player among three equilibrium players: quantiles",
        ("variant", "he plays", ">deals", *shown, ">mean"),
        rows,
    )


def _drawn(edition: Edition, draw: Any) -> Picture | Prose:
    found = studies(edition)
    if not found:
        return paragraph(NONE)
    with drawing():
        drawn: Picture = draw(found)
    drawn.save(edition.out / "figures")
    return drawn


def _draw_ahead(found: tuple[Skill, ...]) -> Picture:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.6))
    panels = figure.subplots(1, len(found), squeeze=False, sharey=True)
    for axes, result in zip(panels.flat, found, strict=True):
        axes.axhline(95, color=QUIET, lw=1, ls=":")
        for other in ("greedy", "human", "balanced"):
            entry, colour = result.entry("equilibrium", other), COLOURS[other]
            lengths = [2**k for k in range(15)]
            chances = [100 * entry.after(n).above(0) for n in lengths]
            axes.plot(lengths, chances, color=colour, lw=1.5,
                      label=f"{NAMES_ZH[other]} {other}")  # fmt: skip
            checks = [check for check in entry.runs if check.deals in lengths]
            shares = [100 * check.ahead / check.runs for check in checks]
            bars = [
                [share - 100 * check.interval.low for share, check in zip(shares, checks,
                                                                          strict=True)],
                [100 * check.interval.high - share for share, check in zip(shares, checks,
                                                                           strict=True)],
            ]  # fmt: skip
            axes.errorbar([check.deals for check in checks], shares, yerr=bars, ls="", marker="o",
                          ms=3.5, color=colour, elinewidth=1, capsize=2)  # fmt: skip
        axes.set_xscale("log")
        ticks = [1, 10, 100, 1000, 10_000]
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.set(xlabel="deals", ylim=(25, 102))
        axes.set_title(f"{result.variant.number} {result.variant.zh} {result.variant.id}")
    panels.flat[0].set_ylabel("equilibrium player is ahead, %")
    panels.flat[-1].legend(title="among three of", loc="lower right")
    return picture(
        figure,
        "skill_ahead",
        "Chance that one equilibrium player among three others has won units, by deals played.",
        "Curves: from the counted units of a deal, by convolution. Points: runs of consecutive "
        "deals that were played, with 95 % intervals (Clopper-Pearson). Dotted: 95 %.",
    )


def _draw_fans(found: tuple[Skill, ...]) -> Picture:
    from matplotlib.figure import Figure

    lones = ("equilibrium", "balanced", "human", "greedy")
    figure = Figure(figsize=(8.0, 0.6 + 2.5 * len(found)))
    panels = figure.subplots(len(found), len(lones), squeeze=False)
    for number, (row, result) in enumerate(zip(panels, found, strict=True), start=1):
        for axes, lone in zip(row, lones, strict=True):
            fan = result.entry(lone, "equilibrium").fan
            deals = [each.deals for each in fan]
            for low, high, colour in ((0, -1, "#dcebf5"), (1, -2, BAND), (2, -3, "#5ba3d0")):
                bounds = ([each.quantiles[place] for each in fan] for place in (low, high))
                axes.fill_between(deals, *bounds, color=colour, lw=0)
            axes.plot(deals, [each.quantiles[3] for each in fan], color=SIMULATED, lw=1.6)
            axes.errorbar(
                deals[-1], fan[-1].mean.value, yerr=1.96 * fan[-1].mean.se, color="#222222",
                capsize=3, elinewidth=1.4,
            )  # fmt: skip
            axes.axhline(0, color="#222222", lw=0.9)
            axes.set_xlim(0, deals[-1] * 1.04)
            axes.set_xticks([0, 5000, 10_000], ["0", "5,000", "10,000"])
            axes.tick_params(labelsize=8)
            axes.set_title(f"{NAMES_ZH[lone]} {lone}", fontsize=9.5, pad=5)
            if lone == lones[0]:
                label = f"{result.variant.number} {result.variant.zh} {result.variant.id}"
                axes.set_ylabel(f"{label}\nunits", fontsize=9)
            if number == len(found):
                axes.set_xlabel("deals", fontsize=9)
    return picture(
        figure,
        "skill_fans",
        "Fan charts: units of one player among three equilibrium players after 100 to 10,000 "
        "deals, for each policy he may play.",
        "Bands: 50, 90 and 98 % of players lie inside; line: the median. The bar at the right is "
        "the 95 % interval of the mean after 10,000 deals, from the error of the gain. Scales "
        "differ from panel to panel.",
    )


def _until(entry: Entry) -> tuple[tuple[str, str] | str, str]:
    until = entry.deals_until_ahead
    if until is None:
        return "not told apart", "–"
    low, high = until.interval
    exact = "" if until.exact is None else f"exactly {until.exact:,}; "
    return (f"{until.normal:,.0f}", f"{exact}{low:,.0f} … {high:,.0f}"), f"{until.duplicate:,.0f}"


def _percent(share: Estimate) -> str:
    return with_error(100 * share.value, 100 * share.se).replace("-", "−")


def _name(policy: str) -> str:
    return f"{NAMES_ZH[policy]} {policy}"


def _deals(edition: Edition) -> str:
    return thousands(min(edition.played, MOST_DEALS))

"""What each variant pays: what the notebook ``04_expected_payouts`` shows."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import Any

from montecarlo.reporting.edition import Edition
from montecarlo.reporting.games import PLAYERS, Game
from montecarlo.reporting.payout_charts import distribution_chart, edge_chart, flow_chart
from montecarlo.reporting.payout_lines import line_name
from montecarlo.reporting.settings import percent, signed, title
from montecarlo.reporting.style import Picture
from montecarlo.reporting.tables import Prose, Table, paragraph, write_csv
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.rounding import thousands, with_error
from montecarlo.studies.payouts import Setup, sd_estimate
from montecarlo.variants.schema import CATEGORIES_ZH

Row = tuple[str | tuple[str, str], ...]

SHOWN_SETUPS = 8

SEATS_ZH = {"banker": "庄家 banker", "player": "闲家 player", "seat 0": "any seat"}


def headline(edition: Edition) -> Prose:
    """Say what a banker has of his seat, and how much luck there is in a deal."""
    bankers = [game for game in edition.games.values() if game.payouts.edge]
    if bankers:
        parts = [f"{_edge(game)} units a deal under {game.variant.id}" for game in bankers]
        text = f"Against three players who set as well as he does, the banker nets {_and(parts)}."
    else:
        text = "No variant of this report has a banker: all seats are alike, and expect nothing."
    return paragraph(text, "answer")


def overview(edition: Edition) -> Table:
    """Return all variants side by side: edge, spread, guns, home runs, flow."""
    rows: list[Row] = []
    saved = []
    for game in edition.games.values():
        found, variant = game.payouts, game.variant
        spread = [sd_estimate(seat, edition.played) for seat in found.units[:2]]
        sd: str | tuple[str, str] = _plain(spread[0])
        if variant.banker:
            sd = (f"{sd}", f"a player: {_plain(spread[1])}")
        pays = {"guns": variant.sweep.gun != "none" or variant.sweep.gun_add > 0}
        rates = [
            percent(rate) if rate is not None and rate.value else "–"
            for rate in (found.gun_rate, found.home_run_rate)
        ]
        gun: str | tuple[str, str] = rates[0]
        if rates[0] != "–":
            gun = (rates[0], "paid" if pays["guns"] else "not paid")
        flow = sum(line.flow.value for line in found.lines.values())
        edge = _edge(game) if found.edge else "–"
        rows.append((title(variant), edge, sd, f"{found.units[0].skewness:+.1f}".replace("-", "−"),
                     gun, rates[1], f"{flow:#.3g}"))  # fmt: skip
        saved.append(_csv_row(game, spread[0], flow))
    write_csv(edition.out / "tables" / "payouts.csv", saved)
    return Table(
        f"Four equilibrium players, {thousands(edition.played)} deals of each variant; SD and flow "
        "in units a deal",
        ("variant", ">banker's edge", ">SD, seat 0", ">skewness", ">guns 打枪, % of pairs",
         ">home runs 全垒打, % of deals", ">flow"),
        rows,
    )  # fmt: skip


def edges(edition: Edition) -> Table | Prose:
    """Return the banker's edge of the banker games, with intervals."""
    rows: list[Row] = []
    for game in edition.games.values():
        edge = game.payouts.edge
        if edge is None:
            continue
        low, high = edge.interval()
        per_player = Estimate(edge.value / (PLAYERS - 1), edge.se / (PLAYERS - 1), edge.deals)
        sd = game.payouts.units[0].sd
        rows.append(
            (title(game.variant), signed(edge), f"{low:.3f} … {high:.3f}".replace("-", "−"),
             signed(per_player), f"{sd:.3f}", _deals_to_tell(edge, sd))
        )  # fmt: skip
    if not rows:
        return paragraph("No variant of this report has a banker.")
    return Table(
        "The banker's edge 庄家优势, in units",
        ("variant", ">a deal", ">95 % interval", ">a deal and player", ">SD a deal",
         ">ahead with 95 % after … deals"),
        rows,
    )  # fmt: skip


def edges_picture(edition: Edition) -> Picture | Prose:
    """Draw the edges with their intervals, and save the figure."""
    if not any(game.payouts.edge for game in edition.games.values()):
        return paragraph("There is no edge to draw.")
    return edge_chart(edition)


def flows(edition: Edition) -> Picture:
    """Draw where the units come from, a stacked bar a variant, and save the figure."""
    return flow_chart(edition)


def distributions(edition: Edition) -> Picture:
    """Draw the distribution of seat 0's units a deal, a panel a variant, and save the figure."""
    return distribution_chart(edition)


def sections(edition: Edition) -> Prose:
    """Return a section for each variant: payout lines, values of specials, commonest set-ups."""
    return Prose("\n".join(_section(game) for game in edition.games.values()))


def save_tables(edition: Edition) -> Prose:
    """Write the tables of the sections as CSV, in full precision, and say so."""
    writers: dict[str, Callable[[Game], list[dict[str, Any]]]] = {
        "payout_lines": _csv_lines,
        "special_values": _csv_values,
        "setups": _csv_setups,
        "units_distribution": _csv_distribution,
    }
    links = []
    for name, rows_of in writers.items():
        rows = [row for game in edition.games.values() for row in rows_of(game)]
        if rows:
            write_csv(edition.out / "tables" / f"{name}.csv", rows)
            links.append(f'<a href="tables/{name}.csv">tables/{name}.csv</a>, {len(rows)} rows')
    return Prose(f"<p>All figures in full precision: {'; '.join(links)}.</p>")


def lines_table(game: Game) -> Table:
    """Return a game's payout lines: flow, share of it, share of variance, banker's net."""
    lines = {name: line for name, line in game.payouts.lines.items() if line.flow.value}
    total = sum(line.flow.value for line in lines.values())
    banker = game.variant.banker
    rows: list[Row] = []
    for name, line in sorted(lines.items(), key=lambda item: -item[1].flow.value):
        net = (signed(line.net),) if banker else ()
        rows.append(
            (line_name(game.variant, name), _plain(line.flow),
             f"{100 * line.flow.value / total:.3g}",
             with_error(100 * line.share_of_variance, 100 * line.share_se).replace("-", "−"), *net)
        )  # fmt: skip
    return Table(
        "Payout lines: units that change hands a deal",
        ("line", ">flow a deal", ">% of all flow", ">% of seat 0's variance",
         *((">banker's net",) if banker else ())),
        rows,
    )  # fmt: skip


def values_table(game: Game) -> Table:
    """Return what a declared special brings its holder."""
    rows: list[Row] = []
    for entry, value in zip(game.variant.specials, game.payouts.values, strict=True):
        held = _signed(value.units) if value.units else "–"
        rows.append(((entry.zh, entry.en), str(value.points), thousands(value.holders), held))
    return Table(
        "Specials: points from each opponent, and what came of holding them",
        ("special", ">points", ">declared", ">units a deal when held"),
        rows,
    )


def setups_table(game: Game) -> Table:
    """Return the commonest set-ups (categories of head, middle, tail) and what they bring."""
    rows: list[Row] = []
    groups = game.payouts.setups
    for seat, setups in groups.items():
        for setup in setups[:SHOWN_SETUPS]:
            who = (SEATS_ZH[seat],) if len(groups) > 1 else ()
            p = with_error(100 * setup.p, 100 * setup.p_se)
            rows.append((_setup_name(setup), *who, p, _signed(setup.units)))
    return Table(
        "Commonest set-ups (head, middle, tail): % of ordinary hands, and units a deal",
        ("set-up", *(("seat",) if len(groups) > 1 else ()), ">%", ">units a deal"),
        rows,
    )


def _section(game: Game) -> str:
    variant = game.variant
    name = html.escape(f"{variant.number} {variant.zh} {variant.id}")
    tables = [lines_table(game)]
    if variant.specials and variant.format != "ladder":
        tables.append(values_table(game))
    if game.payouts.setups:
        tables.append(setups_table(game))
    first, *rest = (table._repr_html_() for table in tables)
    more = (
        f"<details><summary>Specials, and the commonest set-ups</summary>{''.join(rest)}</details>"
        if rest
        else ""
    )
    about = paragraph(variant.en)._repr_html_()
    return f'<section id="{variant.id}"><h3>{name}</h3>{about}{first}{more}</section>'


def _setup_name(setup: Setup) -> tuple[str, str]:
    names = (setup.head, setup.middle, setup.tail)
    zh = " / ".join(CATEGORIES_ZH[name] for name in names)
    return zh, " / ".join(name.replace("_", " ") for name in names)


def _edge(game: Game) -> str:
    edge = game.payouts.edge
    assert edge is not None
    return signed(edge)


def _plain(estimate: Estimate) -> str:
    return with_error(estimate.value, estimate.se).replace("-", "−")


def _signed(estimate: Estimate) -> str:
    """Write an estimate with its sign; one without spread (or of one deal) as a plain number."""
    if estimate.se == 0 or not math.isfinite(estimate.se):
        plain = f"{estimate.value:+,.4g}".replace("-", "−")
        return plain if estimate.se == 0 else f"{plain} ± ?"
    return signed(estimate)


def _deals_to_tell(edge: Estimate, sd: float) -> str:
    """Write after how many deals the banker is ahead with 95 % (one-sided, normal)."""
    if edge.value < 3 * edge.se:
        return "–"
    return f"{math.ceil((1.645 * sd / edge.value) ** 2):,}"


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _csv_row(game: Game, sd: Estimate, flow: float) -> dict[str, Any]:
    found, variant = game.payouts, game.variant
    row: dict[str, Any] = {
        "variant": variant.id, "number": variant.number, "variant_sha256": variant.sha256,
        "policy_sha256": " ".join(game.policy_hashes), "deals": sd.deals,
        "units_mean": found.units[0].mean, "units_se": found.units[0].se,
        "sd": sd.value, "sd_se": sd.se, "skewness": found.units[0].skewness,
        "excess_kurtosis": found.units[0].kurtosis, "flow": flow,
    }  # fmt: skip
    figures = {
        "edge": found.edge, "gun_rate": found.gun_rate, "home_run_rate": found.home_run_rate
    }  # fmt: skip
    for name, estimate in figures.items():
        row[name] = estimate.value if estimate else ""
        row[f"{name}_se"] = estimate.se if estimate else ""
    return row


def _csv_lines(game: Game) -> list[dict[str, Any]]:
    return [
        {"variant": game.variant.id, "line": name, "flow": line.flow.value, "se": line.flow.se,
         "net": line.net.value, "net_se": line.net.se,
         "share_of_variance": line.share_of_variance, "share_se": line.share_se}
        for name, line in game.payouts.lines.items()
    ]  # fmt: skip


def _csv_values(game: Game) -> list[dict[str, Any]]:
    return [
        {"variant": game.variant.id, "special": value.id, "points": value.points,
         "holders": value.holders, "units": value.units.value if value.units else "",
         "se": value.units.se if value.units else ""}
        for value in game.payouts.values
    ]  # fmt: skip


def _csv_setups(game: Game) -> list[dict[str, Any]]:
    return [
        {"variant": game.variant.id, "seat": seat, "head": s.head, "middle": s.middle,
         "tail": s.tail, "p": s.p, "se": s.p_se, "units": s.units.value, "units_se": s.units.se}
        for seat, setups in game.payouts.setups.items()
        for s in setups
    ]  # fmt: skip


def _csv_distribution(game: Game) -> list[dict[str, Any]]:
    return [
        {"variant": game.variant.id, "units": units, "deals": deals}
        for units, deals in game.payouts.distribution.items()
    ]

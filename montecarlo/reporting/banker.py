"""The banker: what the notebook ``09_banker`` shows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from montecarlo.reporting.edition import Edition
from montecarlo.reporting.settings import signed, title
from montecarlo.reporting.style import BAND, EXACT, QUIET, SIMULATED, Picture, drawing, picture
from montecarlo.reporting.tables import Prose, Table, paragraph, write_csv
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.rounding import thousands, with_error
from montecarlo.statistics.ruin import NEGLIGIBLE
from montecarlo.studies.banker import BankerStudy
from montecarlo.studies.banker import banker as study

GAMES = ("hongkong_edge", "hongkong", "baodao2")
FEWEST_DEALS, MOST_DEALS = 2000, 100_000
"""Common deals a game: half of what is played, but no fewer and no more than these."""

Row = tuple[str | tuple[str, str], ...]

NONE = "No variant of this report has a banker."

RULES_ZH = {"tie": "同牌", "compare": "比牌", "both_special": "双方报到"}
COLOURS = (SIMULATED, EXACT, "#009E73")
LINES = ("-", "--", "-.")


def headline(edition: Edition) -> Prose:
    """Say what the banker's seat is worth in each game, and what money it takes."""
    parts = []
    for found in studies(edition):
        ever = found.ruin[-1].limit(None).units
        needs = "ruin is certain in the long run"
        if ever is not None:
            needs = f"{ever.value:,.0f} units keep the risk of ruin at 1 %"
        parts.append(f"{found.variant.id} {signed(found.edge)} units a deal ({needs})")
    if not parts:
        return paragraph(NONE, "answer")
    return paragraph(f"The banker's seat against three players: {'; '.join(parts)}.", "answer")


@lru_cache(maxsize=2)
def studies(edition: Edition) -> tuple[BankerStudy, ...]:
    """Study the bankers of the report's games."""
    return tuple(
        study(edition.games[name].variant, deals=_deals(edition), seed=edition.seed)
        for name in GAMES
        if name in edition.games
    )


def readings_picture(edition: Edition) -> Picture | Prose:
    """Draw the edge under every reading of the rules."""
    return _drawn(edition, _draw_readings)


def readings_table(edition: Edition) -> Table | Prose:
    """Return the edge under every reading of the rules, and the change."""
    rows: list[Row] = []
    saved: list[dict[str, Any]] = []
    for found in studies(edition):
        saved += [{"variant": found.variant.id, **row} for row in found.rows()]
        for reading in found.readings:
            rule = (f"{RULES_ZH[reading.rule]} {reading.rule}", _value(reading))
            change = "as it stands" if reading.is_own else signed(reading.change)
            rows.append((title(found.variant), rule, signed(reading.edge), change,
                         f"{reading.sd:.3f}"))  # fmt: skip
    if not rows:
        return paragraph(NONE)
    write_csv(edition.out / "tables" / "banker_readings.csv", saved)
    return Table(
        f"The banker's edge when one rule is read in another way, settings held; "
        f"{thousands(_deals(edition))} common deals, each with every hand in his place",
        ("variant", "rule", ">edge", ">change", ">SD"),
        rows,
    )


def steps_table(edition: Edition) -> Table | Prose:
    """Return what each rule contributes from a fair game to the variant's own."""
    rows: list[Row] = []
    saved: list[dict[str, Any]] = []
    for found in studies(edition):
        if found.steps is None:
            continue
        rows.append((title(found.variant), "all rules fair", signed(found.steps.start), "–", "–"))
        for part in found.steps.parts:
            rule = (f"{RULES_ZH[part.rule]} {part.rule}", f"{part.before} → {part.after}")
            rows.append((title(found.variant), rule, signed(part.in_order), signed(part.alone),
                         signed(part.average)))  # fmt: skip
        rows.append((title(found.variant), "the variant's edge", signed(found.edge), "–", "–"))
        saved += [{"variant": found.variant.id, **row} for row in found.steps.rows()]
    if not rows:
        return paragraph(NONE)
    write_csv(edition.out / "tables" / "banker_steps.csv", saved)
    return Table(
        "From a game that favours nobody to the banker's edge, settings held: parts in this order "
        "add up; alone, and averaged over all orders, they tell how rules work together",
        ("variant", "rule", ">part", ">alone", ">average over orders"),
        rows,
    )


def players_table(edition: Edition) -> Table | Prose:
    """Return the edge by players at the table."""
    rows: list[Row] = []
    saved: list[dict[str, Any]] = []
    for found in studies(edition):
        for table in found.tables:
            rows.append((title(found.variant), str(table.players), signed(table.edge),
                         signed(table.edge_per_player), f"{table.sd:.3f}"))  # fmt: skip
            saved.append({"variant": found.variant.id, "players": table.players,
                          "edge": table.edge.value, "edge_se": table.edge.se, "sd": table.sd,
                          "edge_per_player": table.edge_per_player.value,
                          "edge_per_player_se": table.edge_per_player.se})  # fmt: skip
    if not rows:
        return paragraph(NONE)
    write_csv(edition.out / "tables" / "banker_players.csv", saved)
    return Table(
        "The banker's edge by players at the table, the banker among them: units a deal",
        ("variant", ">players", ">edge", ">a player he faces", ">SD"),
        rows,
    )


def ruin_picture(edition: Edition) -> Picture | Prose:
    """Draw the risk of ruin by bankroll for each game."""
    return _drawn(edition, _draw_ruin)


def ruin_table(edition: Edition) -> Table | Prose:
    """Return the risk of ruin by bankroll: worked out, and in the runs that were played."""
    rows: list[Row] = []
    saved: list[dict[str, Any]] = []
    for found in studies(edition):
        for risk in found.ruin:
            for held in risk.bankrolls:
                cells = [
                    (_percent(each.p), f"played: {each.ruined:,} of {each.runs:,}")
                    for each in held.within
                ]
                bounds = f"{_bound(held.lundberg.low)} … {_bound(held.lundberg.high)}"
                if risk.players == found.players:
                    rows.append((title(found.variant), f"{held.units:,}", *cells,
                                 (_percent(held.ever), f"Lundberg {bounds}")))  # fmt: skip
                saved += [
                    {"variant": found.variant.id, "players": risk.players, "bankroll": held.units,
                     **{k: v for k, v in each.to_data().items() if k != "ci95"},
                     "ever": held.ever.value, "ever_se": held.ever.se}
                    for each in held.within
                ]  # fmt: skip
    if not rows:
        return paragraph(NONE)
    write_csv(edition.out / "tables" / "banker_ruin.csv", saved)
    horizons = [each.deals for each in studies(edition)[0].ruin[-1].bankrolls[0].within]
    return Table(
        "Risk of ruin 破产 in %, four players",
        ("variant", ">bankroll, units", *(f">within {n:,} deals" for n in horizons), ">ever"),
        rows,
    )


def limits_table(edition: Edition) -> Table | Prose:
    """Return the bankroll for a risk of 1 %, and the stake it can bear, by players."""
    rows: list[Row] = []
    saved: list[dict[str, Any]] = []
    for found in studies(edition):
        for risk in found.ruin:
            cells: list[str | tuple[str, str]] = []
            for limit in risk.limits:
                share = limit.stake_share
                if limit.units is None or share is None:
                    cells.append("none is enough")
                    continue
                cells.append((_units(limit.units), f"stake {_percent(share)} %"))
                saved.append({"variant": found.variant.id, "players": risk.players,
                              "deals": limit.deals or "ever", "units": limit.units.value,
                              "units_se": limit.units.se, "stake_share": share.value,
                              "stake_share_se": share.se})  # fmt: skip
            rows.append((title(found.variant), str(risk.players), *cells))
    if not rows:
        return paragraph(NONE)
    write_csv(edition.out / "tables" / "banker_limits.csv", saved)
    horizons = [limit.deals for limit in studies(edition)[0].ruin[-1].limits]
    return Table(
        "Units that keep the risk of ruin at 1 %, and the largest stake as a share of the bankroll",
        ("variant", ">players", *(f">within {n:,} deals" if n else ">ever" for n in horizons)),
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


def _draw_readings(found: tuple[BankerStudy, ...]) -> Picture:
    from matplotlib.figure import Figure

    count = len(found[0].readings)
    figure = Figure(figsize=(8.0, 1.4 + 0.3 * count))
    panels = figure.subplots(1, len(found), squeeze=False, sharey=True)
    for axes, each in zip(panels.flat, found, strict=True):
        axes.axvline(0, color="#222222", lw=1)
        axes.axvline(each.edge.value, color=BAND, lw=3, zorder=0)
        for place, reading in enumerate(each.readings):
            low, high = reading.edge.interval()
            axes.errorbar(
                [reading.edge.value], [place], xerr=[[reading.edge.value - low],
                                                     [high - reading.edge.value]],
                fmt="o" if reading.is_own else "s", ms=6 if reading.is_own else 4.5,
                color=SIMULATED if reading.is_own else QUIET, elinewidth=1.5, capsize=3,
            )  # fmt: skip
        axes.set_title(f"{each.variant.number} {each.variant.id}", fontsize=10)
        axes.set_xlabel("edge, units a deal", fontsize=9)
        axes.margins(x=0.12)
        axes.tick_params(axis="y", length=0)
    labels = [f"{RULES_ZH[r.rule]} {r.rule}: {r.value}" for r in found[0].readings]
    panels.flat[0].set_yticks(range(count), labels, fontsize=8.5)
    panels.flat[0].set_ylim(count - 0.4, -0.6)
    return picture(
        figure,
        "banker_readings",
        "The banker's edge under every reading of the rules on ties, comparing and both reporting.",
        "Blue: the rule as it stands (bands: the variant's edge). Grey: one rule read otherwise. "
        "Bars: 95 % intervals, all on common deals; most are smaller than the marks.",
    )


def _draw_ruin(found: tuple[BankerStudy, ...]) -> Picture:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.4))
    axes = figure.subplots()
    axes.axhline(1, color=QUIET, lw=1, ls=":")
    for each, colour in zip(found, COLOURS, strict=False):
        for risk, line in zip(reversed(each.ruin), LINES, strict=False):
            curve = 100 * risk.ever
            label = f"{each.variant.number} {each.variant.id}, {risk.players} players"
            axes.plot(range(curve.size), curve, color=colour, ls=line, lw=1.5, label=label)
            for held in risk.bankrolls:
                if held.ever.value > 1e-3:
                    axes.errorbar([held.units], [100 * held.ever.value],
                                  yerr=[196 * held.ever.se], color=colour, marker="o", ms=3.5,
                                  elinewidth=1.2, capsize=2.5)  # fmt: skip
    axes.set_yscale("log")
    axes.set_xscale("log")
    axes.set(
        xlim=(10, 2000), ylim=(0.1, 130), xlabel="bankroll, units",
        ylabel="ruined sooner or later, %", title="Risk of ruin 破产 of a banker",
    )  # fmt: skip
    axes.set_xticks([10, 20, 50, 100, 200, 500, 1000, 2000],
                    ["10", "20", "50", "100", "200", "500", "1,000", "2,000"])  # fmt: skip
    axes.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    axes.minorticks_off()
    figure.legend(loc="outside lower center", ncols=len(found), fontsize=8)
    return picture(
        figure,
        "banker_ruin",
        "Risk of ruin ever, by the bankroll in units, for each banker game and number of players.",
        "Worked out from the counted units of a deal; bars: 95 %, from the errors of edge and "
        "spread. Dotted: 1 %. Where the edge is not positive, ruin is certain.",
    )


def _value(reading: Any) -> str:
    return str(reading.value).replace("_", " ")


def _percent(estimate: Estimate) -> str:
    if 0 < estimate.value < NEGLIGIBLE:
        return "< 0.0000001"
    return with_error(100 * estimate.value, 100 * estimate.se)


def _bound(value: float) -> str:
    return f"{100 * value:.3g}" if value >= NEGLIGIBLE else "0"


def _units(estimate: Estimate) -> str:
    return with_error(estimate.value, estimate.se)


def _deals(edition: Edition) -> int:
    return min(max(edition.played // 2, FEWEST_DEALS), MOST_DEALS)

"""The simulated odds of a dragon closing in on the exact ones, deal by deal: the figure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.reporting.dragon import DRAGON_ONLY, by_formula, published
from montecarlo.reporting.edition import Edition
from montecarlo.reporting.games import PLAYERS
from montecarlo.reporting.style import BAND, EXACT, PUBLISHED, SIMULATED, Picture, drawing, picture
from montecarlo.reporting.tables import write_csv
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.simulation.tallies import Tally
from montecarlo.statistics.clustered import clustered_proportion
from montecarlo.statistics.intervals import Interval, clopper_pearson
from montecarlo.statistics.rounding import with_error
from montecarlo.variants import load


@dataclass(frozen=True)
class Point:
    """How far the simulation had come after some deals."""

    deals: int
    deals_by_count: tuple[int, ...]

    @property
    def p(self) -> float:
        """Proportion of hands that are dragons."""
        return clustered_proportion(self.deals_by_count).p

    @property
    def interval(self) -> Interval:
        """Exact 95 % interval of the deals that hold a dragon, scaled to hands as seen."""
        found = clustered_proportion(self.deals_by_count)
        hands_a_deal = found.count / found.deals_holding if found.count else 1.0
        low, high = clopper_pearson(found.deals_holding, found.deals)
        return Interval(low * hands_a_deal / PLAYERS, high * hands_a_deal / PLAYERS)


def trace(edition: Edition) -> list[Point]:
    """Return the simulation's state after more and more deals, the last time after all.

    The first stored shard is dealt again block by block, and its first block in growing parts,
    because a stored shard only holds its total.
    """
    variant = load(DRAGON_ONLY)
    again = FrequencyExperiment(variant, PLAYERS)
    first = min(1000, max(1, edition.deals // 100))
    last = min(BLOCK_DEALS, edition.deals)
    sizes = [n for k in range(5) for f in (1, 2, 5) if (n := f * first * 10**k) < last]
    points = [Point(n, _dragons(again.tally_block(edition.seed, 0, n))) for n in sizes]
    points += _running_total(
        _dragons(again.tally_block(edition.seed, block.first_block, block.last_deals))
        for block in edition.plan.shards()[0].split(1)
    )
    points += _running_total(
        _dragons(edition.experiment.holders_of(variant, shard)) for shard in edition.shards.values()
    )[1:]
    return points


def convergence(edition: Edition) -> Picture:
    """Draw the estimate and its interval closing in on the exact value, and save the figure."""
    points = trace(edition)
    write_csv(
        edition.out / "tables" / "dragon_convergence.csv",
        [
            {"deals": q.deals, "hands": q.deals * PLAYERS, "p": q.p,
             "ci95_low": q.interval.low, "ci95_high": q.interval.high,
             "exact_p": float(by_formula())}
            for q in points
        ],
    )  # fmt: skip
    exact_p = float(by_formula())
    with drawing():
        drawn = _draw_convergence(points, exact_p, published())
    drawn.save(edition.out / "figures")
    return drawn


def _draw_convergence(points: list[Point], exact_p: float, claimed: int) -> Picture:
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, PercentFormatter

    deals = [point.deals for point in points]
    lows = [point.interval.low for point in points]
    highs = [point.interval.high for point in points]
    figure = Figure(figsize=(8.0, 7.2))
    whole, near = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.25))

    longest = 1e11
    whole.fill_between(
        deals, [1 / high for high in highs], [1 / low if low else longest for low in lows],
        color=BAND, label="simulation, exact 95 % interval",
    )  # fmt: skip
    seen = [point for point in points if point.p]
    whole.plot([q.deals for q in seen], [1 / q.p for q in seen], color=SIMULATED, lw=1.4)
    whole.axhline(1 / exact_p, color=EXACT, lw=1.4, label=f"exact: {1 / exact_p:,.0f}")
    whole.axhline(claimed, color=PUBLISHED, lw=1.4, ls="--", label=f"published: {claimed:,}")
    whole.set(
        yscale="log", ylim=(1e3, longest), ylabel="one dragon in … hands",
        title="一条龙: the published odds, and what the deals say",
    )  # fmt: skip
    whole.yaxis.set_major_formatter(FuncFormatter(lambda y, _: _short(y)))
    whole.legend(
        loc="center right", bbox_to_anchor=(1.0, 0.62), frameon=True, facecolor="white",
        edgecolor="none", framealpha=0.85,
    )  # fmt: skip

    near.fill_between(
        deals, [low / exact_p - 1 for low in lows], [high / exact_p - 1 for high in highs],
        color=BAND,
    )  # fmt: skip
    near.plot(deals, [point.p / exact_p - 1 for point in points], color=SIMULATED, lw=1.4)
    near.axhline(0, color=EXACT, lw=1.4)
    near.set(
        xscale="log", ylim=(-0.2, 0.2), xlim=(deals[0], max(deals[-1], 10 * deals[0])),
        xlabel="deals (four hands each)", ylabel="estimate above or below the exact chance",
        title="The same, close up: the interval shrinks on the exact value",
    )  # fmt: skip
    near.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    near.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _short(x)))
    last = points[-1]
    half = (last.interval.high - last.interval.low) / 2 / exact_p
    distance = with_error(100 * (last.p / exact_p - 1), 100 * half).replace("-", "−")
    near.annotate(
        f"after {last.deals:,} deals: {distance} %",
        xy=(1.0, 0.06), xycoords="axes fraction", ha="right", color=SIMULATED,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85},
    )  # fmt: skip
    return picture(
        figure,
        "dragon_convergence",
        "Two panels over the number of deals on a logarithmic axis. Above, the simulated odds of a "
        "dragon settle on the exact value, a million times below the published one. Below, the "
        "estimate's distance from the exact chance in percent, with its interval shrinking to 0.",
        "Estimate and exact 95 % interval (Clopper–Pearson, on deals that hold a dragon) after "
        "more and more deals of one run; the figure after ± is half the interval's width. Running "
        "estimates are not independent of each other.",
    )


def _dragons(tally: Tally) -> tuple[int, ...]:
    """Return the first of the two rows of a tally: deals in which 0, 1, … hands are dragons."""
    return tuple(tally.integers("holders")[: PLAYERS + 1])


def _running_total(rows: Iterable[tuple[int, ...]]) -> list[Point]:
    points: list[Point] = []
    total = (0,) * (PLAYERS + 1)
    for row in rows:
        total = tuple(a + b for a, b in zip(total, row, strict=True))
        points.append(Point(sum(total), total))
    return points


def _short(number: float) -> str:
    for size, word in ((1e9, " billion"), (1e6, " million")):
        if number >= size:
            return f"{number / size:,.4g}{word}"
    return f"{number:,.0f}"

"""How policies set hands: the second half of what the notebook ``03_settings`` shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from montecarlo.reporting.edition import Edition
from montecarlo.reporting.games import LONE_POLICIES, Game
from montecarlo.reporting.one_hand import MARKS, POLICIES_ZH
from montecarlo.reporting.style import SIMULATED, Picture, drawing, picture
from montecarlo.reporting.tables import Prose, Table, paragraph, write_csv
from montecarlo.setting.policies import POLICIES
from montecarlo.simulation.tallies import Tally
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.rounding import thousands, with_error
from montecarlo.variants import Variant
from montecarlo.variants.schema import CATEGORIES, CATEGORIES_ZH, HEAD_CATEGORIES, ROWS, ROWS_ZH

PREFERRED = "taiwan"
"""The variant whose rows are tabulated, where the report is about it."""

LINES = ("o", "s", "^")


@dataclass(frozen=True)
class Settings:
    """How one variant's hands are set: a tally of `SettingsExperiment`, read."""

    variant: Variant
    hands: int
    sizes: dict[int, int]
    """hands by the size of their frontier"""
    rows: dict[str, dict[str, dict[str, Estimate]]]
    """share of hands by policy, row and category"""
    different: dict[tuple[str, str], Estimate]
    """share of hands that two policies set to rows of different strength"""

    @classmethod
    def of(cls, game: Game) -> Settings:
        """Read a game's tally of settings; the game must have one."""
        assert game.settings is not None
        tally = game.settings.tally
        hands = tally.integers("hands")[0]
        same = iter(tally.integers("same"))
        counts = {(a, b): next(same) for a in POLICIES for b in POLICIES}
        return cls(
            game.variant,
            hands,
            {size: n for size, n in enumerate(tally.integers("frontier")) if n},
            _rows(tally, hands),
            {pair: share(hands - counts[pair], hands) for pair in combinations(POLICIES, 2)},
        )

    def quantile(self, q: float) -> int:
        """Return the frontier size that a share ``q`` of hands does not exceed."""
        seen = 0
        for size, hands in self.sizes.items():
            seen += hands
            if seen >= q * self.hands:
                return size
        raise AssertionError("no hands")

    def mean_size(self) -> Estimate:
        """Return the mean size of a frontier."""
        first = sum(size * n for size, n in self.sizes.items())
        second = sum(size * size * n for size, n in self.sizes.items())
        variance = (second - first * first / self.hands) / (self.hands - 1)
        return Estimate(first / self.hands, math.sqrt(variance / self.hands), self.hands)


def share(count: int, hands: int) -> Estimate:
    """Return a share of independent hands with its error."""
    p = count / hands
    return Estimate(p, math.sqrt(p * (1 - p) / hands), hands)


def frontier_sizes(edition: Edition) -> Picture | Prose:
    """Draw how many settings the frontiers of hands have, and save the figure."""
    game = _main(edition)
    if game is None:
        return _nothing_is_set()
    found = Settings.of(game)
    with drawing():
        drawn = _draw_sizes(found)
    drawn.save(edition.out / "figures")
    return drawn


def frontier_sentence(edition: Edition) -> Prose:
    """Say how many settings a frontier has."""
    game = _main(edition)
    if game is None:
        return _nothing_is_set()
    found = Settings.of(game)
    mean = found.mean_size()
    return paragraph(
        f"Thirteen cards can be split into three rows in 72,072 ways. Of these, "
        f"{with_error(mean.value, mean.se)} lie on the frontier on average under "
        f"{found.variant.id} rules; half of all hands have {found.quantile(0.5):,} or fewer, one "
        f"in ten has more than {found.quantile(0.9):,}, and the largest frontier among "
        f"{thousands(found.hands)} hands had {max(found.sizes):,} settings."
    )


def set_differently(edition: Edition) -> Table | Prose:
    """Return the share of hands that each two policies set differently, a line a variant."""
    games = _set_games(edition)
    if not games:
        return _nothing_is_set()
    rows: list[tuple[str | tuple[str, str], ...]] = []
    saved = []
    for game in games:
        found = Settings.of(game)
        cells = [percent(found.different[pair]) for pair in combinations(POLICIES, 2)]
        mean = found.mean_size()
        rows.append((title(game.variant), *cells, with_error(mean.value, mean.se)))
        saved += _csv_rows(found)
    write_csv(edition.out / "tables" / "settings.csv", saved)
    return Table(
        "Share of ordinary hands that two policies set to different rows, %, and settings on the "
        "frontier; in banker games as a player",
        ("variant", *(f">{a} / {b}" for a, b in combinations(POLICIES, 2)), ">frontier, mean"),
        rows,
    )


def rows_by_policy(edition: Edition) -> Table | Prose:
    """Return how often each category stands in each row, a column a policy."""
    game = _main(edition)
    if game is None:
        return _nothing_is_set()
    found = Settings.of(game)
    rows: list[tuple[str | tuple[str, str], ...]] = []
    for row in ROWS:
        for category in HEAD_CATEGORIES if row == "head" else CATEGORIES:
            shares = [found.rows[policy][row][category] for policy in POLICIES]
            if any(p.value for p in shares):
                cells = [percent(p) if p.value else "–" for p in shares]
                rows.append((f"{ROWS_ZH[row]} {row}", (CATEGORIES_ZH[category],
                             category.replace("_", " ")), *cells))  # fmt: skip
    return Table(
        f"{title(game.variant)[0]}: what stands in the rows of {thousands(found.hands)} ordinary "
        "hands, %",
        ("row", "category", *(f">{POLICIES_ZH[policy]} {policy}" for policy in POLICIES)),
        rows,
    )


def rows_chart(edition: Edition) -> Picture | Prose:
    """Draw the same table: shares of categories in each row, by policy; save the figure."""
    game = _main(edition)
    if game is None:
        return _nothing_is_set()
    with drawing():
        drawn = _draw_rows(Settings.of(game))
    drawn.save(edition.out / "figures")
    return drawn


def what_it_costs(edition: Edition) -> Table | Prose:
    """Return what one player of a simpler policy loses among three equilibrium players."""
    rows: list[tuple[str | tuple[str, str], ...]] = []
    saved = []
    for game in _set_games(edition):
        paired = game.paired
        assert paired is not None
        cells = []
        for arm, name in enumerate(LONE_POLICIES[1:], start=1):
            change = paired.difference(arm, 0)
            sd = paired.sd(arm)
            cells += [signed(change), _deals_until(change, sd)]
            saved.append(
                {"variant": game.variant.id, "policy": name, "deals": paired.deals,
                 "change": change.value, "se": change.se, "sd": sd}
            )  # fmt: skip
        rows.append((title(game.variant), *cells, f"{paired.sd(0):.3g}"))
    if not rows:
        return _nothing_is_set()
    write_csv(edition.out / "tables" / "policy_costs.csv", saved)
    return Table(
        "One player among three of the equilibrium policy: units a deal compared with the "
        "equilibrium policy in the same seat (in banker games the banker's)",
        ("variant", ">greedy", ">deals until it shows", ">balanced", ">deals until it shows",
         ">SD a deal"),
        rows,
    )  # fmt: skip


def costs_headline(edition: Edition) -> Prose:
    """Say where the beginner's way is dearest and where it is cheapest."""
    changes = {
        game.variant.id: game.paired.difference(1, 0)
        for game in _set_games(edition)
        if game.paired is not None
    }
    if not changes:
        return _nothing_is_set()
    dearest = min(changes, key=lambda name: changes[name].value)
    cheapest = max(changes, key=lambda name: changes[name].value)
    text = (
        f"A beginner who always makes the tail as strong as it can be gives away "
        f"{_loss(changes[dearest])} units a deal under {dearest}"
    )
    if cheapest != dearest:
        text += f", and {_loss(changes[cheapest])} under {cheapest}"
    return paragraph(text + ".", "answer")


def title(variant: Variant) -> tuple[str, str]:
    """Return a variant as a cell: number and Chinese name above, id below."""
    return f"{variant.number} {variant.zh}", variant.id


def percent(estimate: Estimate) -> str:
    """Write a share in percent, without the sign."""
    return with_error(100 * estimate.value, 100 * estimate.se)


def signed(estimate: Estimate) -> str:
    """Write an estimate with a sign before it, minus or plus."""
    text = with_error(estimate.value, estimate.se)
    return text.replace("-", "−", 1) if estimate.value < 0 else f"+{text}"


def _loss(change: Estimate) -> str:
    return with_error(-change.value, change.se).replace("-", "−")


def _deals_until(change: Estimate, sd: float) -> str:
    """Write after how many deals the sum of differences outweighs luck with 95 %, or nothing."""
    if abs(change.value) < 3 * change.se or not change.value:
        return "–"
    deals = (1.645 * sd / change.value) ** 2
    step = 10 ** max(0, int(math.log10(max(deals, 1))) - 1)
    return f"{math.ceil(deals / step) * step:,}"


def _set_games(edition: Edition) -> list[Game]:
    return [game for game in edition.games.values() if game.settings is not None]


def _main(edition: Edition) -> Game | None:
    games = {game.variant.id: game for game in _set_games(edition)}
    return games.get(PREFERRED) or next(iter(games.values()), None)


def _nothing_is_set() -> Prose:
    return paragraph("These variants are ladders: no rows are set.")


def _rows(tally: Tally, hands: int) -> dict[str, dict[str, dict[str, Estimate]]]:
    counts = iter(tally.integers("rows"))
    return {
        policy: {row: {category: share(next(counts), hands) for category in CATEGORIES}
                 for row in ROWS}
        for policy in POLICIES
    }  # fmt: skip


def _csv_rows(found: Settings) -> list[dict[str, Any]]:
    return [
        {"variant": found.variant.id, "policy": policy, "row": row, "category": category,
         "hands": found.hands, "p": p.value, "se": p.se}
        for policy, by_row in found.rows.items()
        for row, shares in by_row.items()
        for category, p in shares.items()
        if row != "head" or category in HEAD_CATEGORIES
    ]  # fmt: skip


def _draw_sizes(found: Settings) -> Picture:
    from matplotlib.figure import Figure

    edges = sorted({round(10 ** (step / 12)) for step in range(0, 49)})
    edges = [edge for edge in edges if edge <= 2 * max(found.sizes)]
    shares = [
        100 * sum(n for size, n in found.sizes.items() if low <= size < high) / found.hands
        for low, high in pairwise(edges)
    ]
    figure = Figure(figsize=(8.0, 3.4))
    axes = figure.subplots()
    axes.stairs(shares, [edge - 0.5 for edge in edges], fill=True, color=SIMULATED, alpha=0.75)
    for q, name in ((0.5, "median"), (0.9, "nine in ten below")):
        size = found.quantile(q)
        axes.axvline(size, color="#222222", lw=1, ls="--")
        axes.annotate(
            f" {name}: {size:,}", xy=(size, 1.0), xycoords=("data", "axes fraction"), va="top",
            fontsize=9,
        )  # fmt: skip
    axes.set(
        xscale="log", xlabel="settings on the frontier (a logarithmic axis)",
        ylabel="share of hands, %",
        title=f"How many settings a hand's frontier has ({found.variant.id})",
    )  # fmt: skip
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    return picture(
        figure,
        "frontier_sizes",
        "Histogram of the number of settings on the frontiers of hands, on a logarithmic axis.",
        f"{thousands(found.hands)} hands that declare no special.",
    )


def _draw_rows(found: Settings) -> Picture:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 6.4))
    panels = figure.subplots(
        3, 1, height_ratios=(3, 9, 9), sharex=True
    )  # the head knows three categories
    for axes, row in zip(panels, ROWS, strict=True):
        names = HEAD_CATEGORIES if row == "head" else CATEGORIES
        for policy, shift in zip(POLICIES, (-0.22, 0.0, 0.22), strict=True):
            colour, marker = MARKS[policy]
            shares = [found.rows[policy][row][category] for category in names]
            axes.errorbar(
                [100 * p.value for p in shares], [i + shift for i in range(len(names))],
                xerr=[196 * p.se for p in shares], ls="", marker=marker, ms=4.5, color=colour,
                mfc="none", capsize=2, label=f"{POLICIES_ZH[policy]} {policy}",
            )  # fmt: skip
        axes.set_yticks(
            range(len(names)), [f"{CATEGORIES_ZH[c]}  {c.replace('_', ' ')}" for c in names]
        )
        axes.set(ylim=(len(names) - 0.4, -0.6), title=f"{ROWS_ZH[row]} {row}")
        axes.tick_params(axis="y", length=0)
    panels[-1].set(xlabel="share of hands, %", xlim=(-1, None))
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=9)
    return picture(
        figure,
        "rows_by_policy",
        "For head, middle and tail, how often each category stands there, by policy.",
        f"{found.variant.id}: {thousands(found.hands)} ordinary hands, each set by all three "
        "policies. Bars: 95 % intervals, mostly smaller than the mark.",
    )

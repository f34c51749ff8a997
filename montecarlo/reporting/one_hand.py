"""One hand, set three ways: the first half of what the notebook ``03_settings`` shows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from montecarlo.cards import Hand
from montecarlo.reporting.edition import Edition
from montecarlo.reporting.playing_cards import GAP, HEIGHT, WIDTH, draw_row
from montecarlo.reporting.style import EXACT, PUBLISHED, QUIET, SIMULATED, Picture, drawing, picture
from montecarlo.reporting.tables import Prose, Table, paragraph, write_csv
from montecarlo.statistics.rounding import with_error
from montecarlo.strength.evaluate import head_classes_from_masks, row_classes_from_masks
from montecarlo.strength.tables import row_tables
from montecarlo.studies.advise import Advice, Choice, advise
from montecarlo.studies.hand import HandSheet, hand
from montecarlo.studies.settings import Setting
from montecarlo.variants.schema import CATEGORIES_ZH, ROWS, ROWS_ZH

VARIANT = "taiwan"
HAND = "Ah Ac Kh Qd Js Jc Ts Th Tc 6h 4h 3d 2h"
"""A hand that the three policies set in three ways."""

POLICIES_ZH = {"equilibrium": "均衡", "balanced": "均分", "greedy": "贪心"}
MARKS = {"equilibrium": (SIMULATED, "o"), "balanced": (EXACT, "s"), "greedy": (PUBLISHED, "^")}
"""Colour and marker of each policy in figures."""

SHOWN_CHOICES = 8


@lru_cache(maxsize=1)
def sheet() -> HandSheet:
    """Return the hand's frontier and what each policy makes of it."""
    return hand(VARIANT, Hand.parse(HAND))


@lru_cache(maxsize=1)
def advice(seed: int) -> Advice:
    """Return what every frontier setting brings against three equilibrium players."""
    return advise(VARIANT, Hand.parse(HAND), seed=seed)


def picked(seed: int) -> dict[str, Choice]:
    """Return the policies' settings as choices of the advice, by policy, best policy first."""
    by_values = {_values(choice.setting): choice for choice in _set(seed)}
    return {name: by_values[_values(s)] for name, s in sheet().policies.items()}


def headline(edition: Edition) -> Prose:
    """Say what the three ways of setting the hand bring."""
    choices = picked(edition.seed)
    best, worst = choices["equilibrium"], choices["greedy"]
    between = _gap(best, worst)
    return paragraph(
        f"The same thirteen cards bring {_units(best)} units a deal when set by the equilibrium "
        f"policy, and {_units(worst)} when a beginner puts the strongest five in the tail: "
        f"{between} units lie in how they are set.",
        "answer",
    )


def three_ways(edition: Edition) -> Picture:
    """Draw the hand as each policy sets it, and save the figure."""
    with drawing():
        drawn = _draw_three_ways(sheet().policies, picked(edition.seed))
    drawn.save(edition.out / "figures")
    return drawn


def frontier_chart(edition: Edition) -> Picture:
    """Draw what every frontier setting brings, strongest tail first, and save the figure."""
    with drawing():
        drawn = _draw_frontier(edition.seed)
    drawn.save(edition.out / "figures")
    return drawn


def best_choices(edition: Edition) -> Table:
    """Return the best settings of the frontier, and those of the policies below them."""
    found = advice(edition.seed)
    names: dict[Setting | None, list[str]] = {}
    for name, choice in picked(edition.seed).items():
        names.setdefault(choice.setting, []).append(name)
    write_csv(
        edition.out / "tables" / "frontier_of_a_hand.csv",
        [
            {**choice.to_data(), "policies": " ".join(names.get(choice.setting, []))}
            for choice in found.choices
        ],
    )
    rows: list[tuple[str | tuple[str, str], ...]] = []
    for place, choice in enumerate(found.choices):
        if choice.setting is None or (place >= SHOWN_CHOICES and choice.setting not in names):
            continue
        cards = choice.setting.to_data().values()
        categories = choice.setting.categories(found.variant.wheel)
        cells = [
            (text, f"{CATEGORIES_ZH[category]} {category.replace('_', ' ')}")
            for text, category in zip(cards, categories, strict=True)
        ]
        gap = with_error(choice.gap, choice.gap_se) if choice.gap else "–"
        who = ", ".join(f"{POLICIES_ZH[n]} {n}" for n in names.get(choice.setting, []))
        rows.append((str(place + 1), *cells, _units(choice), gap, who))
    return Table(
        f"The hand's {len(sheet().frontier)} settings by what they bring: the best "
        f"{SHOWN_CHOICES}, and those the policies pick",
        ("", *(f"{ROWS_ZH[row]} {row}" for row in ROWS), ">units a deal", ">less than the best",
         "picked by"),
        rows,
    )  # fmt: skip


def _set(seed: int) -> list[Choice]:
    return [choice for choice in advice(seed).choices if choice.setting is not None]


def _values(setting: Setting | None) -> tuple[int, int, int]:
    """Return what a setting's rows are worth in comparisons."""
    assert setting is not None
    strengths = row_tables(sheet().variant.wheel, sheet().variant.compare)
    head = head_classes_from_masks(np.array([setting.head], np.uint64), strengths)
    rows = row_classes_from_masks(np.array([setting.middle, setting.tail], np.uint64), strengths)
    middle, tail = strengths.value[rows].tolist()
    return int(strengths.head_value[head[0]]), middle, tail


def _units(choice: Choice) -> str:
    return with_error(choice.mean, choice.se).replace("-", "−")


def _gap(best: Choice, other: Choice) -> str:
    """Write how much less a choice brings than the equilibrium's, with the paired error."""
    return with_error(other.gap - best.gap, max(other.gap_se, best.gap_se))


def _draw_three_ways(settings: Mapping[str, Setting], choices: Mapping[str, Choice]) -> Picture:
    from matplotlib.figure import Figure

    wheel = sheet().variant.wheel
    figure = Figure(figsize=(8.0, 3.5))
    columns = figure.subplots(1, len(settings))
    for axes, (name, setting) in zip(columns, settings.items(), strict=True):
        axes.set_axis_off()
        axes.set_aspect("equal")
        axes.set_title(
            f"{POLICIES_ZH[name]} {name}\n{_units(choices[name])} units", loc="center",
            color=MARKS[name][0],
        )  # fmt: skip
        pitch = HEIGHT + 0.62
        for place, (row, mask, category) in enumerate(
            zip(ROWS, setting.rows, setting.categories(wheel), strict=True)
        ):
            bottom = (2 - place) * pitch
            left = (5 - mask.bit_count()) / 2 * (WIDTH + GAP)
            draw_row(axes, mask, left, bottom)
            axes.text(
                2.5 * (WIDTH + GAP), bottom - 0.13,
                f"{ROWS_ZH[row]} {row}: {CATEGORIES_ZH[category]} {category.replace('_', ' ')}",
                ha="center", va="top", fontsize=8.2, color=QUIET,
            )  # fmt: skip
        axes.set(xlim=(-0.1, 5 * (WIDTH + GAP) + 0.05), ylim=(-0.55, 3 * pitch - 0.4))
    described = "; ".join(
        f"{name}: head {cards['head']}, middle {cards['middle']}, tail {cards['tail']}"
        for name, cards in ((n, s.to_data()) for n, s in settings.items())
    )
    return picture(
        figure,
        "three_ways",
        f"One hand set by three policies, as playing cards. {described}.",
        "Units a deal of the hand under taiwan rules, against three equilibrium players dealt from "
        "the other 39 cards; ± is the standard error.",
    )


def _draw_frontier(seed: int) -> Picture:
    from matplotlib.figure import Figure

    order = {setting: place for place, setting in enumerate(sheet().frontier)}
    choices = sorted(_set(seed), key=lambda choice: order[choice.setting])  # type: ignore[index]
    wheel = sheet().variant.wheel
    tails = [c.setting.categories(wheel)[2] for c in choices if c.setting]
    figure = Figure(figsize=(8.0, 4.6))
    axes = figure.subplots()
    places = range(len(choices))
    axes.errorbar(
        places, [c.mean for c in choices], yerr=[1.96 * c.se for c in choices], fmt="o", ms=3.2,
        color=QUIET, ecolor="#c3c8ce", elinewidth=1.0,
    )  # fmt: skip
    low = min(c.mean for c in choices)
    high = max(c.mean for c in choices)
    first = 0
    for place in (*places[1:], len(choices)):
        if place < len(choices) and tails[place] == tails[first]:
            continue
        if first:
            axes.axvline(first - 0.5, color="#c3c8ce", lw=0.9)
        axes.text(
            (first + place - 1) / 2, high + 0.09 * (high - low),
            f"{CATEGORIES_ZH[tails[first]]}\n{tails[first].replace('_', ' ')}",
            ha="center", va="bottom", fontsize=8.5, color=QUIET,
        )  # fmt: skip
        first = place
    at = {choice.setting: place for place, choice in enumerate(choices)}
    for name, choice in picked(seed).items():
        colour, marker = MARKS[name]
        axes.plot(
            [at[choice.setting]], [choice.mean], ls="", marker=marker, ms=9, mfc="none", mew=1.8,
            mec=colour, label=f"{POLICIES_ZH[name]} {name}",
        )  # fmt: skip
    axes.set(
        xlim=(-1.5, len(choices) + 0.5),
        ylim=(low - 0.1 * (high - low), high + 0.27 * (high - low)),
        xlabel=f"the {len(choices)} settings of the frontier, strongest tail on the left",
        ylabel="units a deal", title="What each setting of the hand brings",
    )  # fmt: skip
    axes.grid(False, axis="x")
    figure.legend(loc="outside lower center", ncols=3, fontsize=9)
    return picture(
        figure,
        "frontier_of_a_hand",
        f"Units a deal of the {len(choices)} settings of the hand's frontier, grouped by the "
        "category of the tail; the settings that the three policies pick are marked.",
        "Grey dots: each setting of the frontier with its 95 % interval, all judged against the "
        "same tables of opponents. Above: the category of the tail. A setting with a weaker tail "
        "stands here because its middle or its head is stronger.",
    )

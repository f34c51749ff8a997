"""The tornado chart of ambiguity: what each reading moves, those that move most on top."""

from __future__ import annotations

import math
from typing import Any

from montecarlo.reporting.style import EXACT, QUIET, SIMULATED, Picture, picture
from montecarlo.specials.suit_shapes import TOTAL_HANDS
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.rounding import thousands
from montecarlo.studies.ambiguity_result import GIVEN, Ambiguity, ReadingMoves

AXIS = {"edge": "banker's edge, units a deal", "sd": "SD of a seat's units a deal"}
RESPONDED = "#009E73"


def tornado(found: Ambiguity) -> Picture:
    """Draw what each reading moves, alone: payouts on the left, hands on the right.

    Call it inside `montecarlo.reporting.style.drawing`.
    """
    from matplotlib.figure import Figure

    shown = found.readings
    figure = Figure(figsize=(9.6, 1.9 + 0.36 * max(len(shown), 1)))
    left, right = figure.subplots(1, 2, sharey=True, gridspec_kw={"width_ratios": [3, 2]})
    for place, moves in enumerate(shown):
        _bar(left, place, moves.changes[found.figure], SIMULATED)
        if moves.responded is not None:
            _mark(left, place, moves.responded[found.figure])
        share = moves.hands_changed / TOTAL_HANDS
        if share:
            right.barh([place], [share], height=0.62, color=EXACT)
        else:
            right.text(0.02, place, "none: specials stay", va="center", fontsize=8.5, color=QUIET,
                       transform=right.get_yaxis_transform())  # fmt: skip
    _finish_left(left, found)
    _finish_right(right, shown)
    return picture(
        figure,
        f"ambiguity_{found.variant.id}",
        f"Tornado chart of {found.variant.id}: change of the {AXIS[found.figure]} and share of "
        "hands that declare otherwise, by reading.",
        _caption(found),
    )


def _finish_left(axes: Any, found: Ambiguity) -> None:
    axes.axvline(0, color="#222222", lw=1)
    shown = found.readings
    axes.set_yticks(range(len(shown)), [moves.reading.id for moves in shown], fontsize=9)
    axes.tick_params(axis="y", length=0)
    base = found.base[found.figure]
    largest = max((abs(m.changes[found.figure].value) for m in shown), default=0.0)
    scale = 10.0 ** _power(largest / 300) if largest else 1.0
    axes.set_xscale("symlog", linthresh=scale)
    ticks = [scale]
    while ticks[-1] * 10 <= largest * 1.5:
        ticks.append(ticks[-1] * 10)
    both = [*(-tick for tick in reversed(ticks)), 0, *ticks]
    axes.set_xticks(both, [f"{tick:+g}".replace("-", "−") if tick else "0" for tick in both],
                    fontsize=8.5, rotation=45)  # fmt: skip
    axes.minorticks_off()
    axes.set(
        xlim=(-2 * largest, 2 * largest) if largest else (-1, 1),
        ylim=(len(shown) - 0.4, -0.6),
        xlabel=f"change of the {AXIS[found.figure]}\n(now {base.value:.3f} ± {base.se:.3f}; linear "
        f"within ±{scale:g}, logarithmic beyond)".replace("-", "−"),
        title=f"{found.variant.number} {found.variant.zh}: what each reading moves",
    )


def _finish_right(axes: Any, shown: tuple[ReadingMoves, ...]) -> None:
    axes.set_xscale("log")
    shares = [moves.hands_changed / TOTAL_HANDS for moves in shown if moves.hands_changed]
    low = 10.0 ** (_power(min(shares, default=1e-3)) - 1)
    axes.set(
        xlim=(low, 10.0 ** (_power(max(shares, default=1e-2)) + 1)),
        xlabel="share of hands that declare\nanother special, or none (exact)",
        title="特殊牌型 specials",
    )
    axes.minorticks_off()
    axes.tick_params(axis="y", length=0)


def _bar(axes: Any, place: int, change: Estimate, colour: str) -> None:
    low, high = change.interval()
    axes.barh([place], [change.value], height=0.62, color=colour, alpha=0.75)
    axes.errorbar(
        [change.value], [place], xerr=[[change.value - low], [high - change.value]], fmt="none",
        ecolor="#222222", elinewidth=1.2, capsize=3,
    )  # fmt: skip


def _mark(axes: Any, place: int, change: Estimate) -> None:
    low, high = change.interval()
    axes.errorbar(
        [change.value], [place + 0.2], xerr=[[change.value - low], [high - change.value]], fmt="D",
        ms=4, color=RESPONDED, elinewidth=1.2, capsize=2,
    )  # fmt: skip


def _power(value: float) -> int:
    return math.floor(math.log10(value))


def _caption(found: Ambiguity) -> str:
    parts = [
        f"{found.players} players, {found.policy}, settings held; {thousands(found.deals)} common "
        "deals; black bars: 95 % intervals of the paired difference."
    ]
    if any(moves.method == GIVEN for moves in found.readings):
        parts.append(
            "Readings that only call few hands otherwise were played in deals given such a hand."
        )
    if any(moves.responded for moves in found.readings):
        parts.append("Green diamonds: after the players were trained for the reading.")
    return " ".join(parts)

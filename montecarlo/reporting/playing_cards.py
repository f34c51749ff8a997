"""Playing cards drawn in matplotlib: rank and suit glyph on a rounded white card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from montecarlo.cards import format_mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# a suit's glyph and colour; four colours, so that flushes are seen at a glance
SUITS = {
    "s": ("\N{BLACK SPADE SUIT}", "#1c2024"),
    "h": ("\N{BLACK HEART SUIT}", "#c8102e"),
    "c": ("\N{BLACK CLUB SUIT}", "#1b7a3d"),
    "d": ("\N{BLACK DIAMOND SUIT}", "#0a5c96"),
}
WIDTH, HEIGHT, GAP = 0.86, 1.2, 0.06


def draw_row(axes: Axes, mask: int, left: float, bottom: float) -> float:
    """Draw a row's cards side by side, highest first, and return where the last one ends.

    Axes need equal units in both directions; a card is `WIDTH` by `HEIGHT` of them.
    """
    for place, card in enumerate(format_mask(mask).split()):
        draw_card(axes, card, left + place * (WIDTH + GAP), bottom)
    return left + mask.bit_count() * (WIDTH + GAP) - GAP


def draw_card(axes: Axes, card: str, left: float, bottom: float) -> None:
    """Draw one card, written like ``Th``, with its lower left corner at a point."""
    from matplotlib.patches import FancyBboxPatch

    glyph, colour = SUITS[card[1]]
    rank = "10" if card[0] == "T" else card[0]
    corner = 0.09
    axes.add_patch(
        FancyBboxPatch(
            (left + corner, bottom + corner), WIDTH - 2 * corner, HEIGHT - 2 * corner,
            boxstyle=f"round,pad={corner}", facecolor="white", edgecolor="#9aa4af", linewidth=0.8,
        )
    )  # fmt: skip
    centre = left + WIDTH / 2
    for text, height, size in ((rank, 0.72, 13), (glyph, 0.3, 12.5)):
        axes.text(
            centre, bottom + HEIGHT * height, text, ha="center", va="center", fontsize=size,
            color=colour,
        )  # fmt: skip

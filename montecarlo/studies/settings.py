"""A hand set into rows, as studies return it; and the roles and seats hands are set in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from montecarlo.cards import format_mask
from montecarlo.errors import BadInput, nearest
from montecarlo.setting.frontier import frontier
from montecarlo.setting.seating import BANKER_SEAT
from montecarlo.setting.static_tables import setting_tables
from montecarlo.strength.evaluate import head_classes_from_masks, row_classes_from_masks
from montecarlo.strength.tables import CATEGORIES, row_tables
from montecarlo.variants.schema import CATEGORIES_ZH, Variant

ROLES = ("banker", "player")


@dataclass(frozen=True)
class Setting:
    """Thirteen cards set into rows, each a hand mask."""

    head: int
    middle: int
    tail: int

    @classmethod
    def of_rows(cls, rows: ArrayLike) -> Setting:
        """Return the setting of row masks (3,): head, middle, tail."""
        head, middle, tail = (int(mask) for mask in np.asarray(rows, np.uint64))
        return cls(head, middle, tail)

    @property
    def rows(self) -> tuple[int, int, int]:
        """Masks of head, middle and tail."""
        return self.head, self.middle, self.tail

    def to_data(self) -> dict[str, str]:
        """Return the rows' cards, each by rank, then suit, highest first."""
        head, middle, tail = map(format_mask, self.rows)
        return {"head": head, "middle": middle, "tail": tail}

    def categories(self, wheel: str) -> tuple[str, str, str]:
        """Return the categories of head, middle and tail under a wheel rule."""
        tables = row_tables(wheel)
        head = head_classes_from_masks(np.array([self.head], np.uint64), tables)
        rows = row_classes_from_masks(np.array([self.middle, self.tail], np.uint64), tables)
        found = [int(tables.head_category[head[0]]), *tables.category[rows].tolist()]
        return CATEGORIES[found[0]], CATEGORIES[found[1]], CATEGORIES[found[2]]

    def to_cells(self, wheel: str) -> list[str]:
        """Return head, middle and tail for people: cards and category, Chinese and English."""
        return [
            f"{cards}  {CATEGORIES_ZH[category]} {category.replace('_', ' ')}"
            for cards, category in zip(self.to_data().values(), self.categories(wheel), strict=True)
        ]


def frontier_settings(variant: Variant, mask: int) -> tuple[Setting, ...]:
    """Return a hand's frontier, strongest tail, middle, head first; empty for ladders.

    Rows are compared as the variant does; of settings that differ in suits only, the one with the
    best suits for tail, then middle, then head stands for all, where suits decide ties.
    """
    if variant.format == "ladder":
        return ()
    tables = setting_tables(variant.wheel, variant.compare)
    _, rows = frontier(mask, tables, variant.wheel, variant.tie)
    return tuple(map(Setting.of_rows, rows))


def seat_of(variant: Variant, role: str) -> int:
    """Return the seat of a role: in banker games a player sits beside the banker, else seat 0.

    Raises BadInput for an unknown role, and for a banker where there is none.
    """
    if role not in ROLES:
        raise BadInput(f"role must be banker or player, not '{role}'{nearest(role, ROLES)}")
    if role == "banker" and not variant.banker:
        raise BadInput(f"{variant.id} has no banker: all pairs settle, leave --role out")
    return BANKER_SEAT + 1 if variant.banker and role == "player" else BANKER_SEAT


def check_players(players: int) -> None:
    """Raise BadInput unless there are 2 to 4 players."""
    if not 2 <= players <= 4:
        raise BadInput(f"players must be 2, 3 or 4, not {players}")

"""From a table's cards to what the scoring kernels read: keys, categories, specials, fouls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput, nearest
from montecarlo.scoring.holdings import special_strength
from montecarlo.scoring.reading import Player, Table
from montecarlo.scoring.seats import SEAT, STATUS_FOUL, STATUS_SPECIAL, SUIT_BITS, Seats
from montecarlo.scoring.tables import ScoringRules
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.strength.evaluate import (
    head_classes_from_masks,
    legal,
    row_classes_from_masks,
    suit_values,
)
from montecarlo.strength.tables import row_tables
from montecarlo.variants.schema import Variant


def seat_rows(variant: Variant, rows: NDArray[np.uint64]) -> tuple[Seats, NDArray[np.bool_]]:
    """Return seats (n,) of hands set into rows, and which of the settings are legal (n,).

    ``rows`` are masks (n, 3) of head, middle, tail. Raises BadInput for rows of other sizes.
    """
    tables = row_tables(variant.wheel, variant.compare)
    seats = np.zeros(len(rows), dtype=SEAT)
    head = head_classes_from_masks(rows[:, 0], tables)
    middle = row_classes_from_masks(rows[:, 1], tables)
    tail = row_classes_from_masks(rows[:, 2], tables)
    values = (tables.head_value[head], tables.value[middle], tables.value[tail])
    categories = (tables.head_category[head], tables.category[middle], tables.category[tail])
    for row, classes in enumerate((head, middle, tail)):
        suits = suit_values(rows[:, row], classes, variant.wheel, variant.tie, head=row == 0)
        seats["keys"][:, row] = (values[row].astype(np.uint32) << SUIT_BITS) | suits
        seats["categories"][:, row] = categories[row]
    return seats, legal(head, middle, tail, tables)


def seat_table(table: Table, rules: ScoringRules) -> Seats:
    """Return the seats of a table, shape (1, players).

    Raises BadInput for a special the hand does not declare, a ``foul`` that is not right, and a
    foul where fouls are refused.
    """
    seats = np.zeros(len(table.players), dtype=SEAT)
    seats["special"] = -1
    with_rows = [seat for seat, player in enumerate(table.players) if player.rows is not None]
    if with_rows and table.variant.format != "ladder":
        rows = np.array([table.players[seat].rows for seat in with_rows], dtype=np.uint64)
        seats[with_rows], are_legal = seat_rows(table.variant, rows)
        seats["special"][with_rows] = -1
        for seat, is_legal in zip(with_rows, are_legal.tolist(), strict=True):
            if _is_foul(table.players[seat], f"player {seat}", is_legal, table.variant):
                seats["status"][seat] = STATUS_FOUL
    program = compile_rules(table.variant.rules)
    for seat, player in enumerate(table.players):
        if player.rows is None or table.variant.format == "ladder":
            special = int(first_special(np.array([player.hand], dtype=np.uint64), program)[0])
            _check_declared(player, f"player {seat}", special, table.variant)
            if special >= 0:
                kind = rules["special_strength"][special]
                seats["status"][seat] = STATUS_SPECIAL
                seats["special"][seat] = special
                seats["strength"][seat] = special_strength(np.uint64(player.hand), kind)
    return seats[None, :]


def _is_foul(player: Player, where: str, is_legal: bool, variant: Variant) -> bool:
    if player.foul is not None and player.foul == is_legal:
        legality = "legal (head ≤ middle ≤ tail)" if is_legal else "illegal: it is a foul"
        raise BadInput(
            f"{where}: 'foul' is {str(player.foul).lower()}, but the setting is {legality}"
        )
    if not is_legal and variant.fouls == "refused":
        raise BadInput(f"{where}: the setting is illegal, which {variant.id} refuses")
    return not is_legal


def _check_declared(player: Player, where: str, special: int, variant: Variant) -> None:
    if player.special is None:
        return
    ids = [entry.id for entry in variant.specials]
    if player.special not in ids:
        has = nearest(player.special, ids) or f" (it has: {', '.join(ids) or 'none'})"
        raise BadInput(f"{where}: {variant.id} has no special '{player.special}'{has}")
    if special < 0 or ids[special] != player.special:
        right = f"it declares '{ids[special]}'" if special >= 0 else "it holds no special"
        raise BadInput(f"{where}: the hand does not declare '{player.special}': {right}")

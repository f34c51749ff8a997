"""Payments of a deal, counted by what they are for; from these counts follow units, lines, payouts.

A *payment* is one seat paying another once: for a special, for a row won with a category, for a
gun, for a home run. Its *units* are linear in the payout table (`payouts_of_payments`), and each
belongs to one payout line (`line_of_payment`). So the counts of payments z answer at once what any
payout table v would bring: units w = A v, a seat's units z · w, a line's part the same sum over
its own payments. Counts carry no multipliers: those of guns and home runs stand in A.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput
from montecarlo.scoring.lines import (
    categories_of,
    line_ids,
    line_of_special,
    payout_ids,
    payout_of_special,
)
from montecarlo.scoring.tables import MOST_SPECIALS, compile_scoring
from montecarlo.variants.schema import CATEGORIES, ROWS, Variant

Integers = NDArray[np.int64]


class PaymentPlaces(NamedTuple):
    """Where kernels find payments: places in `payment_ids`, -1 for what is not counted."""

    special: Integers
    """(MOST_SPECIALS,): by place in ``variant.specials``."""
    row: Integers
    """(3, 9): by row and the winner's category."""
    majority: int
    gun: int
    gun_row: Integers
    """(3, 9): rows of a gunner, counted where a gun multiplies what they pay extra."""
    home_run: int
    home_run_row: Integers
    """(3, 9): the same of home runs."""


def payment_ids(variant: Variant) -> tuple[str, ...]:
    """Return what payments can be for, in a fixed order.

    ``special.ID`` or ``tier.K`` (one a payout parameter); ``row.ROW.CATEGORY``; ``majority``;
    ``gun`` and ``home_run``, and where these multiply extras, ``gun.row.ROW.CATEGORY`` and
    ``home_run.row.ROW.CATEGORY``: the same payments by the rows that the gunner holds.
    Raises BadInput for multipliers of 0, which turn the sign of payments.
    """
    rules = compile_scoring(variant)
    names = ("gun_base", "gun_extra", "home_run_base", "home_run_extra", "home_run_gun_add")
    if variant.format == "rows" and min(int(rules[name]) for name in names) < 1:
        raise BadInput(f"{variant.id}: payments are counted only for multipliers of 1 or more")
    found = list(dict.fromkeys(payout_of_special(variant, e) for e in variant.specials))
    rows = [f"row.{row}.{category}" for row in ROWS for category in categories_of(row)]
    if variant.format == "rows":
        found += [*rows, "gun"]
        found += [f"gun.{name}" for name in rows if rules["gun_extra"] > 1]
        found += ["home_run"]
        found += [f"home_run.{name}" for name in rows if rules["home_run_extra"] > 1]
    elif variant.format == "majority":
        found.append("majority")
    elif variant.format == "tail":
        found += [name for name in rows if name.startswith("row.tail.")]
    return tuple(found)


def payment_places(variant: Variant) -> PaymentPlaces:
    """Return the places of payments as arrays for kernels."""
    places = {name: place for place, name in enumerate(payment_ids(variant))}

    def of_rows(prefix: str) -> Integers:
        found = [[places.get(f"{prefix}row.{r}.{c}", -1) for c in CATEGORIES] for r in ROWS]
        return np.array(found, dtype=np.int64)

    special = np.full(MOST_SPECIALS, -1, dtype=np.int64)
    for number, entry in enumerate(variant.specials):
        special[number] = places[payout_of_special(variant, entry)]
    return PaymentPlaces(
        special,
        of_rows(""),
        places.get("majority", -1),
        places.get("gun", -1),
        of_rows("gun."),
        places.get("home_run", -1),
        of_rows("home_run."),
    )


def payouts_of_payments(variant: Variant) -> Integers:
    """Return A (payments, payouts), int64: the units of payments are A · `payout_vector`.

    A depends on multipliers and format, never on the payout table; and a seat's payout counts
    (`many_deals.count_deals`) are its counts of payments · A.
    """
    rules = compile_scoring(variant)
    columns = {name: place for place, name in enumerate(payout_ids(variant))}
    payments = payment_ids(variant)
    matrix = np.zeros((len(payments), len(columns)), dtype=np.int64)
    gun_base, gun_extra = int(rules["gun_base"]), int(rules["gun_extra"])
    run_base, run_extra = int(rules["home_run_base"]), int(rules["home_run_extra"])
    bases = [columns[f"row.{row}.base"] for row in ROWS if f"row.{row}.base" in columns]
    for place, name in enumerate(payments):
        if name == "gun":
            matrix[place, bases] = gun_base - 1
            matrix[place, columns["gun_add"]] = 1
        elif name == "home_run":
            matrix[place, bases] = gun_base * (run_base - 1)
            matrix[place, columns["gun_add"]] = int(rules["home_run_gun_add"]) - 1
            matrix[place, columns["home_run_add"]] = 1
        elif name.startswith("gun."):
            matrix[place, columns[name.removeprefix("gun.")]] = gun_extra - 1
        elif name.startswith("home_run."):
            extra = columns[name.removeprefix("home_run.")]
            matrix[place, extra] = gun_extra * (run_extra - 1)
        else:
            matrix[place, columns[name]] = 1
            if name.startswith("row."):
                base = "tail" if variant.format == "tail" else f"{name.rpartition('.')[0]}.base"
                matrix[place, columns[base]] = 1
    return matrix


def line_of_payment(variant: Variant) -> Integers:
    """Return each payment's line (payments,), int64: its place in `lines.line_ids`."""
    lines = {name: place for place, name in enumerate(line_ids(variant))}
    specials = {
        payout_of_special(variant, entry): line_of_special(variant, entry)
        for entry in variant.specials
    }

    def line_of(name: str) -> str:
        if name in specials:
            return specials[name]
        if variant.format == "tail":
            return "tail"
        return name if name.startswith("row.") else name.partition(".")[0]

    return np.array([lines[line_of(name)] for name in payment_ids(variant)], dtype=np.int64)

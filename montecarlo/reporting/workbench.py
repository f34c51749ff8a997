"""The workbench: a page in which points are changed, and what follows is seen at once.

The page holds what `Moments` and `WinningsSample` hold, as exact integers, and works out the same
figures from them by the same formulas (``templates/workbench.js``).
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.reporting.lone_pages import fill
from montecarlo.reporting.pages import TEMPLATES
from montecarlo.reporting.par_sections import ROLES, payout_name
from montecarlo.reporting.payout_lines import line_name
from montecarlo.scoring.payments import line_of_payment
from montecarlo.studies.par_sheet import ParSheet
from montecarlo.studies.winnings import WinningsSample, winnings_sample
from montecarlo.variants.write import rule_file


def workbench_page(sheet: ParSheet, home: str | None = None) -> str:
    """Return the page, its font not embedded yet (see `lone_pages.finished`)."""
    sample = winnings_sample(sheet.moments, sheet.fees[0].won)
    content = workbench_data(sheet, sample)
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return fill(
        "workbench.html.j2", sheet, home, role=ROLES[sheet.roles[0].name],
        payouts=content["payouts"], lines=content["lines"],
        content=text.replace("</", "<\\/"), script=_template("workbench.js"),
        page_css=_template("workbench.css"),
    )  # fmt: skip


def workbench_data(sheet: ParSheet, sample: WinningsSample) -> dict[str, Any]:
    """Return what the page computes from; payments that no deal had are left out.

    ``batches``: deals, sums and packed products of seat 0's (or all seats') net payments, by batch;
    ``flow``: sums and packed products of the payments of the whole table (sums and products are
    written as by `_base36`); ``matrix``: the payouts
    of each payment, as place, multiplier, place, multiplier, …; ``winnings``: known mean and error,
    and by stratum its size and the payout counts of the deals kept, written the same way.
    """
    moments, variant = sheet.moments, sheet.variant
    arrays = {name: array.astype(np.int64) for name, array in moments.tally.arrays.items()}
    met = np.flatnonzero(arrays["flow_sums"] != 0)
    size = len(moments.payments)
    held = arrays["deals"] != 0
    packed = _packed_places(met, size)
    points = moments.vector()
    of_met = line_of_payment(variant)[met]
    return {
        "id": variant.id,
        "banker": variant.banker,
        "seats": moments.experiment.counted_seats,
        "payouts": [
            {"id": name, "zh": zh, "en": en, "points": int(units)}
            for name, units in zip(moments.payout_ids, points, strict=True)
            for zh, en in [payout_name(variant, name)]
        ],
        "lines": [
            {"id": name, "zh": zh, "en": en, "met": bool((of_met == place).any())}
            for place, name in enumerate(moments.lines)
            for zh, en in [line_name(variant, name)]
        ],
        "lineOf": of_met.tolist(),
        "matrix": [_sparse(row) for row in moments.matrix[met]],
        "batches": {
            "deals": arrays["deals"][held].tolist(),
            "sums": [_base36(row) for row in arrays["sums"][held][:, met]],
            "products": [_base36(row) for row in arrays["products"][held][:, packed]],
        },
        "flow": {
            "sums": _base36(arrays["flow_sums"][met]),
            "products": _base36(arrays["flow_products"][packed]),
        },
        "winnings": {
            "known": [sample.known.value, sample.known.se],
            "sizes": list(sample.sizes),
            "counts": [[_sparse(row) for row in kept] for kept in sample.counts],
        },
        "fee": variant.settlement.fee_rate,
        "tierOf": {entry.id: entry.tier for entry in variant.specials if entry.tier is not None},
        "rules": rule_file(variant),
    }


def _template(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _base36(numbers: NDArray[np.int64]) -> str:
    """Write integers to the base 36, commas between, nothing for 0: half as long as decimals."""
    return ",".join("" if n == 0 else np.base_repr(n, 36).lower() for n in numbers.tolist())


def _packed_places(met: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return where the packed products of some payments stand among those of all ``size``."""
    rows, columns = np.triu_indices(len(met))
    low, high = met[rows], met[columns]
    return np.asarray(low * size - low * (low - 1) // 2 + high - low)


def _sparse(row: NDArray[np.int64]) -> list[int]:
    return [int(number) for place in np.flatnonzero(row) for number in (place, row[place])]

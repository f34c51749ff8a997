"""From units to money: stakes, fees, and pot play (rulebook §3, "Settlement")."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from montecarlo.errors import BadInput
from montecarlo.variants.schema import Settlement


def settle(
    units: Sequence[int], settlement: Settlement, banker: int | None = None
) -> tuple[float, ...]:
    """Return each seat's money, stakes settled and fees paid.

    ``banker`` is the banker's seat in a banker game, None where all pairs settle. There a stake by
    seat counts for the pair of that player and the banker; the banker's own is used in pot play
    only. Who ends above zero pays ``fee_rate`` times his net plus ``fee_flat``, not rounded. In pot
    play (``settle = pot``) everyone antes his stake and the highest units take all of it, equal
    ones share. Decimal figures are taken as written (0.1 is one tenth) and added up exactly; only
    the results are rounded, to the nearest double.

    Raises BadInput for stakes by seat in an all-pairs game or not one a seat, and for money too
    large for a double.
    """
    stakes = _stakes(settlement, len(units), banker)
    if settlement.settle == "pot":
        winners = [seat for seat, won in enumerate(units) if won == max(units)]
        share = sum(stakes, Fraction(0)) / len(winners)
        money = [share * (seat in winners) - stake for seat, stake in enumerate(stakes)]
    else:
        money = [won * stake for won, stake in zip(units, stakes, strict=True)]
        if banker is not None:
            money[banker] = -sum(money[:banker] + money[banker + 1 :], Fraction(0))
    rate, flat = _exact(settlement.fee_rate), _exact(settlement.fee_flat)
    paid = [net - (net * rate + flat if net > 0 else 0) for net in money]
    try:
        return tuple(map(float, paid))
    except OverflowError:
        raise BadInput("stakes or fees too large: money beyond 1e308 is not counted") from None


def _stakes(settlement: Settlement, players: int, banker: int | None) -> list[Fraction]:
    stake = settlement.stake
    if not isinstance(stake, tuple):
        return [_exact(stake)] * players
    if banker is None:
        raise BadInput("stakes by seat need a banker game: give one stake")
    if len(stake) != players:
        raise BadInput(f"stake has {len(stake)} numbers for {players} players: one a seat is right")
    return [_exact(one) for one in stake]


def _exact(number: float) -> Fraction:
    if not math.isfinite(number):
        raise BadInput(f"stakes and fees must be finite numbers, not {number}")
    return Fraction(repr(number))

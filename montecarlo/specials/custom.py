"""A predicate of your own: a Python function on hand masks, and its frequency by simulation.

The predicate takes hand masks (uint64 array, any shape) and returns booleans of the same shape.
numpy works on whole arrays of hands; `rank_counts`, `suit_lengths` and `held_at_least` are the
building blocks. Exactly five spades (spades are the last suit):

>>> from montecarlo.specials.custom import frequency, suit_lengths
>>> def five_spades(hands):
...     return suit_lengths(hands)[..., 3] == 5
>>> found = frequency(five_spades, deals=100_000, seed=1)
>>> found.ci95.contains(0.12469)  # exactly C(13,5) C(39,8) / C(52,13)
True

Three adjacent pairs, such as 7 7 8 8 9 9 (a three or a four counts as a pair, A-2-3 does not):

>>> from montecarlo.specials.custom import held_at_least
>>> def three_adjacent_pairs(hands):
...     pairs = held_at_least(hands, 2)
...     return (pairs & pairs >> 1 & pairs >> 2) != 0
>>> found = frequency(three_adjacent_pairs, deals=100_000, seed=1)
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from montecarlo.cards import LANE, LANE_MASK, SEATS, Masks
from montecarlo.dealing.dealer import deal_block
from montecarlo.dealing.streams import BLOCK_DEALS, require_integer
from montecarlo.errors import BadInput
from montecarlo.statistics.clustered import clustered_proportion
from montecarlo.statistics.intervals import Interval, clopper_pearson, normal_interval

if TYPE_CHECKING:
    import pandas as pd

MaskPredicate = Callable[[Masks], ArrayLike]

FEWEST_DEALS_FOR_NORMAL = 30
"""Below that many deals with the special (or without it in some hand) the interval is exact."""


def suit_lanes(masks: ArrayLike) -> NDArray[np.uint16]:
    """Return the ranks held in each suit, bit = rank: shape (…, 4), suits ♦ ♣ ♥ ♠."""
    shifts = np.arange(0, 4 * LANE, LANE, dtype=np.uint64)
    lanes = np.asarray(masks, dtype=np.uint64)[..., None] >> shifts
    return (lanes & np.uint64(LANE_MASK)).astype(np.uint16)


def suit_lengths(masks: ArrayLike) -> NDArray[np.uint8]:
    """Return how many cards of each suit are held: shape (…, 4), suits ♦ ♣ ♥ ♠."""
    return np.bitwise_count(suit_lanes(masks))


def rank_counts(masks: ArrayLike) -> NDArray[np.uint8]:
    """Return how many cards of each rank are held: shape (…, 13), ranks 2 to A."""
    counts = np.zeros((*np.shape(masks), 13), dtype=np.uint8)
    for suit in np.moveaxis(suit_lanes(masks), -1, 0):
        counts += (suit[..., None] >> np.arange(13, dtype=np.uint16) & 1).astype(np.uint8)
    return counts


def held_at_least(masks: ArrayLike, times: int) -> NDArray[np.uint16]:
    """Return the ranks held ``times`` times or more, bit = rank (0 the 2, 12 the ace).

    Raises BadInput unless ``times`` is 1, 2, 3 or 4.
    """
    require_integer("times", times, 1, 4)
    reached = [np.zeros(np.shape(masks), dtype=np.uint16) for _ in range(5)]
    reached[0] |= np.uint16(LANE_MASK)
    for suit in np.moveaxis(suit_lanes(masks), -1, 0):
        for more in (4, 3, 2, 1):
            reached[more] |= reached[more - 1] & suit
    return reached[times]


@dataclass(frozen=True)
class Frequency:
    """How often hands satisfy a predicate: an estimate with its error."""

    p: float
    """proportion of hands"""
    ci95: Interval
    se: float
    """standard error of ``p`` from totals a deal (hands of one deal share a deck)"""
    count: int
    """hands that satisfy the predicate"""
    hands: int
    """deals × players"""
    deals: int
    deals_by_count: tuple[int, ...]
    """deals in which 0, 1, … players hold it"""
    seed: int

    def to_json(self) -> str:
        """Return the result as JSON text."""
        return json.dumps(asdict(self), allow_nan=False)

    def to_frame(self) -> pd.DataFrame:
        """Return the result as a data frame of one row, the interval as two columns."""
        import pandas as pd

        row: dict[str, Any] = {"p": self.p, "ci95_low": self.ci95.low, "ci95_high": self.ci95.high}
        for name in ("se", "count", "hands", "deals", "seed"):
            row[name] = getattr(self, name)
        return pd.DataFrame([row])


def frequency(
    predicate: MaskPredicate, *, deals: int = 1_000_000, seed: int = 0, players: int = SEATS
) -> Frequency:
    """Estimate how often a hand of 13 cards satisfies ``predicate``.

    ``predicate`` is called with hand masks of shape (n, players), uint64, once a block of deals,
    and returns booleans of that shape. The same seed gives the same deals, whatever the predicate.

    The interval is normal, with the error from totals a deal. Where fewer than 30 deals hold the
    predicate it is the exact binomial interval of the chance that a deal holds it, scaled to hands
    by the number of hands in each such deal (taken as seen, 1 if none was seen); where fewer than
    30 deals have a hand without it, the same on the complement.

    Raises BadInput for deals, players or a seed that cannot be, and for a predicate that returns
    anything but one boolean a hand.
    """
    require_integer("deals", deals, 2)
    require_integer("players", players, 2, SEATS)
    histogram = np.zeros(players + 1, dtype=np.int64)
    for block in range(-(-deals // BLOCK_DEALS)):
        masks = deal_block(seed, block, min(BLOCK_DEALS, deals - block * BLOCK_DEALS), players)
        held = np.asarray(predicate(masks))
        if held.dtype != np.bool_ or held.shape != masks.shape:
            raise BadInput(
                f"a predicate returns booleans of its argument's shape {masks.shape}, "
                f"not {held.dtype} of shape {held.shape}"
            )
        histogram += np.bincount(np.count_nonzero(held, axis=1), minlength=players + 1)
    by_count = tuple(int(number) for number in histogram)
    estimate = clustered_proportion(by_count)
    return Frequency(
        p=estimate.p,
        ci95=_interval(by_count),
        se=estimate.se,
        count=estimate.count,
        hands=estimate.hands,
        deals=deals,
        deals_by_count=by_count,
        seed=seed,
    )


def _interval(deals_by_count: tuple[int, ...]) -> Interval:
    """Return the 95 % interval of the proportion of hands; see `frequency`."""
    players = len(deals_by_count) - 1
    estimate = clustered_proportion(deals_by_count)
    if 2 * estimate.count > estimate.hands:
        rest = _interval(deals_by_count[::-1])
        return Interval(1.0 - rest.high, 1.0 - rest.low)
    if estimate.deals_holding >= FEWEST_DEALS_FOR_NORMAL:
        low, high = normal_interval(estimate.p, estimate.se)
        return Interval(max(0.0, low), min(1.0, high))
    hands_a_holding_deal = estimate.count / estimate.deals_holding if estimate.count else 1.0
    scale = hands_a_holding_deal / players
    low, high = clopper_pearson(estimate.deals_holding, estimate.deals)
    return Interval(low * scale, high * scale)

"""Waves: the numbers of deals at which a run with a goal looks whether it may stop.

They are fixed beforehand, in whole blocks, whatever the number of workers and whatever was found;
so the stopping point depends on the seed and the goal only. Each wave is a quarter larger than the
one before: a run goes at most that much beyond what its goal needed, and looks seldom enough for
its intervals to hold (the coverage study measures it).
"""

from __future__ import annotations

from collections.abc import Iterator

from montecarlo.dealing.streams import BLOCK_DEALS

GROWTH_NUMERATOR, GROWTH_DENOMINATOR = 5, 4


def wave_sizes(unit: int = BLOCK_DEALS) -> Iterator[int]:
    """Yield the deals after each wave, without end: 1, 2, 3, 4, 5, 7, 9, … ``unit``s."""
    units = 1
    while True:
        yield units * unit
        units = -(-units * GROWTH_NUMERATOR // GROWTH_DENOMINATOR)


def first_wave(deals: int) -> int:
    """Return the first wave of at least ``deals`` deals."""
    return next(size for size in wave_sizes() if size >= deals)

"""How many deals a wanted precision needs: half-width planning, solved before the run.

Means and ratios need ``(sd / se)²`` deals, where ``sd`` is the standard deviation of what one deal
adds; exact intervals of rare counts are searched, because their width is no power of the deals.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from montecarlo.errors import BadInput
from montecarlo.statistics.intervals import normal_quantile

MOST = 2**63
"""No plan asks for more deals than this."""


def deals_for_se(sd: float, se: float) -> int:
    """Return the least n with ``sd`` / √n < ``se``.

    ``sd``: standard deviation of a deal's contribution, ``se``: the standard error wanted. Raises
    BadInput unless both are finite, ``sd`` at least 0 and ``se`` above 0.

    Source: Cochran (1977), Sampling Techniques, 3rd ed., §4.7.
    """
    if not (0 <= sd < math.inf and 0 < se < math.inf):
        raise BadInput(f"a plan needs a spread of at least 0 and an error above 0: {sd}, {se}")
    root = sd / se
    if root >= math.sqrt(MOST):
        return MOST
    return math.floor(root * root) + 1


def deals_for_width(sd: float, width: float, confidence: float = 0.95) -> int:
    """Return the least n whose normal interval ± z ``sd`` / √n is narrower than ``width``.

    Raises BadInput as `deals_for_se` does.
    """
    return deals_for_se(sd, width / (2 * normal_quantile(confidence)))


def least_deals(is_enough: Callable[[int], bool]) -> int:
    """Return the least n >= 1 for which ``is_enough(n)`` holds, `MOST` if none does.

    ``is_enough`` may only change once, from False to True, as n grows. Doubling, then bisection.
    """
    high = 1
    while not is_enough(high):
        high *= 2
        if high >= MOST:
            return MOST
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def exact_width(p: float, deals: int, confidence: float = 0.95) -> float:
    """Return the width to expect of the Clopper-Pearson interval of a proportion ``p``.

    It is the interval at the expected count ``p`` · ``deals``, which need not be whole, so that the
    width falls smoothly as the deals grow.

    Source: quantiles of the beta law, as in `montecarlo.statistics.intervals.clopper_pearson`.
    """
    from montecarlo.statistics.beta import beta_high_quantile, beta_low_quantile

    tail = (1 - confidence) / 2
    count = p * deals
    if count >= deals:
        return 1.0
    low = beta_low_quantile(count, deals - count + 1, tail) if count else 0.0
    return beta_high_quantile(count + 1, deals - count, tail) - low

"""The verdict on a claim that gives no figure but a sign: this is more than that."""

from __future__ import annotations

from montecarlo.statistics.intervals import Interval
from montecarlo.studies.claims.findings import Verdict


def above_zero(interval: Interval) -> Verdict:
    """Confirmed if the whole interval lies above 0, refuted if below, undecided if 0 is inside."""
    if interval.low > 0:
        return "confirmed"
    return "refuted" if interval.high < 0 else "undecided"


def below_zero(interval: Interval) -> Verdict:
    """The same for a claim that something is less."""
    return above_zero(Interval(-interval.high, -interval.low))

"""How often intervals hold the truth, and whether p-values of true hypotheses are uniform."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from montecarlo.errors import BadInput
from montecarlo.statistics.intervals import Interval, clopper_pearson


@dataclass(frozen=True)
class Coverage:
    """Of ``runs`` independent intervals, ``covered`` held the truth, bounds included.

    ``below`` intervals ended below it, ``above`` began above it.
    """

    runs: int
    below: int
    above: int

    @property
    def covered(self) -> int:
        """Intervals that held the truth."""
        return self.runs - self.below - self.above

    @property
    def share(self) -> float:
        """The share that held it."""
        return self.covered / self.runs

    @property
    def interval(self) -> Interval:
        """The exact 95 % interval of the true coverage."""
        return clopper_pearson(self.covered, self.runs)


def coverage(intervals: Iterable[Interval], truth: float) -> Coverage:
    """Count the intervals that hold ``truth``; raises BadInput when there are none."""
    runs = below = above = 0
    for interval in intervals:
        runs += 1
        below += interval.high < truth
        above += interval.low > truth
    if not runs:
        raise BadInput("coverage needs at least one interval")
    return Coverage(runs, below, above)


@dataclass(frozen=True)
class Uniformity:
    """The largest gap between p-values and the uniform law, and the p-value of that gap."""

    size: int
    gap: float
    p_value: float


def uniformity(p_values: Sequence[float]) -> Uniformity:
    """Test that p-values are uniform on (0, 1), two-sided, by the Kolmogorov-Smirnov distance.

    The p-value is exact. Raises BadInput when there are none.

    Source: Kolmogorov (1933), Giornale dell'Istituto Italiano degli Attuari 4, 83-91; exact law by
    Simard & L'Ecuyer (2011), Journal of Statistical Software 39 (11).
    """
    size = len(p_values)
    if not size:
        raise BadInput("a test of uniformity needs at least one p-value")
    from scipy.stats import kstwo

    ordered = sorted(p_values)
    gap = max(max((i + 1) / size - p, p - i / size) for i, p in enumerate(ordered))
    return Uniformity(size, gap, float(kstwo.sf(gap, size)))


def excess_rejections(p_values: Sequence[float], level: float) -> float:
    """Return the p-value of "a test at ``level`` rejects no more often than it says".

    For tests of discrete counts, whose p-values are larger than uniform ones: the chance that at
    least as many of n independent p-values as were seen are at most ``level``. Raises BadInput for
    no p-values or a level outside (0, 1).
    """
    if not p_values or not 0 < level < 1:
        raise BadInput("rejections are counted among at least one p-value, at a level in (0, 1)")
    rejected = sum(p <= level for p in p_values)
    if rejected == 0:
        return 1.0
    from scipy.special import betainc

    return float(betainc(rejected, len(p_values) - rejected + 1, level))

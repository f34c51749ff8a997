"""Study: simulated frequencies of specials, each with interval, z and p-value against exact.

The hands of one deal are dependent, so errors come from per-deal totals. Where fewer than 30
hands are expected no normal error is right: then the number of deals that hold the special is
tested by the exact binomial law, against the chance that a table of that many players holds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from montecarlo.simulation.tallies import Tally
from montecarlo.statistics.clustered import clustered_proportion
from montecarlo.statistics.hypothesis_tests import binomial_p_value, holm, z_test
from montecarlo.statistics.intervals import Interval, clopper_pearson, normal_interval
from montecarlo.studies.exact import TOTAL, ExactResult
from montecarlo.variants import Variant

FEWEST_FOR_NORMAL = 30
SIGNIFICANCE = 0.05
CONFIDENCE = 1 - SIGNIFICANCE


@dataclass(frozen=True)
class SpecialFrequency:
    """How often hands declare one special: simulated, beside its exact probability."""

    id: str
    zh: str
    en: str
    count: int
    hands: int
    deals_holding: int
    p: float
    se: float
    ci95: Interval
    ci95_table: Interval
    """one of a set of intervals that hold all specials of the table together with 95 %"""
    exact_p: float
    z: float
    p_value: float
    holm_p_value: float
    method: str

    def to_data(self) -> dict[str, Any]:
        """Return the entry of design.md's ``specials`` list."""
        return {
            "id": self.id,
            "zh": self.zh,
            "en": self.en,
            "count": self.count,
            "hands": self.hands,
            "deals_holding": self.deals_holding,
            "p": self.p,
            "se": self.se,
            "ci95": list(self.ci95),
            "ci95_table": list(self.ci95_table),
            "exact_p": self.exact_p,
            "z": self.z,
            "p_value": self.p_value,
            "holm_p_value": self.holm_p_value,
            "method": self.method,
        }


def frequencies(variant: Variant, tally: Tally, exact: ExactResult) -> tuple[SpecialFrequency, ...]:
    """Compare the ``holders`` tally of a run with the exact counts of its variant."""
    entries = [frequency(tally, exact, place) for place in range(len(exact.specials))]
    adjusted = holm([entry.p_value for entry in entries])
    return tuple(replace(e, holm_p_value=p) for e, p in zip(entries, adjusted, strict=True))


def frequency(tally: Tally, exact: ExactResult, place: int) -> SpecialFrequency:
    """Compare one special, by its place in the list, with its exact count.

    Its ``holm_p_value`` is its p-value: adjusted for no other test.
    """
    special = exact.specials[place]
    histogram = [int(deals) for deals in tally.arrays["holders"][place]]
    # simultaneous intervals after Bonferroni, as Goodman's are, but from clustered errors
    together = 1 - SIGNIFICANCE / len(exact.specials)
    return _compare(
        special.id, special.zh, special.en, histogram, special.exclusive / TOTAL, together
    )


def agreement(entries: Sequence[SpecialFrequency]) -> str:
    """Say in one sentence whether simulation and exact counts agree (Holm at 5 %)."""
    if not entries:
        return "The variant has no specials to compare."
    worst = min(entries, key=lambda entry: entry.holm_p_value)
    if worst.holm_p_value >= SIGNIFICANCE:
        return (
            f"Simulation and exact counts agree in all {len(entries)} rows "
            f"(smallest Holm-adjusted p-value {worst.holm_p_value:.2g}, {worst.id})."
        )
    differing = [e.id for e in entries if e.holm_p_value < SIGNIFICANCE]
    return (
        f"Simulation and exact counts DISAGREE in {len(differing)} of {len(entries)} rows "
        f"({', '.join(differing)}; Holm-adjusted p-value {worst.holm_p_value:.2g})."
    )


def _compare(
    name: str, zh: str, en: str, deals_by_count: list[int], exact_p: float, together: float
) -> SpecialFrequency:
    found = clustered_proportion(deals_by_count)
    players = len(deals_by_count) - 1
    deals = found.deals
    if exact_p * found.hands >= FEWEST_FOR_NORMAL:
        test = z_test(found.p, found.se, exact_p)
        interval, wide = (
            _within(normal_interval(found.p, found.se, c)) for c in (CONFIDENCE, together)
        )
        z, p_value, method, se = test.z, test.p_value, "clustered", found.se
    else:
        # P(table holds it) = players·p - E[holders beyond the first]; the second term is tiny
        # and is taken from the run itself.
        beyond = sum((c - 1) * n for c, n in enumerate(deals_by_count) if c > 1) / deals
        table_chance = max(players * exact_p - beyond, 0.0)
        p_value = binomial_p_value(found.deals_holding, deals, table_chance)
        per_hand = exact_p / table_chance if table_chance > 0 else 1 / players
        interval, wide = (
            _within(_scaled(clopper_pearson(found.deals_holding, deals, c), per_hand))
            for c in (CONFIDENCE, together)
        )
        spread = (table_chance * (1 - table_chance) * deals) ** 0.5
        z = (found.deals_holding - table_chance * deals) / spread if spread > 0 else 0.0
        se = found.se if deals > 1 else 0.0
        method = "exact"
    return SpecialFrequency(
        name, zh, en, found.count, found.hands, found.deals_holding,
        found.p, se, interval, wide, exact_p, z, p_value, p_value, method,
    )  # fmt: skip


def _within(interval: Interval) -> Interval:
    return Interval(max(0.0, interval.low), min(1.0, interval.high))


def _scaled(interval: Interval, factor: float) -> Interval:
    return Interval(interval.low * factor, interval.high * factor)

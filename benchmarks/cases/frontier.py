"""`frontier`: all settings of a hand that no other dominates; against all 72,072 splits."""

from __future__ import annotations

from measuring import Benchmark
from settings_sample import hands

from montecarlo.cards import codes_from_masks
from montecarlo.setting.frontier import frontier_many
from montecarlo.setting.static_tables import setting_tables
from tests.twins import settings as twin

HANDS = 10_000
BASELINE_HANDS = 20


def benchmark() -> Benchmark:
    """Return the benchmark."""
    masks, tables = hands(HANDS), setting_tables()
    codes = codes_from_masks(masks[:BASELINE_HANDS])

    def run() -> float:
        frontier_many(masks, tables)
        return HANDS

    def baseline_run() -> float:
        for hand in codes:
            twin.frontier(hand, "second", "grouped")
        return BASELINE_HANDS

    return Benchmark("hands", run, "brute force over 72,072 splits (numba)", baseline_run)

"""`compile`: a policy for all 3,598,180 rank multisets; against brute force, hand by hand."""

from __future__ import annotations

from measuring import Benchmark
from settings_sample import brute_force, hands, taiwan_response

from montecarlo.setting.compiled_policy import best_entries
from montecarlo.setting.rank_multisets import MULTISETS, WHOLE_HAND

BASELINE_HANDS = 20


def benchmark() -> Benchmark:
    """Return the benchmark; the baseline sets a few hands and counts them as part of a table."""
    aim, tables = taiwan_response()
    masks = hands(BASELINE_HANDS)

    def run() -> float:
        best_entries(aim, tables)
        return 1.0

    def baseline_run() -> float:
        brute_force(masks, aim)
        return BASELINE_HANDS / MULTISETS[WHOLE_HAND]

    name = "brute force over 72,072 splits of each (extrapolated)"
    return Benchmark("policies", run, name, baseline_run)

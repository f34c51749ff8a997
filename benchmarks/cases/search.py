"""`search`: best settings under an objective that no table was compiled for."""

from __future__ import annotations

from measuring import Benchmark
from settings_sample import brute_force, hands, taiwan_response

from montecarlo.setting.by_objective import set_batch

HANDS = 1_000_000
BASELINE_HANDS = 20


def benchmark() -> Benchmark:
    """Return the benchmark; bounds are made anew in each run, as for each objective."""
    objective, tables = taiwan_response()
    masks = hands(HANDS)

    def run() -> float:
        set_batch(masks, objective, tables)
        return HANDS

    def baseline_run() -> float:
        brute_force(masks[:BASELINE_HANDS], objective)
        return BASELINE_HANDS

    return Benchmark("hands", run, "brute force over 72,072 splits (numba, numpy)", baseline_run)

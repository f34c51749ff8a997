"""`set`: best settings of hands under a compiled policy; against brute force."""

from __future__ import annotations

from measuring import Benchmark
from settings_sample import brute_force, hands, taiwan_response

from montecarlo.setting.compiled_policy import compile_policy, set_hands

HANDS = 200_000
BASELINE_HANDS = 20


def benchmark() -> Benchmark:
    """Return the benchmark."""
    policy = compile_policy(*taiwan_response())
    masks = hands(HANDS)

    def run() -> float:
        set_hands(masks, policy)
        return HANDS

    def baseline_run() -> float:
        brute_force(masks[:BASELINE_HANDS], policy.objective)
        return BASELINE_HANDS

    return Benchmark("hands", run, "brute force over 72,072 splits (numba, numpy)", baseline_run)

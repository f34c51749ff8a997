"""`set`: best settings of hands under the compiled equilibrium of `taiwan`; against brute force."""

from __future__ import annotations

from measuring import Benchmark
from settings_sample import brute_force, hands, taiwan_equilibrium

from montecarlo.setting.compiled_policy import set_hands

HANDS = 200_000
BASELINE_HANDS = 20


def benchmark() -> Benchmark:
    """Return the benchmark."""
    policy = taiwan_equilibrium()
    masks = hands(HANDS)

    def run() -> float:
        set_hands(masks, policy)
        return HANDS

    def baseline_run() -> float:
        brute_force(masks[:BASELINE_HANDS], policy.objective)
        return BASELINE_HANDS

    return Benchmark("hands", run, "brute force over 72,072 splits (numba, numpy)", baseline_run)

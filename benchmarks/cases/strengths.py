"""`strengths`: classes of five-card rows given as card codes, in bulk; against phevaluator."""

from __future__ import annotations

from itertools import starmap

import numpy as np
from measuring import Benchmark
from phevaluator.evaluator import evaluate_cards

from montecarlo.strength.evaluate import row_classes
from montecarlo.strength.tables import row_tables

ROWS = 1_000_000
BASELINE_ROWS = 100_000


def benchmark() -> Benchmark:
    """Return the benchmark: random rows, the wheel of ordinary poker."""
    tables = row_tables("lowest")
    rng = np.random.default_rng(1)
    deals = rng.random((ROWS, 52), np.float32)
    codes = np.argpartition(deals, 5, axis=1)[:, :5].astype(np.uint8)
    hands = codes[:BASELINE_ROWS].tolist()

    def run() -> float:
        row_classes(codes, tables)
        return ROWS

    def baseline_run() -> float:
        for _ in starmap(evaluate_cards, hands):
            pass
        return BASELINE_ROWS

    return Benchmark("rows", run, "phevaluator evaluate_cards", baseline_run)

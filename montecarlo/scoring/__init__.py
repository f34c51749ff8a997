"""Scoring of whole tables: from settings to units, payout lines, payout counts and money."""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "score": "montecarlo.scoring.whole_tables",
    "score_lines": "montecarlo.scoring.whole_tables",
    "Score": "montecarlo.scoring.whole_tables",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    # Loaded on first use: importing the package must not start the compiler.
    if name not in _HOMES:
        raise AttributeError(f"module 'montecarlo.scoring' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)

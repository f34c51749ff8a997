"""montecarlo: Monte Carlo statistics for the Chinese card game 十三张 (thirteen cards).

The stable surface (see the README): ``Hand``, ``Variant``, ``exact``, ``simulate``, ``score``,
``hand``, ``advise``, ``verify``. Names are loaded on first use, so that importing the package costs
nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Hand": "montecarlo.cards",
    "Variant": "montecarlo.variants",
    "BadInput": "montecarlo.errors",
    "exact": "montecarlo.studies.exact",
    "simulate": "montecarlo.studies.simulate",
    "runs": "montecarlo.studies.runs",
    "extend": "montecarlo.studies.extend",
    "merge": "montecarlo.studies.merge",
    "simulate_until": "montecarlo.studies.simulate_until",
    "plan_goal": "montecarlo.studies.plan_goal",
    "compare": "montecarlo.studies.compare",
    "attribute": "montecarlo.studies.attribution",
    "score": "montecarlo.scoring",
    "hand": "montecarlo.studies.hand",
    "advise": "montecarlo.studies.advise",
    "deal": "montecarlo.studies.export",
    "value": "montecarlo.studies.value",
    "reduced_means": "montecarlo.studies.variance_reduction",
    "train": "montecarlo.studies.train",
    "moments": "montecarlo.studies.moments",
    "tune": "montecarlo.studies.tuning.tune",
    "par": "montecarlo.studies.par_sheet",
    "skill": "montecarlo.studies.skill",
    "banker": "montecarlo.studies.banker",
    "risk_of_ruin": "montecarlo.studies.ruin",
    "sensitivities": "montecarlo.studies.tuning.sensitivities",
    "audit": "montecarlo.studies.audit",
    "ambiguity": "montecarlo.studies.ambiguity",
    "reproduce": "montecarlo.reporting.reproduce",
    "verify": "montecarlo.studies.verify",
    "frequency": "montecarlo.specials.custom",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'montecarlo' has no attribute '{name}'")
    return getattr(importlib.import_module(home), name)

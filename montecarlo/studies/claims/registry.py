"""The computations by name: any module of this package may add one, nothing else may."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping

from montecarlo.errors import BadInput, nearest
from montecarlo.studies.claims.findings import Finding
from montecarlo.studies.claims.schema import Claim

Computation = Callable[[Claim], Finding]

_COMPUTATIONS: dict[str, Computation] = {}


def computation(name: str) -> Callable[[Computation], Computation]:
    """Register the decorated function as the computation ``name``; ValueError if it is taken."""

    def register(function: Computation) -> Computation:
        if name in _COMPUTATIONS:
            raise ValueError(f"computation '{name}' is registered twice")
        _COMPUTATIONS[name] = function
        return function

    return register


def computations() -> Mapping[str, Computation]:
    """Return all computations by name; the package's modules are imported on the first call."""
    package = importlib.import_module(__package__ or "montecarlo.studies.claims")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return _COMPUTATIONS


def find_computation(claim: Claim) -> Computation:
    """Return the computation a claim names; raises BadInput when there is none of that name."""
    known = computations()
    if claim.computation not in known:
        raise BadInput(
            f"claim {claim.id}: unknown computation '{claim.computation}'"
            f"{nearest(claim.computation, known)}"
        )
    return known[claim.computation]

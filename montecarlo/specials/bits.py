"""Two processor instructions on 64-bit words that numba does not offer by name.

They are emitted as LLVM intrinsics, so that kernels calling them are still cached on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from montecarlo.compiled import kernel


@intrinsic
def _ctpop(typing_context: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), emit


@intrinsic
def _cttz(typing_context: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), emit


@kernel
def popcount(word: np.uint64) -> np.uint64:
    """Return how many bits of a word are set."""
    return np.uint64(_ctpop(word))  # type: ignore[call-arg]


@kernel
def lowest_bit(word: np.uint64) -> np.uint64:
    """Return the index of the lowest set bit of a word, 64 for zero."""
    return np.uint64(_cttz(word))  # type: ignore[call-arg]

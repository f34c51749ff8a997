"""Single-instruction bit tricks for kernels, which numba does not offer by itself.

They are emitted as LLVM intrinsics, so that kernels calling them are still cached on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic

Bits = Callable[[np.uint64], np.uint64]
_instruction: Callable[[Any], Any] = intrinsic


def _lowest_bit(typing_context: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.false_bit)

    return types.uint64(types.uint64), emit


def _highest_bit(typing_context: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        leading = builder.ctlz(arguments[0], cgutils.false_bit)
        return builder.sub(arguments[0].type(63), leading)

    return types.uint64(types.uint64), emit


def _bit_count(typing_context: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), emit


lowest_bit: Bits = _instruction(_lowest_bit)  #: place of the lowest set bit; 64 for zero
highest_bit: Bits = _instruction(_highest_bit)  #: place of the highest set bit (of a word not 0)
bit_count: Bits = _instruction(_bit_count)  #: how many bits are set

"""Block streams: numpy's own generator, one a block, and no two alike."""

from __future__ import annotations

import numpy as np
import pytest

from montecarlo.dealing.streams import BLOCK_DEALS, block_state
from montecarlo.errors import BadInput


@pytest.mark.parametrize(("seed", "block"), [(0, 0), (1, 3), (2**64 + 5, 2**32 - 1), (10**40, 7)])
def test_state_is_that_of_numpys_sfc64(seed: int, block: int) -> None:
    generator = np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(block,)))
    state = block_state(seed, block)
    assert state.dtype == np.uint64
    assert state.tolist() == generator.state["state"]["state"].tolist()


def test_each_block_and_seed_has_its_own_state() -> None:
    states = {tuple(block_state(seed, block).tolist()) for seed in range(40) for block in range(40)}
    assert len(states) == 1600


def test_each_call_returns_a_new_array() -> None:
    first = block_state(1, 2)
    first[:] = 0
    assert block_state(1, 2).all()


def test_numpy_integers_are_integers() -> None:
    assert block_state(np.int64(5), np.uint8(2)).tolist() == block_state(5, 2).tolist()


@pytest.mark.parametrize(
    ("seed", "block", "named"),
    [(-1, 0, "seed"), (1.0, 0, "seed"), (True, 0, "seed"), ("1", 0, "seed"), (None, 0, "seed"),
     (1, -1, "block"), (1, 2**32, "block"), (1, 0.5, "block")],
)  # fmt: skip
def test_bad_input_is_named(seed: int, block: int, named: str) -> None:
    with pytest.raises(BadInput, match=f"^{named} must be an integer") as caught:
        block_state(seed, block)
    assert "\n" not in str(caught.value)


def test_a_block_has_the_agreed_size() -> None:
    assert BLOCK_DEALS == 65536

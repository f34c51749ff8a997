"""Training an equilibrium: fictitious play against a population that is dealt anew each round.

Each round everybody plays the best response to the average of all rounds before; the average gives
later rounds more weight (round k counts k times), so that the greedy start is soon forgotten.
The same variant, role, players and seed give the same numbers on any machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from montecarlo.dealing.dealer import deal_block
from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.setting.by_objective import set_batch
from montecarlo.setting.objective import Objective, lexicographic
from montecarlo.setting.payoff import Payoff, payoff
from montecarlo.setting.policy_files import (
    SCHEMA,
    TrainedPolicy,
    counts_players,
    rules_hash,
    shipped_rounds,
)
from montecarlo.setting.population import (
    Sample,
    Statistics,
    choose_grid,
    needs_grid,
    statistics,
    value_tables,
)
from montecarlo.setting.static_tables import setting_tables
from montecarlo.setting.value_tables import ValueTables
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.strength.tables import row_tables
from montecarlo.variants.schema import Variant

OPPONENTS = 3
FIRST_ROUNDS = 5
"""Rounds after which training with a grid starts afresh."""
Report = Callable[[int], None]
Masks = NDArray[np.uint64]
Classes = NDArray[np.uint16]


@dataclass(frozen=True)
class Training:
    """How long to train: rounds, and blocks of 65,536 tables of three opponents each.

    With no ``rounds`` it is `default_rounds`, as for the policies that are shipped.
    """

    rounds: int | None = None
    blocks: int = 2
    seed: int = 0


@dataclass
class _Side:
    """One role while it is trained: its payoff, its policy and the population it forms."""

    role: str
    payoff: Payoff
    objective: Objective
    average: Statistics | None = None


def opponent_role(role: str) -> str:
    """Return the role of the seats that a role settles with."""
    return {"banker": "player", "player": "banker"}.get(role, "any")


def sample_tables(
    variant: Variant,
    set_hands: Callable[[Masks], Classes],
    seed: int,
    first_block: int,
    blocks: int,
) -> Sample:
    """Deal tables of three hands and set them all."""
    masks = np.concatenate(
        [deal_block(seed, first_block + b, players=OPPONENTS) for b in range(blocks)]
    )
    if variant.specials:
        ordinary = first_special(masks, compile_rules(variant.rules)) < 0
    else:
        ordinary = np.ones(masks.shape, dtype=np.bool_)
    classes = set_hands(masks.ravel()).reshape(len(masks), OPPONENTS, 3)
    return Sample(classes, ordinary)


def train(
    variant: Variant,
    players: int = 4,
    training: Training | None = None,
    report: Report | None = None,
) -> dict[str, TrainedPolicy]:
    """Train the equilibrium of a variant; return the policy of each role.

    ``report`` is told the number of each round that is done. Raises BadInput for ladders.
    """
    training = training or Training()
    roles = ("banker", "player") if variant.banker else ("any",)
    static = setting_tables(variant.wheel, variant.compare)
    greedy = lexicographic(row_tables(variant.wheel, "grouped"))
    sides = {role: _Side(role, payoff(variant, role, players), greedy) for role in roles}
    seed = _seed(variant, players, training.seed)

    def sample(objective: Objective, first_block: int, blocks: int) -> Sample:
        # greedy looks at grouped strength whatever ``compare`` is
        tables = setting_tables(variant.wheel, "grouped") if objective is greedy else static
        return sample_tables(
            variant, lambda masks: set_batch(masks, objective, tables), seed, first_block, blocks
        )

    first = sample(greedy, 0, 1)
    grids = {
        role: choose_grid(first, side.payoff) if needs_grid(side.payoff) else None
        for role, side in sides.items()
    }
    restart = FIRST_ROUNDS if any(grids.values()) else 0
    tables: dict[str, list[ValueTables]] = {role: [] for role in roles}
    rounds = training.rounds or default_rounds(variant, players)
    for number in range(1, rounds + 1):
        first_block = 1 + (number - 1) * training.blocks * len(roles)
        if number == restart + 1 and restart:
            # the start is forgotten, and the grids follow the quantiles of good play
            for role, side in sides.items():
                opponents = sides[opponent_role(role)]
                grids[role] = choose_grid(sample(opponents.objective, 0, 1), side.payoff)
                opponents.average = None
        for place, (role, side) in enumerate(sides.items()):
            dealt = sample(side.objective, first_block + place * training.blocks, training.blocks)
            responder = sides[opponent_role(role)]
            new = statistics(dealt, responder.payoff, grids[responder.role])
            weight = 2 / (number - (restart if number > restart else 0) + 1)
            side.average = new if side.average is None else side.average.mixed_with(new, weight)
        for role, side in sides.items():
            against = sides[opponent_role(role)].average
            assert against is not None
            response = value_tables(against, side.payoff, grids[role])
            tables[role].append(response)
            side.objective = response.to_objective(static.rows)
        if report:
            report(number)
    return {
        role: TrainedPolicy(
            _kept(variant, tables[role]),
            {
                "schema": SCHEMA,
                "variant": variant.id,
                "knobs": variant.knobs,
                "role": role,
                "players": players if counts_players(variant) else "any",
                "rules": rules_hash(variant, role, players),
                "wheel": variant.wheel,
                "compare": variant.compare,
                "seed": training.seed,
                "rounds": rounds,
                "tables_a_round": training.blocks * BLOCK_DEALS,
                "tables": len(_kept(variant, tables[role])),
            },
        )
        for role in roles
    }


def default_rounds(variant: Variant, players: int) -> int:
    """Return how many rounds to train for: those of the variant's shipped policy if there is one.

    They bring the gain over the population near what its sampling leaves.
    """
    role = "banker" if variant.banker else "any"
    shipped = shipped_rounds(variant, role, players)
    if shipped is not None:
        return shipped
    if averaged_rounds(variant) > 1:
        return 96
    return 14 if needs_grid(payoff(variant, role, players)) else 16


def averaged_rounds(variant: Variant) -> int:
    """Return how many rounds a policy averages: one best response keeps jumping when many hands
    share one choice, which comparing the highest card alone brings about."""
    return 64 if variant.compare == "top_card" else 1


def _kept(variant: Variant, tables: list[ValueTables]) -> tuple[ValueTables, ...]:
    return tuple(tables[-averaged_rounds(variant) :])


def _seed(variant: Variant, players: int, seed: int) -> int:
    """Derive the seed of the training deals, so that no simulation shares them."""
    text = f"train {variant.play_sha256} {players if counts_players(variant) else 'any'} {seed}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def plain_rows(wheel: str) -> Variant:
    """Return the game of plain rows that ``balanced`` is the equilibrium of."""
    return Variant.model_validate(
        {
            **Variant.load("coins", [f"wheel={wheel}"]).model_dump(),
            "id": f"balanced-{wheel}".replace("-", "_"),
            "rows": {"head": {"base": 1}, "middle": {"base": 1}, "tail": {"base": 1}},
            "specials": (),
        }
    )

"""What a special should pay so that declaring it and playing on are worth the same.

Hands that hold it are picked from ordinary deals; each is scored twice against the same opponents,
declared and set. The difference of the two payout counts, averaged, is a vector g: the points are
fair when g · v = 0, which is linear in the payout table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from montecarlo.dealing.dealer import deal_block
from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import BadInput
from montecarlo.scoring.lines import payout_ids, payout_of_special
from montecarlo.scoring.payments import payment_ids, payment_places, payouts_of_payments
from montecarlo.scoring.seats import STATUS_ROWS
from montecarlo.simulation.counts import CountExperiment
from montecarlo.simulation.counts_kernel import count_payments
from montecarlo.simulation.payouts import BANKER_SEAT, play_hands, scoring_rules
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.statistics.clustered import Estimate

Floats = NDArray[np.float64]

HANDS = 20_000
FEWEST_HANDS = 200
MOST_BLOCKS = 64


@dataclass(frozen=True, eq=False)
class FairValue:
    """Sums over deals in which somebody holds the special: of declaring less playing on."""

    special: str
    hands: int
    deals: int
    mean: Floats
    """g (payouts,): difference of payout counts, per hand"""
    second: Floats
    """(payouts, payouts): second moments of a deal's differences"""
    place: int

    def values(self, vectors: Floats) -> Floats:
        """Return the gain of declaring (N,), in units a hand, for payout vectors (N, payouts)."""
        return np.asarray(vectors @ self.mean)

    def gradient(self, _v: Floats) -> Floats:
        """Return g."""
        return self.mean

    def points(self, v: Floats) -> Estimate:
        """Return the fair points of the special when all else is paid as in v."""
        per_point = float(self.mean[self.place])
        gain = float(self.mean @ v)
        fair = v.astype(np.float64).copy()
        fair[self.place] -= gain / per_point
        spread = math.sqrt(max(float(fair @ self.second @ fair), 0.0) / self.deals)
        error = spread * self.deals / self.hands / abs(per_point)
        return Estimate(float(fair[self.place]), error, self.deals)


def fair_value(experiment: CountExperiment, special: str, seed: int) -> FairValue:
    """Compare declaring and playing on for hands that hold a special, in any seat.

    ``special`` is a payout id. Raises BadInput for one too rare to be met in four million deals.
    """
    dealt = _holders(experiment, special, seed)
    variant = experiment.variant
    rules, places = scoring_rules(variant), payment_places(variant)
    matrix, size = payouts_of_payments(variant), len(payment_ids(variant))
    seated = experiment.seats()
    wanted = _entries(experiment, special)
    firsts, seats = play_hands(variant, rules, dealt, seated)
    difference = np.zeros((len(dealt), matrix.shape[1]))
    hands = 0
    for seat in range(experiment.players):
        holding = np.flatnonzero(np.isin(firsts[:, seat], wanted))
        table = seats[holding].copy()
        declared = count_payments(rules, places, table, BANKER_SEAT, seat, size)
        table["status"][:, seat] = STATUS_ROWS
        table["special"][:, seat] = -1
        table["strength"][:, seat] = 0
        set_out = count_payments(rules, places, table, BANKER_SEAT, seat, size)
        difference[holding] += (declared - set_out) @ matrix
        hands += holding.size
    place = payout_ids(variant).index(special)
    return FairValue(
        special, hands, len(dealt), difference.sum(axis=0) / hands,
        difference.T @ difference / len(dealt), place,
    )  # fmt: skip


def _entries(experiment: CountExperiment, special: str) -> list[int]:
    return [
        place
        for place, entry in enumerate(experiment.variant.specials)
        if payout_of_special(experiment.variant, entry) == special
    ]


def _holders(experiment: CountExperiment, special: str, seed: int) -> NDArray[np.uint64]:
    """Return deals (N, players) in which somebody holds the special, from ordinary ones."""
    wanted = tuple(_entries(experiment, special))
    masks, hands, blocks = _dealt_holders(experiment, wanted, seed)
    if hands < FEWEST_HANDS:
        raise BadInput(
            f"fair({special}): {hands} hands of {blocks * BLOCK_DEALS:,} deals hold it, "
            f"{FEWEST_HANDS} are needed to tell what playing on is worth"
        )
    return masks


@lru_cache(maxsize=32)
def _dealt_holders(
    experiment: CountExperiment, wanted: tuple[int, ...], seed: int
) -> tuple[NDArray[np.uint64], int, int]:
    program = compile_rules(experiment.variant.rules)
    kept, hands, block = [], 0, 0
    while block < MOST_BLOCKS and hands < HANDS:
        masks = deal_block(seed, block, players=experiment.players)
        holds = np.isin(first_special(masks, program), wanted)
        kept.append(masks[holds.any(axis=1)])
        hands += int(holds.sum())
        block += 1
    return np.concatenate(kept), hands, block

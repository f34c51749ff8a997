"""Study: is the deck dealt fairly, and do deals depend on nothing but seed and block?"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import comb, factorial, prod

import numpy as np

from montecarlo.cards import SEATS
from montecarlo.dealing.dealer import deal_block
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.simulation.plan import Plan, Span, tally_span
from montecarlo.simulation.runner import run
from montecarlo.simulation.tallies import Tally, merge
from montecarlo.specials.custom import suit_lengths
from montecarlo.statistics.hypothesis_tests import ChiSquare, chi_square
from montecarlo.variants import load

FEWEST_EXPECTED = 5
SUITS = 4
SUIT_SIZE = 13
LANE_BITS = 16


@dataclass(frozen=True)
class DealtTwice:
    """One way to carry out the same run, and a digest of what it added up to."""

    how: str
    digest: str


def same_bits(deals: int, seed: int) -> tuple[DealtTwice, ...]:
    """Carry out one run in several ways: with one worker and two, backwards, and in two halves.

    ``deals``: four blocks of 65,536 or more, so that there is something to share out.
    """
    experiment = FrequencyExperiment(load("taiwan"), SEATS)
    plan = Plan(experiment, seed, deals)
    blocks = list(plan.span.split(1))
    half = len(blocks) // 2
    first = Plan(experiment, seed, sum(block.deals for block in blocks[:half]))
    rest = Plan(experiment, seed, deals - first.deals, first_block=half)

    def one_by_one(spans: Iterable[Span]) -> Tally:
        return merge(tally_span(experiment, seed, span) for span in spans)

    return (
        DealtTwice("one worker", _digest(run(plan))),
        DealtTwice("two workers", _digest(run(plan, jobs=2))),
        DealtTwice("block by block, the last one first", _digest(one_by_one(reversed(blocks)))),
        DealtTwice("two runs, joined", _digest(merge([run(rest), run(first)]))),
    )


def seats_of_cards(seed: int, blocks: int) -> tuple[ChiSquare, ...]:
    """Test for each card, 0 to 51, that it lies in each seat equally often."""
    counts = np.zeros((SUITS * SUIT_SIZE, SEATS), dtype=np.int64)
    for block in range(blocks):
        masks = deal_block(seed, block)
        for card in range(len(counts)):
            rank, suit = divmod(card, SUITS)
            held = masks >> np.uint64(LANE_BITS * suit + rank) & np.uint64(1)
            counts[card] += held.sum(axis=0, dtype=np.int64)
    return tuple(chi_square([int(n) for n in row], [1 / SEATS] * SEATS) for row in counts)


def suit_shapes(seed: int, blocks: int) -> ChiSquare:
    """Test the suit lengths of seat 0's hand (4-4-3-2, 5-3-3-2, …) against their exact chances.

    Shapes expected fewer than five times are put together.
    """
    found: Counter[tuple[int, ...]] = Counter()
    for block in range(blocks):
        lengths = np.sort(suit_lengths(deal_block(seed, block)[:, 0]), axis=-1)
        shapes, counts = np.unique(lengths, axis=0, return_counts=True)
        for shape, count in zip(shapes.tolist(), counts.tolist(), strict=True):
            found[tuple(shape)] += count
    deals = sum(found.values())
    chances = {shape: _chance(shape) for shape in _shapes()}
    usual = [shape for shape, p in chances.items() if p * deals >= FEWEST_EXPECTED]
    rare = 1.0 - sum(chances[shape] for shape in usual)
    cells = [found[shape] for shape in usual]
    return chi_square([*cells, deals - sum(cells)], [*(chances[s] for s in usual), rare])


def _shapes() -> list[tuple[int, ...]]:
    """Return the 39 ways to make 13 cards of four suits, shortest suit first."""
    return [
        (a, b, c, d)
        for a in range(SUIT_SIZE + 1)
        for b in range(a, SUIT_SIZE + 1)
        for c in range(b, SUIT_SIZE + 1)
        for d in range(c, SUIT_SIZE + 1)
        if a + b + c + d == SUIT_SIZE
    ]


def _chance(shape: tuple[int, ...]) -> float:
    orders = factorial(SUITS) // prod(factorial(shape.count(n)) for n in set(shape))
    hands = orders * prod(comb(SUIT_SIZE, n) for n in shape)
    return hands / comb(SUITS * SUIT_SIZE, SUIT_SIZE)


def _digest(tally: Tally) -> str:
    return hashlib.sha256(repr(tally.integers("holders")).encode()).hexdigest()

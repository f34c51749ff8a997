"""Hands from inside each special hand, near misses, and every rule with every option."""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from montecarlo.specials.predicates import PREDICATES, Rule, rule

Generator = np.random.Generator
Hands = NDArray[np.uint8]

WINDOWS = [("8", "A"), ("2", "8"), ("2", "10"), ("6", "K"), ("6", "A"), ("5", "A"), ("A", "10")]
DECK = range(52)


def every_rule() -> list[Rule]:
    """Return each predicate with each combination of its options, windows as the variants use."""
    rules = []
    for predicate in PREDICATES.values():
        values = {
            name: [True, False] if isinstance(default, bool) else [default]
            for name, default in predicate.options.items()
        }
        values |= {"wheel": ["second", "lowest", "none"]} if "wheel" in values else {}
        values |= {"min": [12, 13]} if "min" in values else {}
        for chosen in product(*values.values()):
            options = dict(zip(values, chosen, strict=True))
            for low, high in WINDOWS if predicate.name == "rank_window" else [(None, None)]:
                options |= {"low": low, "high": high} if low else {}
                rules.append(rule(predicate.name, **options))
    return rules


def random_hands(rng: Generator, number: int) -> Hands:
    """Return random hands, card codes of shape (number, 13)."""
    return rng.random((number, 52)).argsort(axis=1)[:, :13].astype(np.uint8)


def near_misses(rng: Generator, hands: Hands) -> Hands:
    """Return the hands with one card of each replaced by a card it does not hold."""
    changed = hands.copy()
    for hand in changed:
        hand[rng.integers(13)] = rng.choice(np.setdiff1d(DECK, hand))
    return changed


def inside(name: str, rng: Generator, number: int) -> Hands:
    """Return hands that satisfy the predicate under some setting of its options.

    They reach every kind of hand it has; not all hands are equally likely.
    """
    draw = SAMPLERS[name]
    return np.array([draw(rng) for _ in range(number)], dtype=np.uint8)


def _choose(rng: Generator, cards: Sequence[int], size: int) -> list[int]:
    return [int(card) for card in rng.choice(np.asarray(cards), size, replace=False)]


def _filled_up(rng: Generator, cards: Sequence[int]) -> list[int]:
    """Add cards drawn from the rest of the deck until there are 13."""
    others = [card for card in DECK if card not in set(cards)]
    return [*cards, *_choose(rng, others, 13 - len(cards))]


def _of_ranks(rng: Generator, counts: Sequence[int]) -> list[int]:
    """Return cards with ``counts[r]`` of each rank r, in random suits."""
    return [
        4 * rank + suit
        for rank, count in enumerate(counts)
        for suit in _choose(rng, range(4), int(count))
    ]


def _sets(rng: Generator, sizes: Sequence[int]) -> list[int]:
    """Return cards in sets of the given sizes, on random ranks, in random suits."""
    counts = np.zeros(13, int)
    counts[rng.choice(13, len(sizes), replace=False)] = sizes
    return _of_ranks(rng, list(counts))


def _pairs(rng: Generator, pairs: int, size: int) -> list[int]:
    quads = int(rng.integers(0, pairs // 2 + 1))
    return _sets(rng, [4] * quads + [2] * (pairs - 2 * quads) + [size])


def _run(rng: Generator, length: int) -> list[int]:
    """Return consecutive ranks; the ace (12) also stands below the 2."""
    low = int(rng.integers(-1, 14 - length))
    return [rank % 13 for rank in range(low, low + length)]


def _three_straights(rng: Generator) -> list[int]:
    while True:
        rows = [_run(rng, 3), _run(rng, 5), _run(rng, 5)]
        counts = np.bincount(np.concatenate(rows), minlength=13)
        if counts.max() <= 4:
            return _of_ranks(rng, list(counts))


def _three_straight_flushes(rng: Generator) -> list[int]:
    suits = rng.choice(4, int(rng.integers(1, 4)), replace=False)
    while True:
        cards = [
            4 * rank + suit
            for length in (3, 5, 5)
            for suit in [int(rng.choice(suits))]
            for rank in _run(rng, length)
        ]
        if len(set(cards)) == 13:
            return cards
        suits = rng.permutation(4)[: len(suits) + (len(suits) < 4)]


def _three_flushes(rng: Generator) -> list[int]:
    lengths = np.zeros(4, int)
    for size in (3, 5, 5):
        lengths[rng.integers(4)] += size
    return [
        4 * rank + suit
        for suit, length in enumerate(lengths)
        for rank in _choose(rng, range(13), int(length))
    ]


def _window(rng: Generator) -> list[int]:
    low, high = WINDOWS[rng.integers(len(WINDOWS))]
    names = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
    first = names.index(low) - 1  # -1 is the ace below the 2
    last = 12 if high == "A" else names.index(high) - 1
    ranks = [rank % 13 for rank in range(first, last + 1)]
    return _choose(rng, [4 * rank + suit for rank in ranks for suit in range(4)], 13)


def _colours(rng: Generator, of_one: int) -> list[int]:
    one, other = ([0, 2], [1, 3]) if rng.random() < 0.5 else ([1, 3], [0, 2])
    cards = [[4 * rank + suit for rank in range(13) for suit in suits] for suits in (one, other)]
    return _choose(rng, cards[0], of_one) + _choose(rng, cards[1], 13 - of_one)


def _straight_flush(rng: Generator) -> list[int]:
    suit = int(rng.integers(4))
    return _filled_up(rng, [4 * rank + suit for rank in _run(rng, 5)])


SAMPLERS: dict[str, Callable[[Generator], list[int]]] = {
    "suited_dragon": lambda rng: [
        4 * rank + s for s in [int(rng.integers(4))] for rank in range(13)
    ],
    "dragon": lambda rng: _sets(rng, [1] * 13),
    "twelve_royals": lambda rng: _filled_up(
        rng, _choose(rng, range(36, 52), int(rng.integers(12, 14)))
    ),
    "three_straight_flushes": _three_straight_flushes,
    "three_quads": lambda rng: _sets(rng, [4, 4, 4, 1]),
    "rank_window": _window,
    "one_colour": lambda rng: _colours(rng, 13),
    "one_off_colour": lambda rng: _colours(rng, 12),
    "four_triples": lambda rng: _filled_up(rng, _sets(rng, [3, 3, 3, 3])),
    "five_pairs_triple": lambda rng: _pairs(rng, 5, 3),
    "six_pairs": lambda rng: _pairs(rng, *((6, 1) if rng.random() < 0.5 else (5, 3))),
    "three_straights": _three_straights,
    "three_flushes": _three_flushes,
    "has_straight_flush": _straight_flush,
    "has_quads": lambda rng: _filled_up(rng, _sets(rng, [4])),
    "has_triple": lambda rng: _filled_up(rng, _sets(rng, [3])),
    "has_pair": lambda rng: _filled_up(rng, _sets(rng, [2])),
}

"""Twins of the special-hand kernels, written from the definitions of the rulebook.

Two kinds. `satisfies` looks at all hands of an array at once: it tries every combination of rows
for predicates that split a hand, and counts cards for the others. `splits_by_rows` is blunter
still: it deals one hand's 13 cards to the rows in all 72,072 ways and looks at each.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from montecarlo.specials.predicates import Rule

Hands = NDArray[np.uint8]  # (hands, 13) card codes 4 * rank + suit
RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
ACE = 12


def satisfies(hands: Hands, rule: Rule) -> NDArray[np.bool_]:
    """Return which hands (card codes, shape (n, 13)) satisfy the rule."""
    options = dict(rule.options)
    ranks, suits = hands // 4, hands % 4
    held = np.stack([(ranks == rank).sum(1) for rank in range(13)], axis=1)
    lengths = np.stack([(suits == suit).sum(1) for suit in range(4)], axis=1)
    red = lengths[:, 0] + lengths[:, 2]  # diamonds and hearts
    match rule.predicate:
        case "suited_dragon":
            return lengths.max(1) == 13
        case "dragon":
            return held.min(1) == 1
        case "twelve_royals":
            return (ranks >= RANKS.index("J")).sum(1) >= options["min"]
        case "three_quads":
            return (held == 4).sum(1) == 3
        case "rank_window":
            return _in_window(held, str(options["low"]), str(options["high"]), options["no_gap"])
        case "one_colour":
            return (red == 13) | (red == 0)
        case "one_off_colour":
            return (red == 12) | (red == 1)
        case "four_triples":
            return (held >= 3).sum(1) >= 4
        case "six_pairs":
            return _pairs_and_one(held, 6, 1, options["quads"], options["triple"])
        case "five_pairs_triple":
            return _pairs_and_one(held, 5, 3, options["quads"], False)
        case "three_straights":
            wanted = {_key_of_ranks(rows) for rows in _runs(options)}
            return np.isin(held.astype(np.int64) @ 5 ** np.arange(13), list(wanted))
        case "three_flushes":
            return _three_flushes(lengths, options["distinct"])
        case "three_straight_flushes":
            cards = np.bitwise_or.reduce(np.uint64(1) << hands.astype(np.uint64), axis=1)
            return np.isin(cards, _three_straight_flushes(*sorted(options.items())))
        case "has_straight_flush":
            table = np.zeros((len(hands), 4, 13), bool)
            np.put_along_axis(
                table.reshape(len(hands), 52), suits.astype(int) * 13 + ranks, True, 1
            )
            rows = [list(row) for row in _fives(str(options["wheel"]))]
            return np.any([table[:, :, row].all(2).any(1) for row in rows], axis=0)
        case "has_quads":
            return (held >= 4).any(1)
        case "has_triple":
            return (held >= 3).any(1)
        case "has_pair":
            return (held >= 2).any(1)
    raise AssertionError(rule)


def _in_window(held, low, high, no_gap):
    window = []
    names = ["A", *RANKS] if low == "A" else RANKS
    for name in names[names.index(low) : 1 + max(i for i, n in enumerate(names) if n == high)]:
        window.append(RANKS.index(name))
    inside = held[:, window].sum(1) == 13
    return inside & (held[:, window] > 0).all(1) if no_gap else inside


def _pairs_and_one(held, pairs, size, quads, triple):
    """Take away the left-over (or the three) in every way, and see whether pairs are left."""
    found = np.zeros(len(held), bool)
    for rank in range(13):
        left = held.copy().astype(int)
        left[:, rank] -= size
        fits = (left[:, rank] >= 0) & (left % 2 == 0).all(1) & (left.sum(1) == 2 * pairs)
        if size == 1 and not triple:
            fits &= held[:, rank] != 3
        if not quads:
            fits &= (held < 4).all(1)
        found |= fits
    return found


def _fives(wheel):
    rows = [tuple(range(low, low + 5)) for low in range(9)]
    return rows if wheel == "none" else [*rows, (ACE, 0, 1, 2, 3)]


def _heads(a23, qka):
    rows = [(low, low + 1, low + 2) for low in range(10)]
    return rows + [(ACE, 0, 1)] * bool(a23) + [(ACE - 2, ACE - 1, ACE)] * bool(qka)


def _runs(options):
    """Yield every head with every two five-card rows."""
    fives = _fives(options["wheel"])
    for head, middle, tail in product(_heads(options["a23"], options["qka"]), fives, fives):
        yield (*head, *middle, *tail)


def _key_of_ranks(ranks):
    return sum(5**rank for rank in ranks)


def _three_flushes(lengths, distinct):
    found = np.zeros(len(lengths), bool)
    for rows in product(range(4), repeat=3):
        if distinct and len(set(rows)) < 3:
            continue
        wanted = [0, 0, 0, 0]
        for suit, size in zip(rows, (3, 5, 5), strict=True):
            wanted[suit] += size
        found |= (lengths == wanted).all(1)
    return found


@lru_cache
def _three_straight_flushes(*options) -> NDArray[np.uint64]:
    """Return every set of 13 cards (bit = card code) made of three suited runs."""
    options = dict(options)

    def suited(rows):
        return [sum(1 << (4 * rank + suit) for rank in row) for row in rows for suit in range(4)]

    heads, fives = suited(_heads(options["a23"], options["qka"])), suited(_fives(options["wheel"]))
    pairs = [a | b for a, b in combinations_with_replacement(fives, 2) if not a & b]
    whole = {head | pair for head in heads for pair in pairs if not head & pair}
    return np.array(sorted(whole), dtype=np.uint64)


@lru_cache
def _all_splits() -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of head, middle and tail: 286 × 252 = 72,072 splits."""
    heads, middles, tails = [], [], []
    for head in combinations(range(13), 3):
        rest = [place for place in range(13) if place not in head]
        for middle in combinations(rest, 5):
            heads.append(head)
            middles.append(middle)
            tails.append([place for place in rest if place not in middle])
    return np.array(heads), np.array(middles), np.array(tails)


def splits_by_rows(hand: NDArray[np.uint8], rules: Sequence[Rule]) -> list[bool]:
    """Return for each rule of three rows whether one hand (13 card codes) splits as it wants."""
    rows = [hand[places] for places in _all_splits()]
    rank_sets = [np.bitwise_or.reduce(1 << (cards // 4).astype(int), axis=1) for cards in rows]
    one_suit = [(cards % 4 == cards[:, :1] % 4).all(1) for cards in rows]
    suits = [cards[:, 0] % 4 for cards in rows]
    answers = []
    for rule in rules:
        options = dict(rule.options)
        fits = np.ones(len(rows[0]), bool)
        if rule.predicate != "three_flushes":
            fives = _fives(options["wheel"])
            kinds = (_heads(options["a23"], options["qka"]), fives, fives)
            for sets, allowed in zip(rank_sets, kinds, strict=True):
                is_run = np.zeros(1 << 13, bool)
                is_run[[sum(1 << rank for rank in row) for row in allowed]] = True
                fits &= is_run[sets]
        if rule.predicate != "three_straights":
            fits &= one_suit[0] & one_suit[1] & one_suit[2]
        if options.get("distinct"):
            fits &= (suits[0] != suits[1]) & (suits[0] != suits[2]) & (suits[1] != suits[2])
        answers.append(bool(fits.any()))
    return answers

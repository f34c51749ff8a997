"""Plain twins for the exact counts: rules decided on given hands or rank counts, by definition.

Hands are boolean arrays (hands, 4 suits, 13 ranks); rank counts are (hands, 13). Nothing here
comes from the package except the names of rules and options.
"""

from itertools import combinations, product

import numpy as np

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]


def random_hands(rng, hands):
    """Return uniform hands of thirteen cards, shape (hands, 4, 13)."""
    first = np.argsort(rng.random((hands, 52)), axis=1)[:, :13]
    held = np.zeros((hands, 52), dtype=bool)
    np.put_along_axis(held, first, True, axis=1)
    return held.reshape(hands, 4, 13)


def random_subsets(rng, hands, size):
    """Return uniform sets of ``size`` ranks, shape (hands, 13)."""
    first = np.argsort(rng.random((hands, 13)), axis=1)[:, :size]
    held = np.zeros((hands, 13), dtype=bool)
    np.put_along_axis(held, first, True, axis=1)
    return held


def runs(length, ace_low, ace_high):
    """Return tuples of consecutive ranks 0..12."""
    found = [tuple(range(first, first + length)) for first in range(14 - length)]
    if not ace_high:
        found.pop()
    if ace_low:
        found.append((12, *range(length - 1)))
    return found


def rows_of(options):
    """Return allowed heads and five-card rows of three straights."""
    return runs(3, options["a23"], options["qka"]), runs(5, options["wheel"] != "none", True)


def three_straights_vectors(options):
    """Return the rank counts, as tuples, of all hands of three straights."""
    heads, fives = rows_of(options)
    vectors = set()
    for head, one, other in product(heads, fives, fives):
        counts = [0] * 13
        for rank in (*head, *one, *other):
            counts[rank] += 1
        vectors.add(tuple(counts))
    return vectors


def three_straight_flush_hands(options):
    """Return all hands of three straight flushes as frozensets of (suit, rank)."""
    heads, fives = (
        [frozenset((suit, rank) for rank in row) for row in rows for suit in range(4)]
        for rows in rows_of(options)
    )
    hands = set()
    for one, other in combinations(fives, 2):
        if not one & other:
            ten = one | other
            hands.update(ten | head for head in heads if not ten & head)
    return hands


def rank_rule(rule, counts):
    """Return whether rank counts (hands, 13) satisfy a rule that reads ranks only."""
    options = dict(rule.options)
    held = [(counts == times).sum(axis=1) for times in range(5)]
    match rule.predicate:
        case "dragon":
            return (counts == 1).all(axis=1)
        case "twelve_royals":
            return counts[:, 9:].sum(axis=1) >= options["min"]
        case "three_quads":
            return held[4] == 3
        case "rank_window":
            low, high = options["low"], options["high"]
            inside = range(-1 if low == "A" else RANKS.index(low), RANKS.index(high) + 1)
            window = np.isin(np.arange(13), [rank % 13 for rank in inside])
            fits = counts[:, ~window].sum(axis=1) == 0
            return fits & (counts[:, window] > 0).all(axis=1) if options["no_gap"] else fits
        case "four_triples":
            return (counts >= 3).sum(axis=1) >= 4
        case "five_pairs_triple":
            fits = np.zeros(len(counts), dtype=bool)
            for triple in range(13):
                rest = counts.copy()
                rest[:, triple] -= 3
                even = (rest >= 0).all(axis=1) & (rest % 2 == 0).all(axis=1)
                fits |= even & (options["quads"] | (rest < 4).all(axis=1))
            return fits
        case "six_pairs":
            fits = np.zeros(len(counts), dtype=bool)
            for single in range(13):
                rest = counts.copy()
                rest[:, single] -= 1
                even = (rest >= 0).all(axis=1) & (rest % 2 == 0).all(axis=1)
                triple = counts[:, single] == 3
                fits |= even & (options["quads"] | (held[4] == 0)) & (options["triple"] | ~triple)
            return fits
        case "three_straights":
            powers = 5 ** np.arange(13)
            listed = np.array(sorted(three_straights_vectors(options))) @ powers
            return np.isin(counts.astype(np.int64) @ powers, listed)
        case "has_quads" | "has_triple" | "has_pair" as name:
            least = {"has_quads": 4, "has_triple": 3, "has_pair": 2}[name]
            return (counts >= least).any(axis=1)
    raise KeyError(rule.predicate)


def lengths_rule(rule, lengths):
    """Return whether four suit lengths (diamonds, clubs, hearts, spades) satisfy a rule."""
    red = lengths[0] + lengths[2]
    match rule.predicate:
        case "suited_dragon":
            return 13 in lengths
        case "one_colour":
            return red in (0, 13)
        case "one_off_colour":
            return red in (1, 12)
        case "three_flushes":
            shape = tuple(sorted((n for n in lengths if n), reverse=True))
            single = (5, 5, 3)
            return shape == single or (
                not dict(rule.options)["distinct"] and shape in {(8, 5), (10, 3), (13,)}
            )
    raise KeyError(rule.predicate)


def holds_straight_flush(suits, wheel):
    """Return whether suits, shape (…, 13), hold five consecutive ranks."""
    return np.any([suits[..., list(run)].all(axis=-1) for run in runs(5, wheel, True)], axis=0)


def hand_rule(rule, hands):
    """Return whether hands (hands, 4, 13) satisfy any rule."""
    options = dict(rule.options)
    if rule.predicate == "has_straight_flush":
        return holds_straight_flush(hands, options["wheel"] != "none").any(axis=1)
    if rule.predicate == "three_straight_flushes":
        powers = 2 ** np.arange(52)
        listed = [
            sum(1 << 13 * suit + rank for suit, rank in hand)
            for hand in three_straight_flush_hands(options)
        ]
        return np.isin(hands.reshape(len(hands), 52) @ powers, listed)
    if rule.predicate in ("suited_dragon", "one_colour", "one_off_colour", "three_flushes"):
        lengths, inverse = np.unique(hands.sum(axis=2), axis=0, return_inverse=True)
        return np.array([lengths_rule(rule, tuple(row)) for row in lengths.tolist()])[inverse]
    return rank_rule(rule, hands.sum(axis=1))


def signatures(rules, hands, decide=hand_rule):
    """Return the signature of each hand: bit i is rule i."""
    return sum(decide(rule, hands).astype(np.int64) << i for i, rule in enumerate(rules))


def all_rank_counts():
    """Return all 3,598,180 ways to hold thirteen cards by rank: (n, 13) int8."""
    counts = np.zeros((1, 0), dtype=np.int8)
    for rank in range(13):
        left = 13 - counts.sum(axis=1)
        longer = []
        for times in range(5):
            fits = (left >= times) & (left - times <= 4 * (12 - rank))
            column = np.full((fits.sum(), 1), times, dtype=np.int8)
            longer.append(np.hstack([counts[fits], column]))
        counts = np.concatenate(longer)
    return counts

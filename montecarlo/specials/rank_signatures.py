"""Which rules that read ranks alone are satisfied, for every rank vector at once.

Most such rules look at the multiplicity type only, which has 39 values. A window and the royals
are decided half by half; three straights are few enough to be put together row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from montecarlo.specials.predicates import RANK_NAMES, Rule, window_ranks
from montecarlo.specials.rank_vectors import (
    ACE,
    CARDS,
    HALF_CODES,
    HIGH_RANKS,
    LOW_RANKS,
    TYPES,
    Integers,
    Type,
    half_counts,
    packed_codes_of_ranks,
    rank_vectors,
)

TYPE_RULES: dict[str, Callable[[Rule, Type], bool]] = {
    "dragon": lambda rule, n: n[0] == CARDS,
    "three_quads": lambda rule, n: n[3] == 3,
    "four_triples": lambda rule, n: n[2] + n[3] >= 4,
    "five_pairs_triple": lambda rule, n: (
        n[0] == 0 and n[2] == 1 and (n[3] == 0 or bool(rule.option("quads")))
    ),
    # thirteen cards: six pairs and one card left means a single rank held an odd number of times
    "six_pairs": lambda rule, n: (
        n[0] + n[2] == 1
        and (n[2] == 0 or bool(rule.option("triple")))
        and (n[3] == 0 or bool(rule.option("quads")))
    ),
    "has_quads": lambda rule, n: n[3] > 0,
    "has_triple": lambda rule, n: n[2] + n[3] > 0,
    "has_pair": lambda rule, n: n[1] + n[2] + n[3] > 0,
}


@dataclass(frozen=True)
class RankSignatures:
    """Which rank-only rules each rank vector satisfies, as bits of an integer.

    The bits that depend on the type alone are ``by_type`` (39,); the other bits of flat place v
    are ``by_rank[ids[v]]``; `of_places` joins the two.
    """

    ids: NDArray[np.uint16]
    by_rank: Integers
    by_type: Integers

    def of_places(self, places: Integers) -> Integers:
        """Return the signatures at flat places, same shape."""
        types = rank_vectors().types[places]
        signatures: Integers = self.by_rank[self.ids[places]] | self.by_type[types]
        return signatures


def rank_signatures(rules: Sequence[Rule | None]) -> RankSignatures:
    """Return the signatures of all rank vectors; bit i is rule i, None a rule left out.

    Raises KeyError for a predicate that reads suits.
    """
    by_type = np.zeros(len(TYPES), dtype=np.int64)
    low = np.zeros(HALF_CODES, dtype=np.int64)
    high = np.zeros((5, HALF_CODES), dtype=np.int64)
    listed: list[tuple[int, Integers]] = []
    for number, rule in enumerate(rules):
        if rule is None:
            continue
        bit = 1 << number
        if rule.predicate == "three_straights":
            listed.append((bit, _three_straights(rule)))
        elif rule.predicate in ("rank_window", "twelve_royals"):
            make = _window if rule.predicate == "rank_window" else _royals
            low_holds, high_holds = make(rule)
            low[low_holds] |= bit
            high[high_holds] |= bit
        else:
            holds = TYPE_RULES[rule.predicate]
            by_type[[holds(rule, counts) for counts in TYPES]] |= bit
    ids, by_rank = _joined(low, high)
    for bit, places in listed:
        by_rank = _with_bit(ids, by_rank, bit, places)
    return RankSignatures(ids, by_rank, by_type)


def _joined(low: Integers, high: Integers) -> tuple[NDArray[np.uint16], Integers]:
    """Return ids and signatures of all vectors: a bit stands where it stands in both halves.

    What windows and royals tell apart is the lowest and highest rank, gaps and a few thresholds:
    some thousand signatures at most, so 16 bits hold an id.
    """
    vectors = rank_vectors()
    ids = np.zeros(len(vectors), dtype=np.uint16)
    low_kinds, low_kind = np.unique(low, return_inverse=True)
    high_kinds, high_kind = np.unique(high, return_inverse=True)
    both = low_kinds[:, None] & high_kinds
    signatures, inverse = np.unique(both, return_inverse=True)
    id_of_kinds = inverse.reshape(both.shape).astype(np.uint16)
    if len(signatures) > 1:
        for product in vectors.products:
            rows = id_of_kinds[low_kind[product.low]]
            ids[product.place] = rows[:, high_kind[product.aces, product.high]].ravel()
    return ids, signatures


def _with_bit(ids: NDArray[np.uint16], by_rank: Integers, bit: int, places: Integers) -> Integers:
    """Set one more bit at some places: changes ``ids`` there, returns the longer signatures."""
    old, inverse = np.unique(ids[places], return_inverse=True)
    ids[places] = (len(by_rank) + inverse).astype(np.uint16)
    return np.concatenate([by_rank, by_rank[old] | bit])


def _window(rule: Rule) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    ranks = set(window_ranks(str(rule.option("low")), str(rule.option("high"))))
    no_gap = bool(rule.option("no_gap"))
    held = half_counts() > 0

    def holds(half: tuple[int, ...]) -> NDArray[np.bool_]:
        inside = np.array([rank in ranks for rank in half])
        fits: NDArray[np.bool_] = ~np.any(held & ~inside, axis=1)
        return fits & ~np.any(inside & ~held, axis=1) if no_gap else fits

    aces = np.arange(5) > 0
    ace_inside = ACE in ranks
    ace_fits = (aces | (not no_gap)) if ace_inside else ~aces
    return holds(LOW_RANKS), ace_fits[:, None] & holds(HIGH_RANKS)


def _royals(rule: Rule) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    royal = [rank >= RANK_NAMES.index("J") for rank in HIGH_RANKS]
    royals = half_counts()[:, royal].sum(axis=1)
    enough = np.arange(5)[:, None] + royals >= int(rule.option("min"))
    return np.ones(HALF_CODES, dtype=bool), enough


def run_masks(length: int, ace_low: bool, ace_high: bool) -> Integers:
    """Return the 13-bit rank masks of ``length`` consecutive ranks, lowest first."""
    runs = [
        {rank % 13 for rank in range(first, first + length)} for first in range(-1, 14 - length)
    ]
    keep = runs[0 if ace_low else 1 : len(runs) if ace_high else -1]
    return np.array([sum(1 << rank for rank in run) for run in keep])


def straight_rows(rule: Rule) -> tuple[Integers, Integers]:
    """Return rank masks of the heads and of the five-card rows a straights rule allows."""
    heads = run_masks(3, bool(rule.option("a23")), bool(rule.option("qka")))
    fives = run_masks(5, rule.option("wheel") != "none", True)
    return heads, fives


def _three_straights(rule: Rule) -> Integers:
    heads, fives = (packed_codes_of_ranks()[rows] for rows in straight_rows(rule))
    hands = heads[:, None, None] + fives[:, None] + fives
    return rank_vectors().places(np.unique(hands))

"""Exact counts of special hands: every list of rules, in any order, over all C(52, 13) hands.

No hand is dealt and few are looked at. Rules that read ranks are decided on rank vectors
(`rank_vectors`, `rank_signatures`), rules that read suit lengths on the lengths (`suit_shapes`);
a vector's multiplicity type alone tells how many hands have it with given lengths. A straight
flush is counted by a scan over the ranks (`suit_runs`), and where suit lengths matter too by suit
masks (`straight_flushes`); hands of three straight flushes are listed and moved one by one.

The result is the number of hands of every *signature*: bit i stands for rule i. Inclusive counts,
counts after precedence and overlaps all follow from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput
from montecarlo.specials.predicates import Rule
from montecarlo.specials.rank_signatures import RankSignatures, rank_signatures
from montecarlo.specials.rank_vectors import TYPES, Integers, packed_codes_of_ranks, rank_vectors
from montecarlo.specials.straight_flushes import (
    holds_straight_flush,
    length_places,
    straight_flush_vectors,
    suits_of_masks,
    three_straight_flushes,
)
from montecarlo.specials.suit_runs import assignments_without_straight_flush
from montecarlo.specials.suit_shapes import (
    LENGTH_RULES,
    LENGTHS,
    TOTAL_HANDS,
    Lengths,
    assignments_by_lengths,
    length_signatures,
)

__all__ = ["TOTAL_HANDS", "SpecialCounts", "count_specials", "signature_counts"]

MAX_RULES = 32


@dataclass(frozen=True)
class SpecialCounts:
    """Exact numbers of hands for a list of rules, out of `TOTAL_HANDS`.

    ``inclusive[i]`` hands satisfy rule i; ``exclusive[i]`` satisfy it and none before it;
    ``none`` satisfy no rule. ``exclusive`` and ``none`` add up to the total.
    """

    rules: tuple[Rule, ...]
    inclusive: tuple[int, ...]
    exclusive: tuple[int, ...]
    none: int

    @property
    def total(self) -> int:
        """All thirteen-card hands, C(52, 13)."""
        return TOTAL_HANDS


def count_specials(rules: Sequence[Rule]) -> SpecialCounts:
    """Count, for each rule in order of precedence, the hands that satisfy it.

    Raises BadInput for more than 32 rules. Takes about a second with `has_straight_flush` in the
    list, a quarter of that without.
    """
    inclusive, exclusive, none = [0] * len(rules), [0] * len(rules), 0
    for signature, hands in signature_counts(rules).items():
        satisfied = [number for number in range(len(rules)) if signature >> number & 1]
        for number in satisfied:
            inclusive[number] += hands
        if satisfied:
            exclusive[satisfied[0]] += hands
        else:
            none += hands
    return SpecialCounts(tuple(rules), tuple(inclusive), tuple(exclusive), none)


def signature_counts(rules: Sequence[Rule]) -> dict[int, int]:
    """Return the number of hands of each signature that occurs; bit i: rule i is satisfied.

    Two rules i and j overlap in the sum over signatures with both bits. Raises BadInput for more
    than 32 rules.
    """
    if len(rules) > MAX_RULES:
        raise BadInput(f"{len(rules)} rules are too many: at most {MAX_RULES} can be counted")
    parts = _Parts.of(rules)
    counts = _without_listed(parts)
    listed = {n: r for n, r in enumerate(rules) if r.predicate == "three_straight_flushes"}
    if listed:
        _move_listed(counts, parts, listed)
    return {signature: hands for signature, hands in sorted(counts.items()) if hands}


@dataclass(frozen=True)
class _Parts:
    """The rules sorted by what they read; ``straight_flush`` maps the wheel knob to rule bits."""

    ranks: RankSignatures
    lengths: Integers
    straight_flush: dict[bool, int]

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> _Parts:
        apart = LENGTH_RULES | {"has_straight_flush", "three_straight_flushes"}
        straight_flush: dict[bool, int] = {}
        for number, rule in enumerate(rules):
            if rule.predicate == "has_straight_flush":
                wheel = rule.option("wheel") != "none"
                straight_flush[wheel] = straight_flush.get(wheel, 0) | 1 << number
        return cls(
            rank_signatures([None if r.predicate in apart else r for r in rules]),
            length_signatures([r if r.predicate in LENGTH_RULES else None for r in rules]),
            straight_flush,
        )

    def of_hands(self, suits: Integers) -> Integers:
        """Return the signatures of single hands, given as suit masks of shape (hands, 4)."""
        places = rank_vectors().places(packed_codes_of_ranks()[suits].sum(axis=-1))
        signatures = self.ranks.of_places(places) | self.lengths[length_places(suits)]
        for wheel, bits in self.straight_flush.items():
            signatures[holds_straight_flush(wheel)[suits].any(axis=-1)] |= bits
        return signatures


def _without_listed(parts: _Parts) -> Counter[int]:
    """Count signatures, three straight flushes left out."""
    kinds = np.unique(parts.lengths)
    of_kind = [assignments_by_lengths()[:, parts.lengths == kind].sum(axis=1) for kind in kinds]
    vectors = _by_group(parts, slice(None))
    hands = vectors[:, :, None] * np.stack(of_kind, axis=1)  # rank id, type, kind of lengths
    layers = [(hands, 0)]
    # a straight flush without the wheel is one with it: each layer lies inside the one before
    for wheel in (True, False):
        if wheel in parts.straight_flush:
            bits = layers[-1][1] | parts.straight_flush[wheel]
            layers.append((_with_straight_flush(parts, wheel, kinds, hands), bits))
    layers.append((np.zeros_like(hands), 0))
    by_rank = parts.ranks.by_rank[:, None] | parts.ranks.by_type
    counts: Counter[int] = Counter()
    for (layer, bits), (inner, _) in pairwise(layers):
        rest = layer - inner
        met = np.nonzero(rest)
        signatures = by_rank[met[0], met[1]] | kinds[met[2]] | bits
        for signature, number in zip(signatures.tolist(), rest[met].tolist(), strict=True):
            counts[signature] += number
    return counts


def _with_straight_flush(parts: _Parts, wheel: bool, kinds: Integers, hands: Integers) -> Integers:
    """Return how many of ``hands`` hold a straight flush: same shape (ids, 39, kinds)."""
    result = np.zeros_like(hands)
    for place, kind in enumerate(kinds):
        if kind:
            shapes: Counter[Lengths] = Counter()
            for lengths in np.flatnonzero(parts.lengths == kind):
                a, b, c, d = sorted(LENGTHS[lengths], reverse=True)
                shapes[a, b, c, d] += 1
            for places, weights in straight_flush_vectors(shapes, wheel):
                result[:, :, place] += _by_group(parts, places, weights)
    free = _by_group(parts, slice(None), assignments_without_straight_flush(wheel))
    # lengths that no rule asks about come first (no bit set): they have all the others have not
    result[:, :, 0] = hands.sum(axis=2) - free - result.sum(axis=2)
    return result


def _by_group(
    parts: _Parts, places: Integers | slice, weights: NDArray[Any] | None = None
) -> Integers:
    """Return the sum of whole-number weights (1 if None) by rank id and type: (ids, 39)."""
    groups = np.multiply(parts.ranks.ids[places], len(TYPES), dtype=np.int64)
    groups += rank_vectors().types[places]
    size = len(parts.ranks.by_rank) * len(TYPES)
    # bincount adds in float64: exact, every sum is below 2^53
    sums = np.bincount(groups, weights=weights, minlength=size)
    return sums.astype(np.int64).reshape(-1, len(TYPES))


def _move_listed(counts: Counter[int], parts: _Parts, listed: dict[int, Rule]) -> None:
    """Move each hand of three straight flushes to the signature that has those bits too."""
    found = [three_straight_flushes(rule) for rule in listed.values()]
    masks = np.unique(np.concatenate(found))
    old = parts.of_hands(suits_of_masks(masks))
    new = old.copy()
    for number, hands in zip(listed, found, strict=True):
        new[np.searchsorted(masks, hands)] |= 1 << number
    counts.subtract(old.tolist())
    counts.update(new.tolist())

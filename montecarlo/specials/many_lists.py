"""Exact counts of several lists of rules at once, and of the hands that two lists call differently.

Lists that differ in a few options share most rules. All rules of some lists are put into one list,
whose signatures answer each of them; as many lists go together as 32 rules allow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from montecarlo.errors import BadInput
from montecarlo.specials.exact import MAX_RULES, signature_counts
from montecarlo.specials.predicates import Rule

Rules = tuple[Rule, ...]


@dataclass(frozen=True)
class ListCounts:
    """Exact numbers of hands under one list of rules, out of C(52, 13).

    ``inclusive[i]`` satisfy rule i, ``exclusive[i]`` rule i and none before it, ``none`` no rule;
    ``changed`` have their first rule at another place than under the first list.
    """

    inclusive: tuple[int, ...]
    exclusive: tuple[int, ...]
    none: int
    changed: int


def count_lists(lists: Sequence[Rules]) -> tuple[ListCounts, ...]:
    """Count the hands of every list of rules; all lists must have the same length.

    Raises BadInput for lists of different lengths or of more than 32 rules.
    """
    if len({len(rules) for rules in lists}) > 1:
        raise BadInput("lists of rules that are compared must be equally long")
    found: dict[Rules, ListCounts] = {}
    for batch in _batches(lists):
        union = _union(batch)
        counts = signature_counts(union)
        signatures = np.fromiter(counts.keys(), np.int64, len(counts))
        hands = np.fromiter(counts.values(), np.int64, len(counts))
        first = _first_places(lists[0], union, signatures)
        for rules in batch:
            place = _first_places(rules, union, signatures)
            by_place = [int(hands[place == i].sum()) for i in range(len(rules) + 1)]
            found[rules] = ListCounts(
                tuple(int(hands[signatures >> union.index(rule) & 1 == 1].sum()) for rule in rules),
                tuple(by_place[:-1]),
                by_place[-1],
                int(hands[place != first].sum()),
            )
    return tuple(found[rules] for rules in lists)


def _batches(lists: Sequence[Rules]) -> Iterator[list[Rules]]:
    """Yield the lists, each once, so that a batch and the first list have at most 32 rules."""
    batch: list[Rules] = []
    for rules in dict.fromkeys(lists):
        if batch and len(_union([*batch, rules])) > MAX_RULES:
            yield batch
            batch = [lists[0]]
        batch.append(rules)
    if batch:
        yield batch


def _union(lists: Sequence[Rules]) -> list[Rule]:
    return list(dict.fromkeys(rule for rules in lists for rule in rules))


def _first_places(
    rules: Rules, union: list[Rule], signatures: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the place of the first satisfied rule by signature; the list's length for none."""
    places = np.full(signatures.size, len(rules), np.int64)
    for place in range(len(rules) - 1, -1, -1):
        places[signatures >> union.index(rules[place]) & 1 == 1] = place
    return places

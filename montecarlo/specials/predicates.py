"""The special-hand predicates by name: what each means and which options it has.

Pure description, imported by rule files, kernels and counts alike; nothing here is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from montecarlo.errors import BadInput, nearest

Option = bool | int | str

RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
WHEELS = ("second", "lowest", "none")


@dataclass(frozen=True)
class Predicate:
    """One predicate of rulebook §2: its names, meaning, options (with defaults) and what it reads.

    ``reads`` tells which part of a hand decides: the ranks alone, how many cards each suit has,
    or the very cards.
    """

    name: str
    zh: str
    en: str
    definition: str
    reads: Literal["ranks", "suit lengths", "cards"]
    options: Mapping[str, Option] = field(default_factory=lambda: MappingProxyType({}))


class Rule(NamedTuple):
    """A predicate with every option fixed: what kernels and exact counts are asked about."""

    predicate: str
    options: tuple[tuple[str, Option], ...] = ()

    def option(self, name: str) -> Option:
        """Return the value of one option; KeyError when the predicate has no such option."""
        return dict(self.options)[name]

    def __str__(self) -> str:
        shown = ",".join(f"{k}={_text(v)}" for k, v in self.options)
        return f"{self.predicate}[{shown}]" if shown else self.predicate


def _text(value: Option) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _options(**defaults: Option) -> Mapping[str, Option]:
    return MappingProxyType(defaults)


_ALL = (
    Predicate("suited_dragon", "青龙", "suited dragon", "all 13 ranks in one suit", "cards"),
    Predicate("dragon", "一条龙", "dragon", "all 13 ranks, any suits", "ranks"),
    Predicate(
        "twelve_royals",
        "十二皇族",
        "twelve royals",
        "at least `min` cards among J Q K A",
        "ranks",
        _options(min=13),
    ),
    Predicate(
        "three_straight_flushes",
        "三同花顺",
        "three straight flushes",
        "splits into 3+5+5, each row consecutive ranks in one suit",
        "cards",
        _options(wheel="second", a23=True, qka=False),
    ),
    Predicate("three_quads", "三分天下", "three quads", "three fours of a kind", "ranks"),
    Predicate(
        "rank_window",
        "全大/全小",
        "rank window",
        "every rank lies inside a window of ranks (no_gap: and every rank of it is held)",
        "ranks",
        _options(low="8", high="A", no_gap=False),
    ),
    Predicate("one_colour", "凑一色", "one colour", "13 black or 13 red cards", "suit lengths"),
    Predicate(
        "one_off_colour",
        "全黑一张红/全红一张黑",
        "one off colour",
        "exactly 12 cards of one colour",
        "suit lengths",
    ),
    Predicate(
        "four_triples",
        "四套三条",
        "four triples",
        "at least four ranks held three times or more",
        "ranks",
    ),
    Predicate(
        "five_pairs_triple",
        "5对子3个头",
        "five pairs and a triple",
        "splits into five pairs and one three of a kind (quads: a four may serve as two pairs)",
        "ranks",
        _options(quads=True),
    ),
    Predicate(
        "six_pairs",
        "六对半",
        "six pairs",
        "splits into six pairs and one card (quads, triple: may a four, a three of a kind serve)",
        "ranks",
        _options(quads=True, triple=True),
    ),
    Predicate(
        "three_straights",
        "三顺子",
        "three straights",
        "splits into 3+5+5, each row consecutive ranks",
        "ranks",
        _options(wheel="second", a23=True, qka=False),
    ),
    Predicate(
        "three_flushes",
        "三同花",
        "three flushes",
        "splits into 3+5+5, each row one suit (distinct: three different suits)",
        "suit lengths",
        _options(distinct=False),
    ),
    Predicate(
        "has_straight_flush",
        "同花顺",
        "holds a straight flush",
        "some five cards are a straight flush",
        "cards",
        _options(wheel="second"),
    ),
    Predicate(
        "has_quads", "炸弹", "holds a four of a kind", "some rank is held four times", "ranks"
    ),
    Predicate(
        "has_triple",
        "三个",
        "holds a three of a kind",
        "some rank is held three times or more",
        "ranks",
    ),
    Predicate("has_pair", "对子", "holds a pair", "some rank is held twice or more", "ranks"),
)

PREDICATES: Mapping[str, Predicate] = MappingProxyType({p.name: p for p in _ALL})


def rule(predicate: str, **options: Option) -> Rule:
    """Return a `Rule` with defaults filled in.

    Raises BadInput for an unknown predicate, option or value.

    >>> str(rule("six_pairs", triple=False))
    'six_pairs[quads=true,triple=false]'
    """
    known = PREDICATES.get(predicate)
    if known is None:
        raise BadInput(f"unknown special '{predicate}'{nearest(predicate, PREDICATES)}")
    filled = dict(known.options)
    for name, value in options.items():
        if name not in filled:
            has = ", ".join(filled) or "none"
            raise BadInput(f"{predicate} has no option '{name}' (it has: {has})")
        filled[name] = _checked(predicate, name, value, filled[name])
    if predicate == "rank_window":
        window_ranks(str(filled["low"]), str(filled["high"]))
    return Rule(predicate, tuple(filled.items()))


def _checked(predicate: str, name: str, value: Option, default: Option) -> Option:
    where = f"{predicate}.{name}"
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise BadInput(f"{where} must be true or false, not {value!r}")
    elif isinstance(default, int):
        if isinstance(value, bool) or value not in (12, 13):
            raise BadInput(f"{where} must be 12 or 13, not {value!r}")
    elif name == "wheel":
        if value not in WHEELS:
            raise BadInput(f"{where} must be one of {', '.join(WHEELS)}, not {value!r}")
    else:
        value = str(value).upper().replace("T", "10")
        if value not in RANK_NAMES:
            raise BadInput(f"{where} must be a rank 2 … 10, J, Q, K, A, not {value!r}")
    return value


def window_ranks(low: str, high: str) -> tuple[int, ...]:
    """Return the ranks (0..12) of a window; ``low="A"`` is the ace below the 2.

    Raises BadInput when the window is empty or upside down.

    >>> window_ranks("A", "4")
    (12, 0, 1, 2)
    """
    first = -1 if low == "A" else RANK_NAMES.index(low)
    last = RANK_NAMES.index(high)
    if last <= first or last - first > 12:
        raise BadInput(f"window {low}..{high} is empty: low must be below high (A as low: A, 2, …)")
    return tuple(rank % 13 for rank in range(first, last + 1))

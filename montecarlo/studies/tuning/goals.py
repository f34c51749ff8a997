"""Goals of a payout designer, read from text: ``edge = 0.02``, ``special.* <= 13`` and the like.

==========================  =====================================================================
``edge``                    units the banker nets a deal; ``edge_per_player``: from each player
``sd``                      standard deviation of seat 0's units a deal
``flow(LINES)``             units a deal that change hands through lines (all without brackets)
``share(LINES)``            their share of all units that change hands
``variance_share(LINES)``   their share of the variance of seat 0's units
``fair(SPECIAL)``           points at which declaring and playing on bring a holder the same
``monotone(SPECIALS)``      the rarer a special (exact counts), the more points, or as many
``POINTS <= 13``            bounds; ``special.dragon >= 3 * special.six_pairs``: ratios
==========================  =====================================================================

A figure is compared (``=``, ``<=``, ``>=``) with a number, with ``30%``, or with ``same``: what it
is before tuning. LINES and POINTS are names, patterns with a star, or several with commas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations

from montecarlo.errors import BadInput, nearest
from montecarlo.scoring.lines import payout_of_special
from montecarlo.studies.tuning.points import matching_lines, matching_points, points_of
from montecarlo.variants.schema import Variant

MEASURES = ("edge", "edge_per_player", "sd", "flow", "share", "variance_share")
RULES = ("fair", "monotone")

_RELATION = re.compile(r"(<=|>=|==|=|<|>|≤|≥)")
_CALL = re.compile(r"([\w]+)\s*(?:\(([^()]*)\))?")
_SAME = {"==": "=", "<": "<=", ">": ">=", "≤": "<=", "≥": ">="}
_MIRROR = {"=": "=", "<=": ">=", ">=": "<="}


@dataclass(frozen=True)
class Measure:
    """A figure of a payout table: its kind, and the payout lines it is about (sorted by table)."""

    kind: str
    lines: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Goal:
    """A figure that shall be, or be at most or at least, ``target``; None: what it is before."""

    text: str
    measure: Measure
    relation: str
    target: float | None
    target_se: float = 0.0
    """Error of a target that was measured (``same``)."""

    def at(self, target: float, se: float) -> Goal:
        """Return the goal with the target that was measured."""
        return replace(self, target=target, target_se=se)


@dataclass(frozen=True)
class Fair:
    """A special whose points shall make declaring and playing on worth the same."""

    text: str
    special: str


@dataclass(frozen=True)
class PointRule:
    """What points keep among themselves: coefficients · points, relation, constant."""

    text: str
    coefficients: tuple[tuple[str, float], ...]
    relation: str
    constant: float = 0.0


@dataclass(frozen=True)
class Goals:
    """All that is asked of a payout table."""

    figures: tuple[Goal, ...]
    fair: tuple[Fair, ...]
    rules: tuple[PointRule, ...]

    @property
    def text(self) -> str:
        """All goals in words, those on figures first; point rules once each."""
        texts = [g.text for g in self.figures] + [f.text for f in self.fair]
        return ", ".join(dict.fromkeys([*texts, *(rule.text for rule in self.rules)]))


def read_goals(variant: Variant, texts: Iterable[str]) -> Goals:
    """Read goals for a variant; BadInput names what cannot be meant, or cannot be had, and why."""
    figures: list[Goal] = []
    fair: list[Fair] = []
    rules: list[PointRule] = []
    for text in (" ".join(text.split()) for text in texts):
        parts = [part.strip() for part in _RELATION.split(text)]
        call = _CALL.fullmatch(text)
        if len(parts) == 1 and call and call[1] in RULES and call[2] is not None:
            if call[1] == "fair":
                fair += _fair(variant, text, call[2])
            else:
                rules += _monotone(variant, text, call[2])
        elif len(parts) == 3 and all(parts):
            goal = _compared(variant, text, parts[0], _SAME.get(parts[1], parts[1]), parts[2])
            if isinstance(goal, Goal):
                figures.append(goal)
            else:
                rules += goal
        else:
            word = call[1] if call else text.split("(")[0].strip()
            raise BadInput(
                f"goal '{text}' is none{nearest(word, RULES)}: write 'edge = 0.02', 'share(gun) <= "
                "0.3', 'special.* <= 13', 'monotone(special.*)' or 'fair(special.dragon)'"
            )
    if not (figures or fair or rules):
        raise BadInput("no goal: write --goal 'edge = 0.02' or the like")
    return Goals(tuple(figures), tuple(fair), tuple(rules))


def _compared(
    variant: Variant, text: str, left: str, relation: str, right: str
) -> Goal | list[PointRule]:
    if _number(left) is not None and _number(right) is None:
        left, right, relation = right, left, _MIRROR[relation]
    call = _CALL.fullmatch(left)
    if call and call[1] in MEASURES:
        target = None if right == "same" else _number(right)
        if target is None and right != "same":
            raise BadInput(f"goal '{text}': '{right}' is no number (nor the word same)")
        return Goal(text, _measure(variant, text, call[1], call[2]), relation, target)
    for side in (left, right):
        called = _CALL.fullmatch(side)
        known = called is None or called[1] in points_of(variant)
        if called is not None and not known and _number(side) is None:
            raise BadInput(
                f"goal '{text}': '{called[1]}' is no figure"
                f"{nearest(called[1], [*MEASURES, *RULES, *points_of(variant)])} "
                f"(figures: {', '.join(MEASURES)})"
            )
    return _point_rules(variant, text, left, relation, right)


def _measure(variant: Variant, text: str, kind: str, inside: str | None) -> Measure:
    if kind in ("edge", "edge_per_player") and not variant.banker:
        raise BadInput(
            f"goal '{text}' cannot be had: {variant.id} has no banker, every seat expects 0 units "
            "a deal whatever is paid"
        )
    if kind in ("edge", "edge_per_player", "sd"):
        if inside is not None:
            raise BadInput(f"goal '{text}': {kind} belongs to the whole game, not to lines")
        return Measure(kind, (), kind)
    if inside is None and kind != "flow":
        raise BadInput(f"goal '{text}': {kind} of which lines? write {kind}(special.*)")
    lines: list[str] = []
    for pattern in (inside or "*").split(","):
        lines += matching_lines(variant, pattern.strip())
    shown = kind if inside is None else f"{kind}({inside})"
    return Measure(kind, tuple(dict.fromkeys(lines)), shown)


def _point_rules(
    variant: Variant, text: str, left: str, relation: str, right: str
) -> list[PointRule]:
    sides: list[list[tuple[tuple[tuple[str, float], ...], float]]] = []
    for side in (left, right):
        factor, star, name = side.partition("*")
        times = _number(factor.strip()) if star and _number(factor.strip()) is not None else None
        if _number(side) is not None:
            sides.append([((), _number(side) or 0.0)])
        else:
            wanted = name.strip() if times is not None else side
            scale = 1.0 if times is None else times
            sides.append([(((n, scale),), 0.0) for n in matching_points(variant, wanted)])
    if all(not pair[0] for side in sides for pair in side):
        raise BadInput(f"goal '{text}' compares two numbers")
    rules = []
    for ours, number in sides[0]:
        for theirs, constant in sides[1]:
            negative = tuple((name, -scale) for name, scale in theirs)
            rules.append(PointRule(text, (*ours, *negative), relation, constant - number))
    return rules


def _fair(variant: Variant, text: str, inside: str) -> list[Fair]:
    if variant.format == "ladder":
        raise BadInput(
            f"goal '{text}' cannot be had: {variant.id} is a ladder, its hands are always declared"
        )
    names = matching_points(variant, inside.strip())
    for name in names:
        if not name.startswith("special."):
            raise BadInput(f"goal '{text}': only a special can be declared, '{name}' is none")
    return [Fair(text if len(names) == 1 else f"fair({name})", name) for name in names]


def _monotone(variant: Variant, text: str, inside: str) -> list[PointRule]:
    from montecarlo.studies.exact import exact

    names = matching_points(variant, inside.strip())
    counts: dict[str, int] = {}
    for entry, counted in zip(variant.specials, exact(variant).specials, strict=True):
        name = payout_of_special(variant, entry)
        counts[name] = counts.get(name, 0) + counted.exclusive
    for name in names:
        if name not in counts:
            raise BadInput(
                f"goal '{text}': how rare '{name}' is depends on how players set; monotone is for "
                "specials, whose counts are exact"
            )
    order = sorted(names, key=lambda name: counts[name])
    return [
        PointRule(text, ((rarer, 1.0), (commoner, -1.0)), ">=")
        for rarer, commoner in combinations(order, 2)
        if counts[rarer] < counts[commoner]
    ]


def _number(text: str) -> float | None:
    percent = text.endswith("%")
    try:
        value = float(text.removesuffix("%").replace("_", ""))
    except ValueError:
        return None
    if value != value or value in (float("inf"), float("-inf")):
        return None
    return value / 100 if percent else value

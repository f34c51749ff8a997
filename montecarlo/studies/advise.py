"""Study: advice. What each way to play a hand is worth against opponents of a policy.

Every frontier setting, and declaring the hand's special, is scored by the real table scoring
against the same tables of opponents, dealt from the cards that are not known: differences between
two ways are paired, and far more precise than either figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from montecarlo.cards import DECK_SIZE, HAND_SIZE, Hand, format_mask
from montecarlo.dealing.streams import BLOCK_DEALS
from montecarlo.errors import BadInput
from montecarlo.scoring.choices import (
    GAP,
    GAP_SQUARES,
    SQUARES,
    SUM,
    choice_moments,
    choice_units,
)
from montecarlo.scoring.holdings import special_strength
from montecarlo.scoring.seating import seat_rows
from montecarlo.scoring.seats import SEAT, STATUS_ROWS, STATUS_SPECIAL, Seats
from montecarlo.scoring.tables import ScoringRules, compile_scoring
from montecarlo.setting.few_hands import for_few_hands
from montecarlo.setting.seating import (
    BANKER_SEAT,
    SeatPolicy,
    read_policy_words,
    seat_policies,
    split_policy_words,
)
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.studies.exploitability import opponent_tables
from montecarlo.studies.results import Result
from montecarlo.studies.settings import Setting, check_players, frontier_settings, seat_of
from montecarlo.variants import Variant, load

TABLES = 20_000


@dataclass(frozen=True)
class Choice:
    """One way to play a hand, and the units it brings a deal."""

    setting: Setting | None
    """None for declaring (in a ladder also when no tier is reached)."""
    declare: str | None
    mean: float
    se: float
    gap: float
    """Mean units less than the best choice brings, at least 0."""
    gap_se: float
    """Error of the gap, from differences table by table."""

    def to_data(self) -> dict[str, Any]:
        """Return an entry of the ``advise`` shape of design.md."""
        what = self.setting.to_data() if self.setting else {"declare": self.declare}
        return {
            **what,
            "mean": self.mean,
            "se": self.se,
            "gap": self.gap,
            "gap_se": self.gap_se,
        }


@dataclass(frozen=True)
class Advice(Result):
    """All choices, the best first (on this sample: its own mean is a little flattered)."""

    variant: Variant
    hand: Hand
    known: Hand
    players: int
    role: str
    policy: str
    tables: int
    seed: int
    choices: tuple[Choice, ...]
    notes: tuple[str, ...]

    def to_data(self) -> list[dict[str, Any]]:
        """Return the ``advise`` shape of design.md."""
        return [choice.to_data() for choice in self.choices]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a choice."""
        return self.to_data()


def advise(
    variant: Variant | str,
    cards: Hand | str,
    *,
    known: Hand | str = "",
    tables: int = TABLES,
    seed: int = 1,
    players: int = 4,
    role: str = "player",
    policy: str | Sequence[str] = "equilibrium",
    hold_policy: bool = False,
) -> Advice:
    """Return what each frontier setting of a hand brings, and declaring its special, best first.

    ``known`` are further cards that no opponent can hold. ``policy`` is the opponents': one for all
    or one for each, in seat order (a player's first opponent is the banker). The same input gives
    the same figures. Raises BadInput for cards or numbers that cannot be, PolicyMismatch when no
    equilibrium is trained for the rules (unless ``hold_policy`` keeps the variant's own).
    """
    if isinstance(variant, str):
        variant = load(variant)
    cards = Hand.parse(cards) if isinstance(cards, str) else cards
    known = Hand.parse(known, size=None) if isinstance(known, str) else known
    check_players(players)
    _check_cards(cards, known, players)
    if not 2 <= tables <= BLOCK_DEALS * 1024:
        raise BadInput(f"tables must be 2 to {BLOCK_DEALS * 1024:,}, not {tables}")
    seat = seat_of(variant, role)
    seats = _seats(variant, policy, players, seat, hold_policy)
    rules = compile_scoring(variant)
    ways, records = _choices(variant, rules, cards.mask)
    dealt = opponent_tables(
        seats, seat, cards.mask, tables=tables, seed=seed, block=0, known=known.mask
    )
    choices = _score(rules, dealt, seat, ways, records)
    held = any(other.held for place, other in enumerate(seats) if place != seat)
    notes = (f"equilibrium was trained for {variant.id} as it stands, not for these rules",) * held
    name = policy if isinstance(policy, str) else ",".join(policy)
    return Advice(variant, cards, known, players, role, name, tables, seed, choices, notes)


def _check_cards(cards: Hand, known: Hand, players: int) -> None:
    if len(cards) != HAND_SIZE:
        raise BadInput(f"{len(cards)} cards in '{cards}': {HAND_SIZE} are needed")
    both = cards.mask & known.mask
    if both:
        raise BadInput(f"known cards {format_mask(both)} stand in the hand as well")
    left = DECK_SIZE - HAND_SIZE - len(known)
    needed = HAND_SIZE * max(players - 1, 2)
    if left < needed:
        fewer = "; give fewer --players" if players > 2 else ""
        raise BadInput(
            f"{len(known)} known cards leave {left} for the opponents of a table of {players}: "
            f"{needed} are needed{fewer}"
        )


def _seats(
    variant: Variant, policy: str | Sequence[str], players: int, seat: int, hold: bool
) -> tuple[SeatPolicy, ...]:
    words = split_policy_words(policy)
    if len(words) not in (1, players - 1):
        raise BadInput(
            f"{len(words)} policies for {players - 1} opponents: give one, or one for each"
        )
    names = list(read_policy_words(words, players - 1))
    names.insert(seat, "greedy")  # stands for the seat that is advised; it is never asked
    return for_few_hands(seat_policies(variant, tuple(names), players, hold))


def _choices(
    variant: Variant, rules: ScoringRules, mask: int
) -> tuple[list[Setting | str | None], Seats]:
    """Return the ways to play a hand, a special's id among them, and their seat records (S,)."""
    special = int(first_special(np.array([mask], np.uint64), compile_rules(variant.rules))[0])
    ways: list[Setting | str | None] = []
    records: Seats = np.zeros(0, dtype=SEAT)
    if special >= 0 or variant.format == "ladder":
        ways.append(variant.specials[special].id if special >= 0 else None)
        records = np.zeros(1, dtype=SEAT)
        records["special"] = special
        records["status"] = STATUS_SPECIAL if special >= 0 else STATUS_ROWS
        if special >= 0:
            kind = rules["special_strength"][special]
            records["strength"] = special_strength(np.uint64(mask), kind)
    settings = frontier_settings(variant, mask)
    if settings:
        rows = np.array([setting.rows for setting in settings], np.uint64)
        set_records, legal = seat_rows(variant, rows)
        assert legal.all(), "a frontier holds legal settings only"
        set_records["special"] = -1
        ways += settings
        records = np.concatenate([records, set_records])
    return ways, records


def _score(
    rules: ScoringRules,
    dealt: Seats,
    seat: int,
    ways: list[Setting | str | None],
    records: Seats,
) -> tuple[Choice, ...]:
    """Score all choices at all tables; return them best first, equal ones in the order given."""
    tables = len(dealt)
    nothing = np.zeros(tables, np.int64)
    sums = choice_moments(rules, dealt, seat, BANKER_SEAT, records, nothing)[:, SUM]
    best = int(sums.argmax())
    units = choice_units(rules, dealt, seat, BANKER_SEAT, records[best : best + 1])
    moments = choice_moments(rules, dealt, seat, BANKER_SEAT, records, units).tolist()
    choices = []
    for place in np.argsort(-sums, kind="stable"):
        way, moment = ways[place], moments[place]
        setting = way if isinstance(way, Setting) else None
        choices.append(
            Choice(
                setting,
                way if isinstance(way, str) else None,
                moment[SUM] / tables,
                _se(moment[SUM], moment[SQUARES], tables),
                (0 - moment[GAP]) / tables,
                _se(moment[GAP], moment[GAP_SQUARES], tables),
            )
        )
    return tuple(choices)


def _se(total: int, squares: int, tables: int) -> float:
    """Return the standard error of a mean over tables from exact sums (Python integers)."""
    return math.sqrt((tables * squares - total * total) / (tables - 1)) / tables

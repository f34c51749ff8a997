"""Twin of table scoring: plain Python, pair by pair, written from rulebook §3 alone.

It shares nothing with the package but the variant's data (its numbers and knobs). A hand is either
rows (three lists of cards, a card being (rank, suit)) or a declared special (its place in the
variant's list, and all 13 cards).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from tests.twins import rows as twin_rows
from tests.twins.rows import ACE, Card

ROW_NAMES = ["head", "middle", "tail"]
CATEGORY_NAMES = [
    "high_card",
    "pair",
    "two_pairs",
    "three",
    "straight",
    "flush",
    "full_house",
    "four",
    "straight_flush",
]


class Refused(Exception):
    """The variant refuses an illegal setting."""


@dataclass
class Hand:
    rows: list[list[Card]] | None = None
    special: int | None = None
    cards: list[Card] = field(default_factory=list)

    def is_foul(self, wheel: str) -> bool:
        head, middle, tail = self.rows
        under_middle = twin_rows.head_under_middle(head, middle, wheel)
        return not (under_middle and twin_rows.middle_under_tail(middle, tail, wheel))


@dataclass
class Result:
    """Net units by line and seat, what each line moves, counts of payout numbers, and events."""

    players: int
    lines: dict[str, list[int]] = field(default_factory=dict)
    flow: Counter = field(default_factory=Counter)
    counts: list[Counter] = field(default_factory=list)
    events: Counter = field(default_factory=Counter)

    def __post_init__(self):
        self.counts = [Counter() for _ in range(self.players)]

    def pay(self, winner: int, loser: int, line: str, units: int, counted: dict[str, int]) -> None:
        by_seat = self.lines.setdefault(line, [0] * self.players)
        by_seat[winner] += units
        by_seat[loser] -= units
        self.flow[line] += abs(units)
        for name, times in counted.items():
            self.counts[winner][name] += times
            self.counts[loser][name] -= times

    @property
    def units(self) -> list[int]:
        return [
            sum(by_seat[seat] for by_seat in self.lines.values()) for seat in range(self.players)
        ]


def score(variant, hands: list[Hand], banker: int) -> Result:
    players = len(hands)
    result = Result(players)
    fouls = [h.rows is not None and h.is_foul(variant.wheel) for h in hands]
    if variant.format == "ladder":
        fouls = [False] * players
    if any(fouls) and variant.fouls == "refused":
        raise Refused
    guns = set()
    for a in range(players):
        for b in range(a):
            if variant.banker and banker not in (a, b):
                continue
            settle_pair(variant, hands, fouls, banker, a, b, result, guns)
    for gunner in range(players):
        others = [seat for seat in range(players) if seat != gunner]
        if players == 4 and all((gunner, other) in guns for other in others):
            result.events["home_runs"] += 1
            if variant.format == "rows":
                for other in others:
                    pay_home_run(variant, hands[gunner], gunner, other, result)
    return result


def settle_pair(variant, hands, fouls, banker, a, b, result, guns) -> None:
    one, two = hands[a], hands[b]
    if variant.format == "ladder" or one.special is not None or two.special is not None:
        winner = special_winner(variant, one, two, a, b, banker)
        if winner is not None:
            entry = variant.specials[hands[winner].special]
            ladder = variant.format == "ladder"
            line = f"tier.{entry.tier}" if ladder else f"special.{entry.id}"
            same = {e.points for e in variant.specials if e.tier == entry.tier}
            payout = line if not ladder or len(same) == 1 else f"special.{entry.id}"
            result.pay(winner, a + b - winner, line, entry.points, {payout: 1})
        return
    if fouls[a] and fouls[b]:
        return
    if fouls[a] or fouls[b]:
        winners = [b if fouls[a] else a] * 3
    else:
        winners = []
        for place in range(3):
            winner, tied = row_winner(variant, one.rows[place], two.rows[place], a, b, banker)
            winners.append(winner)
            result.events[f"ties_{ROW_NAMES[place]}"] += tied
        result.events["ordinary_pairs"] += 1
        result.events["guns"] += winners in ([a] * 3, [b] * 3)
    gun = winners in ([a] * 3, [b] * 3)
    if gun:
        guns.add((winners[0], a + b - winners[0]))
    if variant.format == "majority":
        for seat in (a, b):
            if winners.count(seat) >= 2:
                result.pay(seat, a + b - seat, "majority", variant.majority, {"majority": 1})
        return
    for place in [2] if variant.format == "tail" else [0, 1, 2]:
        winner = winners[place]
        if winner is None:
            continue
        row, category = ROW_NAMES[place], category_name(variant, hands[winner], place)
        units = variant.row_units(row, category)
        base = "tail" if variant.format == "tail" else f"row.{row}.base"
        line = "tail" if variant.format == "tail" else f"row.{row}.{category}"
        result.pay(winner, a + b - winner, line, units, Counter([base, f"row.{row}.{category}"]))
    if gun and variant.format == "rows":
        pay_gun(variant, hands[winners[0]], winners[0], a + b - winners[0], result)


def special_winner(variant, one: Hand, two: Hand, a: int, b: int, banker: int):
    if one.special is None or two.special is None:
        return None if one.special is two.special else (b if one.special is None else a)
    if variant.both_special == "banker_pays" and banker in (a, b):
        return a + b - banker
    first, second = variant.specials[one.special], variant.specials[two.special]
    if first.rank != second.rank:
        return a if first.rank < second.rank else b
    if first.id != second.id or first.equal == "draw":
        return None
    strengths = best_holding(one.cards, first), best_holding(two.cards, first)
    return None if strengths[0] == strengths[1] else (a if strengths[0] > strengths[1] else b)


def best_holding(cards: list[Card], entry) -> float:
    """What two equal specials are compared by: a suit, or the best straight flush, four, …"""
    counts = Counter(rank for rank, _ in cards)
    if entry.equal == "suit":
        return max(suit for _, suit in cards)
    if entry.predicate == "has_straight_flush":
        found = []
        for suit in range(4):
            held = {rank for rank, s in cards if s == suit}
            for top in range(ACE + 1):
                low = [12, 0, 1, 2, 3] if top == 3 else list(range(top - 4, top + 1))
                if set(low) <= held:
                    found.append(twin_rows.straight_key(low, entry.wheel))
        return max(strength for strength in found if strength is not None)
    size = {"has_quads": 4, "has_triple": 3, "has_pair": 2}[entry.predicate]
    return max(rank for rank, count in counts.items() if count >= size)


def row_winner(variant, one: list[Card], two: list[Card], a: int, b: int, banker: int):
    """The seat that wins a row, None for a draw; and whether the rows tied before the tie rule."""
    first = twin_rows.key(one, variant.wheel, variant.compare)
    second = twin_rows.key(two, variant.wheel, variant.compare)
    if first != second:
        return (a if first > second else b), False
    if variant.tie == "banker":
        return (banker if banker in (a, b) else None), True
    suits = [twin_rows.suit_of_tie(row, variant.wheel, variant.tie) for row in (one, two)]
    if None in suits or suits[0] == suits[1]:
        return None, True
    return (a if suits[0] > suits[1] else b), True


def category_name(variant, hand: Hand, place: int) -> str:
    return CATEGORY_NAMES[twin_rows.category(hand.rows[place], variant.wheel)]


def three_rows(variant, hand: Hand) -> tuple[int, int, list[str], list[str]]:
    """Base and extra units of winning all three rows, and the payout numbers they are made of."""
    categories = [category_name(variant, hand, place) for place in range(3)]
    base = sum(variant.base_units(row) for row in ROW_NAMES)
    pairs = list(zip(ROW_NAMES, categories, strict=True))
    extra = sum(variant.row_units(row, c) - variant.base_units(row) for row, c in pairs)
    return base, extra, [f"row.{r}.base" for r in ROW_NAMES], [f"row.{r}.{c}" for r, c in pairs]


def gunned_pair(variant, base: int, extra: int) -> tuple[int, int, int]:
    """Base, extras and addition of a pair after a gun, which doubles the base, all, or nothing."""
    sweep = variant.sweep
    if sweep.gun in ("base", "pair"):
        base *= sweep.gun_times
    if sweep.gun == "pair":
        extra *= sweep.gun_times
    return base, extra, sweep.gun_add


def pay_gun(variant, hand: Hand, winner: int, loser: int, result: Result) -> None:
    base, extra, bases, extras = three_rows(variant, hand)
    after = gunned_pair(variant, base, extra)
    base_times, extra_times, _ = gunned_pair(variant, 1, 1)
    counted = dict.fromkeys(bases, base_times - 1) | dict.fromkeys(extras, extra_times - 1)
    result.pay(winner, loser, "gun", sum(after) - base - extra, counted | {"gun_add": 1})


def pay_home_run(variant, hand: Hand, winner: int, loser: int, result: Result) -> None:
    sweep = variant.sweep
    base, extra, bases, extras = three_rows(variant, hand)
    before = gunned_pair(variant, base, extra)
    if sweep.home_run == "pair":
        added = sum(before) * (sweep.home_run_times - 1)
    elif sweep.home_run == "base":
        added = before[0] * (sweep.home_run_times - 1)
    else:
        added = 0
    base_times, extra_times, _ = gunned_pair(variant, 1, 1)
    on_base = base_times * (sweep.home_run_times - 1) * (sweep.home_run != "none")
    on_pair = (sweep.home_run_times - 1) * (sweep.home_run == "pair")
    counted = dict.fromkeys(bases, on_base) | dict.fromkeys(extras, extra_times * on_pair)
    counted |= {"gun_add": on_pair, "home_run_add": 1}
    result.pay(winner, loser, "home_run", added + sweep.home_run_add, counted)


def money(units: list[int], stakes: list[str], rate: str, flat: str, pot: bool, banker):
    """Money by seat as Fractions; stakes, rate and flat fee as written; ``banker`` None or seat."""
    bets = [Fraction(stake) for stake in stakes]
    if pot:
        best = [seat for seat, won in enumerate(units) if won == max(units)]
        net = [
            (sum(bets) / len(best) if seat in best else 0) - bet for seat, bet in enumerate(bets)
        ]
    elif banker is None:
        net = [won * bet for won, bet in zip(units, bets, strict=True)]
    else:
        net = [0 if s == banker else won * bets[s] for s, won in enumerate(units)]
        net[banker] = -sum(net)
    return [n - (n * Fraction(rate) + Fraction(flat)) if n > 0 else n for n in net]

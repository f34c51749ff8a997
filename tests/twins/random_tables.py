"""Random tables rigged so that ties, guns, home runs, fouls and specials are frequent."""

from __future__ import annotations

import numpy as np

from tests.twins import rows as twin_rows
from tests.twins import special_hands
from tests.twins.scoring import Hand

DECK = np.arange(52)
TRIES = 6


def deal_hands(rng: np.random.Generator, predicates: list[str], players: int) -> list[list[int]]:
    """Return card codes of each player's hand; neighbours may be mirror images of each other."""
    kind = rng.random()
    hands: list[list[int]] = []
    if kind < 0.3 and predicates:
        for _ in range(int(rng.integers(1, 3))):
            drawn = special_hands.inside(str(rng.choice(predicates)), rng, 1)[0].tolist()
            if not set(drawn) & {card for hand in hands for card in hand}:
                hands.append(drawn)
    elif kind < 0.6:
        hands = mirrored(rng)
    elif kind < 0.8:
        hands = [rng.choice(DECK[24:], 13, replace=False).tolist()]  # may win against everybody
    left = rng.permutation(np.setdiff1d(DECK, [card for hand in hands for card in hand])).tolist()
    while len(hands) < players:
        hands.append([left.pop() for _ in range(13)])
    return hands


def mirrored(rng: np.random.Generator) -> list[list[int]]:
    """Return two hands of nearly the same ranks in the same order, in other suits."""
    pairs = int(rng.integers(0, 7))
    ranks = rng.permutation(13)
    chosen = [int(rank) for rank in [*ranks[:pairs], *ranks[:pairs], *ranks[pairs : 13 - pairs]]]
    one, two = [], []
    for rank in dict.fromkeys(chosen):
        suits = rng.permutation(4).tolist()
        if rng.random() < 0.5:
            suits.sort()
        for _ in range(chosen.count(rank)):
            one.append(4 * rank + suits.pop())
            two.append(4 * rank + suits.pop())
    order = rng.permutation(13)
    hands = [[one[i] for i in order], [two[i] for i in order]]
    if rng.random() < 0.4:
        others = np.setdiff1d(DECK, one + two)
        hands[1][int(rng.integers(13))] = int(rng.choice(others))
    return hands


def set_hand(rng: np.random.Generator, cards: list[int], wheel: str, order=None) -> Hand:
    """Set a hand in one of a few random ways: a foul, a legal setting, or the best one by tail."""
    wish = rng.random()
    best, best_key = None, None
    for _ in range(TRIES):
        mixed = order if order is not None else rng.permutation(13)
        held = twin_rows.cards_of_codes([cards[i] for i in mixed])
        rows = sorted([held[3:8], held[8:]], key=lambda row: twin_rows.key(row, wheel, "grouped"))
        hand = Hand(rows=[held[:3], *rows], cards=held)
        if order is not None or wish < 0.08:
            return hand
        if not hand.is_foul(wheel):
            key = twin_rows.key(hand.rows[2], wheel, "grouped")
            if best is None or (wish > 0.4 and key > best_key):
                best, best_key = hand, key
    return best or hand


def random_knobs(rng: np.random.Generator, variant) -> dict:
    """Return overrides that the variant accepts, none of them half of the time."""
    if rng.random() < 0.3:
        return {}
    knobs: dict = {
        "wheel": str(rng.choice(["second", "lowest", "none"])),
        "compare": str(rng.choice(["grouped", "cards", "top_card"])),
        "tie": str(rng.choice(["draw", "suit_baodao", "suit_top_card"])),
    }
    if variant.banker:
        knobs["both_special"] = str(rng.choice(["higher", "banker_pays"]))
        if rng.random() < 0.3:
            knobs["tie"] = "banker"
    if variant.format == "rows":
        for name in ("gun", "home_run"):
            knobs[name] = str(rng.choice(["none", "base", "pair", "pair"]))
            knobs[f"{name}_times"] = int(rng.integers(0, 5))
            knobs[f"{name}_add"] = int(rng.choice([0, 6, 12]))
    if variant.format in ("rows", "tail"):
        for category in ("high_card", "pair", "three", "straight"):
            knobs[f"row.tail.{category}"] = int(rng.integers(0, 9))
        knobs["row.tail.base"] = int(rng.integers(0, 5))
        knobs["row.head.pair"] = int(rng.integers(0, 5))
    if variant.format == "majority":
        knobs["majority"] = int(rng.integers(0, 5))
    for entry in variant.specials:
        if rng.random() < 0.3:
            knobs[f"special.{entry.id}.points"] = int(rng.integers(0, 50))
    return {name: value for name, value in knobs.items() if rng.random() < 0.7}

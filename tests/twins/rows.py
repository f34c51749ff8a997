"""Twin of row strengths: plain sort keys, written from rulebook §1 and §3.3 alone.

A card is a pair (rank 0..12, suit 0..3). Nothing here is shared with the package.
"""

from __future__ import annotations

from collections import Counter

ACE, FIVE = 12, 3
HIGH, PAIR, TWO_PAIRS, THREE, STRAIGHT, FLUSH, FULL, FOUR, STRAIGHT_FLUSH = range(9)

Card = tuple[int, int]


def cards_of_codes(codes) -> list[Card]:
    return [(int(code) // 4, int(code) % 4) for code in codes]


def straight_key(ranks: list[int], wheel: str):
    """Where a straight stands among straights, or None when the ranks are no straight."""
    ranks = sorted(ranks)
    if ranks == [0, 1, 2, 3, ACE]:
        # second: between 9-K (top 11) and 10-A (top 12); lowest: as if the ace were below the 2
        return {"second": 11.5, "lowest": 3.0, "none": None}[wheel]
    if len(set(ranks)) == 5 and ranks[4] - ranks[0] == 4:
        return float(ranks[4])
    return None


def category(cards: list[Card], wheel: str) -> int:
    shape = sorted(Counter(rank for rank, _ in cards).values(), reverse=True)
    if len(cards) == 3:
        return {3: THREE, 2: PAIR, 1: HIGH}[shape[0]]
    one_suit = len({suit for _, suit in cards}) == 1
    straight = straight_key([rank for rank, _ in cards], wheel) is not None
    if straight and one_suit:
        return STRAIGHT_FLUSH
    if shape == [4, 1]:
        return FOUR
    if shape == [3, 2]:
        return FULL
    if one_suit:
        return FLUSH
    if straight:
        return STRAIGHT
    return {(3, 1): THREE, (2, 2): TWO_PAIRS, (2, 1): PAIR, (1, 1): HIGH}[tuple(shape[:2])]


def grouped_ranks(cards: list[Card]) -> list[int]:
    """Every distinct rank once: larger sets first, then higher ranks first."""
    counts = Counter(rank for rank, _ in cards)
    return sorted(counts, key=lambda rank: (-counts[rank], -rank))


def key(cards: list[Card], wheel: str, compare: str):
    """Rows of the same size compare as these keys do."""
    kind = category(cards, wheel)
    ranks = [rank for rank, _ in cards]
    if kind in (STRAIGHT, STRAIGHT_FLUSH):
        return kind, straight_key(ranks, wheel)
    if compare == "grouped":
        return kind, grouped_ranks(cards)
    if compare == "cards":
        return kind, sorted(ranks, reverse=True)
    return kind, max(ranks)


def head_under_middle(head: list[Card], middle: list[Card], wheel: str) -> bool:
    if category(head, wheel) != category(middle, wheel):
        return category(head, wheel) < category(middle, wheel)
    for h, m in zip(grouped_ranks(head), grouped_ranks(middle), strict=False):
        if h != m:
            return h < m
    return True


def middle_under_tail(middle: list[Card], tail: list[Card], wheel: str) -> bool:
    return key(middle, wheel, "grouped") <= key(tail, wheel, "grouped")


def suit_of_tie(cards: list[Card], wheel: str, tie: str):
    """Suit (0..3) that decides between rows of equal strength, None where they draw."""
    kind = category(cards, wheel)
    ranks = [rank for rank, _ in cards]
    counts = Counter(ranks)
    top = max(ranks)
    if kind in (STRAIGHT, STRAIGHT_FLUSH) and sorted(ranks) == [0, 1, 2, 3, ACE]:
        top = FIVE if wheel == "lowest" else ACE
    decided_by_top = (STRAIGHT_FLUSH, FLUSH, STRAIGHT) if tie == "suit_baodao" else range(9)
    if tie not in ("suit_baodao", "suit_top_card"):
        return None
    if kind in decided_by_top:
        where = top
    elif kind in (PAIR, TWO_PAIRS):
        where = max(rank for rank, count in counts.items() if count == 2)
    else:
        return None
    return max(suit for rank, suit in cards if rank == where)

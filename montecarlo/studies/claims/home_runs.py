"""V9: who pays a home run? Tables are dealt round a winning hand and scored."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from montecarlo.cards import DECK_SIZE, HAND_SIZE, format_cards, parse_cards
from montecarlo.studies.claims.findings import Finding
from montecarlo.studies.claims.registry import computation
from montecarlo.studies.claims.schema import Claim

SEED = 9
DEALS_A_WINNER = 150
ROWS = ("head", "middle", "tail")
WINNERS = (
    ("Ad Ac As", "9s Ts Js Qs Ks", "Th Jh Qh Kh Ah"),
    ("Ad Ac As", "Jd Jc Jh Js 2d", "Kd Kc Kh Ks 2c"),
    ("Ad Ac Kd", "Jd Jc Jh Td Tc", "Kc Kh Ks Qc Qh"),
)
"""Settings that hardly ever fail to win all rows, with and without extras."""


@computation("home_run_split")
def home_run_split(claim: Claim) -> Finding:
    """Largest over smallest payment of the three losers through the home run."""
    from montecarlo.scoring import score

    tables = [table for winner in WINNERS for table in tables_round(winner)]
    payments = [lines["home_run"] for lines in (one.lines for one in score("taiwan", tables))]
    shares = [[-units for units in paid[1:]] for paid in payments if paid[0] > 0]
    ratios = [Fraction(max(each), min(each)) for each in shares]
    amounts = sorted({sum(each) for each in shares})
    return Finding(
        (max(ratios),),
        f"In {len(shares)} scored home runs, worth {amounts[0]} to {amounts[-1]} units beyond the "
        "guns, the three losers paid the same: units follow the winner's rows, never the "
        "loser's, so the rule of equal shares changes nothing.",
        details={"home_runs": len(shares), "units": amounts, "seed": SEED},
    )


def tables_round(
    winner: tuple[str, str, str], deals: int = DEALS_A_WINNER
) -> Iterator[dict[str, Any]]:
    """Yield tables (the shape `montecarlo score` reads): the winner first, three random losers.

    The losers put pairs and better into the tail: legal as a rule, and a foul pays as others do.
    """
    generator = np.random.default_rng([SEED, *parse_cards(" ".join(winner))])
    held = set(parse_cards(" ".join(winner)))
    rest = np.array([code for code in range(DECK_SIZE) if code not in held])
    for _ in range(deals):
        players = [dict(zip(ROWS, winner, strict=True))]
        cards = generator.permutation(rest).tolist()
        for _ in range(3):
            hand, cards = _sets_last(cards[:HAND_SIZE]), cards[HAND_SIZE:]
            rows = [format_cards(hand[start:end]) for start, end in ((0, 3), (3, 8), (8, 13))]
            players.append(dict(zip(ROWS, rows, strict=True)))
        yield {"players": players}


def _sets_last(cards: list[int]) -> list[int]:
    ranks = [code // 4 for code in cards]
    return sorted(cards, key=lambda code: (ranks.count(code // 4), code))

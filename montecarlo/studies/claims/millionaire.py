"""V12: can a new player become a millionaire in one hand? The most that a hand can win."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from montecarlo.cards import LANE
from montecarlo.specials.rank_signatures import run_masks
from montecarlo.specials.suit_shapes import TOTAL_HANDS
from montecarlo.statistics.rounding import one_in, thousands
from montecarlo.studies.claims.findings import Finding
from montecarlo.studies.claims.registry import computation
from montecarlo.studies.claims.schema import Claim
from montecarlo.studies.claims.units import OPPONENTS, STRONGEST, legal_categories, units_won
from montecarlo.variants import load

STARTING_COINS = 2000
"""What the source says a new player is given."""
SUITED_DRAGONS = 4


@computation("one_hand_millionaire")
def one_hand_millionaire(claim: Claim) -> Finding:
    """The most coins after one hand, all coins of the purse being staked on one unit."""
    variant = load("coins")
    rows = max(units_won(variant, triple).rows for triple in legal_categories())
    special = max(entry.points for entry in variant.specials)
    most = OPPONENTS * max(rows, special)
    richest = STARTING_COINS * (1 + most)
    wanted = int(claim.figures[0].number)
    stake = -((STARTING_COINS - wanted) // most)
    strong = len(strongest_hands(variant.wheel))
    chance = Fraction(strong + SUITED_DRAGONS, TOTAL_HANDS)
    covered = STARTING_COINS // most
    return Finding(
        (richest,),
        f"A hand wins at most {most} units: {special} from each of {OPPONENTS} with a suited "
        f"dragon, or {rows} from each with three of a kind, straight flush, straight flush. With "
        f"all {thousands(STARTING_COINS)} coins staked on one unit that ends at "
        f"{thousands(richest)}; {thousands(wanted)} would take a stake of {thousands(stake)} a "
        f"unit. Only {thousands(strong)} hands can be set so and {SUITED_DRAGONS} are suited "
        f"dragons: at best {one_in(chance)}, before anyone has to lose all rows. At a stake whose "
        f"worst loss the purse covers ({covered}) one hand brings {most * covered:,} at most.",
        details={
            "most_units": most,
            "from_rows": rows,
            "from_special": special,
            "stake_needed": stake,
            "hands_of_strongest_rows": strong,
            "chance_at_most": float(chance),
            "covered_stake": covered,
        },
    )


def strongest_hands(wheel: str) -> frozenset[int]:
    """Return the masks of all hands that can be set as `STRONGEST`.

    Listed: two straight flushes that share no card, and three cards of a rank among the rest.
    """
    assert STRONGEST == ("three", "straight_flush", "straight_flush")
    runs = [
        int(run) << (LANE * suit)
        for run in run_masks(5, ace_low=wheel != "none", ace_high=True)
        for suit in range(4)
    ]
    triples = [
        sum(1 << (LANE * suit + rank) for suit in suits)
        for rank in range(13)
        for suits in combinations(range(4), 3)
    ]
    return frozenset(
        first | second | triple
        for first, second in combinations(runs, 2)
        if not first & second
        for triple in triples
        if not triple & (first | second)
    )

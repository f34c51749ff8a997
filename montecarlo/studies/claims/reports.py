"""How often banker and player both hold a special (报到) in one deal of V8."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from montecarlo.cards import SEATS
from montecarlo.specials.exact import TOTAL_HANDS, count_specials
from montecarlo.statistics.clustered import Estimate, PowerSums
from montecarlo.statistics.intervals import Interval
from montecarlo.statistics.rounding import one_in
from montecarlo.studies.claims.findings import Finding
from montecarlo.studies.claims.registry import computation
from montecarlo.studies.claims.schema import Claim
from montecarlo.variants import load

SEED = 8
BLOCKS = 32


@computation("both_report")
def both_report(claim: Claim) -> Finding:
    """The chance that a given player and the banker both report, and that any player does with him.

    Simulated: any of the four seats may be the banker, so every deal counts four times over.
    """
    holders = deals_by_holders("hongkong")
    pair = _mean([Fraction(k * (k - 1), SEATS * (SEATS - 1)) for k in range(SEATS + 1)], holders)
    table = _mean([Fraction(k if k > 1 else 0, SEATS) for k in range(SEATS + 1)], holders)
    counts = count_specials(load("hongkong").rules)
    one = Fraction(TOTAL_HANDS - counts.none, TOTAL_HANDS)
    chance, interval = pair.value, pair.interval()
    return Finding(
        (one_in(chance, pair.se) + " for a player and the banker",),
        f"A hand reports {one_in(one)} (exact), the banker and a given player both "
        f"{one_in(chance, pair.se)} ({pair.deals:,} deals; independent hands would give "
        f"{one_in(one * one)}), the banker and at least one of three players "
        f"{one_in(table.value, table.se)}: the rule is no dead letter.",
        intervals=(Interval(interval.low, interval.high),),
        verdict="confirmed" if interval.low > 0 else "undecided",
        details={
            "one_hand_p": float(one),
            "pair": {"p": pair.value, "se": pair.se},
            "banker_and_any_player": {"p": table.value, "se": table.se},
            "independent_p": float(one * one),
            "deals": pair.deals,
            "seed": SEED,
        },
    )


@lru_cache(maxsize=4)
def deals_by_holders(variant: str) -> tuple[int, ...]:
    """Return the number of simulated deals in which 0, 1, … 4 hands hold a special."""
    from montecarlo.dealing.dealer import deal_block
    from montecarlo.specials.kernels import satisfied
    from montecarlo.specials.program import compile_rules

    program = compile_rules(load(variant).rules)
    deals = np.zeros(SEATS + 1, dtype=np.int64)
    for block in range(BLOCKS):
        held = np.count_nonzero(satisfied(deal_block(SEED, block), program), axis=1)
        deals += np.bincount(held, minlength=SEATS + 1)
    return tuple(int(number) for number in deals)


def _mean(values: list[Fraction], deals: tuple[int, ...]) -> Estimate:
    """Estimate the mean a deal of a value that depends on the number of holders."""
    return PowerSums(
        sum(deals),
        sum((v * n for v, n in zip(values, deals, strict=True)), start=Fraction(0)),
        sum((v * v * n for v, n in zip(values, deals, strict=True)), start=Fraction(0)),
    ).estimate()

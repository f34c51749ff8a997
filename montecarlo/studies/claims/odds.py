"""Published odds and counts of thirteen cards: dragons, fours, shapes, the Yarborough."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import comb, factorial

import numpy as np

from montecarlo.specials import exact_figures
from montecarlo.specials.custom import (
    MaskPredicate,
    frequency,
    held_at_least,
    rank_counts,
    suit_lengths,
)
from montecarlo.specials.exact import count_specials
from montecarlo.specials.predicates import rule
from montecarlo.specials.suit_shapes import TOTAL_HANDS, suit_shape_chances
from montecarlo.statistics.rounding import one_in, thousands
from montecarlo.studies.claims.findings import Check, Finding
from montecarlo.studies.claims.judgement import rounds_to
from montecarlo.studies.claims.registry import computation
from montecarlo.studies.claims.schema import Claim, Figure

SIMULATED_DEALS = 262_144
SEED = 10329


@computation("dragon_odds")
def dragon_odds(claim: Claim) -> Finding:
    """All thirteen ranks, any suits: each rank has four cards to choose from, so 4^13 hands."""
    hands = 4**13
    odds = Fraction(TOTAL_HANDS, hands)
    counted = count_specials([rule("dragon")]).inclusive[0]
    slip = find_slip(claim.figures[0], _dragon_slips())
    return Finding(
        (odds,),
        f"4^13 = {thousands(hands)} of the {thousands(TOTAL_HANDS)} hands hold all 13 ranks: "
        f"{one_in(1 / odds)}.",
        slip=slip,
        checks=(
            Check("enumeration of rank vectors", Fraction(TOTAL_HANDS, counted)),
            simulated_odds(lambda hands: held_at_least(hands, 1) == 0x1FFF),
        ),
        details={"hands": hands, "total": TOTAL_HANDS},
    )


@computation("suited_dragon_odds")
def suited_dragon_odds(claim: Claim) -> Finding:
    """All thirteen cards of a suit: one hand a suit."""
    hands = 4
    counted = count_specials([rule("suited_dragon")]).inclusive[0]
    return Finding(
        (Fraction(TOTAL_HANDS, hands),),
        f"{hands} of the {thousands(TOTAL_HANDS)} hands are a whole suit.",
        checks=(Check("enumeration of suit lengths", Fraction(TOTAL_HANDS, counted)),),
        details={"hands": hands, "total": TOTAL_HANDS},
    )


@computation("quads_count")
def quads_count(claim: Claim) -> Finding:
    """Hands with a four of a kind, by inclusion and exclusion over the ranks held four times."""
    first, second, third = _quads_terms()
    hands = first - second + third
    counted = exact_figures.hands_with_quads()
    return Finding(
        (hands, Fraction(100 * hands, TOTAL_HANDS)),
        f"13·C(48,9) - C(13,2)·C(44,5) + C(13,3)·C(40,1) = {thousands(hands)} hands; the second "
        "term takes out what hands with two fours are counted twice for.",
        slip=find_slip(claim.figures[0], _quads_slips()),
        checks=(
            Check("enumeration of rank vectors", counted),
            simulated_count(lambda hands: held_at_least(hands, 4) != 0),
        ),
        details={"total": TOTAL_HANDS},
    )


@computation("mean_distinct_ranks")
def mean_distinct_ranks(claim: Claim) -> Finding:
    """Mean number of different ranks: thirteen times the chance that a given rank is held."""
    from montecarlo.specials.rank_vectors import hands_of_types

    mean = exact_figures.mean_distinct_ranks()
    counted = sum(sum(counts) * number for counts, number in hands_of_types())
    return Finding(
        (mean,),
        f"13·(1 - C(48,13)/C(52,13)) = {float(mean):.8f}.",
        checks=(
            Check("enumeration of rank vectors", Fraction(counted, TOTAL_HANDS)),
            _simulated_mean(lambda hands: (rank_counts(hands) > 0).sum(axis=-1)),
        ),
    )


@computation("suit_shapes")
def suit_shapes(claim: Claim) -> Finding:
    """The commonest suit shapes, named in the figures as ``4-4-3-2``."""
    chances = suit_shape_chances()
    shapes = [tuple(int(part) for part in figure.name.split("-")) for figure in claim.figures]
    values = [100 * chances[shape] for shape in shapes]  # type: ignore[index]

    def first_shape(hands: np.ndarray) -> np.ndarray:
        return np.asarray((np.sort(suit_lengths(hands))[..., ::-1] == shapes[0]).all(axis=-1))

    found = frequency(first_shape, deals=SIMULATED_DEALS, seed=SEED)
    return Finding(
        tuple(values),
        "Ways to share 13 cards among the suits, times C(13, length) for each suit.",
        checks=(Check("simulation", 100 * found.p, 100 * found.se),),
        details={
            "shapes": {
                "-".join(map(str, shape)): float(100 * p) for shape, p in list(chances.items())[:10]
            }
        },
    )


@computation("yarborough")
def yarborough(claim: Claim) -> Finding:
    """No card above the nine: thirteen of the 32 cards from 2 to 9."""
    hands = comb(32, 13)
    window = count_specials([rule("rank_window", low="2", high="9")]).inclusive[0]
    above_nine = sum(1 << rank for rank in range(8, 13))
    return Finding(
        (Fraction(TOTAL_HANDS, hands),),
        f"C(32,13) = {thousands(hands)} hands hold no card above the nine.",
        checks=(
            Check("enumeration of rank vectors", Fraction(TOTAL_HANDS, window)),
            simulated_odds(lambda hands: held_at_least(hands, 1) & np.uint16(above_nine) == 0),
        ),
    )


def find_slip(figure: Figure, slips: Mapping[str, Fraction | int]) -> str | None:
    """Return the mistake that reproduces the published figure to its digits, None if none does."""
    return next((slip for slip, value in slips.items() if rounds_to(figure, Fraction(value))), None)


def simulated_odds(predicate: MaskPredicate) -> Check:
    """Return the odds 1 in N of a hand predicate by simulation, N with its error."""
    found = frequency(predicate, deals=SIMULATED_DEALS, seed=SEED)
    return Check("simulation", 1 / found.p, found.se / found.p**2)


def simulated_count(predicate: MaskPredicate) -> Check:
    """Return the number of hands that satisfy a predicate by simulation, with its error."""
    found = frequency(predicate, deals=SIMULATED_DEALS, seed=SEED)
    return Check("simulation", TOTAL_HANDS * found.p, TOTAL_HANDS * found.se)


def _simulated_mean(figure: Callable[[np.ndarray], np.ndarray]) -> Check:
    from montecarlo.dealing.dealer import deal_block
    from montecarlo.statistics.clustered import PowerSums

    sums = PowerSums(0)
    for block in range(4):
        totals = figure(deal_block(SEED, block)).sum(axis=-1).astype(np.int64)
        sums += PowerSums(len(totals), int(totals.sum()), int((totals**2).sum()))
    estimate = sums.estimate()
    return Check("simulation", estimate.value / 4, estimate.se / 4)


def _dragon_slips() -> dict[str, Fraction]:
    """Ways to go wrong with a dragon."""
    total = Fraction(TOTAL_HANDS)
    return {
        "C(52,13)/52: four suits for each of 13 ranks, 4·13 = 52 dragons instead of 4^13":
            total / (4 * 13),
        "C(52,13)/13: one dragon for each rank": total / 13,
        "C(52,13)/4: only the four suited dragons are counted": total / 4,
        "C(52,13)/13^4: ranks and suits exchanged": total / 13**4,
        "C(52,13)·13!/4^13: order matters among all hands but not among dragons":
            total * factorial(13) / 4**13,
    }  # fmt: skip


def _quads_terms() -> tuple[int, int, int]:
    return 13 * comb(48, 9), comb(13, 2) * comb(44, 5), comb(13, 3) * comb(40, 1)


def _quads_slips() -> dict[str, int]:
    """Ways to go wrong with hands that hold two or three fours of a kind."""
    first, second, third = _quads_terms()
    pair = comb(44, 5)
    return {
        "13·C(48,9): hands with two fours are counted twice": first,
        "13·C(48,9) - C(13,2)·C(44,5): hands with three fours are left out": first - second,
        "13·C(48,9) - 2·C(13,2)·C(44,5) + 3·C(13,3)·C(40,1): hands with exactly one four":
            first - 2 * second + 3 * third,
        "13·C(48,9) - 12·C(44,5): the double count is taken out for 12 ranks instead of for the "
        "C(13,2) = 78 pairs of ranks": first - 12 * pair,
        "13·C(48,9) - 13·C(44,5): the double count is taken out once a rank": first - 13 * pair,
        "13·C(48,9) - 13·12·C(44,5): each pair of ranks is taken out twice": first - 156 * pair,
    }  # fmt: skip

"""The odds of a dragon 一条龙, told three ways: what the notebook ``01_dragon_odds`` shows."""

from __future__ import annotations

import html
import inspect
from collections.abc import Callable
from fractions import Fraction
from math import comb

from montecarlo.reporting.edition import Edition
from montecarlo.reporting.tables import Prose, Table, paragraph
from montecarlo.specials.at_least_one import chance_at_least_one
from montecarlo.specials.exact import count_specials
from montecarlo.specials.predicates import rule
from montecarlo.statistics.rounding import one_in, thousands, with_error
from montecarlo.studies.claims.schema import load_claims
from montecarlo.studies.exact import exact
from montecarlo.studies.frequencies import SpecialFrequency, frequencies
from montecarlo.variants import load

ALL_HANDS = comb(52, 13)
DRAGON_ONLY = "points123"
"""A variant whose one special is the dragon, suited or not."""


def by_formula() -> Fraction:
    """Chance of a dragon: one of four suits for each of thirteen ranks."""
    dragons = 4**13
    hands = comb(52, 13)
    return Fraction(dragons, hands)


def by_enumeration() -> Fraction:
    """Chance of a dragon: all ways to hold 13 ranks are walked through, the right ones added."""
    counts = count_specials([rule("dragon")])
    return Fraction(counts.inclusive[0], counts.total)


def by_simulation(edition: Edition) -> SpecialFrequency:
    """Chance of a dragon: the hands that were dealt, counted."""
    variant = load(DRAGON_ONLY)
    dealt = edition.experiment.holders_of(variant, edition.tally)
    return frequencies(variant, dealt, exact(variant))[0]


def published(claim: str = "dragon-odds") -> int:
    """Return the published odds, "one in …", from the claim's file."""
    return int(load_claims()[claim].figures[0].number)


def headline(edition: Edition) -> Prose:
    """Return the answer in two sentences."""
    p, seen, claimed = by_formula(), by_simulation(edition), published()
    expected = seen.hands / claimed
    return paragraph(
        f"A dragon comes once in {thousands(round(1 / p))} hands, not once in "
        f"{thousands(claimed)}: the published odds are {times(claimed * p)} times too long. "
        f"In the {thousands(edition.deals)} deals made for this page, "
        f"{thousands(seen.hands)} hands, {_dragons(seen.count)} came; were the published "
        f"odds right, {_few(expected)} would have been expected.",
        "answer",
    )


def working(*functions: Callable[..., object]) -> Prose:
    """Return the source of functions, folded away, for readers who want to check them."""
    code = html.escape("\n".join(inspect.getsource(function) for function in functions))
    return Prose(f"<details><summary>The code</summary><pre>{code}</pre></details>")


def formula() -> Prose:
    """Return the formula with its numbers."""
    p = by_formula()
    return Prose(
        '<p class="formula">4<sup>13</sup> / C(52, 13) = '
        f"{thousands(4**13)} / {thousands(ALL_HANDS)} = {one_in(p)}</p>"
    )


def enumeration() -> Prose:
    """Return what the walk through all rank counts found."""
    p = by_enumeration()
    dragons = p * ALL_HANDS
    verdict = "the formula's number" if p == by_formula() else "NOT the formula's number"
    return paragraph(
        f"The walk finds {thousands(int(dragons))} dragons among {thousands(ALL_HANDS)} hands: "
        f"{verdict}."
    )


def side_by_side(edition: Edition) -> Table:
    """Return the three answers and the published one in one table."""
    seen, claimed = by_simulation(edition), published()
    spread = seen.se / seen.p**2 if seen.p else 0.0
    rows = [
        _exact_row("formula", by_formula()),
        _exact_row("enumeration", by_enumeration()),
        (
            "simulation",
            f"{thousands(seen.count)} of {thousands(seen.hands)} dealt",
            with_error(seen.p, seen.se) if seen.count else "–",
            with_error(1 / seen.p, spread) if seen.count else "–",
            f"z = {seen.z:+.2f}, p-value {seen.p_value:.2f}",
        ),
        ("published", "–", f"{1 / claimed:.4g}", thousands(claimed),
         f"{times(claimed * by_formula())} times too long"),
    ]  # fmt: skip
    return Table(
        "A dragon 一条龙 in one hand, by four accounts",
        ("by", ">dragons", ">chance", ">one in … hands", "against the formula"),
        rows,
    )


def dragons_at_a_table() -> Table:
    """Return the exact chance that one hand, or some hand of a table, is a dragon."""
    rows: list[tuple[str | tuple[str, str], ...]] = []
    for name, zh in (("dragon", "一条龙"), ("suited_dragon", "青龙")):
        asked = rule(name)
        counts = count_specials([asked])
        p = Fraction(counts.inclusive[0], counts.total)
        chances = [chance_at_least_one(asked, players) for players in (2, 3, 4)]
        odds = [f"{round(1 / chance):,}" for chance in chances if chance]
        rows.append(((zh, name.replace("_", " ")), thousands(counts.inclusive[0]),
                     f"{round(1 / p):,}", *odds))  # fmt: skip
    return Table(
        "Exact odds, one in …: of one hand, and of at least one hand at a table",
        ("special", ">hands", ">one hand", ">2 players", ">3 players", ">4 players"),
        rows,
    )


def where_it_comes_from() -> Table:
    """Return what C(52, 13) gives when divided by different numbers, beside what was published."""
    known = {published("dragon-odds"): "published for the dragon",
             published("suited-dragon-odds"): "published for the suited dragon"}  # fmt: skip
    divisors = (
        ("4¹³", 4**13, "dragons: right for the dragon"),
        ("4", 4, "suited dragons, one a suit: right for the suited dragon"),
        ("52", 52, "four times thirteen, as if choices added up"),
    )
    rows = []
    for text, number, meaning in divisors:
        quotient = round(Fraction(ALL_HANDS, number))
        rows.append((f"C(52, 13) / {text}", meaning, thousands(quotient), known.get(quotient, "–")))
    return Table(
        "All hands, divided by …", ("", "the divisor counts", ">one in", "printed as"), rows
    )


def _exact_row(name: str, p: Fraction) -> tuple[str, ...]:
    same = "–" if name == "formula" else "equal" if p == by_formula() else "DIFFERENT"
    counts = f"{thousands(int(p * ALL_HANDS))} of {thousands(ALL_HANDS)}"
    return (name, counts, f"{float(p):.7g}", f"{float(1 / p):,.2f}", same)


def times(factor: Fraction | float) -> str:
    """Write a factor in a few digits, with words for millions."""
    return f"{float(factor) / 1e6:.3g} million" if factor >= 1e6 else f"{float(factor):,.4g}"


def _dragons(count: int) -> str:
    return "1 dragon" if count == 1 else f"{thousands(count)} dragons"


def _few(expected: float) -> str:
    if expected < 0.01:
        return "fewer than 0.01"
    return f"{expected:.1g}" if expected < 1 else f"{expected:,.0f}"

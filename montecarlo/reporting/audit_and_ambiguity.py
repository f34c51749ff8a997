"""Order, points and open readings: what the notebook ``07_audit_and_ambiguity`` shows."""

from __future__ import annotations

from functools import lru_cache

from montecarlo.reporting.dragon import times
from montecarlo.reporting.edition import Edition
from montecarlo.reporting.fair_points_chart import fair_points_chart
from montecarlo.reporting.games import PLAYERS
from montecarlo.reporting.payout_lines import line_name
from montecarlo.reporting.settings import signed, title
from montecarlo.reporting.style import Picture, drawing
from montecarlo.reporting.tables import Prose, Table, paragraph, write_csv
from montecarlo.reporting.tornado import tornado
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.rounding import one_in, thousands, with_error
from montecarlo.studies import ambiguity as ambiguity_study
from montecarlo.studies import audit as audit_study
from montecarlo.studies.ambiguity import ambiguity
from montecarlo.studies.ambiguity_result import COMMON, Ambiguity
from montecarlo.studies.audit import Audit, audit
from montecarlo.studies.exact import TOTAL
from montecarlo.studies.rarity import Rarities, rarities
from montecarlo.variants import Variant

PAID = ("taiwan", "taiwan_classic", "hongkong")
LADDERS = ("shaoxing", "baibian")
BANKER_GAMES = ("hongkong", "baodao2", "hongkong_edge")
"""Variants that show the question best, the first of them that is part of the report."""

FEWEST_DEALS, DEALS_SHARE = 1024, 25
"""Deals given a special: one to so many that a variant is played, within bounds."""

PAIRS_SHOWN = 8

FIGURES = {"edge": "banker's edge", "sd": "SD", "flow": "flow"}

Cell = str | tuple[str, str]


def headline(edition: Edition) -> Prose:
    """Say in a few sentences what is out of order, and which reading moves most."""
    counted = [v for v in edition.variants if v.specials]
    if not counted:
        return paragraph("No variant of this report knows special hands.", "answer")
    wrong = [v.id for v in counted if _exact(v).inversions]
    text = (
        f"{len(wrong)} of {len(counted)} variants rank or pay a commoner hand above a rarer one "
        f"({', '.join(wrong)})."
        if wrong
        else "Every variant of this report ranks and pays its specials in order of rarity."
    )
    for found in (paid_ambiguity(edition), banker_ambiguity(edition)):
        if isinstance(found, Ambiguity) and found.readings:
            first = found.readings[0]
            moved = signed(first.changes[found.figure])
            text += (
                f" Of all that {found.variant.id} leaves open, {first.reading.id} moves most: "
                f"{moved} on the {FIGURES[found.figure]}."
            )
    return paragraph(text, "answer")


def order_table(edition: Edition) -> Table | Prose:
    """Return how many pairs of specials are out of order, a line a variant; exact."""
    rows: list[tuple[Cell, ...]] = []
    saved = []
    for variant in edition.variants:
        if not variant.specials:
            continue
        found = _exact(variant)
        worst = found.inversions[0] if found.inversions else None
        rows.append((
            title(variant), *(_out_of_order(found, kind) for kind in ("rank", "points")),
            (f"{_zh(variant, worst.higher)} > {_zh(variant, worst.lower)}",
             f"{times(worst.factor)} times as common") if worst else "–",
        ))  # fmt: skip
        saved += [
            {"variant": variant.id, "kind": pair.kind, "higher": pair.higher, "lower": pair.lower,
             "hands_higher": pair.hands[0], "hands_lower": pair.hands[1],
             "by": "+".join(pair.by), "factor": pair.factor}
            for pair in found.inversions
        ]  # fmt: skip
    if not rows:
        return paragraph("No variant of this report knows special hands.")
    write_csv(edition.out / "tables" / "inversions.csv", saved)
    return Table(
        "Pairs of specials of which the higher is the commoner; exact counts",
        ("variant", ">by rank", ">by points", "the widest"),
        rows,
    )


def tiers_table(edition: Edition) -> Table | Prose:
    """Return a ladder's tiers with exact counts; those commoner than the next are marked."""
    variant = _first(edition, LADDERS)
    if variant is None:
        return paragraph("Neither ladder is part of this report.")
    rows: list[tuple[Cell, ...]] = []
    for tier in _exact(variant).tiers:
        names = " · ".join(_zh(variant, special) for special in tier.ids)
        mark = f"commoner than tier {tier.tier + 1}" if tier.commoner_than_next else ""
        rows.append((
            str(tier.tier), (names, ", ".join(tier.ids)), thousands(tier.rarity.exclusive),
            one_in(tier.rarity.p), mark,
        ))  # fmt: skip
    return Table(
        f"{variant.number} {variant.zh}: tiers of the ladder, exact",
        ("tier", "hands", ">number", ">one hand in", ""),
        rows,
    )


def inside_tiers_table(edition: Edition) -> Table | Prose:
    """Return the hands of one tier, or of equal points, that differ most in rarity."""
    rows: list[tuple[Cell, ...]] = []
    for variant in edition.variants:
        for spread in _exact(variant).spreads if variant.specials else ():
            one, other = spread.rarities
            rows.append((
                title(variant), spread.group,
                (_zh(variant, spread.commonest), one_in(one.inclusive / TOTAL)),
                (_zh(variant, spread.rarest), one_in(other.inclusive / TOTAL)),
                times(spread.factor),
            ))  # fmt: skip
    if not rows:
        return paragraph("No variant of this report treats two specials alike.")
    return Table(
        "Treated alike: the commonest and the rarest of a tier, or of those with equal points; "
        "exact, whatever stands above them",
        ("variant", "group", "commonest", "rarest", ">times as common"),
        rows,
    )


def fair_points_table(edition: Edition) -> Table | Prose:
    """Return points beside three yardsticks, and what declaring brings more than setting."""
    found = paid_audit(edition)
    if isinstance(found, Prose):
        return found
    write_csv(edition.out / "tables" / "audit.csv", found.rows())
    rows: list[tuple[Cell, ...]] = []
    for special in found.fair:
        rarity = found.rarities.specials[special.id]
        rows.append((
            line_name(found.variant, f"special.{special.id}"), one_in(rarity.p),
            str(special.points), f"{float(special.by_rarity):,.4g}", _plain(special.equal_flow),
            _plain(special.by_worth), signed(special.gain),
        ))  # fmt: skip
    return Table(
        f"{found.variant.number} {found.variant.zh}: points from each opponent, and what they "
        f"would be; {thousands(found.deals)} deals given each special",
        ("special", ">one hand in", ">points", ">as 1 / p", ">equal flow", ">worth when set",
         ">declared − set, units"),
        rows,
    )  # fmt: skip


def fair_points_picture(edition: Edition) -> Picture | Prose:
    """Draw points beside the three yardsticks, and save the figure."""
    found = paid_audit(edition)
    if isinstance(found, Prose):
        return found
    with drawing():
        drawn = fair_points_chart(found)
    drawn.save(edition.out / "figures")
    return drawn


def worth_sentence(edition: Edition) -> Prose:
    """Name the specials that bring more when they are set."""
    found = paid_audit(edition)
    if isinstance(found, Prose):
        return found
    if not found.better_set:
        return paragraph(f"Under {found.variant.id} rules every special is better declared.")
    named = ", ".join(
        f"{_zh(found.variant, s.id)} ({_plain(s.set_out)} units when set, "
        f"{_plain(s.declared)} when declared)"
        for s in found.better_set
    )
    return paragraph(
        f"Under {found.variant.id} rules a hand of {named} brings more when it is NOT declared: "
        "its rows win nearly everything, with guns and home runs on top."
    )


def paid_tornado(edition: Edition) -> Picture | Prose:
    """Draw what the readings of a game of all pairs move, and save the figure."""
    return _tornado(edition, paid_ambiguity(edition))


def banker_tornado(edition: Edition) -> Picture | Prose:
    """Draw what the readings of a banker game move, and save the figure."""
    return _tornado(edition, banker_ambiguity(edition))


def paid_readings_table(edition: Edition) -> Table | Prose:
    """Return the readings of the game of all pairs, ranked."""
    return _readings_table(edition, paid_ambiguity(edition))


def banker_readings_table(edition: Edition) -> Table | Prose:
    """Return the readings of the banker game, ranked."""
    return _readings_table(edition, banker_ambiguity(edition))


def pairs_table(edition: Edition) -> Table | Prose:
    """Return the pairs of readings that interact most, of both games."""
    rows: list[tuple[Cell, ...]] = []
    for found in (paid_ambiguity(edition), banker_ambiguity(edition)):
        if isinstance(found, Prose):
            continue
        told = [pair for pair in found.pairs if pair.interaction is not None]
        for pair in told[:PAIRS_SHOWN]:
            assert pair.interaction is not None
            one, other = pair.readings
            rows.append((
                title(found.variant), f"{one.id}, {other.id}", FIGURES[found.figure],
                signed(pair.changes[found.figure]), signed(pair.interaction[found.figure]),
            ))  # fmt: skip
    if not rows:
        return paragraph("No two readings can hold together.")
    return Table(
        "Two readings at once: what they move together, and what of it is more than the sum of "
        "each alone",
        ("variant", "readings", "figure", ">together", ">interaction"),
        rows,
    )


@lru_cache(maxsize=2)
def paid_audit(edition: Edition) -> Audit | Prose:
    """Return the audit of the game whose points are judged."""
    variant = _first(edition, PAID)
    if variant is None:
        return paragraph(f"None of {', '.join(PAID)} is part of this report.")
    deals = min(audit_study.DEALS, max(FEWEST_DEALS, edition.played // DEALS_SHARE))
    return audit(variant, deals=deals, seed=edition.seed, players=PLAYERS)


@lru_cache(maxsize=2)
def paid_ambiguity(edition: Edition) -> Ambiguity | Prose:
    """Return the readings of a game of all pairs."""
    return _ambiguity(edition, PAID[:2])


@lru_cache(maxsize=2)
def banker_ambiguity(edition: Edition) -> Ambiguity | Prose:
    """Return the readings of a banker game."""
    return _ambiguity(edition, BANKER_GAMES)


def _ambiguity(edition: Edition, names: tuple[str, ...]) -> Ambiguity | Prose:
    variant = _first(edition, names)
    if variant is None:
        return paragraph(f"None of {', '.join(names)} is part of this report.")
    deals = min(ambiguity_study.DEALS, edition.played)
    return ambiguity(variant, deals=deals, seed=edition.seed, players=PLAYERS)


def _tornado(edition: Edition, found: Ambiguity | Prose) -> Picture | Prose:
    if isinstance(found, Prose):
        return found
    with drawing():
        drawn = tornado(found)
    drawn.save(edition.out / "figures")
    return drawn


def _readings_table(edition: Edition, found: Ambiguity | Prose) -> Table | Prose:
    if isinstance(found, Prose):
        return found
    write_csv(edition.out / "tables" / f"ambiguity_{found.variant.id}.csv", found.rows())
    figures = tuple(found.base)
    rows: list[tuple[Cell, ...]] = []
    for moves in found.readings:
        how = "" if moves.method == COMMON else moves.method
        rows.append((
            (moves.reading.id, moves.reading.assumption),
            *(signed(moves.changes[figure]) if moves.changes[figure].se else "0"
              for figure in figures),
            one_in(moves.hands_changed / TOTAL) if moves.hands_changed else "none", how,
        ))  # fmt: skip
    base = ", ".join(f"{FIGURES[figure]} {_plain(found.base[figure])}" for figure in figures)
    return Table(
        f"{found.variant.number} {found.variant.zh}: each reading instead of what is assumed, "
        f"settings held; now {base} a deal. 0: the same in every deal",
        ("reading", *(f">{FIGURES[figure]}" for figure in figures), ">hands changed", ""),
        rows,
    )


@lru_cache(maxsize=32)
def _exact(variant: Variant) -> Rarities:
    return rarities(variant)


def _out_of_order(found: Rarities, kind: str) -> str:
    if not found.pairs[kind]:
        return "–"
    pairs = [pair for pair in found.inversions if pair.kind == kind]
    return f"{len(pairs)} of {found.pairs[kind]}"


def _zh(variant: Variant, special: str) -> str:
    return next(entry.zh for entry in variant.specials if entry.id == special)


def _plain(estimate: Estimate | None) -> str:
    return with_error(estimate.value, estimate.se).replace("-", "−") if estimate else "–"


def _first(edition: Edition, names: tuple[str, ...]) -> Variant | None:
    known = {variant.id: variant for variant in edition.variants}
    return next((known[name] for name in names if name in known), None)

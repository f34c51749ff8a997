"""Special hands of all variants: what the notebook ``02_special_hands`` shows."""

from __future__ import annotations

import html
from typing import Any

from montecarlo.reporting.edition import Edition, Special
from montecarlo.reporting.frequency_charts import frequency_chart, z_chart
from montecarlo.reporting.style import Picture
from montecarlo.reporting.tables import Prose, Table, paragraph, write_csv
from montecarlo.statistics.hypothesis_tests import holm
from montecarlo.statistics.rounding import one_in, thousands, with_error
from montecarlo.studies.exact import TOTAL
from montecarlo.studies.frequencies import SIGNIFICANCE
from montecarlo.variants import Variant

Group = tuple[Variant, ...]


def variants(edition: Edition) -> Table:
    """Return the variants of the report, and where each stands in the sources."""
    return Table(
        "The variants of this report",
        ("no.", "name", "id", "specials", "read from"),
        [
            (v.number, (v.zh, v.en), v.id, str(len(v.rules)) if v.rules else "none", _sources(v))
            for v in edition.variants
        ],
    )


def agreement(edition: Edition) -> Prose:
    """Say in one paragraph whether simulation and exact counts agree over the whole report."""
    rows = [special for specials in edition.specials.values() for special in specials]
    if not rows:
        return paragraph("These variants know no special hands.")
    adjusted = holm([row.simulated.p_value for row in rows])
    differing = [row.exact.id for row, p in zip(rows, adjusted, strict=True) if p < SIGNIFICANCE]
    verdict = (
        f"Simulation and exact counts agree in all {len(rows)} comparisons"
        if not differing
        else f"Simulation and exact counts DISAGREE in {len(differing)} of {len(rows)} comparisons "
        f"({', '.join(differing)})"
    )
    smallest = min(row.simulated.p_value for row in rows)
    return paragraph(
        f"{verdict}: the smallest p-value is {smallest:.2g}, {min(adjusted):.2g} after Holm's "
        f"adjustment for {len(rows)} tests, which would raise an alarm below {SIGNIFICANCE}.",
        "answer",
    )


def z_values(edition: Edition) -> Picture | Prose:
    """Draw every comparison's z-value, and save the figure."""
    return z_chart(edition) if edition.groups() else paragraph("There is nothing to compare.")


def sections(edition: Edition) -> Prose:
    """Return a section for each list of specials: heading, table, chart; charts are saved."""
    parts = [_section(edition, group) for group in edition.groups()]
    return Prose("\n".join(parts))


def without_specials(edition: Edition) -> Prose:
    """Name the variants that know no specials."""
    names = [_title(v) for v in edition.variants if not v.rules]
    if not names:
        return paragraph("Every variant of this report knows special hands.")
    return paragraph(f"No special hands are known in {' and '.join(names)}.")


def save_table(edition: Edition) -> Prose:
    """Write ``tables/special_hands.csv``, one row a variant and special, and say so."""
    rows = [
        _csv_row(variant, special)
        for group in edition.groups()
        for variant in group
        for special in edition.specials[group[0].id]
    ]
    write_csv(edition.out / "tables" / "special_hands.csv", rows)
    return Prose(
        "<p>All figures in full precision: "
        f'<a href="tables/special_hands.csv">tables/special_hands.csv</a>, {len(rows)} rows.</p>'
    )


def special_table(edition: Edition, group: Group) -> Table:
    """Return one list's specials: counts, frequency, exact and simulated odds, z and p-value."""
    rows: list[tuple[str | tuple[str, str], ...]] = []
    for special in edition.specials[group[0].id]:
        entry, seen = special.exact, special.simulated
        spread = seen.se / seen.p**2 if seen.count else 0.0
        rows.append(
            (
                (entry.zh, entry.en),
                thousands(entry.exclusive),
                one_in(entry.exclusive / TOTAL).removeprefix("1 in "),
                thousands(seen.count),
                with_error(seen.p * 100, seen.se * 100) if seen.count else "–",
                with_error(1 / seen.p, spread) if seen.count else _at_least(seen.ci95.high),
                f"{seen.z:+.2f}" if seen.method == "clustered" else "–",
                f"{seen.p_value:.3f}",
            )
        )
    return Table(
        f"{group[0].zh} {group[0].id}: exact in {thousands(TOTAL)} hands, simulated in "
        f"{thousands(edition.deals)} deals ({thousands(4 * edition.deals)} hands)",
        ("special", ">exact hands", ">exact, one in", ">dealt", ">simulated, %",
         ">simulated, one in", ">z", ">p-value"),
        rows,
    )  # fmt: skip


def _section(edition: Edition, group: Group) -> str:
    names = " · ".join(_title(variant) for variant in group)
    same = (
        paragraph("Their lists of specials are the same; other rules differ.")._repr_html_()
        if len(group) > 1
        else ""
    )
    chart = frequency_chart(edition, group)
    return (
        f'<section id="{group[0].id}"><h3>{html.escape(names)}</h3>{same}'
        f"{special_table(edition, group)._repr_html_()}{chart._repr_html_()}</section>"
    )


def _title(variant: Variant) -> str:
    return f"{variant.number} {variant.zh} {variant.id}"


def _sources(variant: Variant) -> str:
    return ", ".join(dict.fromkeys(source.file for source in variant.sources)) or "–"


def _at_least(p_high: float) -> str:
    return f"> {1 / p_high:,.2g}" if p_high < 1e-15 else f"> {_two_digits(1 / p_high)}"


def _two_digits(number: float) -> str:
    step = 10 ** max(0, len(str(int(number))) - 2)
    return f"{int(number) // step * step:,}"


def _csv_row(variant: Variant, special: Special) -> dict[str, Any]:
    entry, seen = special.exact, special.simulated
    return {
        "variant": variant.id, "number": variant.number, "variant_sha256": variant.sha256,
        "special": entry.id, "zh": entry.zh, "en": entry.en,
        "points": next(e.points for e in variant.specials if e.id == entry.id),
        "tier": entry.tier, "total_hands": TOTAL, "exact_inclusive": entry.inclusive,
        "exact_exclusive": entry.exclusive, "exact_p": seen.exact_p,
        "dealt_hands": seen.hands, "dealt_count": seen.count,
        "deals_holding": seen.deals_holding, "p": seen.p, "se": seen.se,
        "ci95_low": seen.ci95.low, "ci95_high": seen.ci95.high,
        "ci95_table_low": seen.ci95_table.low, "ci95_table_high": seen.ci95_table.high, "z": seen.z,
        "p_value": seen.p_value, "holm_p_value": seen.holm_p_value, "method": seen.method,
    }  # fmt: skip

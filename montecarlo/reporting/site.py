"""The whole report: deal, run the notebooks, render the pages, write figures and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from montecarlo.reporting import dragon, notebooks
from montecarlo.reporting.edition import Edition, Note, silent_note
from montecarlo.reporting.notebooks import Notebook
from montecarlo.reporting.pages import Page, page_of, render, render_notebook
from montecarlo.reporting.provenance import Provenance, stamp
from montecarlo.reporting.settings import signed
from montecarlo.reporting.tables import write_csv
from montecarlo.reporting.variant_pages import variant_pages, write_variant_pages
from montecarlo.statistics.hypothesis_tests import holm
from montecarlo.statistics.rounding import thousands
from montecarlo.studies.frequencies import SIGNIFICANCE
from montecarlo.studies.verify import VerifiedClaim, VerifyResult, verify

INDEX = "index.html"


@dataclass(frozen=True)
class Site:
    """The pages of a report, the one that leads to the others first, and their notebooks."""

    books: Mapping[str, Notebook]
    """by the page's file"""
    pages: tuple[Page, ...]

    @classmethod
    def read(cls) -> Site:
        """Read the notebooks."""
        books = [(notebooks.read(path), path) for path in notebooks.report_notebooks()]
        pages = [page_of(book, path) for book, path in books]
        home = Page(INDEX, "十三张 in figures", "report")
        found = {page.file: book for page, (book, _) in zip(pages, books, strict=True)}
        return cls(found, (home, *pages))

    @property
    def home(self) -> Page:
        """The page that leads to the others."""
        return self.pages[0]

    def needs_games(self, page: Page) -> bool:
        """Tell whether a page shows played games."""
        return page is self.home or notebooks.needs_games(self.books[page.file])

    def write(self, edition: Edition, page: Page, claims: Sequence[str] | None = None) -> Path:
        """Make one page of a dealt edition, with its tables and figures; return its path.

        Each notes where it comes from. ``claims`` are the published figures to judge, by id; all
        of them if not given. Raises MontecarloError when a notebook fails or a page is not fit to
        be published.
        """
        origin = Provenance.of(edition, Path(page.file).stem, claims)
        before = _written(edition.out)
        if page is self.home:
            text = _index(edition, page, self.pages, claims, origin)
        else:
            book = self.books[page.file]
            notebooks.execute(book, edition, Path(page.file).stem + ".ipynb")
            text = render_notebook(book, page, self.pages, edition, origin)
        for path, time in _written(edition.out).items():
            if before.get(path) != time:
                stamp(path, origin)
        path = edition.out / page.file
        path.write_text(text, encoding="utf-8")
        return path


def build(
    edition: Edition, note: Note = silent_note, claims: Sequence[str] | None = None
) -> list[Path]:
    """Write the report of a dealt edition to its folder and return the pages' paths.

    ``claims`` are the published figures to judge, by id; all of them if not given.
    Raises MontecarloError when a notebook fails or a page is not fit to be published.
    """
    site = Site.read()
    written = []
    for page in site.pages[1:]:
        note(f"page {page.file}")
        written.append(site.write(edition, page))
    note("PAR sheets and workbenches")
    of_variants = write_variant_pages(edition)
    note("published figures")
    return [site.write(edition, site.home, claims), *written, *of_variants]


def _written(out: Path) -> dict[Path, int]:
    """Return the tables and figures of a folder, and when each was written."""
    found = [*(out / "tables").glob("*.csv"), *(out / "figures").glob("*.[sp][vn]g")]
    return {path: path.stat().st_mtime_ns for path in found}


def _index(
    edition: Edition,
    home: Page,
    pages: Sequence[Page],
    claims: Sequence[str] | None,
    origin: Provenance,
) -> str:
    judged = verify(claims)
    write_csv(edition.out / "tables" / "claims.csv", [_flat(row) for row in judged.rows()])
    return render(
        "index.html.j2",
        home,
        pages,
        edition,
        origin,
        cards=_cards(edition, judged),
        claims=[_claim(claim) for claim in judged.claims],
        claims_sentence=_sentence(judged),
        downloads=_downloads(edition),
        variant_pages=variant_pages(edition),
    )


def _cards(edition: Edition, judged: VerifyResult) -> list[dict[str, str]]:
    p, claimed = dragon.by_formula(), dragon.published()
    p_values = [s.simulated.p_value for specials in edition.specials.values() for s in specials]
    agreeing = sum(p >= SIGNIFICANCE for p in holm(p_values))
    refuted = sum(claim.verdict == "refuted" for claim in judged.claims)
    cards = [
        {
            "big": f"1 in {thousands(round(1 / p))}",
            "label": "hands is a dragon (一条龙); the odds in print, 1 in "
            f"{thousands(claimed)}, are {dragon.times(claimed * p)} times too long",
        },
        {
            "big": f"{agreeing} of {len(p_values)}",
            "label": f"frequencies of special hands agree, exact against {edition.deals:,} deals",
        },
        {
            "big": f"{refuted} of {len(judged.claims)}",
            "label": "published figures put to the test are refuted",
        },
    ]
    return cards + _played_cards(edition)


def _played_cards(edition: Edition) -> list[dict[str, str]]:
    """Return what play comes to: the largest edge of a banker, and what a beginner loses."""
    cards = []
    edges = {g.variant.id: g.payouts.edge for g in edition.games.values() if g.payouts.edge}
    if edges:
        name, edge = max(edges.items(), key=lambda item: item[1].value)
        label = f"units a deal are the banker's edge (庄家优势) in {name}"
        cards.append({"big": signed(edge), "label": label})
    losses = {g.variant.id: g.paired.difference(1, 0) for g in edition.games.values() if g.paired}
    if losses:
        name, loss = min(losses.items(), key=lambda item: item[1].value)
        label = f"units a deal for a beginner among three equilibrium players in {name}"
        cards.append({"big": signed(loss), "label": label})
    return cards


def _sentence(judged: VerifyResult) -> str:
    counts = {
        verdict: sum(claim.verdict == verdict for claim in judged.claims)
        for verdict in ("confirmed", "refuted", "undecided")
    }
    parts = [f"{number} {verdict}" for verdict, number in counts.items() if number]
    return (
        f"{len(judged.claims)} claims: {', '.join(parts)}. Exact values are judged at the digits "
        "that were printed, simulated ones by their 95 % interval. The verdicts do not depend on "
        "the deals of this edition."
    )


def _claim(claim: VerifiedClaim) -> dict[str, Any]:
    interval = claim.ci95
    return {
        "id": claim.claim.id,
        "en": claim.claim.en,
        "zh": claim.claim.zh,
        "source": claim.claim.source,
        "claimed": claim.claimed,
        "computed": claim.computed,
        "interval": f"95 %: {interval.low:.4g} … {interval.high:.4g}" if interval else "",
        "verdict": claim.verdict,
        "factor": f"off by a factor of {dragon.times(claim.factor)}" if claim.factor else "",
        "why": claim.finding.why,
        "slip": claim.finding.slip or "",
    }


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose cells are single values: an interval becomes two columns."""
    low, high = row.pop("ci95") or ("", "")
    return {**row, "ci95_low": low, "ci95_high": high}


def _downloads(edition: Edition) -> list[dict[str, str]]:
    known = {
        "special_hands.csv": "every special of every variant, exact and simulated",
        "payouts.csv": "every variant played: edge, spread, guns, home runs, flow",
        "payout_lines.csv": "units that change hands, by variant and payout line",
        "special_values.csv": "what a declared special brings its holder",
        "setups.csv": "the commonest set-ups and what they bring",
        "units_distribution.csv": "deals by the units they brought seat 0",
        "settings.csv": "categories in each row, by variant and policy",
        "policy_costs.csv": "what simpler policies lose among three equilibrium players",
        "frontier_of_a_hand.csv": "every frontier setting of one hand, and what it brings",
        "inversions.csv": "pairs of specials of which the higher is the commoner, exact",
        "audit.csv": "points of specials beside fair ones by three yardsticks",
        "ambiguity_taiwan.csv": "what each reading of the Taiwan rules moves, alone and in pairs",
        "ambiguity_hongkong.csv": "the same for the Hong Kong banker game",
        "coverage.csv": "how often intervals held the truth in independent runs",
        "claims.csv": "published figures, computed values, verdicts",
        "dragon_convergence.csv": "the simulated odds of a dragon after more and more deals",
    }
    found = [
        {"path": f"tables/{name}", "what": what}
        for name, what in known.items()
        if (edition.out / "tables" / name).exists()
    ]
    figures = sorted(path.name for path in (edition.out / "figures").glob("*.svg"))
    return found + [
        {"path": f"figures/{name}", "what": "figure (SVG; PNG beside it)"} for name in figures
    ]

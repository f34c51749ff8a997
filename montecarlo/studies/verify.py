"""Study: are the published figures true? Each is computed anew and gets its verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from montecarlo.errors import BadInput, nearest
from montecarlo.statistics.intervals import Interval
from montecarlo.studies.claims.findings import Finding, Verdict
from montecarlo.studies.claims.judgement import JudgedFigure, judge, overall
from montecarlo.studies.claims.registry import find_computation
from montecarlo.studies.claims.schema import Claim, load_claims
from montecarlo.studies.results import Result


@dataclass(frozen=True)
class VerifiedClaim:
    """A claim, what was computed, and the verdict."""

    claim: Claim
    finding: Finding
    figures: tuple[JudgedFigure, ...]

    @property
    def verdict(self) -> Verdict:
        """Refuted if any figure is, confirmed if all are."""
        return overall(self.figures)

    @property
    def claimed(self) -> str:
        """The published figures for people."""
        return "; ".join(_named(judged, judged.claimed) for judged in self.figures)

    @property
    def computed(self) -> str:
        """The computed figures for people."""
        return "; ".join(_named(judged, judged.computed) for judged in self.figures)

    @property
    def ci95(self) -> Interval | None:
        """The interval of the first simulated figure."""
        return next((judged.ci95 for judged in self.figures if judged.ci95), None)

    @property
    def factor(self) -> float | None:
        """How far off the first refuted figure is (at least 1); None when nothing is refuted."""
        return next((judged.factor for judged in self.figures if judged.factor), None)

    def to_data(self) -> dict[str, Any]:
        """Return the entry of design.md's ``verify`` list, and more."""
        return {
            "id": self.claim.id,
            "source": self.claim.source,
            "claimed": self.claimed,
            "computed": self.computed,
            "ci95": list(self.ci95) if self.ci95 else None,
            "factor": self.factor,
            "method": self.claim.method,
            "verdict": self.verdict,
            "why": self.finding.why,
            "slip": self.finding.slip,
            "zh": self.claim.zh,
            "en": self.claim.en,
            "passage": self.claim.passage,
            "definition": self.claim.definition,
            "figures": [judged.to_data() for judged in self.figures],
            "checks": [check.to_data() for check in self.finding.checks],
            "details": dict(self.finding.details),
        }


@dataclass(frozen=True)
class VerifyResult(Result):
    """The claims asked for, in the order of the files (or as asked)."""

    claims: tuple[VerifiedClaim, ...]

    def __getitem__(self, claim: str) -> VerifiedClaim:
        """Return one claim by id; KeyError when it was not asked for."""
        for verified in self.claims:
            if verified.claim.id == claim:
                return verified
        raise KeyError(claim)

    def to_data(self) -> list[dict[str, Any]]:
        """Return the ``verify`` shape of design.md."""
        return [verified.to_data() for verified in self.claims]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a figure."""
        return [
            {
                "id": v.claim.id, "source": v.claim.source, "zh": v.claim.zh, "en": v.claim.en,
                **judged.to_data(), "method": v.claim.method, "why": v.finding.why,
                "slip": v.finding.slip,
            }
            for v in self.claims
            for judged in v.figures
        ]  # fmt: skip


def verify(ids: Iterable[str] | str | None = None, folder: Path | None = None) -> VerifyResult:
    """Compute published figures and judge them: all, or those of the claim ids given.

    ``folder`` holds the claim files (the shipped ones if not given). Raises BadInput for an
    unknown id and for a claim file that is not right.
    """
    claims = load_claims(folder)
    names = [ids] if isinstance(ids, str) else list(ids or claims)
    for name in names:
        if name not in claims:
            raise BadInput(
                f"unknown claim '{name}'{nearest(name, claims)} (known: {', '.join(claims)})"
            )
    return VerifyResult(tuple(_verified(claims[name]) for name in dict.fromkeys(names)))


def _verified(claim: Claim) -> VerifiedClaim:
    finding = find_computation(claim)(claim)
    return VerifiedClaim(claim, finding, judge(claim, finding))


def _named(judged: JudgedFigure, text: str) -> str:
    return f"{judged.figure.name}: {text}" if judged.figure.name else text

"""Pages that stand alone, one a variant: PAR sheets and workbenches, in a report or by themselves.

Each is one file that asks the network for nothing, and has only the glyphs that it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import unescape
from typing import Any

from montecarlo.reporting.fonts import check_coverage, font_faces_of
from montecarlo.reporting.pages import FONT_MARK, TEMPLATES, check_self_contained, templates
from montecarlo.simulation.provenance import code_commit, package_versions
from montecarlo.studies.par_sheet import ParSheet


def fill(template: str, sheet: ParSheet, home: str | None, **content: Any) -> str:
    """Fill a template of a variant; ``home`` is the address of a report's index, if there is one.

    The result still lacks its font: see `finished`.
    """
    experiment, seed = sheet.moments.experiment, sheet.moments.seeds[0]
    words = [
        "montecarlo par",
        experiment.variant.id,
        f"--deals {sheet.moments.deals:_}",
        f"--seed {seed}",
    ]
    if experiment.players != 4:
        words.append(f"--players {experiment.players}")
    policies = tuple(dict.fromkeys(experiment.policies))
    if policies != ("equilibrium",):
        words.append(f"--policy {','.join(experiment.policies if policies[1:] else policies)}")
    words += [f"--set {knob}={value}" for knob, value in experiment.variant.knobs.items()]
    text: str = (
        templates()
        .get_template(template)
        .render(
            variant=sheet.variant, sheet=sheet, home=home, command=" ".join(words),
            policies=", ".join(policies), version=package_versions()["montecarlo"],
            commit=code_commit(), css=(TEMPLATES / "style.css").read_text(encoding="utf-8"),
            **content,
        )
    )  # fmt: skip
    return text


def finished(pages: Sequence[tuple[str, str]]) -> list[str]:
    """Return pages, given as (name, filled template), with the glyphs they show.

    Raises MissingGlyph when the font lacks one, MontecarloError when a page would fetch anything.
    """
    for name, text in pages:
        check_self_contained(text, name)
        check_coverage(unescape(text), name)
    faces = font_faces_of([unescape(text) for _, text in pages])
    return [text.replace(FONT_MARK, face) for (_, text), face in zip(pages, faces, strict=True)]

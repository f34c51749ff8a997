"""What a goal may name: printed by ``simulate --until help`` and ``plan --goal help``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from montecarlo.commands.words import print_table

if TYPE_CHECKING:
    from montecarlo.studies.named_statistics import Simulated


def print_statistics(experiment: Simulated, as_json: bool) -> None:
    """Print the statistics of an experiment, with the measures a goal takes of them."""
    from montecarlo.studies.named_statistics import statistics_of

    known = statistics_of(experiment).values()
    if as_json:
        rows = [{"name": statistic.name, "about": statistic.about} for statistic in known]
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
        return
    print_table(
        "se(X): standard error   width(X): width of the 95 % interval   "
        "rel(X): standard error / value\nSeveral goals are joined by and.",
        ("X", "what it is"),
        ((statistic.name, statistic.about) for statistic in known),
    )

"""An edition of the report: which variants, how many deals, from which seed, and what they gave.

The deals come first and are stored as runs: one that tabulates special hands for all variants, and
for each variant those that play it (`games`). Notebooks only read them. `deal_edition` is what
``montecarlo report`` calls, `opened` what a notebook does.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from montecarlo.errors import BadInput, StoreError
from montecarlo.reporting.games import PLAYERS, Game, games_of, play_games, played_by_default
from montecarlo.simulation.all_frequencies import AllFrequencies
from montecarlo.simulation.files import encode_json
from montecarlo.simulation.plan import Plan, Span
from montecarlo.simulation.progress import progress_bar
from montecarlo.simulation.runner import run
from montecarlo.simulation.runs import IncompleteRun
from montecarlo.simulation.store import Store, stored_tallies
from montecarlo.simulation.tallies import Tally, merge
from montecarlo.statistics.intervals import Interval
from montecarlo.studies.exact import ExactSpecial, exact
from montecarlo.studies.frequencies import SpecialFrequency, frequencies
from montecarlo.variants import Variant, load

FOLDER_VARIABLE = "MONTECARLO_EDITION"
RUNS = Path("data/runs")
OUT = Path("reports")

Note = Callable[[str], None]

STORY_VARIANTS = ("points123", "taiwan")
"""Dealt for whatever variants a report is about: the story of the dragon needs them."""


def silent_note(_text: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Special:
    """One special of a variant: exact counts, and what the run found."""

    exact: ExactSpecial
    simulated: SpecialFrequency

    @classmethod
    def of(cls, data: dict[str, Any]) -> Special:
        """Read what the run's summary holds."""
        found = data["simulated"]
        for name in ("ci95", "ci95_table"):
            found[name] = Interval(*found[name])
        return cls(ExactSpecial(**data["exact"]), SpecialFrequency(**found))


@dataclass(frozen=True)
class Edition:
    """The results a report is made of."""

    names: tuple[str, ...]
    """the variants as they were asked for: ids, or paths of rule files"""
    deals: int
    seed: int
    folder: Path
    """where the run that tabulates special hands is stored; runs of games lie beside it"""
    out: Path
    """where pages, figures and tables go"""
    played: int
    """deals each variant is played"""

    @cached_property
    def variants(self) -> tuple[Variant, ...]:
        """The variants the report is about."""
        return tuple(load(name) for name in self.names)

    @cached_property
    def experiment(self) -> AllFrequencies:
        """What was tabulated: these variants, and those of the story."""
        known = {variant.id for variant in self.variants}
        others = (load(name) for name in STORY_VARIANTS if name not in known)
        return AllFrequencies((*self.variants, *others), PLAYERS)

    @cached_property
    def plan(self) -> Plan:
        """The plan of the run."""
        return Plan(self.experiment, self.seed, self.deals)

    @cached_property
    def shards(self) -> dict[Span, Tally]:
        """The stored tallies, in order; StoreError when the run is not complete."""
        try:
            return dict(stored_tallies(self.folder, self.plan))
        except IncompleteRun:
            says = "the run is not complete; montecarlo report deals it"
            raise StoreError(f"{self.folder}: {says}") from None

    @cached_property
    def tally(self) -> Tally:
        """All deals together."""
        return merge(self.shards.values())

    @cached_property
    def specials(self) -> dict[str, tuple[Special, ...]]:
        """The specials of each group of variants (see `groups`), by its first variant's id."""
        path = self.folder / "summary.json"
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))["specials"]
            return {
                variant: tuple(Special.of(entry) for entry in entries)
                for variant, entries in stored.items()
            }
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{path}: cannot be read ({error})") from None

    @cached_property
    def games(self) -> dict[str, Game]:
        """The variants as they were played, by id; PolicyMismatch for one without equilibrium."""
        return games_of(self.variants, self.played, self.seed, self.folder.parent)

    def groups(self) -> list[tuple[Variant, ...]]:
        """Return the variants with specials, those with the same list of rules together."""
        asked = {variant.id for variant in self.variants}
        groups = (
            tuple(variant for variant in variants if variant.id in asked)
            for variants in self.experiment.lists.values()
        )
        return [group for group in groups if group]


def deal_edition(
    names: Sequence[str],
    *,
    deals: int,
    seed: int,
    jobs: int,
    out: Path,
    played: int | None = None,
    runs: Path = RUNS,
    note: Note = silent_note,
    with_games: bool = True,
) -> Edition:
    """Deal and play what an edition needs, or as much as is not stored yet, and return it.

    Special hands are tabulated in ``deals`` deals, each variant is played for ``played`` deals
    (a twentieth of ``deals`` if not given, a million at most), unless no page ``with_games`` is
    wanted. ``note`` is told what happens.
    Raises BadInput for variants, deals, a seed or jobs that cannot be used, PolicyMismatch for a
    variant whose equilibrium is not trained, StoreError for folders that cannot be used; all
    before anything is dealt.
    """
    if jobs < 1:
        raise BadInput(f"jobs must be 1 or more, not {jobs}")
    names = tuple(str(Path(n).resolve()) if n.endswith(".toml") else load(n).id for n in names)
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"{name}: named twice; each variant stands in the report once")
    played = played_by_default(deals) if played is None else played
    pending = Edition(names, deals, seed, Path(), out.resolve(), played)
    # the sources are part of the name: results of other code are not taken for this code's
    identity = [pending.experiment.describe(), _sources(), deals, seed]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:10]
    folder = (runs / f"report-{deals}-seed{seed}-{digest}").resolve()
    edition = Edition(names, deals, seed, folder, out.resolve(), played)
    plan, games = edition.plan, edition.games
    _make_folder(edition.out)
    with Store(folder, plan, resume=folder.exists()) as store:
        done = store.deals_done(plan)
        note(f"dealing {deals - done:,} of {deals:,} times, seed {seed}, {jobs} workers")
        with progress_bar("dealing", deals, done) as advance:
            run(plan, jobs=jobs, store=store, advance=advance)
        if with_games:
            note(f"playing {len(games)} variants, {played:,} deals each")
            play_games(games, jobs)
        request = {
            "names": list(names), "deals": deals, "played": played, "seed": seed,
            "out": str(edition.out),
        }  # fmt: skip
        (folder / "edition.json").write_bytes(encode_json(request))
        summary = {"deals": deals, "seed": seed, "specials": _summary(edition)}
        store.finish(plan, summary)
    return edition


def opened(folder: Path | str | None = None) -> Edition:
    """Return a stored edition: the given folder's, else the one that is being reported.

    Outside of ``montecarlo report`` that is the newest under ``data/runs``. Raises BadInput when
    there is none.
    """
    if folder is None:
        folder = os.environ.get(FOLDER_VARIABLE) or _newest()
    path = Path(folder) / "edition.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Edition(
            tuple(data["names"]), data["deals"], data["seed"], Path(folder), Path(data["out"]),
            data["played"],
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: no edition of the report can be read here ({error})") from None


def _summary(edition: Edition) -> dict[str, list[dict[str, Any]]]:
    """Compare every variant's tally with its exact counts; equal lists are counted once."""
    summary = {}
    for group in edition.groups():
        counts = exact(group[0])
        holders = edition.experiment.holders_of(group[0], edition.tally)
        found = frequencies(group[0], holders, counts)
        pairs = zip(counts.specials, found, strict=True)
        summary[group[0].id] = [{"exact": asdict(e), "simulated": asdict(f)} for e, f in pairs]
    return summary


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written ({error.strerror})") from None


def _sources() -> str:
    from montecarlo.compiled import sources_hash
    from montecarlo.simulation import all_frequencies

    return sources_hash(Path(all_frequencies.__file__))


def _newest() -> Path:
    for parent in (Path.cwd(), *Path.cwd().parents):
        found = list((parent / RUNS).glob("report-*/edition.json"))
        if found:
            return max(found, key=lambda path: path.stat().st_mtime).parent
    raise BadInput("no edition of the report is stored yet: run `montecarlo report` first")

"""Study: train policies anew and keep them where the other studies find them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from montecarlo.errors import BadInput
from montecarlo.setting.policy_files import (
    TrainedPolicy,
    balanced_path,
    counts_players,
    policy_path,
    rules_hash,
    save_policy,
    user_folder,
)
from montecarlo.setting.training import Training, default_rounds, plain_rows
from montecarlo.setting.training import train as train_variant
from montecarlo.strength.tables import WHEELS
from montecarlo.studies.results import Result
from montecarlo.studies.settings import check_players
from montecarlo.variants import Variant, load

BALANCED = "balanced"
Report = Callable[[str], None]


@dataclass(frozen=True)
class TrainedFile:
    """One policy that was trained, and where it lies."""

    path: Path
    policy: TrainedPolicy

    def to_data(self) -> dict[str, Any]:
        """Return path, hash and provenance."""
        return {"path": str(self.path), "sha256": self.policy.sha256, **self.policy.provenance}


@dataclass(frozen=True)
class TrainedFiles(Result):
    """All policies of one training: one a role, or one a wheel rule."""

    files: tuple[TrainedFile, ...]

    def to_data(self) -> list[dict[str, Any]]:
        """Return an object a policy."""
        return [file.to_data() for file in self.files]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a policy."""
        return self.to_data()


def train(
    variant: Variant | str,
    overrides: Iterable[str] = (),
    *,
    players: int = 4,
    training: Training | None = None,
    out: Path | str | None = None,
    report: Report | None = None,
) -> TrainedFiles:
    """Train the equilibrium of a variant, or ``balanced``, and save it.

    ``balanced`` is the equilibrium of plain rows under each of the three wheel rules. Files go to
    ``out``, or to the user's own folder, where every study looks for them. ``report`` is told each
    round that is done. The same input gives the same bytes. Raises BadInput for ladders, overrides
    of ``balanced`` and numbers that cannot be.
    """
    training = training or Training()
    for name, value in (("rounds", training.rounds), ("blocks", training.blocks)):
        if value is not None and value < 1:
            raise BadInput(f"{name} must be 1 or more, not {value}")
    if training.seed < 0:
        raise BadInput(f"seed must be 0 or more, not {training.seed}")
    check_players(players)
    folder = Path(out) if out is not None else user_folder()
    overrides = list(overrides)
    if variant == BALANCED:
        if overrides:
            raise BadInput("balanced is trained for plain rows under every wheel: --set has no use")
        files = []
        for wheel in WHEELS:
            trained = _train(plain_rows(wheel), 4, training, f"{BALANCED}, wheel {wheel}", report)
            files.append(TrainedFile(balanced_path(wheel, folder), trained["any"]))
    else:
        rules = load(variant, overrides) if isinstance(variant, str) else variant
        if rules.format == "ladder":
            raise BadInput(f"{rules.id} is a ladder: nothing is set, so there is nothing to train")
        trained = _train(rules, players, training, rules.id, report)
        files = [
            TrainedFile(_path(rules, role, players, folder), policy)
            for role, policy in trained.items()
        ]
    for file in files:
        save_policy(file.policy, file.path)
    return TrainedFiles(tuple(files))


def _train(
    variant: Variant, players: int, training: Training, name: str, report: Report | None
) -> dict[str, TrainedPolicy]:
    rounds = training.rounds or default_rounds(variant, players)

    def tell(number: int) -> None:
        if report:
            report(f"{name}: round {number} of {rounds}")

    return train_variant(variant, players, training, tell)


def _path(variant: Variant, role: str, players: int, folder: Path) -> Path:
    """Return a file's place; rules changed by overrides get a name of their own."""
    path = policy_path(variant.id, role, players if counts_players(variant) else 0, folder)
    if not variant.knobs:
        return path
    return path.with_stem(f"{path.stem}-{rules_hash(variant, role, players)[:10]}")

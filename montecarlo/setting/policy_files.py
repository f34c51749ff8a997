"""Trained policies as small data files: value tables with the record of where they come from.

A file is a zip of plain arrays (no pickle, nothing executed) with one JSON text beside them. Its
name tells variant, role and number of players; what decides is the hash of the rules inside.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from montecarlo.data_files import data_path
from montecarlo.errors import BadInput, PolicyMismatch
from montecarlo.setting.value_tables import ValueTables
from montecarlo.variants.schema import Variant

SCHEMA = 1
LARGEST_FILE = 50_000_000

_BELONGS_TO = ("rules", "wheel", "compare")

#: what reading a damaged zip, JSON text or array raises
_DAMAGE = (
    OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip


@dataclass(frozen=True)
class TrainedPolicy:
    """Value tables (several when training rounds are averaged) and their provenance."""

    tables: tuple[ValueTables, ...]
    provenance: Mapping[str, Any]

    @property
    def sha256(self) -> str:
        """Hash of what the policy was trained for and of every number in it."""
        digest = hashlib.sha256(str(self.provenance["rules"]).encode())
        for tables in self.tables:
            for array in tables:
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


def rules_hash(variant: Variant, role: str, players: int) -> str:
    """Hash of everything an equilibrium is trained for; not stakes, fees or names."""
    text = f"{variant.play_sha256} {role} {players if counts_players(variant) else 'any'}"
    return hashlib.sha256(text.encode()).hexdigest()


def counts_players(variant: Variant) -> bool:
    """Tell whether the number of players changes how a hand is best set (home runs do)."""
    sweep = variant.sweep
    return sweep.home_run != "none" or sweep.home_run_add != 0


def policy_path(variant_id: str, role: str, players: int, folder: Path | None = None) -> Path:
    """Return where the policy of a variant, role and number of players lies (0: any number)."""
    parts = [variant_id, *([role] if role != "any" else []), *([str(players)] if players else [])]
    return (folder or data_path("policies")) / f"{'-'.join(parts)}.npz"


def save_policy(policy: TrainedPolicy, path: Path) -> None:
    """Write a policy file whole or not at all; the same policy gives the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        text = json.dumps(dict(policy.provenance), indent=1, ensure_ascii=False)
        archive.writestr(zipfile.ZipInfo("provenance.json"), text + "\n")
        for number, tables in enumerate(policy.tables):
            for name, array in tables._asdict().items():
                data = io.BytesIO()
                np.save(data, array, allow_pickle=False)
                entry = zipfile.ZipInfo(f"{number:02d}/{name}.npy")
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, data.getvalue())
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_bytes(buffer.getvalue())
    os.replace(temporary, path)


def read_policy(path: Path) -> TrainedPolicy:
    """Read a policy file; raises BadInput, naming it, when it is damaged or of another schema."""
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _read(path: Path, _changed: int) -> TrainedPolicy:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError("too large")
        with zipfile.ZipFile(path) as archive:
            provenance = json.loads(archive.read("provenance.json"))
            if provenance["schema"] != SCHEMA:
                raise ValueError(f"schema {provenance['schema']}, this version reads {SCHEMA}")
            if provenance["tables"] < 1 or any(not provenance[key] for key in _BELONGS_TO):
                raise ValueError("no tables, or no rules they belong to")
            tables = tuple(_value_tables(archive, i) for i in range(provenance["tables"]))
    except _DAMAGE as error:
        reason = " ".join(str(error).split())[:100]
        raise BadInput(f"{path}: damaged policy file ({reason}); train it anew") from None
    return TrainedPolicy(tables, provenance)


def _value_tables(archive: zipfile.ZipFile, number: int) -> ValueTables:
    arrays: dict[str, Any] = {}
    for name in ValueTables._fields:
        data = io.BytesIO(archive.read(f"{number:02d}/{name}.npy"))
        arrays[name] = np.load(data, allow_pickle=False)
        if arrays[name].dtype != np.float32 or not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} is not a table of finite float32 numbers")
    tables = ValueTables(**arrays)
    for row, size in (("head", 456), ("middle", 7463), ("tail", 7463)):
        factors = arrays[f"{row}_factors"]
        if arrays[row].shape != (size,) or arrays[f"{row}_place"].shape != (size,):
            raise ValueError(f"{row}: arrays of the wrong size")
        if factors.ndim != 2 or factors.shape[1] != tables.head_factors.shape[1]:
            raise ValueError(f"{row}: factors of the wrong shape")
    return tables


def find_policy(variant: Variant, role: str, players: int, *, hold: bool = False) -> TrainedPolicy:
    """Return the equilibrium trained for a variant's rules, wherever its file stands.

    A variant with overrides has other rules: then PolicyMismatch names the command that trains
    for them; with ``hold`` the policy of the variant's own rules is kept all the same.
    """
    wanted = rules_hash(variant, role, players)
    number = players if counts_players(variant) else 0
    for folder in (None, user_folder()):
        path = policy_path(variant.id, role, number, folder)
        if path.exists():
            policy = read_policy(path)
            if policy.provenance["rules"] == wanted:
                return policy
    for path in sorted(user_folder().glob("*.npz")):
        policy = read_policy(path)
        if policy.provenance["rules"] == wanted:
            return policy
    if hold:
        for count in (number, players, 0, 4):
            path = policy_path(variant.id, role, count)
            if path.exists():
                return read_policy(path)
    knobs = "".join(f" --set {key}={_word(value)}" for key, value in variant.knobs.items())
    raise PolicyMismatch(
        f"no equilibrium is trained for these rules of {variant.id} (role {role}, {players} "
        f"players): run `montecarlo train {variant.id}{knobs} --players {players}`, or give "
        "--hold-policy to keep the one trained for the variant as it stands"
    )


def shipped_rounds(variant: Variant, role: str, players: int) -> int | None:
    """Return how many rounds a variant's shipped policy was trained for, None without a whole one.

    A damaged file is no reason to refuse the training that would replace it.
    """
    path = policy_path(variant.id, role, players if counts_players(variant) else 0)
    with suppress(BadInput, OSError):
        return int(read_policy(path).provenance["rounds"])
    return None


def balanced_path(wheel: str, folder: Path | None = None) -> Path:
    """Return where the equilibrium of plain rows under a wheel rule lies."""
    return (folder or data_path("policies")) / f"balanced-{wheel}.npz"


def find_balanced(wheel: str) -> TrainedPolicy:
    """Return the equilibrium of plain rows (1 unit a row, nothing else) under a wheel rule.

    Raises PolicyMismatch when its file is missing.
    """
    for folder in (None, user_folder()):
        path = balanced_path(wheel, folder)
        if path.exists():
            return read_policy(path)
    raise PolicyMismatch(f"{balanced_path(wheel)}: missing; `montecarlo train balanced` makes it")


def user_folder() -> Path:
    """Folder of policies that the user trained."""
    from montecarlo.compiled import cache_folder

    return cache_folder() / "policies"


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

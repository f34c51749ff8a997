"""What is known of the policies trained for a variant: where they come from, how good they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from montecarlo.setting.policy_files import (
    counts_players,
    policy_path,
    read_policy,
    rules_hash,
    save_policy,
)
from montecarlo.variants.schema import Variant


def roles_of(variant: Variant) -> tuple[str, ...]:
    """Return the roles that set differently: banker and player, or any seat; none in ladders."""
    if variant.format == "ladder":
        return ()
    return ("banker", "player") if variant.banker else ("any",)


def trained_policies(variant: Variant) -> list[dict[str, Any]]:
    """Return one entry a shipped equilibrium: role, players, seed, hash, exploitability.

    ``matches`` is False where a knob has changed the rules that it was trained for.
    """
    entries = []
    for role in roles_of(variant):
        for players in (2, 3, 4) if counts_players(variant) else (0,):
            path = policy_path(variant.id, role, players)
            if not path.exists():
                continue
            policy = read_policy(path)
            entries.append(
                {
                    "name": "equilibrium",
                    "role": role,
                    "players": players or [2, 3, 4],
                    "file": path.name,
                    "sha256": policy.sha256,
                    "seed": policy.provenance["seed"],
                    "rounds": policy.provenance["rounds"],
                    "tables": policy.provenance["tables"],
                    "matches": policy.provenance["rules"]
                    == rules_hash(variant, role, players or 4),
                    "exploitability": policy.provenance.get("exploitability"),
                }
            )
    return entries


def measure_shipped(variant: Variant, players: int, *, hands: int, folder: Path | None) -> None:
    """Measure the exploitability of a variant's equilibria and record it in their files."""
    from montecarlo.setting.seating import seat_policies
    from montecarlo.studies.exploitability import FEWEST_TABLES, measure, population_gain

    seats = seat_policies(variant, ("equilibrium",) * players, players)
    for seat, role in enumerate(roles_of(variant)):
        found = measure(seats, seat, hands=hands)
        population = population_gain(seats, seat)
        path = policy_path(variant.id, role, players if counts_players(variant) else 0, folder)
        policy = read_policy(path)
        record = {
            "players": players,
            "hands": hands,
            "tables": FEWEST_TABLES,
            "upper": found.upper,
            "upper_se": found.upper_se,
            "lower": found.lower,
            "lower_se": found.lower_se,
            "population": population.gain,
            "population_se": population.se,
        }
        save_policy(
            replace(policy, provenance={**policy.provenance, "exploitability": record}), path
        )

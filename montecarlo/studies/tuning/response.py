"""How players respond to a payout table: the equilibrium of the new rules, trained or carried over.

Settings depend on what rows, guns and home runs pay. What specials pay leaves them alone, because
every special is declared; then the old equilibrium is one of the new rules as well, and is kept to
the bit instead of being trained with fresh noise.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from montecarlo.errors import PolicyMismatch
from montecarlo.setting.payoff import Payoff, payoff
from montecarlo.setting.policy_files import (
    counts_players,
    find_policy,
    policy_path,
    rules_hash,
    save_policy,
    user_folder,
)
from montecarlo.studies.train import Report, train
from montecarlo.studies.trained import roles_of
from montecarlo.variants.schema import Variant


def settings_differ(one: Variant, other: Variant, players: int) -> bool:
    """Tell whether two payout tables of a game ask for different settings."""
    return any(
        not _equal(payoff(one, role, players), payoff(other, role, players))
        for role in roles_of(one)
    )


def respond(variant: Variant, origin: Variant, players: int, report: Report | None = None) -> bool:
    """See that a policy for ``variant`` is there; return whether it asks for other settings.

    Where ``origin``'s settings serve, its policies are carried over; all are saved in the user's
    folder, where every study finds them by the rules they belong to.
    """
    if settings_differ(origin, variant, players):
        if not _is_trained(variant, players):
            train(variant, players=players, report=report)
        return True
    for role in roles_of(variant):
        found = find_policy(origin, role, players)
        rules = rules_hash(variant, role, players)
        provenance = {**found.provenance, "rules": rules, "variant": variant.id, "knobs": {}}
        provenance["carried_over_from"] = {"variant": origin.id, "sha256": found.sha256}
        number = players if counts_players(variant) else 0
        path = policy_path(variant.id, role, number, user_folder())
        path = path.with_stem(f"{path.stem}-{rules[:10]}")  # origin's may bear the plain name
        save_policy(replace(found, provenance=provenance), path)
    return False


def _is_trained(variant: Variant, players: int) -> bool:
    try:
        for role in roles_of(variant):
            find_policy(variant, role, players)
    except PolicyMismatch:
        return False
    return True


def _equal(one: Payoff, other: Payoff) -> bool:
    """Compare what two payoffs pay; their row tables are those of one game."""
    parts = [(*p.rows, *p.gun, *p.home_run) for p in (one, other)]
    numbers = [(p.gun_flat, p.home_run_flat, p.majority, p.ties) for p in (one, other)]
    arrays = zip(*parts, strict=True)
    return numbers[0] == numbers[1] and all(np.array_equal(a, b) for a, b in arrays)

"""How common is the set-up "no pair, one pair, straight", and which set-ups are the commonest?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from montecarlo.statistics.clustered import Estimate, PairSums
from montecarlo.statistics.intervals import Interval
from montecarlo.studies.claims.findings import Finding, Verdict
from montecarlo.studies.claims.registry import computation
from montecarlo.studies.claims.schema import Claim
from montecarlo.studies.claims.units import Triple
from montecarlo.studies.compare import estimate_data
from montecarlo.variants import load
from montecarlo.variants.schema import CATEGORIES

SEED = 3
DEALS = 2 * 65536
ASKED: Triple = ("high_card", "pair", "straight")
PLAYERS = (
    ("greedy", "hongkong", "player"),
    ("balanced", "hongkong", "player"),
    ("equilibrium", "hongkong", "player"),
    ("equilibrium", "taiwan", "any"),
)
"""Policies with variant and role: the claim stands in the text of V8 and in that of V9."""
COMMONEST = 5
SHOWN = 10


@dataclass(frozen=True)
class Setups:
    """Shares of set-ups among the hands that are set (no special declared), commonest first."""

    shares: Mapping[Triple, Estimate]
    hands: int

    def place(self, triple: Triple) -> int:
        """Return the place of a set-up, 1 for the commonest."""
        return list(self.shares).index(triple) + 1


@computation("common_setup")
def common_setup(claim: Claim) -> Finding:
    """The share of the set-up under each policy, and the commonest ones."""
    found = {f"{policy} ({game})": setups(policy, game, role) for policy, game, role in PLAYERS}
    values, intervals = [], []
    for each in found.values():
        values.append(100 * each.shares[ASKED].value)
        interval = each.shares[ASKED].interval()
        intervals.append(Interval(100 * interval.low, 100 * interval.high))
    shown = ", ".join(
        f"{name} {value:.2f} % (place {each.place(ASKED)})"
        for (name, each), value in zip(found.items(), values, strict=True)
    )
    last = next(reversed(found.values()))
    top = "; ".join(
        f"{' / '.join(triple)} {100 * share.value:.1f} %".replace("_", " ")
        for triple, share in list(last.shares.items())[:COMMONEST]
    )
    return Finding(
        (", ".join(f"{name} {value:.2f} %" for name, value in zip(found, values, strict=True)),),
        f"Share of no pair, one pair, straight among hands without a special: {shown}. The "
        f"commonest under {next(reversed(found))}: {top}.",
        intervals=(intervals[-1],),
        verdict=_verdict([each.place(ASKED) for each in found.values()]),
        details={name: _data(each) for name, each in found.items()},
    )


@lru_cache(maxsize=8)
def setups(policy: str, game: str, role: str, deals: int = DEALS) -> Setups:
    """Set all hands of random deals by a policy; shares with errors from totals a deal."""
    from montecarlo.dealing.dealer import deal_block
    from montecarlo.setting.policies import load_policy
    from montecarlo.specials.kernels import first_special
    from montecarlo.specials.program import compile_rules
    from montecarlo.strength.tables import row_tables

    variant = load(game)
    tables = row_tables(variant.wheel)
    player = load_policy(variant, policy, role, 4)
    masks = deal_block(SEED, 0, deals)
    plain = first_special(masks, compile_rules(variant.rules)) < 0
    classes = player.set_classes(masks.ravel())
    heads = tables.head_category[classes[:, 0]].astype(np.int64)
    numbers = (heads * 9 + tables.category[classes[:, 1]]) * 9 + tables.category[classes[:, 2]]
    numbers = np.where(plain, numbers.reshape(masks.shape), -1)
    held = plain.sum(axis=1)
    here = np.bincount(numbers[plain])
    here_held = np.bincount(numbers[plain], np.broadcast_to(held[:, None], masks.shape)[plain])
    here_here = here.copy()  # Σ (hands with it in a deal)²: each hand with itself, then all pairs
    for one, other in combinations(range(masks.shape[1]), 2):
        equal = (numbers[:, one] == numbers[:, other]) & plain[:, one]
        here_here += 2 * np.bincount(numbers[equal, one], minlength=here.size)
    shares = {}
    for number in np.flatnonzero(here):
        pair = PairSums(
            deals, int(held.sum()), int(here[number]), int(held @ held),
            int(here_held[number]), int(here_here[number]),
        )  # fmt: skip
        head, middle, tail = (CATEGORIES[n] for n in (number // 81, number // 9 % 9, number % 9))
        shares[head, middle, tail] = pair.ratio()
    order = sorted(shares, key=lambda triple: (-shares[triple].value, triple))
    return Setups({triple: shares[triple] for triple in order}, int(held.sum()))


def _verdict(places: list[int]) -> Verdict:
    """Confirmed if the set-up is among the five commonest under every policy."""
    if all(place <= COMMONEST for place in places):
        return "confirmed"
    return "refuted" if all(place > COMMONEST for place in places) else "undecided"


def _data(found: Setups) -> dict[str, Any]:
    return {
        "asked": {**estimate_data(found.shares[ASKED]), "place": found.place(ASKED)},
        "setups": len(found.shares),
        "hands": found.hands,
        "commonest": [
            {"head": t[0], "middle": t[1], "tail": t[2], **estimate_data(share)}
            for t, share in list(found.shares.items())[:SHOWN]
        ],
        "deals": DEALS,
        "seed": SEED,
    }

"""Study: two games on the same deals. The difference has its own, much smaller, error."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from montecarlo.errors import BadInput
from montecarlo.setting.seating import read_policy_words
from montecarlo.simulation.paired import Arm, PairedExperiment
from montecarlo.simulation.plan import Plan
from montecarlo.simulation.progress import progress_bar
from montecarlo.simulation.runner import run
from montecarlo.simulation.tallies import Tally
from montecarlo.statistics.clustered import Estimate
from montecarlo.studies.paired_sums import PairedSums
from montecarlo.studies.results import Result
from montecarlo.variants import Variant, load

Side = Variant | str | tuple[Variant | str, str | Sequence[str]]
"""A variant (or its name), alone or with its policies."""

TRAINED = "trained for these rules"
HELD = "held"


@dataclass(frozen=True)
class Compared:
    """A figure of both sides and of the first less the second, from the same deals."""

    first: Estimate
    second: Estimate
    difference: Estimate

    @property
    def independent_se(self) -> float:
        """The error that the difference would have from two runs on deals of their own."""
        return math.hypot(self.first.se, self.second.se)

    def to_data(self) -> dict[str, Any]:
        """Return the figure as JSON data."""
        return {
            "first": estimate_data(self.first),
            "second": estimate_data(self.second),
            "difference": estimate_data(self.difference),
            "independent_se": finite(self.independent_se),
        }


@dataclass(frozen=True)
class Comparison(Result):
    """Two games on the same deals: seat 0's units (the banker's in banker games), and events."""

    arms: tuple[Arm, Arm]
    settings: tuple[str, str]
    deals: int
    seed: int
    rotate: bool
    units: Compared
    sd: tuple[float, float]
    correlation: float
    gun_rate: Compared | None
    home_run_rate: Compared | None
    tally: Tally

    @property
    def is_edge(self) -> bool:
        """Tell whether seat 0's units are a banker's edge on both sides."""
        return all(arm.variant.banker for arm in self.arms)

    def to_data(self) -> dict[str, Any]:
        """Return the comparison as JSON data."""
        units = self.units.to_data()
        return {
            **{
                name: {**arm_data(arm, settings), "sd": sd}
                for name, arm, settings, sd in zip(
                    ("first", "second"), self.arms, self.settings, self.sd, strict=True
                )
            },
            "players": len(self.arms[0].policies),
            "deals": self.deals,
            "seed": self.seed,
            "rotate": self.rotate,
            "units": {**units, "correlation": self.correlation},
            "edge": units if self.is_edge else None,
            "gun_rate": self.gun_rate.to_data() if self.gun_rate else None,
            "home_run_rate": self.home_run_rate.to_data() if self.home_run_rate else None,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a figure."""
        figures = {
            "units": self.units, "gun_rate": self.gun_rate, "home_run_rate": self.home_run_rate
        }  # fmt: skip
        return [
            {
                "figure": name,
                "first": figure.first.value, "first_se": figure.first.se,
                "second": figure.second.value, "second_se": figure.second.se,
                "difference": figure.difference.value, "difference_se": figure.difference.se,
                "independent_se": figure.independent_se,
            }
            for name, figure in figures.items()
            if figure is not None
        ]  # fmt: skip


def compare(
    first: Side,
    second: Side,
    *,
    deals: int,
    seed: int | None = None,
    players: int = 4,
    jobs: int = 1,
    rotate: bool = False,
    hold_policy: bool = False,
    hold_first: bool = False,
) -> Comparison:
    """Play the same deals on both sides; differences are the first less the second.

    A side is a variant, or a pair (variant, policies); policies are one name for all seats or one
    a seat ("equilibrium" if not given). With ``rotate`` each deal is played once with every hand in
    seat 0's place. ``hold_policy`` lets a side under overrides keep the equilibrium of the variant
    as it stands; ``hold_first`` has both sides set as the first does (what the rules alone change,
    before the players respond). ``seed`` is drawn when not given. Raises BadInput for input that
    cannot be used, PolicyMismatch when an equilibrium is not trained for the rules.
    """
    one = _arm(first, players, hold_policy)
    other = _arm(second, players, hold_policy)
    if hold_first:
        other = Arm(other.variant, one.policies, one.variant, hold_policy)
    arms = (one, other)
    settings = (settings_label(one), settings_label(other))
    experiment = PairedExperiment(arms, rotate)
    seed, tally = run_paired(
        experiment, deals, seed, jobs, f"{one.variant.id} | {other.variant.id}"
    )
    sums = PairedSums.of(experiment, tally)
    has_rows = all(arm.variant.format != "ladder" for arm in arms)
    guns = [sums.gun_rate(0), sums.gun_rate(1), sums.gun_rate_difference(0, 1)]
    return Comparison(
        arms,
        settings,
        deals,
        seed,
        rotate,
        Compared(sums.mean(0), sums.mean(1), sums.difference(0, 1)),
        (sums.sd(0), sums.sd(1)),
        sums.correlation(0, 1),
        Compared(*guns) if has_rows and None not in guns else None,  # type: ignore[arg-type]
        _compared(sums, "home_runs") if has_rows else None,
        tally,
    )


def run_paired(
    experiment: PairedExperiment, deals: int, seed: int | None, jobs: int, label: str
) -> tuple[int, Tally]:
    """Play an experiment through the runner; return the seed (drawn if None) and the tally."""
    if seed is None:
        seed = secrets.randbits(32)
    for arm in experiment.arms:
        arm.seats()  # a policy that is not trained is said before all else
    with progress_bar(label, deals) as advance:
        return seed, run(Plan(experiment, seed, deals), jobs=jobs, advance=advance)


def settings_label(arm: Arm) -> str:
    """Say in words whose settings an arm plays, and whether they were trained for its rules."""
    from montecarlo.errors import PolicyMismatch

    if not any(name.startswith(("equilibrium", "human")) for name in arm.policies):
        return "not trained for any rules"
    if arm.variant.format == "ladder":
        return "nothing is set"
    own = Arm(arm.variant, arm.policies)
    try:
        if [s.policy.sha256 for s in own.seats() if s.policy] == [
            s.policy.sha256 for s in arm.seats() if s.policy
        ]:
            return TRAINED
    except PolicyMismatch:
        pass
    origin = arm.settings_of or arm.variant
    return f"{HELD}: trained for {rules_label(origin)}" if arm.settings_of else (
        f"{HELD}: trained for {origin.id} as it stands"
    )  # fmt: skip


def rules_label(variant: Variant) -> str:
    """Name a variant with its overrides: ``hongkong (tie=draw)``."""
    knobs = ", ".join(f"{knob}={value}" for knob, value in variant.knobs.items())
    return f"{variant.id} ({knobs})" if knobs else variant.id


def arm_data(arm: Arm, settings: str) -> dict[str, Any]:
    """Return an arm as JSON data."""
    return {
        "variant": arm.variant.id,
        "knobs": arm.variant.knobs,
        "policy": ",".join(arm.policies if len(set(arm.policies)) > 1 else arm.policies[:1]),
        "settings": settings,
    }


def estimate_data(estimate: Estimate) -> dict[str, float | None]:
    """Return an estimate as JSON data."""
    return {"mean": estimate.value, "se": finite(estimate.se)}


def finite(value: float) -> float | None:
    """Return a number, None for an error that is not known."""
    return value if math.isfinite(value) else None


def _arm(side: Side, players: int, hold_policy: bool) -> Arm:
    if not 2 <= players <= 4:
        raise BadInput(f"players must be 2, 3 or 4, not {players}")
    variant, words = side if isinstance(side, tuple) else (side, "equilibrium")
    if isinstance(variant, str):
        variant = load(variant)
    return Arm(variant, read_policy_words(words, players), hold_policy=hold_policy)


def _compared(sums: PairedSums, measure: str) -> Compared:
    return Compared(sums.mean(0, measure), sums.mean(1, measure), sums.difference(0, 1, measure))

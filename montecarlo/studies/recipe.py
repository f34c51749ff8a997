"""What a simulation was asked for, kept in its folder: enough to go on with it years later.

A recipe is data: the resolved rules, names of policies, players. Making the experiment of it
executes nothing that the folder brings along; hashes in the manifest tell whether rules and
policies are still the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from montecarlo.errors import BadInput
from montecarlo.setting.seating import read_policy_words, seat_policies
from montecarlo.simulation.frequencies import FrequencyExperiment
from montecarlo.simulation.payouts import PayoutExperiment
from montecarlo.variants import Variant


@dataclass(frozen=True)
class Recipe:
    """A variant with all knobs, policies in the words they were asked for, and players."""

    variant: Variant
    policy: str
    players: int
    hold_policy: bool = False

    @classmethod
    def of(
        cls, variant: Variant, policy: str | Sequence[str], players: int, hold_policy: bool
    ) -> Recipe:
        """Return the recipe of what `simulate` is asked for; BadInput for a number of players."""
        if not 2 <= players <= 4:
            raise BadInput(f"players must be 2, 3 or 4, not {players}")
        name = policy if isinstance(policy, str) else ",".join(policy)
        return cls(variant, name, players, hold_policy)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Recipe:
        """Read what `to_data` wrote; BadInput when it is not that."""
        try:
            if data["kind"] != "simulate":
                raise ValueError(f"kind {data['kind']}")
            variant = Variant.model_validate(data["variant"], strict=False)
            return cls.of(variant, str(data["policy"]), data["players"], data["hold_policy"])
        except (ValidationError, KeyError, TypeError, ValueError) as error:
            reason = " ".join(str(error).split())[:160]
            raise BadInput(f"no recipe of a simulation ({reason})") from None

    def to_data(self) -> dict[str, Any]:
        """Return the recipe as JSON data."""
        return {
            "kind": "simulate",
            "variant": self.variant.model_dump(mode="json"),
            "policy": self.policy,
            "players": self.players,
            "hold_policy": self.hold_policy,
        }

    @cached_property
    def experiment(self) -> FrequencyExperiment | PayoutExperiment:
        """The experiment; BadInput for policies there are not, PolicyMismatch when untrained."""
        if self.policy == "none":
            return FrequencyExperiment(self.variant, self.players)
        names = read_policy_words(self.policy, self.players)
        seat_policies(self.variant, names, self.players, self.hold_policy)  # refuses now, not later
        return PayoutExperiment(self.variant, self.players, names, self.hold_policy)

    @property
    def held(self) -> bool:
        """Tell whether an equilibrium that was trained for other rules is kept."""
        if self.policy == "none":
            return False
        names = read_policy_words(self.policy, self.players)
        seats = seat_policies(self.variant, names, self.players, self.hold_policy)
        return any(seat.held for seat in seats)

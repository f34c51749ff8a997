"""Which seats of a table are alike: same role, same policy. One of them speaks for all."""

from __future__ import annotations

from dataclasses import dataclass

from montecarlo.simulation.payouts import BANKER_SEAT
from montecarlo.variants import Variant


@dataclass(frozen=True)
class SeatClass:
    """Seats that may change places without changing the game."""

    label: str
    """``any`` in games of all pairs, ``banker`` or ``player``; the policy too where it differs"""
    seats: tuple[int, ...]

    @property
    def holder(self) -> int:
        """The seat that stands for all of them."""
        return self.seats[0]


def seat_classes(variant: Variant, policies: tuple[str, ...]) -> tuple[SeatClass, ...]:
    """Return the classes of seats, seat 0's first; ``policies`` has one name a seat."""
    seats: dict[tuple[str, str], list[int]] = {}
    for seat, policy in enumerate(policies):
        role = ("banker" if seat == BANKER_SEAT else "player") if variant.banker else "any"
        seats.setdefault((role, policy), []).append(seat)
    mixed = len(set(policies)) > 1
    return tuple(
        SeatClass(f"{role}:{policy}" if mixed else role, tuple(members))
        for (role, policy), members in seats.items()
    )

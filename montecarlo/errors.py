"""Errors a user can act on: one clear line that says what, where and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class MontecarloError(Exception):
    """Base of every error that the command line prints as one line (exit status 2)."""


class BadInput(MontecarloError, ValueError):
    """Input that cannot be used: cards, knobs, rule files, numbers, goals."""


class StoreError(MontecarloError, OSError):
    """A results folder that cannot be written, read or continued."""


class PolicyMismatch(MontecarloError):
    """A trained policy that belongs to other rules than the ones asked for."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the known name closest to ``word``, or ``""``.

    >>> nearest("taiwam", ["taiwan", "coins"])
    "; did you mean 'taiwan'?"
    """
    match = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean '{match[0]}'?" if match else ""

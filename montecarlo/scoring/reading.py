"""Reading tables: the JSON shape of `montecarlo score`, checked key by key and card by card."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from montecarlo.cards import format_mask, mask_of_codes, parse_hand
from montecarlo.errors import BadInput, nearest
from montecarlo.variants.load import load
from montecarlo.variants.schema import ROWS, Settlement, Variant

TABLE_KEYS = ("players", "banker", "knobs", "settlement", "variant")
IGNORED_KEYS = ("id", "why", "units")
PLAYER_KEYS = (*ROWS, "special", "hand", "foul")
SETTLEMENT_KEYS = tuple(Settlement.model_fields)
ROW_SIZES = (3, 5, 5)
MOST_PLAYERS = 4


class Player(NamedTuple):
    """One player's hand as given: its mask, and rows or a declared special if he has them."""

    hand: int
    rows: tuple[int, int, int] | None
    special: str | None
    foul: bool | None


class Table(NamedTuple):
    """One table to be scored, under the rules that hold for it."""

    variant: Variant
    players: tuple[Player, ...]
    banker: int
    settled: bool
    """Whether money was asked for."""


def read_line(text: str) -> dict[str, Any]:
    """Return the JSON object of a line; raises BadInput for anything else."""
    try:
        data = json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except BadInput:
        raise
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not JSON: {' '.join(str(error).split())}") from None
    return _object(data, "a table")


def read_table(
    data: Mapping[str, Any], variant: Variant | str | None, overrides: Iterable[Any] = ()
) -> Table:
    """Return the table that a JSON object describes (design.md, ``score``).

    ``variant`` is a name, or a resolved variant; the object's own ``variant`` replaces it, its
    ``knobs`` come after ``overrides``. Raises BadInput for a wrong key, value, card or number.
    """
    _known_keys(data, TABLE_KEYS, IGNORED_KEYS, "a table")
    rules = _rules(data, variant, tuple(overrides))
    entries = data.get("players")
    if not isinstance(entries, list) or not 2 <= len(entries) <= MOST_PLAYERS:
        raise BadInput("'players' must be a list of 2 to 4 players")
    players = tuple(_player(entry, seat, rules) for seat, entry in enumerate(entries))
    _distinct_cards(players)
    banker = data.get("banker", 0)
    if type(banker) is not int or not 0 <= banker < len(players):
        raise BadInput(f"'banker' must be a seat 0 to {len(players) - 1}, not {banker!r}")
    stake = rules.settlement.stake
    if isinstance(stake, tuple) and len(stake) != len(players):
        raise BadInput(f"'stake' has {len(stake)} numbers for {len(players)} players: one a seat")
    settled = "settlement" in data or rules.settlement != Settlement()
    return Table(rules, players, banker, settled)


def _rules(data: Mapping[str, Any], variant: Variant | str | None, overrides: Any) -> Variant:
    changes = _pairs(data, "knobs")
    money = _pairs(data, "settlement")
    for key, _ in money:
        if key not in (*SETTLEMENT_KEYS, "money"):
            raise BadInput(f"settlement: unknown key '{key}'{nearest(key, SETTLEMENT_KEYS)}")
    changes += [(key, value) for key, value in money if key != "money"]
    name = data.get("variant", variant)
    if name is None:
        raise BadInput("'variant' is missing: no variant was given for all tables either")
    if isinstance(name, Variant):
        if not changes and not overrides:
            return name
        name, overrides = _source(name, overrides)
    if not isinstance(name, str):
        raise BadInput(f"'variant' must be an id, a V-number or a path, not {name!r}")
    return _load(name, json.dumps([overrides, changes]), _changed(name))


def _changed(name: str) -> int:
    """When a rule file was changed: a variant read again must not be an old one."""
    try:
        return os.stat(name).st_mtime_ns if name.endswith(".toml") or "/" in name else 0
    except (OSError, ValueError):
        return 0


def _source(variant: Variant, overrides: Any) -> tuple[str, Any]:
    """Return how to load a resolved variant again, so that further knobs apply to it."""
    again = (*variant.knobs.items(), *overrides)
    if load(variant.id, variant.knobs.items()) != variant:
        raise BadInput(
            f"a table's own knobs need a variant loaded by name: '{variant.id}' was built otherwise"
        )
    return variant.id, again


@lru_cache(maxsize=512)
def _load(name: str, changes: str, changed: int) -> Variant:
    overrides, own = json.loads(changes)
    pairs = [item if isinstance(item, str) else tuple(item) for item in (*overrides, *own)]
    return load(name, pairs)


def _pairs(data: Mapping[str, Any], key: str) -> list[tuple[str, Any]]:
    return list(_object(data.get(key, {}), f"'{key}'").items())


def _player(data: Any, seat: int, rules: Variant) -> Player:
    where = f"player {seat}"
    entry = _object(data, where)
    _known_keys(entry, PLAYER_KEYS, (), where)
    foul = entry.get("foul")
    if foul is not None and not isinstance(foul, bool):
        raise BadInput(f"{where}: 'foul' must be true or false, not {foul!r}")
    if any(row in entry for row in ROWS):
        return _player_with_rows(entry, where, foul, rules)
    if "hand" not in entry:
        raise BadInput(f"{where}: give 'head', 'middle' and 'tail', or 'special' and 'hand'")
    if "foul" in entry:
        raise BadInput(f"{where}: 'foul' needs rows, a hand without rows cannot be fouled")
    special = entry.get("special")
    if special is None and ("special" in entry or rules.format != "ladder"):
        raise BadInput(f"{where}: 'special' must name the special that 'hand' declares")
    if special is not None and not isinstance(special, str):
        raise BadInput(f"{where}: 'special' must be a special's id, not {special!r}")
    return Player(_cards(entry, "hand", 13, where), None, special, None)


def _player_with_rows(
    entry: Mapping[str, Any], where: str, foul: bool | None, rules: Variant
) -> Player:
    for key in ("special", "hand"):
        if key in entry:
            raise BadInput(f"{where}: '{key}' beside rows: give rows, or 'special' and 'hand'")
    for row in ROWS:
        if row not in entry:
            raise BadInput(f"{where}: '{row}' is missing")
    if rules.format == "ladder" and foul:
        raise BadInput(f"{where}: 'foul': {rules.id} has no rows, so no fouls either")
    sized = zip(ROWS, ROW_SIZES, strict=True)
    head, middle, tail = (_cards(entry, row, size, where) for row, size in sized)
    hand = head | middle | tail
    if hand.bit_count() != 13:
        twice = (head & middle) | (head & tail) | (middle & tail)
        raise BadInput(f"{where}: {format_mask(twice)} stands in two rows")
    return Player(hand, (head, middle, tail), None, foul)


def _cards(entry: Mapping[str, Any], key: str, size: int, where: str) -> int:
    text = entry[key]
    if not isinstance(text, str):
        raise BadInput(f"{where}: '{key}' must be cards as text, as in 'As Kh Td', not {text!r}")
    try:
        return mask_of_codes(parse_hand(text, size))
    except BadInput as error:
        raise BadInput(f"{where}: {key}: {error}") from None


def _distinct_cards(players: Sequence[Player]) -> None:
    seen = 0
    for seat, player in enumerate(players):
        if seen & player.hand:
            raise BadInput(f"player {seat}: {format_mask(seen & player.hand)} dealt twice")
        seen |= player.hand


def _known_keys(
    data: Mapping[str, Any], known: Sequence[str], ignored: Sequence[str], where: str
) -> None:
    for key in data:
        if key not in known and key not in ignored:
            hint = nearest(key, known) or f" (it has: {', '.join(known)})"
            raise BadInput(f"{where}: unknown key '{key}'{hint}")


def _object(data: Any, where: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise BadInput(f"{where} must be a JSON object, not {type(data).__name__}")
    return data


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        names = [name for name, _ in pairs]
        raise BadInput(f"key '{next(n for n in names if names.count(n) > 1)}' stands twice")
    return data


def _no_constant(name: str) -> None:
    raise BadInput(f"{name} is no number")

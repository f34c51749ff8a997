"""Study: deals as data. Every seat's cards, setting, special and units, as CSV or Parquet.

Deal k of a seed is the one that `simulate` plays as its k-th. A file is written block by block to
a temporary name and renamed when it is whole.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from montecarlo import __version__
from montecarlo.cards import (
    DECK_SIZE,
    FULL_DECK,
    HAND_SIZE,
    Masks,
    codes_from_masks,
    format_card,
)
from montecarlo.dealing.shuffle import deal_into
from montecarlo.dealing.streams import BLOCK_DEALS, block_state
from montecarlo.errors import BadInput, StoreError
from montecarlo.scoring.many_deals import score_deals
from montecarlo.scoring.seats import SEAT
from montecarlo.scoring.settlement import settle
from montecarlo.scoring.tables import compile_scoring
from montecarlo.setting.seating import BANKER_SEAT, SeatPolicy, read_policy_words, seat_policies
from montecarlo.simulation.payout_kernel import fill_seat
from montecarlo.simulation.progress import progress_bar
from montecarlo.specials.kernels import first_special
from montecarlo.specials.program import compile_rules
from montecarlo.strength.tables import row_tables
from montecarlo.studies.results import Result
from montecarlo.studies.settings import check_players
from montecarlo.variants import Variant, load
from montecarlo.variants.schema import ROWS, Settlement

ENDINGS = (".csv", ".parquet")
CHUNK = 16_384
"""Deals set, scored and written together."""

_CARD_TEXT = np.frombuffer(
    "".join(f"{format_card(code)} " for code in range(DECK_SIZE)).encode(), np.uint8
).reshape(DECK_SIZE, 3)


@dataclass(frozen=True)
class Export(Result):
    """A file of deals, and what is in it."""

    path: Path
    variant: Variant
    policy: str
    players: int
    deals: int
    seed: int
    notes: tuple[str, ...]

    def to_data(self) -> dict[str, Any]:
        """Return where the file lies and what decides its content."""
        return {
            "path": str(self.path),
            "variant": self.variant.id,
            "knobs": self.variant.knobs,
            "policy": self.policy,
            "players": self.players,
            "deals": self.deals,
            "seed": self.seed,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the one row that describes the file."""
        return [self.to_data()]


class _Writer(Protocol):
    def write_batch(self, batch: pa.RecordBatch) -> None: ...

    def close(self) -> None: ...


def deal(
    variant: Variant | str,
    *,
    deals: int,
    out: Path | str,
    seed: int | None = None,
    players: int = 4,
    policy: str | Sequence[str] = "equilibrium",
    hold_policy: bool = False,
) -> Export:
    """Deal, set and score ``deals`` tables and write them to a new .csv or .parquet file.

    One row a seat: deal, seat, hand, head, middle, tail, special, units, and money where the
    variant has a settlement. A declared special has no rows; rows have no special. ``policy`` as
    in `simulate`; "none" writes hands and the specials they hold. ``seed`` is drawn when not
    given. Raises BadInput for another ending and other bad input, StoreError for a file that is
    there already or cannot be written, PolicyMismatch when no equilibrium is trained.
    """
    if isinstance(variant, str):
        variant = load(variant)
    path = Path(out)
    check_players(players)
    if deals < 1:
        raise BadInput(f"deals must be 1 or more, not {deals}")
    if path.suffix.lower() not in ENDINGS:
        raise BadInput(f"{path}: the name must end in {' or '.join(ENDINGS)}")
    if path.exists():
        raise StoreError(f"{path}: is there already; choose another name or remove it")
    seed = secrets.randbits(32) if seed is None else seed
    block_state(seed, 0)  # a seed that cannot be is said before all else
    name = policy if isinstance(policy, str) else ",".join(policy)
    seats: tuple[SeatPolicy, ...] | None = None
    if name != "none":
        names = read_policy_words(policy, players)
        seats = seat_policies(variant, names, players, hold_policy)
        settle((0,) * players, variant.settlement, BANKER_SEAT if variant.banker else None)
    held = any(seat.held for seat in seats or ())
    notes = (f"equilibrium was trained for {variant.id} as it stands, not for these rules",) * held
    result = Export(path, variant, name, players, deals, seed, notes)
    _write(result, seats)
    return result


def _write(export: Export, seats: tuple[SeatPolicy, ...] | None) -> None:
    path, schema = export.path, _schema(export, seats is not None)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        writer = _open(temporary, schema, path.suffix.lower())
        try:
            with progress_bar(export.variant.id, export.deals) as advance:
                for first, masks in _dealt(export.seed, export.deals, export.players):
                    columns = _columns(export.variant, first, masks, seats)
                    arrays = [columns[name] for name in schema.names]
                    writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
                    advance(len(masks))
        finally:
            writer.close()
        os.replace(temporary, path)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise StoreError(f"{path}: cannot be written ({reason})") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def _open(path: Path, schema: pa.Schema, ending: str) -> _Writer:
    writer: _Writer
    if ending == ".csv":
        options = pa_csv.WriteOptions(quoting_style="needed")
        writer = pa_csv.CSVWriter(str(path), schema, write_options=options)
    else:
        writer = pq.ParquetWriter(str(path), schema, compression="zstd")
    return writer


def _schema(export: Export, played: bool) -> pa.Schema:
    """Columns of the file; a Parquet file also says what it was made from."""
    fields = [("deal", pa.int64()), ("seat", pa.int8()), ("hand", pa.string())]
    fields += [(row, pa.string()) for row in ROWS]
    fields += [("special", pa.string()), ("units", pa.int64())]
    if played and export.variant.settlement != Settlement():
        fields.append(("money", pa.float64()))
    described = export.to_data() | {"version": __version__, "sha256": export.variant.sha256}
    del described["path"]
    return pa.schema(fields, {"montecarlo": json.dumps(described, ensure_ascii=False)})


def _dealt(seed: int, deals: int, players: int) -> Iterator[tuple[int, Masks]]:
    """Yield the number of the first deal of each chunk, and its hands (deals, players)."""
    for block in range(-(-deals // BLOCK_DEALS)):
        state = block_state(seed, block)
        end = min(deals, (block + 1) * BLOCK_DEALS)
        for first in range(block * BLOCK_DEALS, end, CHUNK):
            masks = np.empty((min(CHUNK, end - first), players), np.uint64)
            deal_into(state, masks, np.uint64(FULL_DECK), HAND_SIZE)
            yield first, masks


def _columns(
    variant: Variant, first: int, masks: Masks, seats: tuple[SeatPolicy, ...] | None
) -> dict[str, pa.Array]:
    """Set and score deals (N, players) and return the columns of their rows, seat by seat."""
    deals, players = masks.shape
    firsts = first_special(masks, compile_rules(variant.rules))
    everyone = np.ones(masks.size, np.bool_)
    columns = {
        "deal": pa.array(np.repeat(np.arange(first, first + deals), players)),
        "seat": pa.array(np.tile(np.arange(players, dtype=np.int8), deals)),
        "hand": _card_column(masks.ravel(), everyone),
    }
    if seats is None:
        empty = pa.nulls(masks.size, pa.string())
        columns |= dict.fromkeys(ROWS, empty)
        columns |= {
            "special": _specials(variant, firsts),
            "units": pa.nulls(masks.size, pa.int64()),
        }
        return columns
    declared, rows, units = _play(variant, masks, firsts, seats)
    with_rows = (declared.ravel() < 0) & (variant.format != "ladder")
    for place, row in enumerate(ROWS):
        columns[row] = _card_column(rows[..., place].ravel(), with_rows)
    columns |= {"special": _specials(variant, declared), "units": pa.array(units.ravel())}
    if variant.settlement != Settlement():
        banker = BANKER_SEAT if variant.banker else None
        money = [_money(tuple(one), variant.settlement, banker) for one in units.tolist()]
        columns["money"] = pa.array(np.array(money, np.float64).ravel())
    return columns


def _play(
    variant: Variant, masks: Masks, firsts: NDArray[np.int8], seats: tuple[SeatPolicy, ...]
) -> tuple[NDArray[np.int8], Masks, NDArray[np.int64]]:
    """Return specials declared (N, players), rows (N, players, 3) and units (N, players)."""
    rules, tables = compile_scoring(variant), row_tables(variant.wheel, variant.compare)
    declared, scored = np.empty_like(firsts), np.zeros(masks.shape, dtype=SEAT)
    rows = np.zeros((*masks.shape, 3), np.uint64)
    for player, seat in enumerate(seats):
        hands = np.ascontiguousarray(masks[:, player])
        chosen, classes, suits = seat.play(hands, firsts[:, player])
        declared[:, player] = chosen
        if seat.policy is not None:
            rows[:, player] = seat.policy.set_rows(hands, variant.tie)
        fill_seat(scored, player, hands, chosen, classes, suits, rules, tables)
    units, _ = score_deals(rules, scored, BANKER_SEAT)
    return declared, rows, units


def _card_column(masks: Masks, present: NDArray[np.bool_]) -> pa.Array:
    """Return the texts of masks (N,) of as many cards each; null where not ``present``."""
    chosen = masks[present]
    size = int(np.bitwise_count(chosen[0])) if chosen.size else 0
    length = max(3 * size - 1, 0)
    text = _CARD_TEXT[codes_from_masks(chosen)].reshape(len(chosen), 3 * size)[:, :length]
    offsets = np.zeros(masks.size + 1, np.int32)
    offsets[1:] = np.cumsum(present * length)
    valid = np.packbits(present, bitorder="little")
    buffers = [pa.py_buffer(part) for part in (valid, offsets, np.ascontiguousarray(text))]
    return pa.StringArray.from_buffers(masks.size, buffers[1], buffers[2], buffers[0])


def _specials(variant: Variant, firsts: NDArray[np.int8]) -> pa.Array:
    """Return ids of specials, null for -1."""
    ids = pa.array([*(entry.id for entry in variant.specials), None], pa.string())
    places = np.where(firsts < 0, len(variant.specials), firsts).ravel().astype(np.int64)
    return ids.take(pa.array(places))


@lru_cache(maxsize=1 << 16)
def _money(units: tuple[int, ...], settlement: Settlement, banker: int | None) -> tuple[float, ...]:
    return settle(units, settlement, banker)

"""Scoring of tables given by their cards: units, payout lines and money."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from montecarlo.errors import BadInput, MontecarloError
from montecarlo.scoring.lines import line_ids
from montecarlo.scoring.many_deals import score_deals_by_line
from montecarlo.scoring.reading import Table, read_line, read_table
from montecarlo.scoring.seating import seat_table
from montecarlo.scoring.settlement import settle
from montecarlo.scoring.tables import ScoringRules, compile_scoring
from montecarlo.variants.schema import Variant

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Score:
    """One table's score: units by seat, the same by payout line, money if it is settled."""

    units: tuple[int, ...]
    lines: Mapping[str, tuple[int, ...]]
    money: tuple[float, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what `montecarlo score` prints for the table."""
        data: dict[str, Any] = {
            "units": list(self.units),
            "lines": {line: list(units) for line, units in self.lines.items()},
        }
        return data | ({} if self.money is None else {"money": list(self.money)})


@dataclass(frozen=True)
class Scores(Sequence[Score]):
    """The scores of tables, in their order."""

    tables: tuple[Score, ...]

    def __getitem__(self, index: Any) -> Any:
        return self.tables[index]

    def __len__(self) -> int:
        return len(self.tables)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a table and seat: units, each payout line, money."""
        import pandas as pd

        return pd.DataFrame(
            {
                "table": index,
                "seat": seat,
                "units": units,
                **{line: by_seat[seat] for line, by_seat in table.lines.items()},
                **({} if table.money is None else {"money": table.money[seat]}),
            }
            for index, table in enumerate(self.tables)
            for seat, units in enumerate(table.units)
        )

    def to_json(self) -> str:
        """Return a JSON list with one object a table, as `montecarlo score` prints them."""
        return json.dumps([table.to_dict() for table in self.tables], ensure_ascii=False)


def score(variant: Variant | str, tables: Iterable[Mapping[str, Any]]) -> Scores:
    """Return the scores of tables, each given as an object of the shape `montecarlo score` reads.

    Raises BadInput, with the table's number from 0 on, for the first table that is not right.
    """
    scores = []
    for index, data in enumerate(tables):
        try:
            scores.append(score_table(read_table(data, variant)))
        except BadInput as error:
            raise BadInput(f"table {index}: {error}") from None
    return Scores(tuple(scores))


def score_lines(
    variant: Variant | str | None,
    lines: Iterable[str | Mapping[str, Any]],
    overrides: Iterable[str | tuple[str, Any]] = (),
) -> Iterator[dict[str, Any]]:
    """Yield the result of each table, one JSON object a line, as `montecarlo score` prints it.

    ``{"units", "lines"}`` with ``"money"`` for a settlement; ``{"units": None, "error": …}`` for a
    table that is refused or not right, the others are scored all the same. Empty lines are skipped.
    ``variant`` may be None if every line names its own.
    """
    overrides = tuple(overrides)
    for line in lines:
        if isinstance(line, str):
            line = line.removeprefix("\ufeff")
            if not line.strip():
                continue
        try:
            data = read_line(line) if isinstance(line, str) else line
            yield score_table(read_table(data, variant, overrides)).to_dict()
        except MontecarloError as error:
            yield {"units": None, "error": str(error)}


def score_table(table: Table) -> Score:
    """Return the score of one table; raises BadInput for what cannot be declared or is refused."""
    variant = table.variant
    ids, rules = _compiled(variant.model_dump_json())
    by_line, _ = score_deals_by_line(rules, seat_table(table, rules), table.banker)
    units = tuple(by_line[0].sum(axis=0).tolist())
    money = None
    if table.settled:
        money = settle(units, variant.settlement, table.banker if variant.banker else None)
    lines = zip(ids, map(tuple, by_line[0].tolist()), strict=True)
    return Score(units, dict(lines), money)


@lru_cache(maxsize=512)
def _compiled(variant: str) -> tuple[tuple[str, ...], ScoringRules]:
    rules = Variant.model_validate_json(variant)
    return line_ids(rules), compile_scoring(rules)

"""What every study returns: a frozen object that prints itself as JSON or as a data frame."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class Result(ABC):
    """Base of study results; subclasses are frozen dataclasses."""

    @abstractmethod
    def to_data(self) -> Any:
        """Return the result as plain JSON data, in the shape that design.md fixes."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the result as table rows (one dictionary a row)."""

    def to_json(self) -> str:
        """Return the result as JSON text: UTF-8, no NaN; same input, same bytes."""
        return json.dumps(self.to_data(), ensure_ascii=False, indent=1, allow_nan=False)

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self.rows())

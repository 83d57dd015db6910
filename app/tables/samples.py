"""Take samples of a table, and decide what is true of most of a sample."""

from collections.abc import Callable, Collection
from typing import NamedTuple

import pandas as pd

SAMPLE_CELLS = 200  # cells that decide what a column is


class SampleSize(NamedTuple):
    """How many rows are looked at: fewer of a wide table, within ``max_cells``."""

    min_rows: int
    max_rows: int
    max_cells: int = 20_000

    def rows(self, width: int) -> int:
        """Return the number of rows for a table of ``width`` columns."""
        return max(self.min_rows, min(self.max_rows, self.max_cells // max(width, 1)))


def sample_rows(rows: pd.DataFrame, count: int) -> pd.DataFrame:
    """Return at most ``count`` rows, evenly spaced."""
    return rows.iloc[:: max(1, -(-len(rows) // count))]


def free_columns(rows: pd.DataFrame, taken: Collection[int], limit: int) -> list[int]:
    """Return the columns among the first ones that are not taken."""
    return [column for column in rows.columns[:limit] if column not in taken]


def is_mostly(cells: Collection[str], fits: Callable[[str], object], fraction: float = 0.5) -> bool:
    """Return whether more than a ``fraction`` of the cells fit; False without cells."""
    return sum(map(bool, map(fits, cells))) > fraction * len(cells)

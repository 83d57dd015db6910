"""Take samples of a table, and decide what is true of most of a sample."""

from collections.abc import Callable, Collection

import pandas as pd

SAMPLE_CELLS = 200  # cells that decide what a column is


def sample_height(width: int, max_rows: int, *, min_rows: int = 5, max_cells: int = 20_000) -> int:
    """Return how many rows of a table of ``width`` columns are sampled: fewer if it is wide."""
    return max(min_rows, min(max_rows, max_cells // max(width, 1)))


def sample_rows(rows: pd.DataFrame, count: int) -> pd.DataFrame:
    """Return at most ``count`` rows, evenly spaced."""
    return rows.iloc[:: max(1, -(-len(rows) // count))]


def free_columns(rows: pd.DataFrame, taken: Collection[int], limit: int) -> list[int]:
    """Return the columns among the first ones that are not taken."""
    return [column for column in rows.columns[:limit] if column not in taken]


def is_mostly(cells: Collection[str], fits: Callable[[str], object], fraction: float = 0.5) -> bool:
    """Return whether more than a ``fraction`` of the cells fit; False without cells."""
    return sum(map(bool, map(fits, cells))) > fraction * len(cells)

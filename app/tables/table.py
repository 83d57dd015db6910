"""A table: the cells of a file, within bounds, and samples of them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from app.tables.errors import UnreadableTableError

MAX_COLUMNS = 5_000
MAX_CELLS = 3_000_000
NAME_SEPARATOR = " · "  # between the parts of the name of a series
SPACES = " "  # the delimiter of columns that one or more spaces separate
SAMPLE_CELLS = 200  # cells that decide what a column is


@dataclass(frozen=True)
class Table:
    """The cells of a table.

    Attributes:
        cells: Stripped strings, "" for empty cells, ``StoredNumber`` for the numbers of a workbook.
            The index has the numbers of the rows in the file.
        delimiter: The delimiter of the cells in a text.
        notes: Comments among the first lines.
    """

    cells: pd.DataFrame
    delimiter: str = ""
    notes: tuple[str, ...] = ()

    def with_cells(self, cells: np.ndarray) -> "Table":
        """Return the table with other cells, as many in each direction."""
        return replace(
            self, cells=pd.DataFrame(cells, self.cells.index, self.cells.columns, object)
        )


def frame_of_rows(rows: Mapping[int, Sequence[str]], width: int = 1) -> pd.DataFrame:
    """Return rows, by their numbers in the file, filled up to the longest or to ``width`` cells.

    Raise UnreadableTableError if there are too many columns or cells.
    """
    width = max(width, *map(len, rows.values()))
    check_size(len(rows), width)
    filled = [[*row, *[""] * (width - len(row))] for row in rows.values()]
    return pd.DataFrame(filled, index=[*rows], dtype=object)


def check_size(rows: int, columns: int) -> None:
    """Raise UnreadableTableError if there are too many columns or cells."""
    if columns > MAX_COLUMNS:
        issue = f"the table has {columns:,} columns: send at most {MAX_COLUMNS:,}"
        raise UnreadableTableError(issue)
    if rows * columns > MAX_CELLS:
        size = f"{rows:,} rows of up to {columns:,} cells"
        raise UnreadableTableError(
            f"the table has {size}: send fewer rows or columns, at most {MAX_CELLS:,} cells",
            is_too_large=True,
        )


def check_total_size(cells: int) -> None:
    """Raise UnreadableTableError if the sheets together have too many cells."""
    if cells > MAX_CELLS:
        raise UnreadableTableError(
            f"the sheets have {cells:,} cells: send at most {MAX_CELLS:,}, or one sheet only",
            is_too_large=True,
        )


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

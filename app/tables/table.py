"""A table: the cells of a file, and how messages name and shorten what is in them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pandas as pd

from app.tables.results import Reading, UnreadableTableError
from app.timeseries.words import truncate

T = TypeVar("T")
MAX_COLUMNS = 5_000
MAX_CELLS = 3_000_000
MAX_NAMED_ROWS = 5  # in a message
_MAX_SHOWN_LENGTH = 30
NAME_SEPARATOR = " · "  # between the parts of the name of a series
SPACES = " "  # the delimiter of columns that one or more spaces separate


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
        """Return the table with other cells at the same places."""
        return replace(
            self, cells=pd.DataFrame(cells, self.cells.index, self.cells.columns, object)
        )


def shorten(cell: str) -> str:
    """Truncate a cell for a message."""
    return truncate(cell, _MAX_SHOWN_LENGTH)


def list_first(items: Sequence[T], count: int, write: Callable[[T], str], noun: str = "") -> str:
    """Return the first of some items as a list, and how many there are more."""
    more = f" and {len(items) - count:,} more{noun}" if len(items) > count else ""
    return ", ".join(map(write, items[:count])) + more


def list_rows(rows: Sequence[int], reading: Reading) -> str:
    """Return the labels of the first of some rows, and how many there are more."""
    return list_first(rows, MAX_NAMED_ROWS, reading.row_label)


def quote(name: str) -> str:
    """Return a name for a message: truncated, in quotation marks."""
    return f"“{shorten(name)}”"


def check_size(rows: int, columns: int) -> None:
    """Raise UnreadableTableError if there are too many cells."""
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

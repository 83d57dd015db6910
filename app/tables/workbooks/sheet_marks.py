"""What a workbook says about the cells of a sheet besides their values."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xlsxwriter.utility import xl_col_to_name

from app.tables.messages import list_first
from app.tables.reading import Reading
from app.tables.table import Table
from app.timeseries.types import IntArray

_MAX_SHOWN = 5  # ranges of rows or columns in a remark


@dataclass
class CellMarks:
    """A number for some cells, such as the position of a format; rows and columns from 1.

    These are arrays, as there may be half a million.
    """

    rows: "array[int]" = field(default_factory=lambda: array("L"))
    columns: "array[int]" = field(default_factory=lambda: array("L"))
    numbers: "array[int]" = field(default_factory=lambda: array("H"))

    def add(self, row: int, column: int, number: int) -> None:
        self.rows.append(row)
        self.columns.append(column)
        self.numbers.append(number)

    def in_table(self, table: Table) -> tuple[tuple[IntArray, IntArray], IntArray]:
        """Return the indices of those cells that a sheet's table has, and their numbers."""
        rows = table.cells.index.get_indexer(np.array(self.rows, np.int64))
        columns = np.array(self.columns, np.int64) - 1
        is_known = (rows >= 0) & (columns < table.cells.shape[1])
        numbers = np.array(self.numbers, np.int64)
        return (rows[is_known], columns[is_known]), numbers[is_known]


@dataclass
class SheetMarks:
    """The marks of a sheet.

    Attributes:
        hidden_rows: The numbers of hidden rows that have values.
        hidden_columns: The numbers of hidden columns, which may have values.
        signs: The cells whose format shows a sign.
        formats: The cells whose format is kept.
    """

    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[int] = field(default_factory=list)
    signs: CellMarks = field(default_factory=CellMarks)
    formats: CellMarks = field(default_factory=CellMarks)


def report_hidden_cells(marks: SheetMarks, reading: Reading) -> None:
    """Report hidden rows and columns, which may be old data or parts of a calculation."""
    parts = []
    for noun, numbers, name in (
        ("row", marks.hidden_rows, str),
        ("column", marks.hidden_columns, lambda number: xl_col_to_name(number - 1)),
    ):
        range_texts = [" to ".join(dict.fromkeys(map(name, ends))) for ends in _runs_of(numbers)]
        if range_texts:
            plural = "s" if len(numbers) > 1 else ""
            parts.append(f"{noun}{plural} {list_first(range_texts, _MAX_SHOWN, str, ' ranges')}")
    if parts:
        text = f"Hidden in the workbook, and read like the others: {'; '.join(parts)}."
        reading.add_remark("hidden_cells", text, marks.hidden_rows)


def _runs_of(numbers: Sequence[int]) -> list[tuple[int, int]]:
    distinct = np.unique(np.array(numbers, dtype=np.int64))
    runs = np.split(distinct, np.flatnonzero(np.diff(distinct) > 1) + 1)
    return [(int(run[0]), int(run[-1])) for run in runs if run.size]

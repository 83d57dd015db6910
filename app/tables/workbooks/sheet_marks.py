"""What a workbook says about the cells of a sheet besides their values."""

from array import array
from dataclasses import dataclass, field

import numpy as np

from app.tables.table import Table
from app.timeseries.types import IntArray


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
        """Return the places of those cells that a sheet's table has, and their numbers."""
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

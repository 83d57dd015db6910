"""Rows and columns that a workbook hides: they are read like the others, and reported."""

from collections.abc import Sequence

import numpy as np
from xlsxwriter.utility import xl_col_to_name

from app.tables.results import Reading
from app.tables.table import list_first
from app.tables.workbooks.sheet_marks import SheetMarks

_MAX_SHOWN = 5  # ranges of rows or columns in a remark


def report_hidden_cells(marks: SheetMarks, reading: Reading) -> None:
    """Report hidden rows and columns, which may be old data or parts of a calculation."""
    parts = []
    for noun, numbers, name in (
        ("row", marks.hidden_rows, str),
        ("column", marks.hidden_columns, lambda number: xl_col_to_name(number - 1)),
    ):
        listed = [" to ".join(dict.fromkeys(map(name, ends))) for ends in _ranges(numbers)]
        if listed:
            plural = "s" if len(numbers) > 1 else ""
            parts.append(f"{noun}{plural} {list_first(listed, _MAX_SHOWN, str, ' ranges')}")
    if parts:
        text = f"Hidden in the workbook, and read like the others: {'; '.join(parts)}."
        reading.add_remark("hidden_cells", text, marks.hidden_rows)


def _ranges(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and the last number of each run of consecutive numbers."""
    distinct = np.unique(np.array(numbers, dtype=np.int64))
    runs = np.split(distinct, np.flatnonzero(np.diff(distinct) > 1) + 1)
    return [(int(run[0]), int(run[-1])) for run in runs if run.size]

"""Rows and columns that a workbook hides: they are read like the others, and reported."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xlsxwriter.utility import xl_col_to_name

from app.tables.results import Reading

_MAX_SHOWN = 5  # ranges of rows or columns in a remark


@dataclass
class HiddenCells:
    """The numbers of the hidden rows of a sheet that have values, and of its hidden columns."""

    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)


def report_hidden_cells(hidden: HiddenCells, reading: Reading) -> None:
    """Report hidden rows and columns, which may be old data or parts of a calculation."""
    parts = []
    for noun, numbers, name in (
        ("row", hidden.rows, str),
        ("column", hidden.columns, lambda number: xl_col_to_name(number - 1)),
    ):
        ranges = [*_ranges(numbers)]
        shown = [" to ".join(dict.fromkeys(map(name, ends))) for ends in ranges]
        more = f" and {len(ranges) - _MAX_SHOWN:,} more ranges" if len(ranges) > _MAX_SHOWN else ""
        if shown:
            plural = "s" if len(numbers) > 1 else ""
            parts.append(f"{noun}{plural} {', '.join(shown[:_MAX_SHOWN])}{more}")
    if parts:
        text = f"Hidden in the workbook, and read like the others: {'; '.join(parts)}."
        reading.add_remark("hidden_cells", text, hidden.rows)


def _ranges(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last of each run of numbers that follow each other."""
    first = last = 0
    for number in sorted({*numbers}):
        if not first or number > last + 1:
            if first:
                yield first, last
            first = number
        last = number
    if first:
        yield first, last

"""Report the rows that are left out of all series, and why."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.tables.dated_table import DatedTable
from app.tables.dated_values import ValueColumn
from app.tables.dates.cells import is_date, is_yearless
from app.tables.dates.rows import RowDates
from app.tables.header.heading import Heading
from app.tables.header.number_columns import is_key
from app.tables.messages import MAX_NAMED_ROWS, list_first, list_rows, quote, shorten
from app.tables.numbers.durations import is_duration
from app.tables.numbers.parsing import is_missing, is_numeric
from app.tables.reading import Reading, RemarkCode
from app.tables.table import SPACES, Table, is_mostly, sample_rows
from app.tables.words import AVERAGE, JOINED_TOTAL, TOTAL
from app.timeseries.types import BoolArray, FloatArray
from app.timeseries.words import count_of

_SAMPLE_ROWS = 50
_MAX_UNREAD_COLUMNS = 100  # that are searched for a reason
_MAX_NAMED_CONSTANT_COLUMNS = 3
_MIN_NUMBER_FRACTION = 0.1  # the other cells may say that a value is below a limit
_MAX_WORDS_FOR_NONE = 2
# Columns of debits and of credits: in this fraction of the rows, one of them has a value.
_MIN_ONE_SIDED_FRACTION = 0.9
_MAX_SIDE_COLUMNS = 50
# Empty rows are listed up to this number, or this fraction of all rows; more are only counted.
_MAX_NAMED_EMPTY_ROWS = 20
_MAX_NAMED_EMPTY_FRACTION = 0.25
_LIMIT = re.compile(r"[<>≤≥] ?=? ?\d[\d.,]{0,20}", re.ASCII)
_TOTAL_OR_AVERAGE = re.compile(
    rf"(?:(?:grand |sub-?)?(?:{TOTAL})|{JOINED_TOTAL}|{AVERAGE})\b", re.IGNORECASE
)
_EXPECTED_CODES: tuple[RemarkCode, ...] = ("total", "note")
_REASONS: dict[RemarkCode, str] = {
    "total": "a total",
    "note": "a note",
    "no_date": "no date",
    "longer_period": "“{cell}” is a longer period than the other dates, perhaps a total",
    "not_a_date": "“{cell}” is not a date",
    "not_a_number": "“{cell}” is not a number{column_text}",
}
_REASONS_OF_SEVERAL: dict[RemarkCode, str] = {
    "longer_period": "“{cell}” and the like are longer periods than others, perhaps totals",
    "not_a_date": "“{cell}” and the like are not dates",
    "not_a_number": "“{cell}” and the like are not numbers{column_text}",
}
_NUMBER = re.compile(r"\d+")
_MAX_FORM_LENGTH = 80


class _DroppedCell(NamedTuple):
    """A cell that is the reason to leave out a row; only the first ones are described."""

    line: int
    code: RemarkCode
    cell: str = ""
    column_text: str = ""


def has_usable_date(dates: RowDates) -> BoolArray:
    """Return which rows have a date that is not too coarse."""
    return ~np.isnat(dates.times) & ~dates.is_coarse


def report_rows(dated_table: DatedTable, columns: Sequence[ValueColumn], reading: Reading) -> None:
    """Report the rows and cells left out; ``columns`` have the values of all rows."""
    values = {column.index: column.values for column in columns}
    has_date = has_usable_date(dated_table.row_dates)
    undated = _find_undated_rows(dated_table, has_date, values)
    wrong, empty = _find_cells_without_number(dated_table, has_date, values, reading)
    _report_dropped(sorted([*undated, *wrong]), reading)
    count = int(has_date.sum())
    if len(empty) > max(_MAX_NAMED_EMPTY_ROWS, _MAX_NAMED_EMPTY_FRACTION * count):
        remark = f"No value in {len(empty):,} of {count:,} rows with a date."
        reading.add_remark("no_value", remark, empty)
    elif empty:
        rows_text = list_rows(empty, reading)
        reading.add_remark("no_value", f"No value: {rows_text}.", empty)


def _find_undated_rows(
    dated_table: DatedTable, has_date: BoolArray, values: Mapping[int, FloatArray]
) -> Iterator[_DroppedCell]:
    dates = dated_table.row_dates
    body = dated_table.heading.body
    lines, cells, written = body.index.to_numpy(), body.to_numpy(), dates.cells.to_numpy()
    has_number = np.any([~np.isnan(numbers) for numbers in values.values()], axis=0)
    last = int(np.flatnonzero(has_date)[-1]) if has_date.any() else -1
    for position in np.flatnonzero(~has_date).tolist():
        date = written[position]
        code: RemarkCode
        if not np.isnat(dates.times[position]):
            code = "longer_period"
        elif any(map(_TOTAL_OR_AVERAGE.match, cells[position].tolist())):
            code = "total"
        elif position > last and not has_number[position]:
            code = "note"
        else:
            code = "not_a_date" if date else "no_date"
        yield _DroppedCell(int(lines[position]), code, date)


def _find_cells_without_number(
    dated_table: DatedTable, has_date: BoolArray, values: Mapping[int, FloatArray], reading: Reading
) -> tuple[list[_DroppedCell], list[int]]:
    heading = dated_table.heading
    lines = heading.body.index.to_numpy()
    is_reported = heading.body.index.isin(
        [row for other in reading.remarks if other.code == "other_unit" for row in other.rows]
    )
    lacks = {column: has_date & np.isnan(numbers) for column, numbers in values.items()}
    lacking = {column for column, is_lacking in lacks.items() if is_lacking.any()}
    sides = _find_other_sides(heading, has_date, lacking) if lacking else {}
    wrong: list[_DroppedCell] = []
    empty: set[int] = set()
    for column in lacking:
        column_text = f" in “{heading.names[column]}”" if len(values) > 1 else ""
        cells = heading.body[column].to_numpy()
        for position in np.flatnonzero(lacks[column] & ~is_reported).tolist():
            line = int(lines[position])
            if not is_missing(cells[position]):
                wrong.append(_DroppedCell(line, "not_a_number", cells[position], column_text))
            elif column not in sides or not sides[column][position]:
                empty.add(line)
    return wrong, sorted(empty)


def _find_other_sides(
    heading: Heading, has_date: BoolArray, columns: set[int]
) -> dict[int, BoolArray]:
    """Return which rows have the other column of a pair such as debits and credits, by column.

    Few rows lack both sides of a pair, and none has both.
    """
    rows = heading.body[heading.body.columns[:_MAX_SIDE_COLUMNS]]
    has_value = {
        column: ~rows[column].map(is_missing).to_numpy(bool)
        for column in rows
        if column in columns or any(map(is_numeric, rows[column].iloc[:_SAMPLE_ROWS]))
    }
    sides = {}
    for column in columns & has_value.keys():
        for other in has_value.values():
            is_one = (has_value[column] != other)[has_date]
            has_both = (has_value[column] & other)[has_date]
            if other.any() and not has_both.any() and is_one.mean() >= _MIN_ONE_SIDED_FRACTION:
                sides[column] = other
    return sides


def report_unread_columns(
    dated_table: DatedTable, taken: Collection[int], reading: Reading
) -> None:
    """Report columns that are not read.

    They have cells with digits that are not numbers, as with an unknown currency, or keys, or the
    same cell in each row, or a name without cells.
    """
    heading = dated_table.heading
    _report_names_without_cells(dated_table.table, heading, reading)
    sample = sample_rows(heading.body, _SAMPLE_ROWS)
    constant: list[str] = []
    for column in [column for column in sample if column not in taken][:_MAX_UNREAD_COLUMNS]:
        cells = [cell for cell in sample[column].tolist() if not is_missing(cell)]
        if len({*cells}) == 1 and (dated_table.body[column] == cells[0]).all():
            constant.append(f"{quote(heading.names[column])} ({shorten(cells[0])})")
        elif reason := _unread_reason(heading.written[column], cells):
            text = f"Not read: {quote(heading.names[column])}{reason}"
            reading.add_remark("column_not_read", text)
    if constant:
        names_text = list_first(constant, _MAX_NAMED_CONSTANT_COLUMNS, str)
        reading.add_remark("column_not_read", f"Not read, as the same in each row: {names_text}.")


def _unread_reason(written_name: str, cells: list[str]) -> str:
    """Return the end of the remark on a column of ``cells``, "" if it needs none."""
    has_only_numbers = len({*cells}) > 1 and all(map(is_numeric, cells))
    if has_only_numbers or is_key(written_name, cells):
        return " numbers the rows."
    has_numbers = is_mostly(cells, is_numeric, _MIN_NUMBER_FRACTION)
    is_like_numbers = has_numbers or is_mostly(cells, _may_have_a_number)
    if not (is_like_numbers and len({*cells}) > 2) and not _are_limited(cells):
        return ""
    cell = shorten(next((cell for cell in cells if not is_numeric(cell)), cells[0]))
    reason = "is not a number."
    if is_duration(cell):
        reason = "may be a time of day: if not, put “duration” into the column's name."
    return f"; “{cell}” {reason}"


def _report_names_without_cells(table: Table, heading: Heading, reading: Reading) -> None:
    """Report that rows have fewer cells than the header has names, if spaces separate these."""
    name = next((name for name in reversed(heading.written) if name), "")
    column = len(heading.written) - 1 - heading.written[::-1].index(name)
    if table.delimiter == SPACES and name and (heading.body.iloc[:, column:] == "").all(axis=None):
        lack = f"No row has a cell below {quote(name)}, the last name in"
        header_row = reading.row_label(heading.row)
        text = f"{lack} {header_row}: check that each name is that of its numbers."
        reading.add_remark("names_without_cells", text)


def _are_limited(cells: Sequence[str]) -> bool:
    """Return whether cells are results of a laboratory.

    These are numbers, limits such as <1, and one or two words for no result.
    """
    distinct = {*cells}
    words = {cell for cell in distinct if not is_numeric(cell) and not _LIMIT.fullmatch(cell)}
    has_limits = any(map(_LIMIT.fullmatch, distinct))
    return len(words) <= _MAX_WORDS_FOR_NONE and (has_limits or (bool(words) and distinct != words))


def _may_have_a_number(cell: str) -> bool:
    is_value = is_numeric(cell) or is_date(cell) or is_yearless(cell)
    return not is_value and any(map(str.isdigit, cell))


def _report_dropped(dropped: Sequence[_DroppedCell], reading: Reading) -> None:
    expected = [entry for entry in dropped if entry.code in _EXPECTED_CODES]
    wrong = [entry for entry in dropped if entry.code not in _EXPECTED_CODES]
    groups = _group_alike(wrong)
    for group in [*groups[:MAX_NAMED_ROWS], *([entry] for entry in expected[:MAX_NAMED_ROWS])]:
        _, code, cell, column_text = group[0]
        reasons = _REASONS if len({entry.cell for entry in group}) == 1 else _REASONS_OF_SEVERAL
        reason = reasons[code].format(cell=shorten(cell), column_text=column_text)
        rows = [*dict.fromkeys(entry.line for entry in group)]
        reading.add_remark(code, f"Left out {list_rows(rows, reading)}: {reason}.", rows)
    if more := sorted({entry.line for group in groups[MAX_NAMED_ROWS:] for entry in group}):
        reading.add_remark("left_out", f"Left out as well: {list_rows(more, reading)}.", more)
    if more := [entry.line for entry in expected[MAX_NAMED_ROWS:]]:
        reading.add_remark(
            "note", f"{count_of(len(more), 'more row')} of totals and notes left out.", more
        )


def _group_alike(dropped: Sequence[_DroppedCell]) -> list[list[_DroppedCell]]:
    """Return groups of cells that differ only in their digits, such as “Week 3, sum”."""
    groups: dict[tuple[str, str, str], list[_DroppedCell]] = {}
    forms = {
        cell: _NUMBER.sub("0", cell[:_MAX_FORM_LENGTH])
        for cell in {entry.cell for entry in dropped}
    }
    for entry in dropped:
        groups.setdefault((entry.code, forms[entry.cell], entry.column_text), []).append(entry)
    return [*groups.values()]

"""Read a table: from the bytes of a file to series, questions or an error."""

import gc
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from app.tables.attributes import without_attributes
from app.tables.cell_formats import common_format, formats_by_name
from app.tables.columns import FileMarks, choose_columns, read_columns
from app.tables.content import ZIP, decode_text
from app.tables.dated_values import DatedValues, ValueColumn
from app.tables.dates.columns import find_dates
from app.tables.dates.date_columns import DateColumns
from app.tables.dates.output_form import find_date_form
from app.tables.dates.rows import DatedRows, read_dates
from app.tables.decimal_marks import find_clear_mark, likely_mark
from app.tables.descriptions import find_descriptions
from app.tables.dropped_rows import has_usable_date, list_rows, report_rows, report_unread_columns
from app.tables.heading import Heading, split_header, value_columns
from app.tables.heading_choices import ask_header, find_date_column, report_dates
from app.tables.json_table import is_json, read_json
from app.tables.layout import find_names, names_of_rows, normalize_layout
from app.tables.merged_cells import fill_merged_cells
from app.tables.missing_codes import drop_missing_codes
from app.tables.negative_signs import read_triangles
from app.tables.no_series import no_numbers_error, read_undated
from app.tables.pivots.unpivot import unpivot
from app.tables.plan_notes import PlanNote, ask_plan_note, find_plan_note
from app.tables.repeated_rows import find_repeated_blocks
from app.tables.results import (
    Answers,
    Duplicates,
    Layout,
    NotATableError,
    Reading,
    TableBounds,
    WrongAnswerError,
    cut_name,
)
from app.tables.row_kinds import ask_planned_sections, report_kinds, report_marks
from app.tables.running_balances import mark_running_balances
from app.tables.samples import SAMPLE_CELLS
from app.tables.sections import join_sections
from app.tables.series import make_series
from app.tables.series_names import too_many_points_error
from app.tables.side_by_side import stack_blocks
from app.tables.split_numbers import join_split_numbers
from app.tables.stacked_tables import cut_stacked
from app.tables.table import Table, split_text
from app.tables.time_zones import resolve_time_zone
from app.tables.total_rows import find_totals
from app.tables.workbook import read_workbook
from app.timeseries.types import BoolArray, IntArray

_SHEET_SAMPLE_ROWS = 200  # rows of a sheet that are searched for a series


def read_file(
    content: bytes, answers: Answers, bounds: TableBounds
) -> Reading | NotATableError | WrongAnswerError:
    """Read a file in an engine process; an error is returned, as what a job raises is a failure."""
    # With millions of cells, all in use, garbage collection would take half of the time.
    gc.disable()
    try:
        return read_table(content, answers, bounds)
    except (NotATableError, WrongAnswerError) as refusal:
        return refusal
    finally:
        gc.enable()


def warm_up() -> None:
    """Import the libraries, and fill the caches, by reading a small table."""
    read_table(b"date,value\n2024-01-01,1\n2024-01-02,2", Answers(), TableBounds(10, 0, 2024))


def read_table(content: bytes, answers: Answers, bounds: TableBounds) -> Reading:
    """Read the table in a file.

    Args:
        content: The bytes of CSV in any dialect, of JSON, or of a workbook (.xlsx, .ods).
        answers: What is known about the table; what is ambiguous beyond that is asked.
        bounds: Limits on the result.

    Raises:
        NotATableError: The file has no table of series.
        WrongAnswerError: An answer does not match the table.
    """
    reading = Reading(answers)
    if content.startswith(ZIP):
        text = None
        holds_series = partial(_has_series, bounds)
        limit = bounds.max_unpacked_bytes
        table = read_workbook(content, limit, answers.sheet, reading, holds_series)
        if table is None:
            return reading
    else:
        text = decode_text(content, reading)
        if answers.sheet is not None:
            raise WrongAnswerError("sheet", "only a workbook has sheets; leave it out")
        table = _text_table(text, reading)
    points = _read_points(table, text, bounds, reading)
    series = [] if points is None else make_series(points, table, bounds, reading)
    reading.series = [] if reading.is_open else series
    reading.questions.sort(key=lambda question: question.parameter == "header")
    return reading


def _text_table(text: str, reading: Reading) -> Table:
    if is_json(text):
        table = read_json(text, reading)
        if table is not None:
            return table
    table = split_text(text)
    reading.chosen.delimiter = table.delimiter
    return join_split_numbers(table, reading)


def _read_points(
    table: Table, text: str | None, bounds: TableBounds, reading: Reading
) -> DatedValues | None:
    """Return the dated values of a table; None if a question must be answered first."""
    if reading.answers.header is None:
        table = join_sections(table, reading)
    stacked = stack_blocks(read_triangles(table, reading), reading)
    plan_note = find_plan_note(stacked)
    filled = fill_merged_cells(stacked, reading)
    arranged, layout = normalize_layout(filled, bounds, reading)
    # The header that was answered is a line of the table as it came.
    header = reading.answers.header if arranged is filled else None
    if header is not None and header in arranged.cells.index[:-1]:
        arranged = replace(arranged, cells=arranged.cells[arranged.cells.index >= header])
    dates, candidates = _find_date_columns(arranged, header, reading.answers)
    if dates is None:
        return read_undated(filled if header is None else arranged, text, bounds, reading)
    heading = cut_stacked(arranged, split_header(arranged, dates, header), dates, reading)
    if len(heading.body) > bounds.max_total_points:
        raise too_many_points_error(bounds)
    report_dates(dates, candidates, heading, reading)
    ask_header(arranged, heading, reading)
    return _read_dated(arranged, heading, dates, layout, plan_note, bounds, reading)


def _read_dated(
    table: Table,
    heading: Heading,
    dates: DateColumns,
    layout: Layout | None,
    plan_note: PlanNote | None,
    bounds: TableBounds,
    reading: Reading,
) -> DatedValues | None:
    """Return the values beside columns of dates; None if there are too many for one request."""
    dated = read_dates(
        dates.join(heading.body), dates.kind, bounds.this_year, reading, notes=table.notes
    )
    reading.chosen.date_form = find_date_form(dated)
    reading.chosen.date_format = common_format(dated.cells[-SAMPLE_CELLS:])
    has_date = has_usable_date(dated)
    has_date[has_date] = ~find_repeated_blocks(
        heading.body[has_date], dated.times[has_date], dates.columns, table, reading
    )
    has_date[has_date] = ~find_totals(
        heading.body[has_date], dated.times[has_date], dates.columns, reading
    )
    body, times = heading.body[has_date], dated.times[has_date]
    layout, name_columns = find_names(body, times, dates, heading, layout, reading)
    is_merged = bool(name_columns) and layout is Layout.COLUMNS
    adds_up = is_merged and reading.answers.duplicates is Duplicates.SUM
    names = names_of_rows(body, () if is_merged and not adds_up else name_columns)
    taken = (*dates.columns, *name_columns)
    numbers = value_columns(heading, taken, reading.answers.columns)
    numeric = without_attributes(numbers, body, times, names, dates, heading, reading)
    if not numeric:
        raise no_numbers_error(table, heading, taken, numbers)
    if name_columns and layout is not Layout.COLUMNS:
        reading.descriptions = find_descriptions(heading, body, names, {*taken, *numeric})
    columns = _choose_value_columns(
        heading, numeric, pd.unique(names).size, bool(name_columns), bounds, reading
    )
    if columns is None:
        return None
    if times.size:
        report_marks(dated.cells[has_date], times, reading)
        report_kinds(heading, times, {*taken, *numeric}, body, reading)
        ask_planned_sections(heading.body, dated, has_date, table, reading)
        if plan_note:
            ask_plan_note(plan_note, times, reading)
    values = _read_values(table, heading, columns, numbers, dated, has_date, reading)
    report_unread_columns(table, heading, {*taken, *numbers}, reading)
    report_rows(table, heading, dated, {column.index: column.values for column in values}, reading)
    values = [
        replace(column, formats=formats_by_name(body[column.index].tolist(), names))
        for column in values
    ]
    values = drop_missing_codes(values, heading.body.index.to_numpy(), reading)
    values = mark_running_balances(values, numbers, body, has_date, times, names)
    rows = body.index.to_numpy()
    return _resolve_times(dated, has_date, rows, names, values, adds_up, table, reading)


def _read_values(
    table: Table,
    heading: Heading,
    columns: list[int],
    numbers: list[int],
    dated: DatedRows,
    has_date: BoolArray,
    reading: Reading,
) -> list[ValueColumn]:
    likely = likely_mark(table, next((cell for cell in dated.cells if cell), ""))
    marks = FileMarks(likely, find_clear_mark(table, dated, likely), numbers)
    return read_columns(heading, columns, marks, table, reading, has_date)


def _find_date_columns(
    table: Table, header: int | None, answers: Answers
) -> tuple[DateColumns | None, list[int]]:
    """Return the columns of dates, None if there are none, and all single candidates."""
    if answers.dates is None:
        return find_dates(table.cells)
    dates, candidates = find_dates(table.cells, find_date_column(table, answers.dates, header))
    if dates is None:
        name = cut_name(answers.dates)
        raise WrongAnswerError("dates", f"“{name}” has no dates; leave it out")
    return dates, candidates


def _choose_value_columns(
    heading: Heading,
    numeric: list[int],
    name_count: int,
    is_long: bool,
    bounds: TableBounds,
    reading: Reading,
) -> list[int] | None:
    """Return the columns of values; None if there are too many for one request.

    Of a long table, one column is read: others, such as prices, would double the number of series.
    """

    def are_too_many(columns: list[int]) -> bool:
        points = len(columns) * len(heading.body)
        return name_count * len(columns) > bounds.max_series or points > bounds.max_total_points

    is_required = is_long or are_too_many(numeric)
    columns = choose_columns(heading, numeric, reading, required=is_required)
    if not are_too_many(columns):
        return columns
    if reading.answers.columns or len(numeric) == 1:
        raise too_many_points_error(bounds)
    return None


def _resolve_times(
    dated: DatedRows,
    has_date: BoolArray,
    rows: IntArray,
    names: np.ndarray,
    values: list[ValueColumn],
    adds_up: bool,
    table: Table,
    reading: Reading,
) -> DatedValues:
    """Return the dated values with all times by one clock.

    Raises:
        NotATableError: No row has both a date and a number.
    """
    clock = resolve_time_zone(dated.times[has_date], dated.suffixes[has_date], names, reading)
    zone = reading.chosen.timezone = reading.answers.timezone
    exists = ~np.isnat(clock.times)
    if not exists.all():
        skipped = rows[~exists].tolist()
        issue = f"Left out {list_rows(table, skipped)}: the clock in {zone} skips that time."
        reading.add_remark("no_such_time", issue, skipped)
    columns = [replace(column, values=column.values[has_date][exists]) for column in values]
    if not any(np.isfinite(column.values).any() for column in columns):
        row = int(rows[0]) if rows.size else int(table.cells.index[0])
        raise NotATableError(
            f"no row has both a date and a number; look at {table.row_label(row)}",
            row,
            values[0].index + 1,
        )
    return DatedValues(
        clock.times[exists], clock.suffix, rows[exists], names[exists], columns, adds_up
    )


def _has_series(bounds: TableBounds, table: Table) -> bool:
    """Return whether the first rows of a table have dates and numbers."""
    top = replace(table, cells=table.cells.iloc[:_SHEET_SAMPLE_ROWS])
    if unpivot(top, None, bounds, Reading()) is not None:
        return True
    dates, _ = find_dates(top.cells)
    return dates is not None and bool(value_columns(split_header(top, dates, None), dates.columns))

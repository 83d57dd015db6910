"""Read a table: from the bytes of a file to series, questions or an error."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from app.tables.answers import Answers, TableBounds
from app.tables.dated_values import DatedValues
from app.tables.dates.columns.date_columns import DateColumns
from app.tables.dates.columns.finders import find_dates
from app.tables.ends.row_kinds import find_plan_note
from app.tables.errors import (
    RejectedTableError,
    UnreadableTableError,
    WrongAnswerError,
    too_many_points_error,
)
from app.tables.header.date_questions import find_date_column, report_dates
from app.tables.header.header_questions import ask_header
from app.tables.header.heading import split_header
from app.tables.header.number_columns import value_columns
from app.tables.json.document import is_json, read_json
from app.tables.layout import normalize_layout
from app.tables.numbers.negative_signs import read_triangles
from app.tables.numbers.number_parts import shrink_cache
from app.tables.pivots.labels import expand_averages
from app.tables.pivots.unpivot import unpivot
from app.tables.read_dated import date_rows, read_dated_values
from app.tables.reading import Reading, cut_name
from app.tables.rows.merged_cells import fill_merged_cells
from app.tables.rows.sections import join_sections
from app.tables.rows.side_by_side import stack_side_by_side
from app.tables.rows.stacked_tables import keep_first_table
from app.tables.series.assembly import make_series
from app.tables.table import Table
from app.tables.text.content import ZIP_SIGNATURE, decode_text
from app.tables.text.delimiters import split_text
from app.tables.text.markup import is_markup, read_markup
from app.tables.text.split_numbers import join_split_numbers
from app.tables.undated import read_undated
from app.tables.workbooks.workbook import SheetSample, read_workbook

_SHEET_SAMPLE_ROWS = 200  # rows of a sheet that are searched for a series


def read_file(
    content: bytes, answers: Answers, bounds: TableBounds
) -> Reading | RejectedTableError:
    """Read a file in an engine process; return errors, as raised ones would count as failures."""
    try:
        return read_table(content, answers, bounds)
    except RejectedTableError as rejection:
        return rejection
    finally:
        shrink_cache()


@contextmanager
def _paused_garbage_collection() -> Iterator[None]:
    """Pause garbage collection: with millions of cells, all in use, it takes half of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_paused_garbage_collection()
def read_table(content: bytes, answers: Answers, bounds: TableBounds) -> Reading:
    """Read the table in a file.

    Args:
        content: The bytes of CSV in any dialect, of JSON, of a workbook (.xlsx, .ods), or of one
            as a web page or XML.
        answers: What is known about the table; what is ambiguous beyond that is asked.
        bounds: Limits on the result.

    Raise UnreadableTableError if the file has no table of series, WrongAnswerError if an answer
    does not match the table.
    """
    reading = Reading(answers, bounds)
    try:
        return _read_content(content, reading)
    except UnreadableTableError as error:
        remarks = [remark.remark for remark in reading.remarks if remark.code == "no_stored_value"]
        if error.is_too_large or not remarks:
            raise
        # Cells without a value look empty: they may be the cause.
        issue = f"{error.issue}; also, {remarks[0].removesuffix('.')}"
        raise UnreadableTableError(issue, error.row, error.column) from error


def _read_content(content: bytes, reading: Reading) -> Reading:
    answers, bounds = reading.answers, reading.bounds
    if content.startswith(ZIP_SIGNATURE):
        text: str | None = None
        reading.row_noun = "row"
        table = read_workbook(content, reading, partial(_sample_sheet, bounds))
        if table is None:
            return reading
    else:
        text = decode_text(content, reading)
        if answers.sheet is not None:
            raise WrongAnswerError("sheet", "only a workbook has sheets; leave it out")
        if is_markup(text):
            table, text = read_markup(text), None
            reading.row_noun = "row"
        else:
            table = _text_table(text, reading)
    dated_values = _read_values(table, text, reading)
    series = [] if dated_values is None else make_series(dated_values, reading)
    if not series and not reading.is_open:
        raise UnreadableTableError("no series in the table: send a column of dates, one of numbers")
    reading.series = [] if reading.is_open else series
    reading.questions.sort(key=lambda question: question.parameter == "header")
    return reading


def _text_table(text: str, reading: Reading) -> Table:
    if is_json(text):
        reading.row_noun = "row"
        return read_json(text, reading)
    table = split_text(text)
    reading.notation.delimiter = table.delimiter
    return join_split_numbers(table, text, reading)


def _read_values(table: Table, text: str | None, reading: Reading) -> DatedValues | None:
    """Return the dated values of a table; None if a question must be answered first."""
    # 1. One table: sections, and blocks side by side, become its rows.
    if reading.answers.header is None:
        table = join_sections(table, reading)
    table = expand_averages(table)
    table = stack_side_by_side(read_triangles(table, reading), reading)
    plan_note = find_plan_note(table)
    table = fill_merged_cells(table, reading)
    # 2. A row for each date: a pivot is turned, and has no line of the file as its header.
    arranged, known_layout = normalize_layout(table, reading)
    header = reading.answers.header if arranged is table else None
    if header is not None and header in arranged.cells.index[:-1]:
        arranged = replace(arranged, cells=arranged.cells[arranged.cells.index >= header])
    # 3. The columns of dates, and the header above the first row that has dates.
    dates, candidates = _find_date_columns(arranged, header, reading)
    if dates is None:
        return read_undated(table if header is None else arranged, text, reading)
    heading = keep_first_table(
        arranged, split_header(arranged, dates, header, reading), dates, reading
    )
    if len(heading.body) > reading.bounds.max_total_points:
        raise too_many_points_error(reading.bounds)
    report_dates(dates, candidates, heading, reading)
    ask_header(arranged, heading, reading)
    # 4. The rows that count, and their values.
    dated_table = date_rows(arranged, heading, dates, reading)
    return read_dated_values(dated_table, known_layout, plan_note, reading)


def _find_date_columns(
    table: Table, header: int | None, reading: Reading
) -> tuple[DateColumns | None, list[int]]:
    """Return the columns of dates, None if there are none, and all single candidates."""
    answered = reading.answers.dates
    if answered is None:
        return find_dates(table.cells)
    column = find_date_column(table, answered, header, reading)
    dates, candidates = find_dates(table.cells, column)
    if dates is None:
        name = cut_name(answered)
        raise WrongAnswerError("dates", f"“{name}” has no dates; leave it out")
    return dates, candidates


def _sample_sheet(bounds: TableBounds, table: Table) -> SheetSample:
    """Return how many of the first rows are rows of series, with dates and numbers."""
    top = replace(table, cells=table.cells.iloc[:_SHEET_SAMPLE_ROWS])
    reading = Reading(Answers(), bounds)
    if unpivot(top, None, reading) is not None:
        return SheetSample(_SHEET_SAMPLE_ROWS)
    dates, _ = find_dates(top.cells)
    if dates is None:
        return SheetSample(0)
    heading = split_header(top, dates, None, reading)
    has_values = bool(value_columns(heading, dates.columns))
    return SheetSample(len(heading.body) if has_values else 0, tuple(filter(None, heading.written)))

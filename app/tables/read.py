"""Read a table: from the bytes of a file to series, questions or an error."""

import gc
from dataclasses import replace
from functools import partial

from app.tables.dated_values import DatedValues
from app.tables.dates.columns.find import find_dates
from app.tables.dates.columns.types import DateColumns
from app.tables.ends.plan_notes import find_plan_note
from app.tables.header.choices import ask_header, find_date_column, report_dates
from app.tables.header.heading import split_header
from app.tables.header.number_columns import value_columns
from app.tables.json.document import is_json, read_json
from app.tables.layout import normalize_layout
from app.tables.names.series_names import too_many_points_error
from app.tables.numbers.negative_signs import read_triangles
from app.tables.pivots.unpivot import unpivot
from app.tables.read_dated import date_rows, read_dated
from app.tables.results import (
    Answers,
    NotATableError,
    Reading,
    TableBounds,
    WrongAnswerError,
    cut_name,
)
from app.tables.rows.merged_cells import fill_merged_cells
from app.tables.rows.sections import join_sections
from app.tables.rows.side_by_side import stack_side_by_side
from app.tables.rows.stacked_tables import keep_first_table
from app.tables.series.make import make_series
from app.tables.table import Table
from app.tables.text.content import ZIP, decode_text
from app.tables.text.delimiters import split_text
from app.tables.text.split_numbers import join_split_numbers
from app.tables.undated import read_undated
from app.tables.workbooks.workbook import SheetSample, read_workbook

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
        look = partial(_look_at_sheet, bounds)
        limit = bounds.max_unpacked_bytes
        table = read_workbook(content, limit, answers.sheet, reading, look)
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
    reading.notation.delimiter = table.delimiter
    return join_split_numbers(table, reading)


def _read_points(
    table: Table, text: str | None, bounds: TableBounds, reading: Reading
) -> DatedValues | None:
    """Return the dated values of a table; None if a question must be answered first."""
    joined = join_sections(table, reading) if reading.answers.header is None else table
    stacked = stack_side_by_side(read_triangles(joined, reading), reading)
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
    heading = keep_first_table(arranged, split_header(arranged, dates, header), dates, reading)
    if len(heading.body) > bounds.max_total_points:
        raise too_many_points_error(bounds)
    report_dates(dates, candidates, heading, reading)
    ask_header(arranged, heading, reading)
    rows = date_rows(arranged, heading, dates, bounds, reading)
    return read_dated(rows, layout, plan_note, bounds, reading)


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


def _look_at_sheet(bounds: TableBounds, table: Table) -> SheetSample:
    """Return what the first rows of a table have of series, with dates and numbers."""
    top = replace(table, cells=table.cells.iloc[:_SHEET_SAMPLE_ROWS])
    if unpivot(top, None, bounds, Reading()) is not None:
        return SheetSample(_SHEET_SAMPLE_ROWS)
    dates, _ = find_dates(top.cells)
    if dates is None:
        return SheetSample(0)
    heading = split_header(top, dates, None)
    has_values = bool(value_columns(heading, dates.columns))
    return SheetSample(len(heading.body) if has_values else 0, tuple(filter(None, heading.written)))

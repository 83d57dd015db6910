"""Read the values beside columns of dates: which rows count, and which columns have values."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from app.tables.amounts.directions import sign_amounts
from app.tables.answers import Duplicates, Layout, TableBounds
from app.tables.codes.missing_codes import drop_missing_codes
from app.tables.dated_table import DatedTable
from app.tables.dated_values import DatedValues, ValueColumn
from app.tables.dates.columns.types import DateColumns
from app.tables.dates.date_style import find_date_style
from app.tables.dates.rows import DatedRows, read_dates
from app.tables.dates.time_zones import resolve_time_zone
from app.tables.ends.plan_notes import PlanNote, ask_plan_note
from app.tables.ends.row_kinds import ask_planned_sections, report_kinds, report_marks
from app.tables.header.heading import Heading
from app.tables.header.number_columns import value_columns
from app.tables.layout import find_names, names_of_rows
from app.tables.names.descriptions import find_descriptions
from app.tables.names.series_names import too_many_points_error
from app.tables.pivots.missing_years import year_of_titles
from app.tables.results import NotATableError, Reading
from app.tables.rows.dropped_rows import (
    has_usable_date,
    list_rows,
    report_rows,
    report_unread_columns,
)
from app.tables.rows.repeated_rows import find_repeated_rows
from app.tables.rows.total_rows import find_totals
from app.tables.samples import SAMPLE_CELLS
from app.tables.table import Table
from app.tables.undated import no_numbers_error
from app.tables.values.attributes import without_attributes
from app.tables.values.column_choice import FileMarks, choose_columns, read_columns
from app.tables.values.counters import mark_counters
from app.tables.values.decimal_marks import find_clear_mark, has_point_language, likely_mark
from app.tables.values.running_balances import mark_running_balances
from app.tables.words import VALUE
from app.tables.workbooks.cell_formats import common_format, formats_by_name

_VALUE_NAME = re.compile(VALUE, re.IGNORECASE)
_MAX_TITLES = 20  # rows at the top that are searched for a year
_MAX_NOTES = 50  # rows at the end that are searched for notes with a date


def date_rows(
    table: Table, heading: Heading, dates: DateColumns, bounds: TableBounds, reading: Reading
) -> DatedTable:
    """Return the table with the dates of its rows; repeated ones and totals do not count."""
    first = heading.body.index[0] if len(heading.body) else 0
    above = table.cells.iloc[:_MAX_TITLES]
    titles = [*above[above.index < first].to_numpy().ravel(), reading.chosen.sheet or ""]
    dated = read_dates(
        dates.join(heading.body),
        dates.kind,
        bounds.this_year,
        reading,
        notes=table.notes,
        title_year=year_of_titles(titles, bounds.this_year),
        beside=heading.body.iloc[:SAMPLE_CELLS].drop(columns=[*dates.columns]),
    )
    reading.notation.date_form = find_date_style(_without_notes(dated, heading, dates))
    reading.notation.date_format = common_format(dated.cells[-SAMPLE_CELLS:])
    rows = DatedTable(table, heading, dates, dated, has_usable_date(dated))
    once = rows.without(find_repeated_rows(rows, reading))
    return once.without(find_totals(once.body, once.times, dates.columns, reading))


def _without_notes(dated: DatedRows, heading: Heading, dates: DateColumns) -> DatedRows:
    """Return the dates without dates of notes below the table, which have nothing beside them."""
    beside = heading.body.iloc[-_MAX_NOTES:].drop(columns=[*dates.columns])
    is_left_out = dated.is_coarse.copy()
    is_left_out[-len(beside) :] |= (beside == "").to_numpy().all(axis=1)
    return dated if is_left_out.all() else replace(dated, is_coarse=is_left_out)


def read_dated(
    rows: DatedTable,
    known_layout: Layout | None,
    plan_note: PlanNote | None,
    bounds: TableBounds,
    reading: Reading,
) -> DatedValues | None:
    """Return the values beside columns of dates; None if there are too many for one request."""
    rows = sign_amounts(rows, reading)
    heading, body, times = rows.heading, rows.body, rows.times
    layout, name_columns = find_names(rows, known_layout, reading)
    is_merged = bool(name_columns) and layout is Layout.COLUMNS
    adds_up = is_merged and reading.answers.duplicates is Duplicates.SUM
    names = names_of_rows(body, () if is_merged and not adds_up else name_columns)
    taken = (*rows.dates.columns, *name_columns)
    numbers = value_columns(heading, taken, reading.answers.columns)
    numeric = without_attributes(numbers, rows, names, reading)
    if not numeric:
        raise no_numbers_error(rows.table, heading, taken, numbers)
    if (
        not name_columns
        and len(numeric) == 1
        and _VALUE_NAME.fullmatch(heading.written[numeric[0]])
    ):
        names = np.full(len(body), heading.title, dtype=object)  # “Value” says less
    if name_columns and not is_merged:
        reading.descriptions = find_descriptions(
            heading, body, names, name_columns, {*taken, *numeric}
        )
    columns = _choose_value_columns(
        heading, numeric, pd.unique(names).size, bool(name_columns), bounds, reading
    )
    if columns is None:
        return None
    if times.size:
        report_marks(rows, reading)
        report_kinds(rows, {*taken, *numeric}, reading)
        ask_planned_sections(rows, reading)
        if plan_note:
            ask_plan_note(plan_note, times, reading)
    values = _read_values(rows, columns, numbers, names, reading)
    report_unread_columns(rows, {*taken, *numbers}, reading)
    report_rows(rows, values, reading)
    cleared = drop_missing_codes(values, heading.body.index.to_numpy(), reading)
    balances = mark_running_balances(cleared, numbers, rows, names)
    marked = mark_counters(balances, rows, names, reading)
    return _resolve_times(rows, names, marked, adds_up, reading)


def _read_values(
    rows: DatedTable,
    columns: list[int],
    numbers: list[int],
    names: np.ndarray,
    reading: Reading,
) -> list[ValueColumn]:
    """Return the values of all rows of some columns, with the formats of their names."""
    likely = likely_mark(rows.table, next((cell for cell in rows.dated.cells if cell), ""))
    clear = find_clear_mark(rows.table, rows.dated, likely)
    dates = rows.dated.cells[:SAMPLE_CELLS].tolist()
    has_decimal_points = has_point_language(rows.table, dates, likely)
    marks = FileMarks(likely, clear, numbers, has_decimal_points)
    values = read_columns(rows.heading, columns, marks, rows.table, reading, rows.has_date)
    return [
        replace(column, formats=formats_by_name(rows.body[column.index].tolist(), names))
        for column in values
    ]


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
    rows: DatedTable,
    names: np.ndarray,
    values: list[ValueColumn],
    adds_up: bool,
    reading: Reading,
) -> DatedValues:
    """Return the dated values with all times by one clock.

    Raises:
        NotATableError: No row has both a date and a number.
    """
    table = rows.table
    has_date = rows.has_date
    numbers = rows.body.index.to_numpy()
    clock = resolve_time_zone(rows.times, rows.dated.suffixes[has_date], names, reading)
    zone = reading.chosen.timezone = reading.answers.timezone
    exists = ~np.isnat(clock.times)
    if not exists.all():
        skipped = numbers[~exists].tolist()
        issue = f"Left out {list_rows(table, skipped)}: the clock in {zone} skips that time."
        reading.add_remark("no_such_time", issue, skipped)
    columns = [replace(column, values=column.values[has_date][exists]) for column in values]
    if not any(np.isfinite(column.values).any() for column in columns):
        row = int(numbers[0] if numbers.size else table.cells.index[0])
        issue = f"no row has both a date and a number; look at {table.row_label(row)}"
        raise NotATableError(issue, row, values[0].index + 1)
    return DatedValues(
        clock.times[exists], clock.suffix, numbers[exists], names[exists], columns, adds_up
    )

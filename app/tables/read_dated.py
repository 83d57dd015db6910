"""Read the values of rows with dates: which rows count, and which columns have values."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from app.tables.amounts.directions import apply_directions
from app.tables.answers import Layout
from app.tables.codes.missing_codes import drop_missing_codes
from app.tables.dated_table import DatedTable
from app.tables.dated_values import DatedValues, ValueColumn
from app.tables.dates.columns.date_columns import DateColumns
from app.tables.dates.date_style import find_date_style
from app.tables.dates.rows import RowDates, read_dates
from app.tables.dates.time_zones import resolve_time_zone
from app.tables.ends.row_kinds import (
    PlanNote,
    ask_plan_note,
    ask_planned_sections,
    report_kinds,
    report_marks,
)
from app.tables.errors import UnreadableTableError, too_many_points_error
from app.tables.header.heading import Heading
from app.tables.header.number_columns import value_columns
from app.tables.layout import RowNames, find_names
from app.tables.messages import list_rows
from app.tables.pivots.missing_years import find_title_year
from app.tables.reading import Descriptions, Reading, cut_name
from app.tables.rows.dropped_rows import has_usable_date, report_rows, report_unread_columns
from app.tables.rows.repeated_rows import find_repeated_rows
from app.tables.rows.total_rows import find_balances, find_totals
from app.tables.table import SAMPLE_CELLS, Table
from app.tables.undated import no_numbers_error
from app.tables.values.attributes import without_attributes
from app.tables.values.column_choice import choose_columns, read_columns
from app.tables.values.decimal_marks import find_file_marks
from app.tables.values.running_balances import mark_counters, mark_running_balances
from app.tables.words import VALUE
from app.tables.workbooks.number_formats import common_format, formats_by_name

_VALUE_NAME = re.compile(VALUE, re.IGNORECASE)
_MAX_TITLE_ROWS_SEARCHED = 20
_MAX_NOTE_ROWS = 50  # rows at the end that may be notes with a date
_MAX_DESCRIPTIONS = 10  # twice as many columns are looked at


def date_rows(table: Table, heading: Heading, dates: DateColumns, reading: Reading) -> DatedTable:
    """Return the table with the dates of its rows; repeated ones and totals do not count."""
    first = heading.body.index[0] if len(heading.body) else 0
    above = table.cells.iloc[:_MAX_TITLE_ROWS_SEARCHED]
    dated = read_dates(
        dates.join(heading.body),
        dates.kind,
        reading,
        notes=table.notes,
        title_year=find_title_year(above[above.index < first], reading),
        other_columns=heading.body.iloc[:SAMPLE_CELLS].drop(columns=[*dates.columns]),
    )
    reading.notation.date_form = find_date_style(_without_notes(dated, heading, dates))
    reading.notation.date_format = common_format(dated.cells[-SAMPLE_CELLS:])
    rows = DatedTable(table, heading, dates, dated, has_usable_date(dated))
    once = rows.without(find_repeated_rows(rows, reading))
    once = once.without(find_balances(once, reading))
    return once.without(find_totals(once.body, once.times, dates.columns, reading))


def _without_notes(dated: RowDates, heading: Heading, dates: DateColumns) -> RowDates:
    """Return the dates without those of notes below the table, whose other cells are empty."""
    others = heading.body.iloc[-_MAX_NOTE_ROWS:].drop(columns=[*dates.columns])
    is_left_out = dated.is_coarse.copy()
    is_left_out[-len(others) :] |= (others == "").to_numpy().all(axis=1)
    return dated if is_left_out.all() else replace(dated, is_coarse=is_left_out)


def read_dated_values(
    dated_table: DatedTable,
    known_layout: Layout | None,
    plan_note: PlanNote | None,
    reading: Reading,
) -> DatedValues | None:
    """Return the values of rows with dates; None if there are too many for one request."""
    signed = apply_directions(dated_table, reading)
    heading = signed.heading
    found_names = find_names(signed, known_layout, reading)
    taken = (*signed.dates.columns, *found_names.columns)
    numeric = value_columns(heading, taken, reading.answers.columns)
    candidates = without_attributes(numeric, signed, found_names.of_rows, reading)
    if not candidates:
        raise no_numbers_error(heading, taken, numeric, reading)
    used = {*taken, *candidates}
    names = _describe_names(found_names, signed, candidates, used, reading)
    chosen = _choose_value_columns(heading, candidates, names, reading)
    if chosen is None:
        return None
    if signed.times.size:
        _report_row_kinds(signed, used, plan_note, reading)
    values = _read_values(signed, names, chosen, numeric, reading)
    return _resolve_times(signed, names, values, reading)


def _describe_names(
    names: RowNames, dated_table: DatedTable, numeric: list[int], taken: set[int], reading: Reading
) -> RowNames:
    """Return names, with the title of the table for a single series; find their descriptions."""
    heading, body = dated_table.heading, dated_table.body
    if not names.columns and len(numeric) == 1:
        if _VALUE_NAME.fullmatch(heading.written[numeric[0]]):  # “Value” says less than the title
            return names._replace(of_rows=np.full(len(body), heading.title, dtype=object))
    elif names.columns and not names.are_merged:
        reading.descriptions = _find_descriptions(
            heading, body, names.of_rows, names.columns, taken
        )
    return names


def _choose_value_columns(
    heading: Heading, numeric: list[int], names: RowNames, reading: Reading
) -> list[int] | None:
    """Return the columns of values; None if there are too many for one request.

    One column of a long table is read: others, such as prices, would double the number of series.
    """
    bounds, name_count = reading.bounds, pd.unique(names.of_rows).size

    def are_too_many(columns: list[int]) -> bool:
        points = len(columns) * len(heading.body)
        return name_count * len(columns) > bounds.max_series or points > bounds.max_total_points

    is_required = bool(names.columns) or are_too_many(numeric)
    columns = choose_columns(heading, numeric, reading, required=is_required)
    if not are_too_many(columns):
        return columns
    if reading.answers.columns or len(numeric) == 1:
        raise too_many_points_error(bounds)
    return None


def _report_row_kinds(
    dated_table: DatedTable, taken: set[int], plan_note: PlanNote | None, reading: Reading
) -> None:
    report_marks(dated_table, reading)
    report_kinds(dated_table, taken, reading)
    ask_planned_sections(dated_table, reading)
    if plan_note:
        ask_plan_note(plan_note, dated_table.times, reading)


def _read_values(
    dated_table: DatedTable,
    names: RowNames,
    chosen: Sequence[int],
    numeric: Sequence[int],
    reading: Reading,
) -> list[ValueColumn]:
    """Return the values of the chosen columns, and which of these are balances or counters."""
    heading, body = dated_table.heading, dated_table.body
    read = {*dated_table.dates.columns, *names.columns, *numeric}
    marks = find_file_marks(dated_table.table, dated_table.row_dates, numeric)
    columns = read_columns(heading, chosen, marks, reading, dated_table.is_counted)
    report_unread_columns(dated_table, read, reading)
    report_rows(dated_table, columns, reading)
    columns = drop_missing_codes(columns, heading.body.index.to_numpy(), reading)
    columns = mark_running_balances(columns, numeric, dated_table, names.of_rows)
    return [
        replace(column, formats=formats_by_name(body[column.index].tolist(), names.of_rows))
        for column in mark_counters(columns, dated_table, names.of_rows, reading)
    ]


def _resolve_times(
    dated_table: DatedTable, names: RowNames, values: Sequence[ValueColumn], reading: Reading
) -> DatedValues:
    """Return the dated values with all times by one clock.

    Raise UnreadableTableError if no row has both a date and a number.
    """
    table = dated_table.table
    is_counted = dated_table.is_counted
    numbers = dated_table.body.index.to_numpy()
    times, suffix = resolve_time_zone(
        dated_table.times, dated_table.row_dates.suffixes[is_counted], names.of_rows, reading
    )
    zone = reading.chosen.timezone = reading.answers.timezone
    has_time = ~np.isnat(times)
    if not has_time.all():
        skipped = numbers[~has_time].tolist()
        issue = f"Left out {list_rows(skipped, reading)}: the clock in {zone} skips that time."
        reading.add_remark("no_such_time", issue, skipped)
    columns = [replace(column, values=column.values[is_counted][has_time]) for column in values]
    if not any(np.isfinite(column.values).any() for column in columns):
        row = int(numbers[0] if numbers.size else table.cells.index[0])
        issue = f"no row has both a date and a number; look at {reading.row_label(row)}"
        raise UnreadableTableError(issue, row, values[0].index + 1)
    return DatedValues(
        times[has_time], suffix, numbers[has_time], names.of_rows[has_time], columns, names.adds_up
    )


def _find_descriptions(
    heading: Heading,
    body: pd.DataFrame,
    names: np.ndarray,
    name_columns: Sequence[int],
    taken: Collection[int],
) -> Descriptions:
    """Return the texts that describe ``names``, which are the names of the rows of ``body``.

    A column describes names if it has one text for each name, and not the same one for all. The
    parts of names that are joined from several ``name_columns`` come first. ``taken`` are the
    columns of dates, names and values, except for numbers of items.
    """
    codes, distinct = pd.factorize(names)
    first = np.unique(codes, return_index=True)[1]
    describing = []
    for column in [column for column in body if column not in taken][: 2 * _MAX_DESCRIPTIONS]:
        texts = pd.factorize(body[column])[0]
        is_fixed_by_name = (texts == texts[first][codes]).all()
        if is_fixed_by_name and np.unique(texts).size > 1:
            describing.append(column)
    parts = name_columns if len(name_columns) > 1 else ()
    describing = [*parts, *describing[:_MAX_DESCRIPTIONS]]
    if not describing:
        return Descriptions()
    texts_of_names = body[describing].iloc[first].to_numpy().tolist()
    headers = tuple(heading.names[column] for column in describing)
    cut = (tuple(map(cut_name, row)) for row in texts_of_names)
    return Descriptions(headers, dict(zip(distinct, cut, strict=True)), bool(parts))

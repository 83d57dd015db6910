"""Make series of dated values: sorted, one value per timestamp, on a grid."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd

from app.forecasting.model_ids import MIN_POINTS
from app.tables import grid
from app.tables.dated_values import DatedValues, Entry
from app.tables.dates.output_form import form_of_days
from app.tables.duplicates import choose_duplicates, combine_duplicates
from app.tables.empty_cells import are_zeros, resolve_empty_cells
from app.tables.gaps import GapReporter, report_zeros
from app.tables.grid import GriddedSeries, round_sum
from app.tables.irregular import ask_before_leaving_out, regularize
from app.tables.periods import aggregate_periods
from app.tables.results import (
    Descriptions,
    Duplicates,
    Fill,
    Reading,
    Summary,
    TableBounds,
    TableSeries,
    cut_name,
)
from app.tables.running_balances import (
    closing_values,
    report_running_balance,
    report_running_balances,
)
from app.tables.series_end import trim_end
from app.tables.series_names import NAME_SEPARATOR, too_many_points_error
from app.tables.slips import report_slips
from app.tables.summary import summarize
from app.tables.table import Table
from app.tables.time_zones import can_clock_change
from app.timeseries.calendar.frequency import HOUR_SECONDS
from app.timeseries.calendar.timestamps import TimeArray, format_timestamps

# Questions that depend on the answer to another one, and are asked after it.
_LATER = {
    "per": ("data_frequency", "fill"),
    "dates": ("data_frequency", "duplicates", "fill", "per"),
}
# What depends on how far dates are apart.
_QUESTIONS_OF_STEP = ("data_frequency", "fill", "per", "timezone")
_REMARKS_OF_STEP = ("clock_forward", "few_values", "irregular", "off_step", "reversed", "sorted")


def make_series(
    points: DatedValues, table: Table, bounds: TableBounds, reading: Reading
) -> list[TableSeries]:
    """Return the series of dated values, within bounds; ask what is ambiguous."""
    points, answers = _sort_points(points, reading), reading.answers
    had_days = _are_days(points.times)
    points, is_combined = regularize(points, bounds, reading)
    duplicates = choose_duplicates(points, table, reading)
    lacking = pd.DataFrame()
    if points.adds_up:
        entries, lacking = _sum_series(points, answers.fill)
        count = pd.unique(points.names).size
        reading.add_remark("added_up", f"Added up by date: {count:,} series.")
    else:
        entries = list(_split_series(points, duplicates, reading))
    if not (points.adds_up or is_combined):
        report_slips(entries, points, table, reading)
    entries = trim_end(entries, bounds.today, reading)
    entries = resolve_empty_cells(entries, bounds, reading)
    aligned = _align(entries, points.suffix, bounds, reading)
    rows = pd.Series(points.rows, index=points.times)
    named = zip((entry.name for entry in entries), aligned, strict=True)
    GapReporter(table, rows, lacking, reading).report(list(named))
    asked = {question.parameter for question in reading.questions if question.required}
    later = {parameter for first in asked & _LATER.keys() for parameter in _LATER[first]}
    reading.questions = [q for q in reading.questions if q.parameter not in later]
    if answers.fill:
        ask_before_leaving_out(points, aligned, reading)
    filled = [
        (entry, gridded)
        for entry, gridded in zip(entries, aligned, strict=True)
        if gridded.times.size
    ]
    summaries = [
        Summary.AVERAGE
        if entry.column.closing_order
        else summarize(entry.column.name, entry.column.form.after, gridded.values, entry.row_name)
        for entry, gridded in filled
    ]
    if answers.fill is Fill.ZERO:
        report_zeros(filled, reading)
    aggregated = aggregate_periods(
        [
            (entry, gridded, summary)
            for (entry, gridded), summary in zip(filled, summaries, strict=True)
        ],
        reading,
        are_combined=is_combined,
    )
    reading.chosen.number_forms = [
        vars(entry.column.form_of(entry.row_name)) for entry, _ in filled
    ]
    if all(_are_days(gridded.times) for gridded in aggregated):
        reading.chosen.date_form = form_of_days(
            reading.chosen.date_form, points.suffix, had_days=had_days
        )
        if not had_days:
            reading.chosen.date_format = ""  # it may show a time
    if are_zeros(reading):
        aggregated = [replace(gridded, missing=gridded.missing[:0]) for gridded in aggregated]
    series = _with_timestamps(filled, aggregated, summaries, points.suffix, reading.descriptions)
    few = next((s for s in series if s.original_count < MIN_POINTS <= len(s.values)), None)
    if few:
        count = few.original_count
        text = f"Only {count} of {len(few.values)} values of “{few.name}” are the table's "
        reading.add_remark("few_values", f"{text}own: a forecast needs {MIN_POINTS}.")
    if any(
        question.parameter == "date_order" and question.required for question in reading.questions
    ):
        _leave_out_what_depends_on_order(reading)
    return series


def _leave_out_what_depends_on_order(reading: Reading) -> None:
    """Leave out what the dates may not have if day and month are in the other order."""
    reading.questions = [q for q in reading.questions if q.parameter not in _QUESTIONS_OF_STEP]
    reading.remarks = [remark for remark in reading.remarks if remark.code not in _REMARKS_OF_STEP]


def _are_days(times: TimeArray) -> bool:
    return bool((times == times.astype("datetime64[D]")).all())


def _with_timestamps(
    entries: Sequence[tuple[Entry, GriddedSeries]],
    aggregated: Sequence[GriddedSeries],
    summaries: Sequence[Summary],
    suffix: str,
    descriptions: Descriptions,
) -> list[TableSeries]:
    """Return the series with their timestamps, which those side by side share."""
    strings: dict[bytes, list[str]] = {}

    def format_times(times: TimeArray) -> list[str]:
        key = times.tobytes()
        if key not in strings:
            strings[key] = format_timestamps(times, suffix)
        return strings[key]

    return [
        TableSeries(
            cut_name(entry.name),
            format_times(gridded.times),
            gridded.values.tolist(),
            gridded.regular_spacing.frequency if gridded.regular_spacing else None,
            gridded.regular_spacing.step if gridded.regular_spacing else None,
            format_times(gridded.missing),
            summary,
            descriptions.of(entry.row_name),
        )
        for (entry, _), gridded, summary in zip(entries, aggregated, summaries, strict=True)
    ]


def _align(
    entries: Sequence[Entry], suffix: str, bounds: TableBounds, reading: Reading
) -> list[GriddedSeries]:
    """Return the series on their grids.

    Raises:
        NotATableError: With the entries that they lack they are too many: a few values years apart
            lack 50,000 days between them, in each of hundreds of columns.
    """
    answers, aligned, count = reading.answers, [], 0
    for entry in entries:
        gridded = grid.align_to_grid(
            entry.values,
            suffix=suffix,
            fill=Fill.PREVIOUS if answers.fill and entry.column.closing_order else answers.fill,
            frequency=answers.data_frequency,
            limit=bounds.max_points,
            substitutes=entry.substitutes,
        )
        if answers.fill and entry.column.closing_order and gridded.missing_count:
            report_running_balance(entry.column, reading, is_carried=True)
        count += gridded.times.size + gridded.missing.size
        if count > bounds.max_total_points:
            raise too_many_points_error(bounds)
        aligned.append(gridded)
    return aligned


def _sort_points(points: DatedValues, reading: Reading) -> DatedValues:
    """Sort points by name and time; names keep the order of the file."""
    codes = pd.factorize(points.names)[0]
    steps = np.diff(points.times).astype(np.int64)
    # Quarters of the hour that a clock repeats are in order.
    may_change = can_clock_change(points.times)
    is_repeated = (np.abs(steps) < HOUR_SECONDS) & may_change[1:] & may_change[:-1]
    steps = steps[(np.diff(codes) == 0) & ~is_repeated]
    if (steps < 0).any():
        is_reversed = not (steps > 0).any()
        first = "The newest row came first" if is_reversed else "The rows were not in order"
        reading.add_remark("reversed" if is_reversed else "sorted", f"{first}; sorted.")
    order = np.lexsort((points.times, codes))
    columns = [replace(column, values=column.values[order]) for column in points.columns]
    return replace(
        points,
        times=points.times[order],
        rows=points.rows[order],
        names=points.names[order],
        columns=columns,
    )


def _split_series(points: DatedValues, duplicates: Duplicates, reading: Reading) -> Iterator[Entry]:
    starts = np.flatnonzero(points.names[1:] != points.names[:-1]) + 1
    for start, end in pairwise([0, *starts.tolist(), points.times.size]):
        name = points.names[start]
        for column in points.columns:
            parts = (name, column.name) if len(points.columns) > 1 or not name else (name,)
            full_name = NAME_SEPARATOR.join(filter(None, parts))
            values = pd.Series(column.values[start:end], index=points.times[start:end])
            if not np.isfinite(column.values[start:end]).any():
                continue
            if column.closing_order and not values.index.is_unique:
                if duplicates is Duplicates.SUM:
                    report_running_balances([column], reading)
                if duplicates is not Duplicates.MEAN:
                    values = closing_values(values, points.rows[start:end], column.closing_order)
            combined = combine_duplicates(values, duplicates)
            yield Entry(full_name, column, combined, row_name=name)


def _sum_series(points: DatedValues, fill: Fill | None) -> tuple[list[Entry], pd.DataFrame]:
    """Return the sums of all series by date, and which series lack which dates.

    A date that a series lacks has no sum. With ``fill`` it has a substitute: the sum of the filled
    series, which are zero before their first value, and repeat their last one unless filled with
    zero.
    """
    entries, lacks = [], pd.DataFrame()
    for column in points.columns:
        frame = pd.DataFrame({"time": points.times, "name": points.names, "value": column.values})
        wide = frame.groupby(["time", "name"], sort=False)["value"].sum(min_count=1).unstack("name")
        wide = wide.sort_index()[pd.unique(points.names)]
        lacking = wide.isna()
        lacks = lacking[lacking.any(axis=1)] if lacks.empty else lacks
        sums = wide.sum(axis=1, skipna=False).map(round_sum)
        if fill is Fill.LINEAR:
            wide = wide.interpolate("index", limit_area="inside")
        if fill in (Fill.LINEAR, Fill.PREVIOUS):
            wide = wide.ffill()
        substitutes = wide.fillna(0.0).sum(axis=1).map(round_sum)
        entries.append(Entry(column.name, column, sums, None if lacks.empty else substitutes))
    return entries, lacks

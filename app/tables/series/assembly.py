"""Make series of dated values: sorted, one value per timestamp, on a grid."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd

from app.forecasting.model_ids import MIN_POINTS
from app.tables.answers import DecimalMark, Duplicates, Fill, Summary
from app.tables.dated_values import DatedValues, UngriddedSeries
from app.tables.dates.date_style import style_of_days
from app.tables.dates.time_zones import can_clock_change
from app.tables.ends.series_end import trim_end
from app.tables.errors import too_many_points_error
from app.tables.reading import Reading, RemarkCode, TableSeries, cut_name
from app.tables.series.duplicates import choose_duplicates, combine_duplicates
from app.tables.series.empty_cells import are_zeros, resolve_empty_cells
from app.tables.series.gaps import GapReporter, report_zeros
from app.tables.series.gridded_series import GriddedSeries, align_to_grid, round_sums
from app.tables.series.irregular import ask_before_leaving_out, regularize
from app.tables.series.periods import aggregate_periods
from app.tables.table import NAME_SEPARATOR
from app.tables.values.running_balances import closing_values, report_running_balances
from app.tables.values.summary import are_counts, choose_summary
from app.tables.values.suspect_values import report_suspect_values
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import TimeArray, format_timestamps
from app.timeseries.seconds import HOUR_SECONDS
from app.timeseries.types import FloatArray

# What depends on how far dates are apart.
_QUESTIONS_OF_STEP = ("data_frequency", "fill", "per", "timezone")
# Questions that are asked once another one is answered.
_DEPENDENT = {"per": ("data_frequency", "duplicates"), "dates": (*_QUESTIONS_OF_STEP, "duplicates")}
_REMARKS_OF_STEP: tuple[RemarkCode, ...] = (
    "clock_forward", "few_values", "irregular", "off_step", "reversed", "sorted",
)  # fmt: skip
_NUMBER = re.compile(r"\d{1,2}", re.ASCII)
# How many parts a date has, what they are, and how to write the first one.
_NUMBERED_PARTS = {
    Frequency.YEARLY: {
        4: ("quarters", "2024-Q1"),
        12: ("months", "2024-01"),
        52: ("weeks", "2024-W01"),
        53: ("weeks", "2024-W01"),
    },
    Frequency.DAILY: {24: ("hours", "2024-01-31 00:00")},
}


def make_series(dated_values: DatedValues, reading: Reading) -> list[TableSeries]:
    """Return the series of dated values, within the bounds; ask what is ambiguous."""
    ordered = _sort_by_time(dated_values, reading)
    regular, is_combined = regularize(ordered, reading)
    raw, lacking = _split_or_sum(regular, reading)
    if not (regular.adds_up or is_combined):
        report_suspect_values(raw, regular, reading)
    kept = trim_end(raw, reading)
    resolved = resolve_empty_cells(kept, reading)
    gridded = _align_series(resolved, regular.suffix, reading)
    if reading.answers.fill:
        ask_before_leaving_out(regular, gridded, reading)
    rows = pd.Series(regular.rows, index=regular.times)
    GapReporter(rows, lacking, reading).report(gridded)
    filled = _set_summaries([series for series in gridded if series.times.size])
    if reading.answers.fill is Fill.ZERO:
        report_zeros(filled, reading)
    aggregated = aggregate_periods(filled, reading, are_combined=is_combined)
    _choose_forms(aggregated, regular.suffix, _are_days(ordered.times), reading)
    stamped = _with_timestamps(aggregated, regular.suffix, reading)
    _report_few_values(stamped, reading)
    _report_numbered_names(stamped, reading)
    if reading.asks("date_order", required=True):
        _leave_out_what_depends_on_order(reading)
    later = {
        dependent
        for parameter, dependents in _DEPENDENT.items()
        if reading.asks(parameter, required=True)
        for dependent in dependents
    }
    reading.questions = [q for q in reading.questions if q.parameter not in later]
    return stamped


def _sort_by_time(dated_values: DatedValues, reading: Reading) -> DatedValues:
    codes = pd.factorize(dated_values.names)[0]
    steps = np.diff(dated_values.times).astype(np.int64)
    # Quarters of the hour that a clock repeats are in order.
    may_change = can_clock_change(dated_values.times)
    is_repeated = (np.abs(steps) < HOUR_SECONDS) & may_change[1:] & may_change[:-1]
    steps = steps[(np.diff(codes) == 0) & ~is_repeated]
    if (steps < 0).any():
        is_reversed = not (steps > 0).any()
        text = "The newest row came first" if is_reversed else "The rows were not in order"
        reading.add_remark("reversed" if is_reversed else "sorted", f"{text}; sorted.")
    return dated_values.take(np.lexsort((dated_values.times, codes)))


def _split_or_sum(
    dated_values: DatedValues, reading: Reading
) -> tuple[list[UngriddedSeries], pd.DataFrame]:
    """Return the series, or their sums and which series lack which dates."""
    duplicates = choose_duplicates(dated_values, reading)
    if not dated_values.adds_up:
        return [*_split_series(dated_values, duplicates, reading)], pd.DataFrame()
    count = pd.unique(dated_values.names).size
    reading.add_remark("added_up", f"Added up by date: {count:,} series.")
    return _sum_series(dated_values, reading.answers.fill)


def _split_series(
    dated_values: DatedValues, duplicates: Duplicates, reading: Reading
) -> Iterator[UngriddedSeries]:
    starts = np.flatnonzero(dated_values.names[1:] != dated_values.names[:-1]) + 1
    for start, end in pairwise([0, *starts.tolist(), dated_values.times.size]):
        name = dated_values.names[start]
        for column in dated_values.columns:
            parts = (name, column.name) if len(dated_values.columns) > 1 or not name else (name,)
            full_name = NAME_SEPARATOR.join(filter(None, parts))
            values = pd.Series(column.values[start:end], index=dated_values.times[start:end])
            is_repeated_balance = column.is_balance and not values.index.is_unique
            if not np.isfinite(column.values[start:end]).any():
                continue
            if is_repeated_balance and duplicates is Duplicates.SUM:
                report_running_balances([column], reading)
            if is_repeated_balance and duplicates is not Duplicates.MEAN:
                rows = dated_values.rows[start:end]
                values = closing_values(values, rows, column.closing_order)
            combined = combine_duplicates(values, duplicates)
            yield UngriddedSeries(full_name, column, combined, row_name=name)


def _sum_series(
    dated_values: DatedValues, fill: Fill | None
) -> tuple[list[UngriddedSeries], pd.DataFrame]:
    """Return the sums of all series by date, and which series lack which dates.

    A date that a series lacks has no sum. With ``fill`` it has a substitute: the sum of the filled
    series, which are zero before their first value, and repeat their last one unless filled with
    zero.
    """
    summed = []
    lacks = pd.DataFrame()
    for column in dated_values.columns:
        frame = pd.DataFrame(
            {"time": dated_values.times, "name": dated_values.names, "value": column.values}
        )
        wide = frame.groupby(["time", "name"], sort=False)["value"].sum(min_count=1).unstack("name")
        wide = wide.sort_index()[pd.unique(dated_values.names)]
        lacking = wide.isna()
        lacks = lacking[lacking.any(axis=1)] if lacks.empty else lacks
        sums = round_sums(wide.sum(axis=1, skipna=False), column.values)
        if fill is Fill.LINEAR:
            wide = wide.interpolate("index", limit_area="inside")
        if fill in (Fill.LINEAR, Fill.PREVIOUS):
            wide = wide.ffill()
        substitutes = round_sums(wide.fillna(0.0).sum(axis=1), wide.to_numpy())
        summed.append(
            UngriddedSeries(column.name, column, sums, None if lacks.empty else substitutes)
        )
    return summed, lacks


def _align_series(
    series: Sequence[UngriddedSeries], suffix: str, reading: Reading
) -> list[GriddedSeries]:
    """Return the series on their grids.

    Raise UnreadableTableError if they have too many points, missing ones included: hundreds of
    columns may each lack 50,000 days between a few values.
    """
    fill, bounds = reading.answers.fill, reading.bounds
    aligned = []
    count = 0
    for raw in series:
        is_carried = bool(fill and raw.column.is_balance and not raw.column.is_counter)
        gridded = align_to_grid(
            raw,
            suffix=suffix,
            fill=Fill.PREVIOUS if is_carried else fill,
            frequency=reading.answers.data_frequency,
            limit=bounds.max_points,
        )
        if is_carried and gridded.gaps.missing_count:
            report_running_balances([raw.column], reading, is_carried=True)
        count += gridded.times.size + gridded.gaps.missing.size
        if count > bounds.max_total_points:
            raise too_many_points_error(bounds)
        aligned.append(gridded)
    return aligned


def _set_summaries(gridded: Sequence[GriddedSeries]) -> list[GriddedSeries]:
    """Return series with their meaningful summaries; the values of a whole column decide."""
    values: dict[int, list[FloatArray]] = {}
    for series in gridded:
        values.setdefault(series.raw.column.index, []).append(series.values)
    has_counts = {index: are_counts(np.concatenate(parts)) for index, parts in values.items()}

    def summary_of(raw: UngriddedSeries) -> Summary:
        column = raw.column
        if column.is_balance:
            return Summary.AVERAGE
        return choose_summary(column.name, column.unit, has_counts[column.index], raw.row_name)

    return [replace(series, summary=summary_of(series.raw)) for series in gridded]


def _choose_forms(
    gridded: Sequence[GriddedSeries], suffix: str, had_days: bool, reading: Reading
) -> None:
    notation = reading.notation
    forms = [series.raw.column.form_of(series.raw.row_name) for series in gridded]
    is_mark_open = reading.answers.decimal is None and not any(form.decimals for form in forms)
    if notation.delimiter == "\t" and is_mark_open and any(f.grouping.isspace() for f in forms):
        # People who write 15 190 write 15 190,5.
        forms = [replace(form, decimal=DecimalMark.COMMA) for form in forms]
    notation.number_forms = [*map(vars, forms)]
    if all(_are_days(series.times) for series in gridded):
        notation.date_form = style_of_days(notation.date_form, suffix, had_days=had_days)
        if not had_days:
            notation.date_format = ""  # it may show a time


def _are_days(times: TimeArray) -> bool:
    return bool((times == times.astype("datetime64[D]")).all())


def _with_timestamps(
    gridded: Sequence[GriddedSeries], suffix: str, reading: Reading
) -> list[TableSeries]:
    """Return the series with their timestamps; series side by side share one list."""
    strings: dict[bytes, list[str]] = {}

    def format_times(times: TimeArray) -> list[str]:
        key = times.tobytes()
        if key not in strings:
            strings[key] = format_timestamps(times, suffix)
        return strings[key]

    def with_timestamps(series: GriddedSeries) -> TableSeries:
        spacing = series.regular_spacing
        return TableSeries(
            cut_name(series.raw.name),
            format_times(series.times),
            series.values.tolist(),
            spacing.frequency if spacing else None,
            spacing.step if spacing else None,
            [] if are_zeros(reading) else format_times(series.gaps.missing),
            series.summary,
            reading.descriptions.of(series.raw.row_name),
        )

    return [*map(with_timestamps, gridded)]


def _report_few_values(series: Sequence[TableSeries], reading: Reading) -> None:
    few = next((s for s in series if s.original_count < MIN_POINTS <= len(s.values)), None)
    if few:
        count = few.original_count
        filled = f"the other {len(few.values) - count} of “{few.name}” were filled in"
        text = f"Only {count} of {len(few.values)} values came with the table, {filled}"
        reading.add_remark("few_values", f"{text}: a forecast needs {MIN_POINTS}.")


def _leave_out_what_depends_on_order(reading: Reading) -> None:
    """Leave out questions and remarks that another order of day and month may make wrong."""
    reading.questions = [q for q in reading.questions if q.parameter not in _QUESTIONS_OF_STEP]
    reading.remarks = [remark for remark in reading.remarks if remark.code not in _REMARKS_OF_STEP]


def _report_numbered_names(series: Sequence[TableSeries], reading: Reading) -> None:
    """Report yearly series numbered like quarters, months or weeks, and daily ones like hours."""
    frequencies = {one_series.data_frequency for one_series in series}
    if not reading.notation.has_names or len(frequencies) != 1:
        return
    matches = [_NUMBER.search(one_series.name) for one_series in series]
    numbers = sorted({int(match[0]) for match in matches if match})
    count = len(numbers)
    parts = _NUMBERED_PARTS.get(frequencies.pop() or Frequency.MONTHLY, {}).get(count)
    if parts and all(matches) and numbers in ([*range(count)], [*range(1, count + 1)]):
        noun, example = parts
        text = f"{count} names are numbered: if they are {noun}, send dates such as {example}."
        reading.add_remark("numbered_names", text)

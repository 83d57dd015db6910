"""Find the column of dates, or several columns that combine to dates."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd

from app.tables.codes.key_names import is_named_thing
from app.tables.dates.cells import (
    ParsedDate,
    is_date,
    is_written_date,
    is_yearless,
    read_fiscal,
    read_serial,
    readers_in_any_order,
)
from app.tables.dates.clocks import END_OF_INTERVAL, HAS_CLOCK, TIME_OF_DAY
from app.tables.dates.columns.date_columns import (
    DateColumns,
    DateKind,
    join_columns,
    join_parts,
    one_column,
)
from app.tables.dates.columns.likely_dates import are_codes, is_likely_date
from app.tables.dates.columns.parts import (
    find_calendar_parts,
    find_clock_digits,
    find_day_parts,
    find_pair,
    find_parts,
    find_parts_of_split_years,
    find_split_years,
)
from app.tables.dates.columns.period_codes import (
    find_counted_periods,
    find_days_and_months,
    find_fiscal_months,
    find_half_codes,
    find_joined_days,
    find_joined_weeks,
    find_kind,
    find_numbered_quarters,
    find_ordinal_days,
    find_short_years,
    find_week_numbers,
)
from app.tables.dates.columns.sample import ColumnSample
from app.tables.dates.columns.unusual_years import find_roc, find_thirteen_periods
from app.tables.dates.year_labels import read_year
from app.timeseries.seconds import DAY_SECONDS

_MIN_REGULAR_FRACTION = 0.9  # of the steps between times; those of bookings differ
_MAX_OFFSETS = 2  # in standard and in summer time; a column of ends has more values than these

_Finder = Callable[[ColumnSample], DateColumns | None]


def find_dates(
    cells: pd.DataFrame, wanted: int | None = None
) -> tuple[DateColumns | None, list[int]]:
    """Return the columns of dates, including ``wanted``, and all single candidates."""
    columns = ColumnSample(cells)
    candidates = _likely_candidates(columns)
    changing = [
        i
        for i in candidates
        if columns.has_several_values(i) or _is_day_of_times(columns, i, candidates)
    ]
    if wanted not in candidates:  # a date that is the same in all rows is that of the export
        candidates = changing or candidates
    singles = [wanted] if wanted in candidates else candidates
    all_dates = (find(columns) for find in _ordered_finders(singles, has_dates=bool(changing)))
    fitting = (
        dates for dates in all_dates if dates and (wanted is None or wanted in dates.columns)
    )
    return next(fitting, None), candidates


def _is_day_of_times(columns: ColumnSample, index: int, candidates: list[int]) -> bool:
    """Return whether the next column has times of one day, of which another column has the end."""
    time = index + 1
    is_before = any(index < other for other in candidates) and time < columns.width
    return (
        is_before
        and columns.has_several_values(time)
        and columns.is_mostly(time, TIME_OF_DAY.fullmatch)
    )


def _likely_candidates(columns: ColumnSample) -> list[int]:
    """Return the columns of cells that are dates and cannot be numbers, without those of codes."""
    candidates = [
        index
        for index in columns.find_fitting(is_written_date)
        if not are_codes(columns.first_cells[index], columns.names[index])
    ]
    likely = [index for index in candidates if columns.is_mostly(index, is_likely_date)]
    return likely or candidates


def _ordered_finders(singles: list[int], *, has_dates: bool) -> tuple[_Finder, ...]:
    """Return the finders in the order in which they are tried: the first columns found are taken.

    Forms that only dates have come first, and numbers that may mean something else last. The
    comments say what a later finder would take the cells for. ``singles`` are the columns that may
    have whole dates; ``has_dates``: whether one of them changes.
    """
    return (
        find_thirteen_periods,  # 2021-P01: a month
        find_parts_of_split_years,  # 2018-19 and Q1: a year only
        find_split_years,  # 2009/10: October, or week 10
        partial(find_fiscal_months, has_dates=has_dates),  # FY2023 and Apr: a month without a year
        find_joined_weeks,
        find_numbered_quarters,  # 20151: days of Excel
        find_ordinal_days,
        find_half_codes,
        lambda columns: _find_single(columns, singles),  # 2024-03-05: 2024 and 3 beside it
        find_roc,  # 11201: days of Excel
        find_short_years,  # Jan 22: values that look like years
        find_parts,  # 2023 and 11: a year only, a week, or counted months
        find_calendar_parts,
        find_pair,  # 2024 and Mar 5: a day without a year
        partial(find_kind, DateKind.FISCAL, read_fiscal),
        _find_numeric,
        partial(find_kind, DateKind.YEARLESS, is_yearless),
        find_week_numbers,  # 1 to 52: counted periods
        find_counted_periods,
        find_days_and_months,
        find_joined_days,
    )


def _find_single(columns: ColumnSample, candidates: list[int]) -> DateColumns | None:
    if not candidates:
        return None
    first, *others = candidates
    # A column of years such as 令和5年 may have one of months beside it.
    pair = find_pair(columns) if columns.is_mostly(first, read_year) else None
    if pair is not None:
        return pair
    timed = next((other for other in others if _has_times_of_days(columns, first, other)), first)
    return _join_time(columns, timed)


def _has_times_of_days(columns: ColumnSample, days: int, other: int) -> bool:
    """Return whether a column has regular times of the repeated days in the column ``days``."""
    cells = columns.first_cells[days]
    if len({*cells}) == len(cells) or columns.is_mostly(days, HAS_CLOCK.search):
        return False
    return any(
        _are_times_of_days([*map(read, cells)], [*map(read, columns.first_cells[other])])
        for read in readers_in_any_order()
    )


def _are_times_of_days(
    days: Sequence[ParsedDate | None], times: Sequence[ParsedDate | None]
) -> bool:
    pairs = [
        (day.seconds, time.seconds)
        for day, time in zip(days, times, strict=True)
        if day is not None and time is not None
    ]
    if 2 * len(pairs) <= len(days) or any(day != time - time % DAY_SECONDS for day, time in pairs):
        return False
    steps = Counter(np.diff([time for _, time in pairs]).tolist())
    step, count = steps.most_common(1)[0] if steps else (0, 0)
    return step != 0 and abs(step) < DAY_SECONDS and count >= _MIN_REGULAR_FRACTION * steps.total()


def _find_numeric(columns: ColumnSample) -> DateColumns | None:
    """Find dates that look like numbers: years or serial numbers.

    Values can look like dates, too. Of two such columns, take the one that is named like a date,
    else the first. Next to dates without a year, take only a column that is named like a date.
    """
    candidates = []
    for kind, fits in ((DateKind.FULL, is_date), (DateKind.SERIAL, read_serial)):
        fitting = (
            i
            for i in columns.find_fitting(fits)
            if columns.is_named(i, "date")
            or (
                columns.is_steady(i)
                and columns.are_likely_years(i)
                # Not named after things, or after one period such as Jan 22.
                and not is_named_thing(columns.names[i])
                and not is_yearless(columns.names[i])
                and (kind is DateKind.FULL or columns.has_steps_of_dates(i))
            )
        )
        dates = (i for i in fitting if not are_codes(columns.first_cells[i], columns.names[i]))
        index = next((i for i in dates if columns.has_numbers_beside(i)), None)
        if index is not None:
            candidates.append((not columns.is_named(index, "date"), index, kind))
    if not candidates:
        return None
    is_unnamed, index, kind = min(candidates)
    yearless = columns.find_fitting(is_yearless)
    if is_unnamed and any(len({*columns.spread_cells[i]}) > 1 for i in yearless):
        return None
    return _join_time(columns, index) if kind is DateKind.FULL else one_column(index, kind)


def _join_time(columns: ColumnSample, date: int) -> DateColumns:
    """Combine a column of dates with one of times of day or hours, if there is one."""
    if columns.is_mostly(date, HAS_CLOCK.search):
        return one_column(date)
    others = (i for i in range(columns.width) if i != date)
    times = (i for i in others if columns.is_mostly(i, TIME_OF_DAY.fullmatch))
    time = next((i for i in times if columns.is_time_of_day(i, date)), None)
    if time is not None:
        return join_parts((date, time), lambda days, times: days + " " + _space_ends(times))
    parts = find_clock_digits(columns, date) or find_day_parts(columns, date)
    if parts is not None:
        return parts
    hour = columns.find_named("hour")
    return one_column(date) if hour is None else join_columns((date, hour), end=":00")


def _space_ends(times: pd.Series) -> pd.Series:
    """Return times of day with spaces before the ends of intervals; an offset stays as it is."""
    ends = times.str.extract(END_OF_INTERVAL, expand=False)
    if ends.nunique() <= _MAX_OFFSETS:
        return times
    return times.str.replace(END_OF_INTERVAL, r" - \1", regex=True)

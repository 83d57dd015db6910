"""Bring irregular dates to days, weeks or months; ask how if these have several values."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.answers import Answers, PeriodAggregation
from app.tables.dated_values import DatedValues
from app.tables.reading import Reading
from app.tables.series.combining import (
    Irregularity,
    ask_aggregation,
    combine_periods,
    find_step_change,
    meaning_of_irregular,
)
from app.tables.series.duplicates import are_repeated
from app.tables.series.gridded_series import GriddedSeries
from app.timeseries.calendar.axes import SecondAxis
from app.timeseries.calendar.fit import find_spacing
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.spacing import Spacing
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.seconds import DAY_SECONDS

# Values between the regular dates are left out without a question if they are at most this
# fraction of all values, or at most two.
_MAX_LEFT_OUT_FRACTION = 0.1
_MAX_LEFT_OUT = 2
# A value is repeated if it is not the first of its period. Up to this fraction of repeated values,
# they are taken for slips.
_MAX_REPEATED_FRACTION = 0.02
# The same for times of day, where an hour comes twice when clocks change.
_MAX_REPEATED_TIME_FRACTION = 0.1
# If at least this fraction of the values is repeated, several values a day are usual.
_MIN_SEVERAL_A_DAY_FRACTION = 0.25
_MIN_REPEATED_FRACTION_OF_BOOKINGS = 0.1  # of their values
_MIN_GAP_FRACTION_OF_BOOKINGS = 0.02  # of the days; and more than this has no value
_MAX_GAP_FRACTION = 0.5  # dates are irregular if more than this fraction of the days has no value
_MIN_PERIODS = 6  # a table with fewer weeks or months is not read by them
_MIN_OWN_STEP_FRACTION = 0.95  # of the values of a series with a longer step; others are gaps
# Days from one value to the next: a shop that is open five days a week has 1.45, with holidays.
_MAX_DAYS_PER_VALUE = 1.5
_RETAIL_MONTH_DAYS = (28, 35)  # a month of a retail calendar has four weeks or five
# Fraction of the months that have five weeks: it is a third in a 4-4-5 calendar.
_MIN_LONG_MONTH_FRACTION, _MAX_LONG_MONTH_FRACTION = 0.25, 0.5
_HALF_MONTH_DAYS = 15
_MONDAY = np.datetime64("1970-01-05")


def regularize(dated_values: DatedValues, reading: Reading) -> tuple[DatedValues, bool]:
    """Return values by regular dates, and whether they were combined as was answered."""
    answered = reading.answers.per
    if answered is PeriodAggregation.NONE:
        return dated_values, False
    change = None if reading.answers.data_frequency else find_step_change(dated_values)
    regular, irregularity = (
        (dated_values, change) if change else _read_periods(dated_values, reading)
    )
    if irregularity is None:
        return regular, False
    if dated_values.adds_up:
        dated_values = _without_names(dated_values)
    if answered is not None:
        text = f"Values are {meaning_of_irregular(answered, dated_values.columns)}."
        reading.add_remark("per", text)
        return combine_periods(dated_values, answered, reading), True
    ask_aggregation(dated_values, irregularity, reading)
    return dated_values, False


def _without_names(dated_values: DatedValues) -> DatedValues:
    """Merge the values of all series into one, sorted by time."""
    ordered = dated_values.take(np.argsort(dated_values.times, kind="stable"))
    return replace(ordered, names=np.full_like(dated_values.names, ""), adds_up=False)


class _DateStatistics(NamedTuple):
    """The day of each value, shape (n,), and how values are spread over the days.

    ``repeated_fraction`` of the values are not the first of their day, ``gap_fraction`` of the days
    have no value.
    """

    days: TimeArray
    has_times: bool
    repeated_fraction: float
    gap_fraction: float

    @property
    def are_bookings(self) -> bool:
        return (
            self.repeated_fraction >= _MIN_REPEATED_FRACTION_OF_BOOKINGS
            and self.gap_fraction > _MIN_GAP_FRACTION_OF_BOOKINGS
        ) or (self.repeated_fraction > _MAX_REPEATED_FRACTION and self.is_sparse)

    @property
    def is_sparse(self) -> bool:
        return self.gap_fraction > _MAX_GAP_FRACTION


def _read_periods(
    dated_values: DatedValues, reading: Reading
) -> tuple[DatedValues, Irregularity | None]:
    """Return values by days, weeks or months if each of these has one, else as they are.

    The second result is why they should be combined; None if their dates are regular.
    """
    answers = reading.answers
    statistics = _date_statistics(dated_values, answers)
    are_of_several = statistics.is_sparse and np.unique(dated_values.names).size > 1
    is_ledger = _is_ledger(dated_values, answers)
    is_irregular = is_ledger or statistics.are_bookings or are_of_several
    if not is_irregular and _can_keep_dates(dated_values, reading):
        return dated_values, None
    are_several_usual = statistics.repeated_fraction >= _MIN_SEVERAL_A_DAY_FRACTION
    if is_ledger and not are_several_usual:
        return dated_values, Irregularity("Each row is a transaction")
    if statistics.repeated_fraction <= _MAX_REPEATED_FRACTION:
        return _read_single_days(dated_values, statistics, reading)
    are_answered = bool(answers.duplicates) and not answers.per
    is_list = (statistics.are_bookings or are_several_usual) and not are_answered
    return dated_values, Irregularity("Several a day") if statistics.has_times or is_list else None


def _date_statistics(dated_values: DatedValues, answers: Answers) -> _DateStatistics:
    days = dated_values.times.astype("datetime64[D]").astype("datetime64[s]")
    gap_fraction = 0.0 if _should_keep_dates(dated_values, answers) else _gap_fraction(dated_values)
    has_times = bool((dated_values.times != days).any())
    repeated_fraction = _repeated_fraction(dated_values, days)
    return _DateStatistics(days, has_times, repeated_fraction, gap_fraction)


def _read_single_days(
    dated_values: DatedValues, statistics: _DateStatistics, reading: Reading
) -> tuple[DatedValues, Irregularity | None]:
    regular = _by_period(dated_values, statistics, reading)
    if regular is not None or reading.answers.data_frequency is not None:
        return regular or dated_values, None
    are_kept = _should_keep_dates(dated_values, reading.answers)
    is_lossy = bool(are_repeated(dated_values).any()) and not are_kept
    problem = f"The dates are irregular{', and some come twice' if is_lossy else ''}"
    return dated_values, Irregularity(problem, required=is_lossy)


def ask_before_leaving_out(
    dated_values: DatedValues, aligned: Sequence[GriddedSeries], reading: Reading
) -> None:
    """Ask how to combine values if too many lie between the others to be left out."""
    off_grid = [gridded for gridded in aligned if gridded.off_grid_times.size]
    left_out = sum(gridded.off_grid_times.size for gridded in off_grid)
    count = left_out + sum(gridded.times.size for gridded in aligned)
    is_clear = left_out <= max(_MAX_LEFT_OUT, _MAX_LEFT_OUT_FRACTION * count)
    if not is_clear and reading.answers.per is None:
        step = off_grid[0].spacing
        problem = f"{left_out:,} of {count:,} values lie between the others, which are {step} apart"
        ask_aggregation(dated_values, Irregularity(problem), reading)


def _can_keep_dates(dated_values: DatedValues, reading: Reading) -> bool:
    times = np.unique(dated_values.times)
    spacing = find_spacing(times, reading.answers.data_frequency)
    is_repeated = _repeated_fraction(dated_values, dated_values.times) > _MAX_REPEATED_TIME_FRACTION
    if spacing is None:
        return True
    is_within_days = isinstance(spacing.axis, SecondAxis) and spacing.stride < DAY_SECONDS
    if spacing.defect_count and is_repeated and is_within_days:
        return False
    return _is_natural_step(spacing, reading)


def _is_ledger(dated_values: DatedValues, answers: Answers) -> bool:
    """Return whether rows are the transactions of an account, on some days several or none."""
    balances = [c for c in dated_values.columns if c.is_balance and not c.is_counter]
    if not balances or _should_keep_dates(dated_values, answers):
        return False
    times = np.unique(dated_values.times)
    spacing = find_spacing(times)
    return times.size < dated_values.times.size or spacing is None or spacing.defect_count > 0


def _should_keep_dates(dated_values: DatedValues, answers: Answers) -> bool:
    """Return whether an answer says how gaps or repeated dates are filled."""
    duplicates = None if dated_values.adds_up else answers.duplicates  # which says to add series up
    is_any = bool(duplicates or answers.fill or answers.data_frequency)
    return answers.per is None and is_any


def _is_natural_step(spacing: Spacing, reading: Reading) -> bool:
    """Return whether nearly all times are on a step that is natural, such as 15 minutes."""
    seconds = spacing.stride if isinstance(spacing.axis, SecondAxis) else 0
    is_natural = not seconds or DAY_SECONDS % seconds == 0 or seconds % DAY_SECONDS == 0
    is_answered = reading.answers.data_frequency is not None
    return (not spacing.defect_count) or (
        is_natural and not _has_many_between(spacing) and (is_answered or spacing.is_mostly_regular)
    )


def _gap_fraction(dated_values: DatedValues) -> float:
    """Return the fraction of days without a value, between the first and last day of each series.

    A series with a longer step of its own lacks no days. The rows are sorted by name and time.
    """
    spacing = find_spacing(np.unique(dated_values.times))
    day = spacing and spacing.axis.units.get(Frequency.DAILY)
    if not (spacing and day) or not (
        spacing.stride == day or (spacing.stride % day == 0 and _has_many_between(spacing))
    ):
        return 0.0
    names = pd.factorize(dated_values.names)[0]
    apart = np.diff(spacing.axis.positions(dated_values.times)) // day
    is_next = (np.diff(names) == 0) & (apart > 0)
    days = pd.DataFrame({"name": names[1:][is_next], "step": apart[is_next]})
    steps = days.groupby("name")["step"]
    is_usual = (days["step"] == steps.transform("median")).groupby(days["name"]).mean()
    has_own_step = (steps.median() > 1) & (is_usual >= _MIN_OWN_STEP_FRACTION)
    lacking = (steps.sum() - steps.count()).where(~has_own_step, 0)
    return float(lacking.sum() / max(steps.sum().sum(), 1))


def _has_many_between(spacing: Spacing) -> bool:
    return spacing.off_grid.size > _MAX_LEFT_OUT_FRACTION * spacing.positions.size


def _by_period(
    dated_values: DatedValues, statistics: _DateStatistics, reading: Reading
) -> DatedValues | None:
    """Return values by days, months or weeks, if each has one value; else None."""
    days = statistics.days
    if statistics.has_times and (_are_consecutive_periods(days) or _are_mostly_daily(days)):
        reading.add_remark("day_times", "One value a day, at varying times: read as days.")
        return replace(dated_values, times=days)
    months = _retail_months(days)
    if months is not None:
        first = np.datetime_as_string(days.min(), "D")
        month = np.datetime_as_string(months.min(), "M")
        calendar = "A 4-4-5 calendar, of months of four or five weeks"
        reading.add_remark("retail_calendar", f"{calendar}: read as months, {first} as {month}.")
        return replace(dated_values, times=months)
    by_month = days.astype("datetime64[M]").astype("datetime64[s]")
    weeks = (days.astype("datetime64[D]") - _MONDAY) // np.timedelta64(7, "D")
    by_week = (_MONDAY + weeks * np.timedelta64(7, "D")).astype("datetime64[s]")
    for periods, noun in ((by_week, "week"), (by_month, "month")):
        is_one = _repeated_fraction(dated_values, periods) <= _MAX_REPEATED_FRACTION
        if is_one and np.unique(periods).size >= _MIN_PERIODS and _are_consecutive_periods(periods):
            text = f"One value a {noun}, on varying days: read as {noun}s."
            reading.add_remark("varying_days", text)
            return replace(dated_values, times=periods)
    return None


def _repeated_fraction(dated_values: DatedValues, periods: TimeArray) -> float:
    """Return the fraction of values that are not the first of their period, in the worst column."""
    keys = pd.DataFrame({"name": dated_values.names, "period": periods})
    codes = keys.groupby(["name", "period"], sort=False, dropna=False).ngroup().to_numpy()
    columns = [codes[np.isfinite(column.values)] for column in dated_values.columns]
    fractions = [1 - pd.unique(column).size / column.size for column in columns if column.size]
    return max(fractions, default=0.0)


def _are_consecutive_periods(periods: TimeArray) -> bool:
    spacing = find_spacing(np.unique(periods))
    return (
        spacing is not None
        and spacing.off_grid.size == 0
        and spacing.entry_count - spacing.on_grid.size
        <= _MAX_LEFT_OUT_FRACTION * spacing.entry_count
        and spacing.step == 1
    )


def _are_mostly_daily(days: TimeArray) -> bool:
    """Return whether days without a value are exceptions, such as when a shop closes."""
    spacing = find_spacing(np.unique(days))
    return (
        spacing is not None
        and isinstance(spacing.axis, SecondAxis)
        and spacing.stride == DAY_SECONDS
        and spacing.is_mostly_regular
        and spacing.entry_count <= _MAX_DAYS_PER_VALUE * spacing.on_grid.size
    )


def _retail_months(days: TimeArray) -> TimeArray | None:
    """Return the months of dates that are four or five weeks apart; None for others."""
    distinct_days, codes = np.unique(days.astype("datetime64[D]"), return_inverse=True)
    steps = np.diff(distinct_days).astype(int)
    if distinct_days.size < _MIN_PERIODS or not np.isin(steps, _RETAIL_MONTH_DAYS).all():
        return None
    long_month_fraction = (steps == _RETAIL_MONTH_DAYS[1]).mean()
    if not _MIN_LONG_MONTH_FRACTION <= long_month_fraction <= _MAX_LONG_MONTH_FRACTION:
        return None
    first = distinct_days[0].astype("datetime64[M]")
    is_end = (distinct_days[0] - first.astype("datetime64[D]")).astype(int) >= _HALF_MONTH_DAYS
    middle = distinct_days[0] - np.timedelta64(_HALF_MONTH_DAYS, "D")
    start = middle.astype("datetime64[M]") + (0 if is_end else 1)
    return (start + np.arange(distinct_days.size))[codes].astype("datetime64[s]")

"""Aggregate short steps to totals or averages of whole weeks or months.

Errors of neighbouring days are correlated, so the interval of a week's total does not follow from
those of its days. A series of weeks has its own intervals.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from app.forecasting.model_ids import MIN_POINTS
from app.tables.answers import PeriodAggregation, Summary
from app.tables.dated_values import ValueColumn
from app.tables.errors import WrongAnswerError
from app.tables.messages import list_first
from app.tables.names.series_names import list_names
from app.tables.reading import Choice, Reading
from app.tables.series.combining import meaning_of
from app.tables.series.gridded_series import Gaps, GriddedSeries, round_sum, round_sums
from app.tables.values.running_balances import are_balances, report_running_balances
from app.timeseries.calendar.fit import find_spacing
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.calendar.weekdays import weekdays_of
from app.timeseries.seconds import DAY_SECONDS
from app.timeseries.types import IntArray
from app.timeseries.words import count_of

_MIN_CLOSED_DAYS = np.timedelta64(28, "D")
_MAX_LISTED_PERIODS = 2
_OFFERED_PERIODS = [other for other in PeriodAggregation if other.period in ("week", "month")]


def aggregate_periods(
    series: list[GriddedSeries], reading: Reading, *, are_combined: bool
) -> list[GriddedSeries]:
    """Aggregate series to days, weeks or months if that was answered, else offer it.

    Series that ``are_combined``, as their dates are irregular, are not aggregated again, and those
    with missing entries are not: an incomplete week has no total.
    """
    aggregation = reading.answers.per
    reading.chosen.per = aggregation
    columns = [gridded.raw.column for gridded in series]
    are_whole = all(map(_is_whole, series))
    if are_whole and series:
        _offer_periods(series[0], columns, reading)
    if aggregation in (None, PeriodAggregation.NONE) or are_combined:
        return series
    if not any(map(_has_short_step, series)):
        issue = f"no series has a step of a day or less, to aggregate by {aggregation.period}"
        raise WrongAnswerError("per", f"{issue}; leave it out")
    if not are_whole:
        needs = f"A {aggregation.period} needs every entry"
        reading.add_remark("per", f"{needs}: choose first how missing ones are filled.")
        return series
    aggregated = []
    left_out: list[tuple[str, pd.DatetimeIndex]] = []
    for gridded in series:
        column = gridded.raw.column
        if aggregation.is_total:
            report_running_balances([column], reading)
        whole = _aggregate_series(gridded, aggregation, is_balance=column.is_balance)
        starts = _period_starts(gridded.times, aggregation)
        left_out.append((gridded.raw.name, starts[~starts.isin(whole.times)]))
        aggregated.append(whole)
    _report_periods(aggregation, left_out, columns, reading)
    return aggregated


def _offer_periods(series: GriddedSeries, columns: Sequence[ValueColumn], reading: Reading) -> None:
    """Offer totals and averages of weeks and months, if there are enough of them."""
    is_balance = are_balances(columns)
    likely = Summary.TOTAL if is_balance else series.summary  # that of a balance is its last value
    choices = []
    for offered in sorted(
        _OFFERED_PERIODS, key=lambda other: (other.period == "month", other.summary is not likely)
    ):
        if _whole_periods(series, offered).size >= MIN_POINTS:
            first = _aggregate_series(series, offered, is_balance=is_balance)
            example = f"that of {first.times[0].astype('datetime64[D]')} is {first.values[0]:g}"
            meaning = meaning_of(offered, columns, f"of each {offered.period}")
            choices.append(Choice(offered, meaning, example))
    if choices:
        several = "weekly or monthly" if choices[-1].value.startswith("month") else "weekly"
        noun = "closing balance" if is_balance else likely
        reading.ask(
            "per", f"{several.capitalize()} {noun}s can be forecast, too.", choices, required=False
        )


def _is_whole(gridded: GriddedSeries) -> bool:
    return _has_short_step(gridded) and bool(np.isin(gridded.gaps.missing, gridded.times).all())


def _has_short_step(gridded: GriddedSeries) -> bool:
    """Return whether a day is a whole number of steps."""
    if gridded.regular_spacing is None or gridded.times.size < 2:
        return False
    return DAY_SECONDS % int(np.diff(gridded.times).astype(np.int64).min()) == 0


def _aggregate_series(
    gridded: GriddedSeries, aggregation: PeriodAggregation, *, is_balance: bool
) -> GriddedSeries:
    starts = _period_starts(gridded.times, aggregation)
    groups = pd.Series(gridded.values, index=starts).groupby(level=0)
    total = groups.last() if is_balance else groups.sum()
    is_total = aggregation.is_total
    summed = round_sums(total, gridded.values) if is_total else groups.mean().map(round_sum)
    kept = summed.loc[_whole_periods(gridded, aggregation)]
    if kept.size < 2:
        kept_text = count_of(kept.size, f"whole {aggregation.period}")
        raise WrongAnswerError("per", f"the table has {kept_text}; leave it out, or send more")
    times = kept.index.to_numpy().astype("datetime64[s]")
    return replace(
        gridded, times=times, values=kept.to_numpy(), spacing=find_spacing(times), gaps=Gaps()
    )


def _whole_periods(gridded: GriddedSeries, aggregation: PeriodAggregation) -> TimeArray:
    """Return the starts of the periods that the series covers from end to end.

    Without a regular step there are none.
    """
    spacing = gridded.regular_spacing
    if spacing is None:
        return gridded.times[:0]
    starts = _period_starts(gridded.times, aggregation)
    first, last = (int(spacing.axis.positions(gridded.times[[end]])[0]) for end in (0, -1))
    earlier, later = spacing.axis.times(np.array([first - spacing.stride, last + spacing.stride]))
    closed = _closed_weekdays(gridded)
    around = [_skip_closed(earlier, closed, -1), _skip_closed(later, closed, 1)]
    cut = _period_starts(around, aggregation)
    return starts.unique().difference(cut).to_numpy().astype("datetime64[s]")


def _skip_closed(time: np.datetime64, closed: IntArray, step: int) -> np.datetime64:
    """Return the time, or else the next day in the direction of ``step`` that is not closed."""
    day = time.astype("datetime64[D]")
    while weekdays_of(day) in closed:
        day += step
    return time if day == time.astype("datetime64[D]") else day.astype(time.dtype)


def _closed_weekdays(gridded: GriddedSeries) -> IntArray:
    """Return the days of the week, 0 on Mondays, without a value of the table in four weeks."""
    own = gridded.times[~np.isin(gridded.times, gridded.gaps.missing)].astype("datetime64[D]")
    if own.size == 0 or own[-1] - own[0] < _MIN_CLOSED_DAYS:
        return np.empty(0, dtype=np.int64)
    return np.setdiff1d(np.arange(7), weekdays_of(own))


def _period_starts(
    times: TimeArray | list[np.datetime64], aggregation: PeriodAggregation
) -> pd.DatetimeIndex:
    return pd.DatetimeIndex(times).to_period(aggregation.pandas_period).to_timestamp(how="start")


def _report_periods(
    aggregation: PeriodAggregation,
    left_out: Sequence[tuple[str, pd.DatetimeIndex]],
    columns: Sequence[ValueColumn],
    reading: Reading,
) -> None:
    """Report what the values mean, and the number of points left out of each series."""
    begins = ", which begins on Monday" if aggregation.period == "week" else ""
    text = (
        f"Each value is {meaning_of(aggregation, columns, f'of a {aggregation.period}{begins}')}."
    )
    if count := sum(starts.size for _, starts in left_out):
        lacking = [name for name, starts in left_out if starts.size]
        where = f" in {list_names(lacking)}" if len(left_out) > 1 else ""
        periods = pd.DatetimeIndex(np.unique(np.concatenate([starts for _, starts in left_out])))
        firsts = list_first([*periods], _MAX_LISTED_PERIODS, lambda start: f"{start:%Y-%m-%d}")
        points = count_of(count, "point")
        text += f" Left out: {points} of incomplete {aggregation.period}s ({firsts}){where}."
    reading.add_remark("per", text)

"""The rows of a table with its forecasts: long or wide, as the table came.

A wide table has a column with the values of each series, which its forecast continues, and two with
the bounds beside it; a long one has them once, and a row for each series and date.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.tables.forecasts.dates import DateWriter
from app.tables.forecasts.types import ForecastOptions, SeriesForecast, SeriesToForecast, TableStyle
from app.timeseries.calendar.fit import BeyondCalendarError
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.types import FloatArray

BOUNDS = ("lower_bound", "upper_bound")
PROBLEM = "problem"
# Significant digits of a typical value that are written, if the table's own numbers have no more.
_MIN_DIGITS = 6
_MAX_ROUNDED, _MIN_ROUNDED = 1e15, 1e-6  # beyond these, digits are behind a power of ten
_NO_TIME = np.datetime64("NaT", "s")

Number = float | None


class DateCell(NamedTuple):
    """A time, NaT where it is unknown, and how it is written."""

    time: np.datetime64
    text: str


Cell = DateCell | Number | str
Row = Sequence[Cell]


class _Line(NamedTuple):
    """A row of a single series: a history's has no bounds, and one without a forecast nothing."""

    date: DateCell
    value: Number = None
    lower: Number = None
    upper: Number = None

    @property
    def numbers(self) -> tuple[Number, Number, Number]:
        return self.value, self.lower, self.upper


@dataclass(frozen=True)
class ForecastTable:
    """A table with its forecasts: the names of the columns, and the rows, once."""

    header: Sequence[str]
    rows: Iterator[Row]


def forecast_table(
    series: Sequence[SeriesToForecast],
    forecasts: Sequence[SeriesForecast],
    style: TableStyle,
    options: ForecastOptions,
) -> ForecastTable:
    """Return the table of series, each with its forecast; a problem is in a column of its own."""
    dates = DateWriter(style.date_form, series[0].suffix)
    pairs = list(zip(series, forecasts, strict=True))
    has_problem = any(history.problem or forecast.problem for history, forecast in pairs)
    problem_header = [PROBLEM] if has_problem else []
    if style.names_header:
        names = [style.names_header, style.date_header, style.value_header]
        long_rows = _long_rows(pairs, options, dates, has_problem)
        return ForecastTable([*names, *BOUNDS, *problem_header], long_rows)
    columns = [
        name
        for history in series
        for name in (history.name, *(f"{history.name}_{bound}" for bound in BOUNDS))
    ]
    wide_rows = _wide_rows(pairs, options, dates, has_problem)
    return ForecastTable([style.date_header, *columns, *problem_header], wide_rows)


def _long_rows(
    pairs: Sequence[tuple[SeriesToForecast, SeriesForecast]],
    options: ForecastOptions,
    dates: DateWriter,
    has_problem: bool,
) -> Iterator[Row]:
    for history, forecast in pairs:
        problem = [history.problem or forecast.problem] if has_problem else []
        for line in _lines(history, forecast, options, dates):
            yield [history.name, line.date, *line.numbers, *problem]


def _wide_rows(
    pairs: Sequence[tuple[SeriesToForecast, SeriesForecast]],
    options: ForecastOptions,
    dates: DateWriter,
    has_problem: bool,
) -> Iterator[Row]:
    """Yield a row for each date that a series has; all problems are in the first one."""
    by_time: dict[np.datetime64, tuple[DateCell, dict[int, _Line]]] = {}
    for place, (history, forecast) in enumerate(pairs):
        for line in _lines(history, forecast, options, dates):
            by_time.setdefault(line.date.time, (line.date, {}))[1][place] = line
    known = [time for time in by_time if not np.isnat(time)]
    problems = "; ".join(
        f"{history.name}: {history.problem or forecast.problem}"
        for history, forecast in pairs
        if history.problem or forecast.problem
    )
    nothing = _Line(DateCell(_NO_TIME, ""))
    # A series without dates has its row only if no other has one.
    for number, time in enumerate(sorted(known) or list(by_time)):
        date, lines = by_time[time]
        numbers = [
            number for place in range(len(pairs)) for number in lines.get(place, nothing).numbers
        ]
        yield [date, *numbers, *([problems if number == 0 else ""] if has_problem else [])]


def _lines(
    history: SeriesToForecast, forecast: SeriesForecast, options: ForecastOptions, dates: DateWriter
) -> Iterator[_Line]:
    """Yield the history of a series, if that is wanted, and its forecast or empty lines."""
    digits = decimals_of(history)
    if options.has_history:
        texts = dates.texts(history.times)
        for time, text, value in zip(history.times, texts, history.values.tolist(), strict=True):
            yield _Line(DateCell(time, text), _round_to(value, digits))
    times = future_times(history, options.horizon)
    texts = dates.texts(times) if times.size else []
    if history.problem or forecast.problem:
        cells = [DateCell(time, text) for time, text in zip(times, texts, strict=True)]
        yield from map(_Line, cells or [DateCell(_NO_TIME, "")])
        return
    arrays = (forecast.median.tolist(), forecast.lower.tolist(), forecast.upper.tolist())
    for time, text, *numbers in zip(times, texts, *arrays, strict=True):
        yield _Line(DateCell(time, text), *(_round_to(number, digits) for number in numbers))


def future_times(history: SeriesToForecast, horizon: int) -> TimeArray:
    """Return the times of the forecast, shape (h,); as far as the calendar goes, if it is known."""
    if history.calendar is None:
        return history.times[:0]
    try:
        return history.calendar.future(horizon)
    except BeyondCalendarError as error:
        return history.calendar.future(error.possible)


def decimals_of(history: SeriesToForecast) -> int | None:
    """Return how many decimals a forecast of a series has; None: all digits."""
    values: FloatArray = np.abs(history.values)
    typical = float(np.median(values)) if values.size else 0.0
    if typical >= _MAX_ROUNDED or 0 < typical < _MIN_ROUNDED:
        return None
    whole = math.floor(math.log10(typical)) + 1 if typical > 0 else 1
    return max(0, history.decimals, _MIN_DIGITS - whole)


def _round_to(value: float, digits: int | None) -> float:
    return (value if digits is None else round(value, digits)) + 0.0

"""The rows of a table with its forecasts: long or wide, as the table was.

A wide table has three columns for each series: its values, which the forecast continues, and two
bounds. A long one has these columns once, and a row for each series and date.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from app.tables.forecasts.dates import NO_DATE, DateCell, DateWriter
from app.tables.forecasts.types import ForecastOptions, ForecastPair, SeriesToForecast, TableStyle
from app.timeseries.calendar.fit import BeyondCalendarError
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.numbers import without_negative_zero
from app.timeseries.types import FloatArray

_BOUNDS = ("lower_bound", "upper_bound")
_PROBLEM = "problem"
_MAX_SIGNIFICANT_DIGITS = 6  # of a typical value
_MIN_DECIMALS_KEPT = 2  # decimals of money are written in any case
_MAX_ROUNDED, _MIN_ROUNDED = 1e15, 1e-6  # beyond these, numbers are written with a power of ten

Number = float | None
Cell = DateCell | Number | str


class Row(NamedTuple):
    """The cells of a row, and the number formats of its columns, "" for none."""

    cells: Sequence[Cell]
    formats: Sequence[str]


class _Line(NamedTuple):
    """One date of a series: without bounds in the past, without numbers if the forecast failed."""

    date: DateCell
    value: Number = None
    lower: Number = None
    upper: Number = None

    @property
    def numbers(self) -> tuple[Number, Number, Number]:
        return self.value, self.lower, self.upper


@dataclass(frozen=True)
class ForecastTable:
    """A table with its forecasts: the names of the columns, and the rows as an iterator.

    A row is a forecast if one of the columns ``bounds`` has a number.
    """

    header: Sequence[str]
    rows: Iterator[Row]
    bounds: range


def table_of_forecasts(
    pairs: Sequence[ForecastPair], style: TableStyle, options: ForecastOptions
) -> ForecastTable:
    """Return the table of series, each with its forecast; a problem is in a column of its own."""
    dates = DateWriter(style.date_form, pairs[0].series.suffix, style.timezone)
    rows = _Rows(pairs, options, dates)
    problem_header = [_PROBLEM] if rows.has_problem else []
    if style.text_headers:
        names = [*style.text_headers, style.date_header, style.value_header]
        bounds = range(len(names), len(names) + 1)
        return ForecastTable([*names, *_BOUNDS, *problem_header], rows.long_rows(), bounds)
    names = [pair.series.name for pair in pairs]
    columns = [column for name in names for column in (name, *(f"{name}_{b}" for b in _BOUNDS))]
    bounds = range(2, 1 + len(columns), 3)
    return ForecastTable([style.date_header, *columns, *problem_header], rows.wide_rows(), bounds)


class _Rows:
    def __init__(
        self, pairs: Sequence[ForecastPair], options: ForecastOptions, dates: DateWriter
    ) -> None:
        self._pairs, self._options, self._dates = pairs, options, dates
        self.has_problem = any(pair.problem for pair in pairs)

    def long_rows(self) -> Iterator[Row]:
        """Yield a row for each date of each series."""
        for pair in self._pairs:
            problem = [pair.problem] if self.has_problem else []
            texts = pair.series.texts
            formats = [*[""] * (len(texts) + 1), *[pair.series.number_format] * 3]
            formats += [""] * len(problem)
            for line in self._lines(pair):
                yield Row([*texts, line.date, *line.numbers, *problem], formats)

    def wide_rows(self) -> Iterator[Row]:
        """Yield a row for each date with a number; all problems are in the first one."""
        by_time: dict[np.datetime64, tuple[DateCell, dict[int, _Line]]] = {}
        for column, pair in enumerate(self._pairs):
            for line in self._lines(pair):
                by_time.setdefault(line.date.time, (line.date, {}))[1][column] = line
        times = [time for time in by_time if not np.isnat(time)]
        # A series without a forecast has no dates after its end.
        with_numbers = [
            time
            for time in times
            if any(line.value is not None for line in by_time[time][1].values())
        ]
        failed = [pair for pair in self._pairs if pair.problem]
        problems = "; ".join(f"{pair.series.name}: {pair.problem}" for pair in failed)
        nothing = _Line(NO_DATE)
        formats = ["", *(pair.series.number_format for pair in self._pairs for _ in range(3))]
        formats += [""] * self.has_problem
        # A series without dates has its row only if no other has one.
        for number, time in enumerate(sorted(with_numbers or times) or list(by_time)):
            date, lines = by_time[time]
            cells = (lines.get(column, nothing).numbers for column in range(len(self._pairs)))
            problem = [problems if number == 0 else ""] if self.has_problem else []
            yield Row([date, *chain.from_iterable(cells), *problem], formats)

    def _lines(self, pair: ForecastPair) -> Iterator[_Line]:
        (series, forecast), dates = pair, self._dates
        decimals = _decimals_of(series)
        if self._options.includes_history:
            values = series.values.tolist()
            for cell, value in zip(dates.cells(series.times), values, strict=True):
                yield _Line(cell, _round_to(value, decimals.past))
        times = future_times(series, self._options.horizon)
        cells = dates.cells(times)
        if pair.problem:
            yield from map(_Line, cells or [NO_DATE])
            return
        arrays = (forecast.median.tolist(), forecast.lower.tolist(), forecast.upper.tolist())
        for cell, *numbers in zip(cells, *arrays, strict=True):
            yield _Line(cell, *(_round_to(number, decimals.future) for number in numbers))


def future_times(series: SeriesToForecast, horizon: int) -> TimeArray:
    """Return the times of the forecast, shape (h,); as far as the calendar goes, if it is known."""
    if series.calendar is None:
        return series.times[:0]
    try:
        return series.calendar.future(horizon)
    except BeyondCalendarError as error:
        return series.calendar.future(error.possible)


class _Decimals(NamedTuple):
    """How many decimals a series' own values and its forecasts have; None: all digits."""

    past: int | None
    future: int | None


def _decimals_of(series: SeriesToForecast) -> _Decimals:
    """Return the decimals to write.

    Forecasts have the decimals of the table's numbers, fewer if these are long, and one decimal if
    they are whole.
    """
    values: FloatArray = np.abs(series.values)
    typical = float(np.median(values)) if values.size else 0.0
    if typical >= _MAX_ROUNDED or 0 < typical < _MIN_ROUNDED:
        return _Decimals(None, None)
    own = series.decimals
    whole_digits = math.floor(math.log10(typical)) + 1 if typical > 0 else 1
    fine = _MAX_SIGNIFICANT_DIGITS - whole_digits
    return _Decimals(max(0, own, fine), min(max(own, 1), max(_MIN_DECIMALS_KEPT, fine)))


def _round_to(value: float, decimals: int | None) -> float:
    return without_negative_zero(value if decimals is None else round(value, decimals))

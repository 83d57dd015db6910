"""The series of an Arrow table: grouped, sorted, and checked as by /forecast."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from app.forecasting.model_ids import MIN_POINTS
from app.ops.batch.spec import TableColumns
from app.timeseries.calendar.defects import SeriesDefects
from app.timeseries.calendar.fit import fit_calendar
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.calendar.timestamps import TimeArray, parse_timestamps
from app.timeseries.series import Series
from app.timeseries.types import MAX_MAGNITUDE, FloatArray

# The default of MAX_POINTS for /forecast, repeated as the settings need SQLAlchemy.
_MAX_SERIES_POINTS = 50_000
DAY_LENGTH = len("2024-01-31")  # the length of the part of a timestamp that is the date


class SeriesProblemError(ValueError):
    """A series cannot be forecast; the message says why."""


@dataclass(frozen=True)
class RawSeries:
    """The rows of one series in the order of time; ``row`` is one of them in the table.

    ``times`` are ``datetime64[s]``, NaT where missing, or strings; ``values`` are NaN where missing
    or not a number.
    """

    row: int
    times: np.ndarray
    values: FloatArray

    def to_series(self, frequency: Frequency) -> Series:
        """Return the series; raise SeriesProblemError if /forecast would reject it."""
        count = len(self.values)
        if not MIN_POINTS <= count <= _MAX_SERIES_POINTS:
            problem, bound = "insufficient", f"at least {MIN_POINTS}"
            if count > _MAX_SERIES_POINTS:
                problem, bound = "too many", f"at most {_MAX_SERIES_POINTS}"
            raise SeriesProblemError(f"{problem} data points: {count}, {bound} needed")
        try:
            times, suffix = self._parsed_times()
            self._check_values()
            calendar = fit_calendar(times, frequency, suffix, "--frequency")
        except SeriesDefects as error:
            raise SeriesProblemError(_first_of([entry.issue for entry in error.defects])) from None
        return Series(self.values, calendar, suffix)

    def _parsed_times(self) -> tuple[TimeArray, str]:
        if self.times.dtype.kind == "M":
            if np.isnat(self.times).any():
                raise SeriesProblemError("missing entry: a row has no time; leave such rows out")
            return self.times, ""
        if not all(isinstance(entry, str) for entry in self.times):
            raise SeriesProblemError("missing entry: a row has no time; leave such rows out")
        parsed = parse_timestamps([full_timestamp(entry) for entry in self.times])
        return parsed.times, parsed.suffix

    def _check_values(self) -> None:
        wrong = np.flatnonzero(~np.isfinite(self.values))
        if wrong.size:
            issues = [f"{self.times[i]} has no number; fill it or leave it out" for i in wrong]
            raise SeriesProblemError(_first_of(issues))
        if np.abs(self.values).max() > MAX_MAGNITUDE:
            issue = f"magnitude above {MAX_MAGNITUDE:g}: send the series in larger units"
            raise SeriesProblemError(issue)


def _first_of(issues: list[str]) -> str:
    return issues[0] + (f" (and {len(issues) - 1} more)" if len(issues) > 1 else "")


def full_timestamp(text: str) -> str:
    """Return a date, or a date and time with a space between, in the form of the engine."""
    if len(text) == DAY_LENGTH:
        return f"{text}T00:00:00"
    return f"{text[:DAY_LENGTH]}T{text[DAY_LENGTH + 1 :]}" if text[10:11] == " " else text


def series_of_table(
    table: pa.Table, columns: TableColumns, frequency: Frequency | None
) -> Iterator[RawSeries]:
    """Yield the series of a table, ordered by what names them.

    ``frequency`` says whether times with a zone are counted as written (days and longer) or in
    UTC (shorter ones, as clocks change).
    """
    if not table.num_rows:
        return
    times = _times(table.column(columns.time), frequency)
    numbers = _numbers(table.column(columns.value))
    codes = np.zeros(table.num_rows, dtype=np.int64)
    if columns.ids:
        ids = table.select(list(columns.ids)).to_pandas()
        codes = ids.groupby(list(columns.ids), dropna=False, observed=True).ngroup().to_numpy()
    ranks = times if times.dtype.kind == "M" else pd.factorize(times, sort=True)[0]
    order = np.lexsort((ranks, codes))
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    for rows in np.split(order, starts[1:]):
        yield RawSeries(int(rows[0]), times[rows], numbers[rows])


def _numbers(column: pa.ChunkedArray) -> FloatArray:
    """Return values as floats, NaN where there is none: text is rounded as JSON's numbers are."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    try:
        floats = column.cast(pa.float64(), safe=is_text)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        floats = pa.array([_number(text) for text in column.to_pylist()], pa.float64())
    return floats.to_numpy(zero_copy_only=False)


def _number(text: Any) -> float | None:
    try:
        return None if text is None else float(text)
    except (TypeError, ValueError):
        return None


def _times(column: pa.ChunkedArray, frequency: Frequency | None) -> np.ndarray:
    if not (pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)):
        return column.to_pandas().to_numpy(dtype=object)
    if getattr(column.type, "tz", None) is not None:
        written = column.to_pandas()
        if is_counted_as_written(frequency):
            column = pa.chunked_array([pa.array(written.dt.tz_localize(None))])
        else:
            column = pa.chunked_array([pa.array(written.dt.tz_convert(None))])
    times: np.ndarray = column.cast(pa.timestamp("s"), safe=False).to_numpy()
    return times.astype("datetime64[s]")


def is_counted_as_written(frequency: Frequency | None) -> bool:
    """Return whether times with a zone are counted by the clock of the zone, not in UTC."""
    if frequency is None:
        return True
    unit = UNITS[frequency]
    return bool(unit.months) or unit.seconds >= UNITS[Frequency.DAILY].seconds

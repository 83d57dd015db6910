"""What forecasts of a table are made of; light to import."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

import numpy as np

from app.tables.answers import DecimalMark
from app.tables.notation import DateStyle
from app.tables.reading import Question, Remark
from app.tables.workbooks.format_syntax import is_percent_format
from app.timeseries.calendar.fit import Calendar
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.series import Series
from app.timeseries.types import FloatArray

SUM_NAME = "all"  # the name of the series that is the sum of all others


class FileFormat(StrEnum):
    CSV = "csv"
    WORKBOOK = "xlsx"
    JSON = "json"


@dataclass(frozen=True)
class ForecastOptions:
    """The options of all forecasts of a table.

    Attributes:
        horizon: The number of points to forecast, 1 to 1,000.
        confidence: The confidence of the intervals, 0.1 to 0.99.
        country: A code of ``country_codes()``, None for Christmas, New Year and Easter.
        includes_history: Whether the table's own values are written, too.
        includes_sum: Whether the sum of all series is forecast as a series of its own.
    """

    horizon: int
    model_id: str
    confidence: float
    country: str | None
    includes_history: bool
    includes_sum: bool

    def count_rows(self, series: "SeriesToForecast") -> int:
        """Return how many rows of a long table a series has."""
        return self.horizon + self.includes_history * series.values.size


@dataclass(frozen=True)
class SeriesToForecast:
    """A series of a table; ``times`` and ``values`` have shape (n,).

    Attributes:
        suffix: What follows each timestamp: "", ``Z`` or an offset.
        decimals: The number of digits after the decimal mark in the table.
        calendar: The steps of the times, None where no step fits them.
        problem: Why it cannot be forecast, "" if it can.
        texts: The cells of a long table that say which series a row belongs to.
        number_format: How the table's workbook shows its numbers, "" if that is not known.
    """

    name: str
    times: TimeArray
    values: FloatArray
    suffix: str
    decimals: int
    calendar: Calendar | None
    problem: str
    texts: Sequence[str]
    number_format: str

    @property
    def validated(self) -> Series | None:
        """The series as the engine takes it, None if there is a problem."""
        if self.problem or self.calendar is None:
            return None
        is_percent = is_percent_format(self.number_format)
        return Series(self.values, self.calendar, self.suffix, is_percent)


@dataclass(frozen=True)
class TableStyle:
    """How a table is written: its layout, the names of its columns, dates and numbers.

    Attributes:
        date_header: The name of the column of dates.
        text_headers: The names of the columns that say which series a row belongs to; none in a
            wide table.
        value_header: The name of the column of values of a long table.
        date_form: How the dates are written, None if that is unknown.
        date_format: How the table's workbook shows dates, "" if that is not known.
        timezone: The zone of the table's local times.
    """

    date_header: str
    text_headers: Sequence[str]
    value_header: str
    delimiter: str
    decimal: DecimalMark
    date_form: DateStyle | None
    date_format: str
    timezone: str | None


@dataclass(frozen=True)
class TableToForecast:
    """The series of a table; none while one of the ``questions`` must be answered."""

    series: Sequence[SeriesToForecast]
    style: TableStyle
    questions: Sequence[Question]
    remarks: Sequence[Remark]


@dataclass(frozen=True)
class SeriesForecast:
    """The forecast of a series: three arrays of shape (h,), empty where there is a ``problem``."""

    median: FloatArray
    lower: FloatArray
    upper: FloatArray
    notices: Sequence[str] = ()
    problem: str = ""
    is_fallback: bool = False

    @classmethod
    def of_problem(cls, problem: str = "") -> Self:
        """Return the forecast of a series that cannot be forecast: its problem."""
        empty = np.zeros(0)
        return cls(empty, empty, empty, problem=problem)


class ForecastPair(NamedTuple):
    series: SeriesToForecast
    forecast: SeriesForecast

    @property
    def problem(self) -> str:
        return self.series.problem or self.forecast.problem


class SeriesBlock(NamedTuple):
    """Some series of a table.

    Attributes:
        pickled: A pickled list of ``SeriesToForecast``.
        forecast_count: The number of series that can be forecast.
        point_count: The number of points of the series that can be forecast.
        short_forecasts: The computing time, in units of one short forecast of a very short
            series.
    """

    pickled: bytes
    series_count: int
    forecast_count: int
    point_count: int
    short_forecasts: float


class ForecastBlock(NamedTuple):
    """The forecasts of some blocks of series.

    Attributes:
        pickled: A pickled list of ``SeriesForecast``.
        problem_count: The number of forecasts that have a problem.
        fallback_count: The number of forecasts by the model's fallback.
    """

    pickled: bytes
    problem_count: int
    fallback_count: int


@dataclass(frozen=True)
class TableInBlocks:
    """A table as a web worker has it: blocks of series in order, and the sizes of its forecasts.

    Attributes:
        problems: The first series that cannot be forecast, by name, and why.
        problem_count: The number of series that cannot be forecast.
        long_row_count: The number of rows if the forecasts of all series are one below the other.
        wide_row_count: The number of rows if they are side by side; 0 for a table in the long
            layout.
        repeated_characters: The characters of names and problems in all rows of a table in the long
            layout; 0 for others, whose names are in the header.
    """

    blocks: Sequence[SeriesBlock]
    style: TableStyle
    questions: Sequence[Question]
    remarks: Sequence[Remark]
    problems: Sequence[str]
    problem_count: int
    long_row_count: int
    wide_row_count: int
    repeated_characters: int

    @property
    def series_count(self) -> int:
        return sum(block.series_count for block in self.blocks)

    @property
    def forecast_count(self) -> int:
        """The number of series that can be forecast."""
        return sum(block.forecast_count for block in self.blocks)

    @property
    def point_count(self) -> int:
        """The number of points of the series that can be forecast."""
        return sum(block.point_count for block in self.blocks)

"""What forecasts of a table are made of; light to import."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Self

import numpy as np

from app.tables.results import DecimalMark, Question, Remark
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
    """What all forecasts of a table share.

    ``horizon`` 1 to 1,000; ``confidence`` 0.1 to 0.99; ``country`` a code of ``country_codes()``,
    None for Christmas, New Year and Easter. ``has_history``: the table's own values are written,
    too. ``has_sum``: the sum of all series is forecast as a series of its own.
    """

    horizon: int
    model_id: str
    confidence: float = 0.95
    country: str | None = None
    has_history: bool = False
    has_sum: bool = False

    def count_rows(self, history: "SeriesToForecast") -> int:
        """Return how many rows of a long table a series has."""
        return self.horizon + self.has_history * history.values.size


@dataclass(frozen=True)
class SeriesToForecast:
    """A series of a table: ``times`` and ``values``, shape (n,) each.

    ``decimals`` is the number of digits after the decimal mark that its numbers have. ``calendar``
    is None where no step fits the times. ``problem`` says why it cannot be forecast, else "".
    ``texts``: its cells in the columns of a long table that say which series a row belongs to.
    ``number_format``: how the table's workbook shows its numbers, "" if that is not known.
    """

    name: str
    times: TimeArray
    values: FloatArray
    suffix: str
    decimals: int
    calendar: Calendar | None
    problem: str = ""
    texts: Sequence[str] = ()
    number_format: str = ""

    @property
    def series(self) -> Series:
        """The validated series, if there is no problem."""
        assert self.calendar is not None
        return Series(self.values, self.calendar, self.suffix)


@dataclass(frozen=True)
class TableStyle:
    """How a table is written: its layout, the names of its columns, dates and numbers.

    ``text_headers`` are those of the columns that say which series a row belongs to, none in a wide
    table; ``value_header`` is that of the values of a long one. ``date_form`` is that of
    ``find_date_form``, ``date_format`` how its workbook shows them, if that is known.
    ``timezone``: whose local times the table has.
    """

    date_header: str
    text_headers: Sequence[str]
    value_header: str
    delimiter: str
    decimal: DecimalMark
    date_form: dict[str, Any] | None
    date_format: str = ""
    timezone: str | None = None


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
    def nothing(cls, problem: str = "") -> Self:
        """Return that of a series that cannot be forecast."""
        empty = np.zeros(0)
        return cls(empty, empty, empty, problem=problem)


class ForecastPair(NamedTuple):
    """A series of a table and its forecast."""

    history: SeriesToForecast
    forecast: SeriesForecast

    @property
    def problem(self) -> str:
        return self.history.problem or self.forecast.problem


class SeriesBlock(NamedTuple):
    """Some series of a table: a pickled list of ``SeriesToForecast``.

    ``forecasts`` of the ``series`` can be forecast, and have ``points``; that takes as long as
    ``short_forecasts`` of very short series.
    """

    pickled: bytes
    series: int
    forecasts: int
    points: int
    short_forecasts: float


class ForecastBlock(NamedTuple):
    """The forecasts of some blocks of series: a pickled list of ``SeriesForecast``.

    ``failed`` of them have a problem, and ``fallbacks`` are of the model's fallback.
    """

    pickled: bytes
    failed: int
    fallbacks: int


@dataclass(frozen=True)
class TableInBlocks:
    """A table as a web worker has it: blocks of series in order, and what they will become.

    ``problems`` are the first of ``problem_count`` series that cannot be forecast, with their
    names. With the forecasts a long table has ``rows`` and repeats ``repeated_characters``, a wide
    one has ``wide_rows``; the others are 0.
    """

    blocks: Sequence[SeriesBlock]
    style: TableStyle
    questions: Sequence[Question]
    remarks: Sequence[Remark]
    problems: Sequence[str]
    problem_count: int
    rows: int
    wide_rows: int
    repeated_characters: int

    @property
    def series(self) -> int:
        """The number of series."""
        return sum(block.series for block in self.blocks)

    @property
    def forecasts(self) -> int:
        """The number of series that can be forecast."""
        return sum(block.forecasts for block in self.blocks)

    @property
    def points(self) -> int:
        """The number of points of these."""
        return sum(block.points for block in self.blocks)

"""What forecasts of a table are made of; light to import."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from app.tables.results import DecimalMark, Question, Remark
from app.timeseries.calendar.fit import Calendar
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.series import Series
from app.timeseries.types import FloatArray

SUM_NAME = "all"
"""The name of the series that is the sum of all others."""


class FileFormat(StrEnum):
    CSV = "csv"
    WORKBOOK = "xlsx"
    JSON = "json"


@dataclass(frozen=True)
class ForecastOptions:
    """What all forecasts of a table share.

    ``horizon`` 1 to 100; ``confidence`` 0.1 to 0.99; ``country`` a code of ``country_codes()``,
    None for Christmas, New Year and Easter. ``has_history``: the table's own values are written,
    too. ``has_sum``: the sum of all series is forecast as a series of its own.
    """

    horizon: int
    model_id: str
    confidence: float = 0.95
    country: str | None = None
    has_history: bool = False
    has_sum: bool = False


@dataclass(frozen=True)
class SeriesToForecast:
    """A series of a table: ``times`` and ``values``, shape (n,) each.

    ``decimals`` is the number of digits after the decimal mark that its numbers have. ``calendar``
    is None where no step fits the times. ``problem`` says why it cannot be forecast, else "".
    """

    name: str
    times: TimeArray
    values: FloatArray
    suffix: str
    decimals: int
    calendar: Calendar | None
    problem: str = ""

    @property
    def series(self) -> Series:
        """The validated series, if there is no problem."""
        assert self.calendar is not None
        return Series(self.values, self.calendar, self.suffix)


@dataclass(frozen=True)
class TableStyle:
    """How a table is written: its layout, the names of its columns, dates and numbers.

    ``names_header`` is that of the column that says which series a row belongs to, "" in a wide
    table; ``value_header`` that of the values of a long one. ``date_form`` is that of
    ``find_date_form``.
    """

    date_header: str
    names_header: str
    value_header: str
    delimiter: str
    decimal: DecimalMark
    date_form: dict[str, Any] | None


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
    fell_back: bool = False


def count_repeated_characters(table: TableToForecast, options: ForecastOptions) -> int:
    """Return how many characters the rows of a long table repeat: of names, and of problems.

    0 for a wide table, whose names are in its header.
    """
    if not table.style.names_header:
        return 0
    return sum(
        (options.horizon + options.has_history * history.times.size)
        * (len(history.name) + len(history.problem))
        for history in table.series
    )


def count_wide_rows(table: TableToForecast, options: ForecastOptions) -> int:
    """Return how many rows a wide table with the forecasts has at most, 0 for a long one.

    Series that end at the same time with the same step share the rows of their forecasts.
    """
    if table.style.names_header:
        return 0
    ends = {
        (
            history.times[-1].item(),
            history.calendar.frequency,
            history.calendar.step,
            type(history.calendar.axis),
        )
        for history in table.series
        if history.calendar is not None
    }
    rows = len(ends) * options.horizon
    if options.has_history:
        rows += np.unique(np.concatenate([history.times for history in table.series])).size
    return rows

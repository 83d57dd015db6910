"""The input of reading: answers to questions, and bounds."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.timeseries.calendar.frequency import Frequency

MAX_SERIES = 500
_MAX_FULL_SERIES = 10  # series of the maximum number of points


class Layout(StrEnum):
    COLUMNS = "columns"
    LONG = "long"
    PIVOT = "pivot"


class DateOrder(StrEnum):
    """The first part of ambiguous dates, such as 03/04/2024 and 01-02-24."""

    DAY = "day-first"
    MONTH = "month-first"
    YEAR = "year-first"


class DecimalMark(StrEnum):
    POINT = "point"
    COMMA = "comma"

    @property
    def character(self) -> str:
        return "." if self is DecimalMark.POINT else ","

    @property
    def other(self) -> "DecimalMark":
        """The mark that may separate thousands."""
        return DecimalMark.COMMA if self is DecimalMark.POINT else DecimalMark.POINT


class Fill(StrEnum):
    """How missing entries are filled."""

    LINEAR = "linear"
    PREVIOUS = "previous"
    ZERO = "zero"


class Duplicates(StrEnum):
    """How several values of one timestamp are combined."""

    SUM = "sum"
    MEAN = "mean"
    LAST = "last"


class Summary(StrEnum):
    """The meaningful summary of several values: their total, or only their average."""

    TOTAL = "total"
    AVERAGE = "average"


class PeriodAggregation(StrEnum):
    """How short steps are aggregated to days, weeks or months; ``none``: values as they are."""

    NONE = "none"
    DAY_TOTAL = "day-total"
    DAY_AVERAGE = "day-average"
    WEEK_TOTAL = "week-total"
    WEEK_AVERAGE = "week-average"
    MONTH_TOTAL = "month-total"
    MONTH_AVERAGE = "month-average"

    @property
    def period(self) -> str:
        """``day``, ``week`` or ``month``."""
        return self.partition("-")[0]

    @property
    def pandas_period(self) -> str:
        """Pandas' name of the period; weeks begin on Monday."""
        return {"day": "D", "week": "W-SUN", "month": "M"}[self.period]

    @property
    def is_total(self) -> bool:
        return self.endswith(Summary.TOTAL)

    @property
    def summary(self) -> Summary:
        return Summary(self.partition("-")[2])


@dataclass
class Answers:
    """The answers to questions; None or empty if there is none.

    Attributes:
        sheet: The name of the sheet.
        header: The number of the row with the names of columns, 0 for none.
        dates: The name of the column of dates.
        columns: The names of the columns of values.
        layout: Where the series are: side by side, below each other, or with periods across.
        date_order: What ambiguous dates begin with.
        decimal: What is before decimals.
        timezone: The zone whose clock the times are by.
        fill: How missing entries are filled.
        duplicates: How several values of one timestamp are combined.
        per: The periods that short steps are aggregated to.
        year: The year of the first date, if dates have no year.
        start: The time of the first number, or the first day of the first counted or fiscal period.
        data_frequency: The distance of numbers without dates, or of irregular dates.
        unit: The unit to read, if a column has several.
        until: The last day to read.
    """

    sheet: str | None = None
    header: int | None = None
    dates: str | None = None
    columns: Sequence[str] = ()
    layout: Layout | None = None
    date_order: DateOrder | None = None
    decimal: DecimalMark | None = None
    timezone: str | None = None
    fill: Fill | None = None
    duplicates: Duplicates | None = None
    per: PeriodAggregation | None = None
    year: int | None = None
    start: dt.date | None = None
    data_frequency: Frequency | None = None
    unit: str | None = None
    until: dt.date | None = None


@dataclass(frozen=True)
class TableBounds:
    """The bounds of a reading, and the present.

    Attributes:
        today: Later dates are asked about, and dates without a year are of this year.
        max_points: The maximum number of points of a series.
        max_unpacked_bytes: The maximum size of an unpacked workbook.
    """

    today: dt.date
    max_points: int = 50_000
    max_unpacked_bytes: int = 64 * 1024 * 1024
    max_series: int = MAX_SERIES

    @property
    def max_total_points(self) -> int:
        """The maximum number of points of all series together."""
        return _MAX_FULL_SERIES * self.max_points

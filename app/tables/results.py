"""The input and output of reading: answers, questions, remarks, series, and the two errors."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from app.timeseries.calendar.frequency import Frequency

T = TypeVar("T")
MAX_SERIES = 500
MAX_NAME_LENGTH = 100
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
    def sign(self) -> str:
        return "." if self is DecimalMark.POINT else ","

    @property
    def plural(self) -> str:
        return f"{self.capitalize()}s"

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
    def summary(self) -> Summary:
        return Summary(self.partition("-")[2])


def cut_name(name: str) -> str:
    """Truncate a name for a response, which repeats the names of series and columns."""
    return name if len(name) <= MAX_NAME_LENGTH else f"{name[:MAX_NAME_LENGTH]}…"


@dataclass
class Answers:
    """The answers to questions; None or empty if there is none.

    Attributes:
        sheet: The name of the sheet.
        header: The number of the row with the names of columns, 0 for none.
        dates: The name of the column of dates.
        columns: The names of the columns of values.
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
        max_points: The maximum number of points of a series.
        max_unpacked_bytes: The maximum size of an unpacked workbook.
        this_year: The year of dates without one.
        today: Later dates are asked about; None to ask about none.
    """

    max_points: int
    max_unpacked_bytes: int
    this_year: int
    max_series: int = MAX_SERIES
    today: dt.date | None = None

    @property
    def max_total_points(self) -> int:
        """The maximum number of points of all series together."""
        return _MAX_FULL_SERIES * self.max_points


@dataclass(frozen=True)
class Choice:
    """An answer: the value to send, its meaning, and an example from the table."""

    value: str
    meaning: str
    example: str


@dataclass(frozen=True)
class Question:
    """An ambiguity of the table. Without ``choices`` the answer is free text."""

    parameter: str
    question: str
    choices: Sequence[Choice]
    required: bool


@dataclass(frozen=True)
class Remark:
    """How the table was changed, or what was left out; ``rows`` are counted from 1."""

    code: str
    remark: str
    rows: Sequence[int] = ()


class Descriptions(NamedTuple):
    """Columns of texts that describe series: their headers, and each name's texts.

    The names themselves are the first ones if ``has_parts``: they are joined from several columns.
    """

    headers: Sequence[str] = ()
    by_name: Mapping[str, Sequence[str]] = {}
    has_parts: bool = False

    def of(self, name: str) -> Sequence[str]:
        return self.by_name.get(name, [""] * len(self.headers))


@dataclass(frozen=True)
class TableSeries:
    """A series in the form of the API.

    Attributes:
        data_frequency: Its frequency, None for irregular timestamps.
        step: Its step, None for irregular timestamps.
        missing: The timestamps that the table lacks, even if they were filled.
        summary: What several of its values become.
        descriptions: Its texts in the columns of ``Reading.descriptions``.
    """

    name: str
    timestamps: Sequence[str]
    values: Sequence[float]
    data_frequency: Frequency | None
    step: int | None
    missing: Sequence[str]
    summary: Summary
    descriptions: Sequence[str] = ()

    @property
    def original_count(self) -> int:
        """The number of values that were not filled in: of these a forecast needs 10."""
        return len({*self.timestamps} - {*self.missing})


@dataclass
class Notation:
    """How a table is written.

    Attributes:
        names: The header of the columns that name the series of rows, if ``has_names``.
        date_form: A form of ``find_date_form``.
        date_format: How the workbook shows its dates, "" if that is not kept.
        number_forms: How the numbers of each series are written.
    """

    names: str | None = None
    has_names: bool = False
    encoding: str | None = None
    delimiter: str | None = None
    date_form: dict[str, Any] | None = None
    date_format: str = ""
    number_forms: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Reading:
    """The content of a table, read with ``answers``; it has no series while it ``is_open``.

    ``chosen`` has the value used for each parameter, None where that is open.
    """

    answers: Answers = field(default_factory=Answers)
    series: list[TableSeries] = field(default_factory=list)
    chosen: Answers = field(default_factory=Answers)
    notation: Notation = field(default_factory=Notation)
    questions: list[Question] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    descriptions: Descriptions = field(default_factory=Descriptions)

    @property
    def is_open(self) -> bool:
        """Whether a required question is open."""
        return any(question.required for question in self.questions)

    def asks(self, parameter: str, *, required: bool = False) -> bool:
        """Return whether there is a question about a parameter, and whether it is required."""
        return any(
            question.parameter == parameter and (question.required or not required)
            for question in self.questions
        )

    def attempt(self, read: Callable[["Reading"], T | None]) -> T | None:
        """Return what a function returns; what it reports is kept unless that is None."""
        trial = replace(
            self,
            chosen=replace(self.chosen),
            notation=replace(self.notation),
            questions=[*self.questions],
            remarks=[*self.remarks],
        )
        result = read(trial)
        if result is not None:
            vars(self).update(vars(trial))
        return result

    def ask(
        self, parameter: str, question: str, choices: Sequence[Choice], *, required: bool = True
    ) -> None:
        """Add a question, unless there is one about this parameter; a required one replaces it."""
        if not self.asks(parameter, required=required):
            kept = [other for other in self.questions if other.parameter != parameter]
            self.questions = [*kept, Question(parameter, question, choices, required)]

    def add_remark(self, code: str, remark: str, rows: Sequence[int] = ()) -> None:
        self.remarks.append(Remark(code, remark, rows))


class NotATableError(Exception):
    """No series can be read: ``issue`` says why, and what to send instead.

    ``row`` and ``column`` locate the fault, counted from 1, if it has a location.
    """

    def __init__(
        self,
        issue: str,
        row: int | None = None,
        column: int | None = None,
        is_too_large: bool = False,  # positional, so that it can be pickled
    ) -> None:
        super().__init__(issue, row, column, is_too_large)
        self.issue = issue
        self.row = row
        self.column = column
        self.is_too_large = is_too_large


class WrongAnswerError(Exception):
    """An answer does not match the table: its ``parameter``, and the issue."""

    def __init__(self, parameter: str, issue: str) -> None:
        super().__init__(parameter, issue)
        self.parameter = parameter
        self.issue = issue

"""What reading takes and gives: answers, questions, remarks, series; and the two refusals."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.timeseries.calendar.frequency import Frequency


class Layout(StrEnum):
    """The layout of the series in a table."""

    COLUMNS = "columns"
    LONG = "long"
    PIVOT = "pivot"


class DateOrder(StrEnum):
    """The first part of 03/04/2024 and 01-02-24."""

    DAY = "day-first"
    MONTH = "month-first"
    YEAR = "year-first"


class DecimalMark(StrEnum):
    """The decimal mark."""

    POINT = "point"
    COMMA = "comma"

    @property
    def sign(self) -> str:
        """The sign itself."""
        return "." if self is DecimalMark.POINT else ","

    @property
    def other(self) -> "DecimalMark":
        """The mark that may separate thousands."""
        return DecimalMark.COMMA if self is DecimalMark.POINT else DecimalMark.POINT


class Fill(StrEnum):
    """What missing entries become."""

    LINEAR = "linear"
    PREVIOUS = "previous"
    ZERO = "zero"


class Duplicates(StrEnum):
    """What several values of one timestamp become."""

    SUM = "sum"
    MEAN = "mean"
    LAST = "last"


class Summary(StrEnum):
    """What values of several periods make together: their total, or only their average."""

    TOTAL = "total"
    AVERAGE = "average"


class PeriodAggregation(StrEnum):
    """What whole weeks or months become in place of shorter steps."""

    WEEK_TOTAL = "week-total"
    WEEK_AVERAGE = "week-average"
    MONTH_TOTAL = "month-total"
    MONTH_AVERAGE = "month-average"

    @property
    def period(self) -> str:
        """``week`` or ``month``."""
        return self.partition("-")[0]

    @property
    def summary(self) -> Summary:
        """What their values are."""
        return Summary(self.partition("-")[2])


@dataclass(frozen=True)
class Answers:
    """The answers to questions; None and empty: not answered.

    ``sheet``, ``dates`` and ``columns`` are names. ``header`` is the row with the names of columns,
    0 for none. ``year`` is that of the first date, where dates have none; ``start`` and
    ``data_frequency`` say when numbers without dates were.
    """

    sheet: str | None = None
    header: int | None = None
    dates: str | None = None
    columns: tuple[str, ...] = ()
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


@dataclass(frozen=True)
class TableBounds:
    """``points``: the most of a series; ``unpacked``: the most bytes of a workbook, unpacked;
    ``this_year``: for dates without a year."""

    points: int
    unpacked: int
    this_year: int


@dataclass(frozen=True)
class Choice:
    """An answer: the value to send, its meaning, and an example from the table."""

    value: str
    meaning: str
    example: str


@dataclass(frozen=True)
class Question:
    """What the table leaves open. Without ``choices`` the answer is free."""

    parameter: str
    question: str
    choices: Sequence[Choice]
    required: bool


@dataclass(frozen=True)
class Remark:
    """A change to the table, or an omission; ``rows`` are counted from 1."""

    code: str
    remark: str
    rows: Sequence[int] = ()


@dataclass(frozen=True)
class TableSeries:
    """A series as the service takes it.

    ``data_frequency`` and ``step`` are None for irregular timestamps. ``missing``: the timestamps
    that the table lacks, whether or not they were filled.
    """

    name: str
    timestamps: Sequence[str]
    values: Sequence[float]
    data_frequency: Frequency | None
    step: int | None
    missing: Sequence[str]
    summary: Summary


@dataclass
class Reading:
    """The content of a table, read with ``answers``.

    ``chosen``: what was taken for each parameter, and the forms of dates and numbers. While a
    required question is open there are no series.
    """

    answers: Answers = Answers()
    series: list[TableSeries] = field(default_factory=list)
    chosen: dict[str, Any] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        """Whether a required question is open."""
        return any(question.required for question in self.questions)

    def ask(
        self, parameter: str, question: str, choices: Sequence[Choice], *, required: bool = True
    ) -> None:
        """Add a question, unless it is there already."""
        if all(other.parameter != parameter for other in self.questions):
            self.questions.append(Question(parameter, question, choices, required))

    def add_remark(self, code: str, remark: str, rows: Sequence[int] = ()) -> None:
        """Add a remark."""
        self.remarks.append(Remark(code, remark, rows))


class NotATableError(Exception):
    """No series can be read: ``issue`` says why, and what to send instead.

    ``row`` and ``column`` are the place of the fault, counted from 1, where it has one.
    """

    def __init__(
        self,
        issue: str,
        row: int | None = None,
        column: int | None = None,
        is_too_large: bool = False,  # by place, so that it can be pickled
    ) -> None:
        super().__init__(issue, row, column, is_too_large)
        self.issue = issue
        self.row = row
        self.column = column
        self.is_too_large = is_too_large


class WrongAnswerError(Exception):
    """An answer does not fit the table: its ``parameter``, and the issue."""

    def __init__(self, parameter: str, issue: str) -> None:
        super().__init__(parameter, issue)
        self.parameter = parameter
        self.issue = issue

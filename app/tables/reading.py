"""The output of reading: questions, remarks and series.

One ``Reading`` goes through all steps. A step reads ``reading.answers`` and ``reading.bounds``,
sets what it decides in ``reading.chosen`` and ``reading.notation``, and adds questions and remarks.
A later step may look at what an earlier one did: at its questions with ``reading.asks``, at the
rows that it reported by the code of the remark.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeVar

from app.tables.answers import Answers, Summary, TableBounds
from app.tables.notation import Notation
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.words import truncate

T = TypeVar("T")
_MAX_SHOWN_NAME_LENGTH = 100


def cut_name(name: str) -> str:
    """Truncate a name for a response, which repeats the names of series and columns."""
    return truncate(name, _MAX_SHOWN_NAME_LENGTH)


@dataclass(frozen=True)
class Choice:
    """An answer: the value to send, its meaning, and an example from the table."""

    value: str
    meaning: str
    example: str


@dataclass(frozen=True)
class Question:
    """An ambiguity of the table. Without ``choices`` the answer is free text.

    ``fact`` is the question without what it proposes, to be shown once it is answered.
    """

    parameter: str
    question: str
    fact: str
    choices: Sequence[Choice]
    required: bool


# What a reading may report: a part of the API.
RemarkCode = Literal[
    "abbreviation", "added_up", "buddhist_years", "clock_forward", "column_left_out",
    "column_not_read", "computed_series", "converted_units", "counter", "cut_at_zero",
    "date_columns", "date_order", "day_times", "debit_and_credit", "decimal_comma", "dropped",
    "duplicates", "durations", "encoding", "few_values", "filled", "filled_down", "fiscal_year",
    "flags_left_out", "hidden_cells", "hijri_years", "irregular", "joined", "last_century",
    "left_out", "longer_period", "marked_dates", "marked_values", "missing_code",
    "names_without_cells", "negative_sign", "neither_in_nor_out", "no_date", "no_stored_value",
    "no_such_time", "no_value", "not_a_date", "not_a_number", "note", "noted_start",
    "numbered_names", "off_step", "offsets", "other_tables", "other_unit", "own_step", "per",
    "plan_note", "repeated_rows", "retail_calendar", "reversed", "roc_years", "rows_of_a_kind",
    "running_balance", "sections", "serial_dates", "share", "sheets", "side_by_side",
    "sign_of_format", "sorted", "stacked_tables", "thousands", "too_many_missing", "total",
    "total_kept", "unfinished_period", "unlikely_value", "until", "varying_days",
    "weekdays_across", "year_of_title", "year_of_weekdays", "zeros_at_end", "zeros_filled",
    "zone_names",
]  # fmt: skip


@dataclass(frozen=True)
class Suggestion:
    """A parameter that would change what a remark reports.

    Attributes:
        value: What to send for it, None if that depends on the user.
        text: A sentence that says what to send, and what for.
    """

    parameter: str
    value: str | None
    text: str


@dataclass(frozen=True)
class Remark:
    """How the table was changed, or what was left out; ``rows`` are counted from 1."""

    code: RemarkCode
    remark: str
    rows: Sequence[int]
    suggestion: Suggestion | None

    @property
    def full_text(self) -> str:
        """The remark with the text of its suggestion."""
        return f"{self.remark} {self.suggestion.text}" if self.suggestion else self.remark


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
    descriptions: Sequence[str]

    @property
    def original_count(self) -> int:
        """The number of values that were not filled in: of these a forecast needs 10."""
        return len({*self.timestamps} - {*self.missing})


@dataclass
class Reading:
    """The content of a table, read with ``answers`` within ``bounds``.

    It has no series while it ``is_open``.

    Attributes:
        chosen: The value that was used for each parameter; None or empty where that is open.
        row_noun: What messages call a row.
    """

    answers: Answers
    bounds: TableBounds
    series: list[TableSeries] = field(default_factory=list)
    chosen: Answers = field(default_factory=Answers)
    notation: Notation = field(default_factory=Notation)
    questions: list[Question] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    descriptions: Descriptions = field(default_factory=Descriptions)
    row_noun: str = "line"

    def row_label(self, row: int) -> str:
        return f"{self.row_noun} {row}"

    @property
    def is_open(self) -> bool:
        """Whether a required question is open."""
        return any(question.required for question in self.questions)

    def asks(self, parameter: str, *, required: bool = False) -> bool:
        """Return whether a question is about a parameter; only required ones, if ``required``."""
        return any(
            question.parameter == parameter and (question.required or not required)
            for question in self.questions
        )

    def attempt(self, read: Callable[["Reading"], T | None]) -> T | None:
        """Return what ``read`` returns; if that is None, roll back what it changed.

        Shallow copies are enough: steps replace what the parts contain, and do not change it.
        """
        before = {name: copy(part) for name, part in vars(self).items()}
        result = read(self)
        if result is None:
            vars(self).update(before)
        return result

    def ask(
        self,
        parameter: str,
        question: str,
        choices: Sequence[Choice],
        *,
        proposal: str = "",
        required: bool = True,
    ) -> None:
        """Add a question, unless there is one about this parameter; a required one replaces it.

        With a ``proposal``, ``question`` is the fact that it follows from.
        """
        if not self.asks(parameter, required=required):
            kept = [other for other in self.questions if other.parameter != parameter]
            asked, fact = question, question
            if proposal:
                asked, fact = f"{question}: {proposal}?", f"{question}."
            self.questions = [*kept, Question(parameter, asked, fact, choices, required)]

    def add_remark(
        self,
        code: RemarkCode,
        remark: str,
        rows: Sequence[int] = (),
        suggestion: Suggestion | None = None,
    ) -> None:
        self.remarks.append(Remark(code, remark, rows, suggestion))

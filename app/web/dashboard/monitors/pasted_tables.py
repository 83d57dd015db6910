"""A table that is pasted into a form: one series of it, or the questions that the form asks."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

from marshmallow import ValidationError
from werkzeug.datastructures import MultiDict

from app.api.read.reading import run_reading
from app.api.read.schemas import ReadQuerySchema
from app.tables.errors import RejectedTableError
from app.tables.reading import Question, Reading, TableSeries
from app.web.dashboard.filters import sentence
from app.web.dashboard.forms import FormValues

_ANSWER_PREFIX = "answer_"  # the prefix of fields that answer questions about the table
_SERIES = "series"  # the field that chooses one of several series
_MAX_OFFERED = 50

# The labels and the choices of fields, by name.
FieldQuestions = dict[str, tuple[str, dict[str, str]]]


@dataclass(frozen=True)
class PastedTable:
    """The series, or the problem that hinders it, and the questions about the table."""

    series: TableSeries | None = None
    problem: str = ""
    questions: FieldQuestions = field(default_factory=dict)


def answers_in(form: MultiDict[str, str]) -> FormValues:
    return {name: text for name, text in form.items() if name.startswith(_ANSWER_PREFIX) and text}


def read_pasted(text: str, answers: FormValues, *, is_history: bool = True) -> PastedTable:
    """Read a table in an engine process, with ``answers`` by field.

    A history must be regular and complete; points that are appended may have gaps.
    """
    sent = {name.removeprefix(_ANSWER_PREFIX): answer for name, answer in answers.items()}
    chosen_name = sent.pop(_SERIES, None)
    try:
        loaded = ReadQuerySchema().load(MultiDict(sent))
    except ValidationError:
        return PastedTable(problem="An answer does not fit this table: choose again.")
    reading = run_reading(text.encode(), loaded)
    if isinstance(reading, RejectedTableError):
        return PastedTable(problem=sentence(reading.issue))
    return _chosen_series(reading, chosen_name, sent, is_history=is_history)


def _chosen_series(
    reading: Reading, chosen_name: str | None, sent: FormValues, *, is_history: bool
) -> PastedTable:
    questions = _fields_of(
        question
        for question in reading.questions
        if question.choices and (question.required or question.parameter in sent)
    )
    # Numbered names: the answer about another table does not fit this one.
    offered = {f"{n} {series.name}": series for n, series in enumerate(reading.series, 1)}
    count = len(offered)
    if count > 1:
        shown = itertools.islice(offered.items(), _MAX_OFFERED)
        choices = {name: series.name or "without a name" for name, series in shown}
        few = f" (the first {_MAX_OFFERED} of {count:,})" if count > _MAX_OFFERED else ""
        text = f"Which series is watched?{few}"
        questions[_ANSWER_PREFIX + _SERIES] = (text, {"": "Choose one", **choices})
    if reading.is_open or (count > 1 and chosen_name not in offered):
        return PastedTable(problem="Answer what the table leaves open.", questions=questions)
    series = offered.get(chosen_name or "", reading.series[0])
    if not is_history:
        return PastedTable(series, questions=questions)
    if series.data_frequency is None:
        problem = "The dates are irregular: paste values at one interval."
        return PastedTable(problem=problem, questions=questions)
    if series.missing and not sent.get("fill"):
        questions |= _fields_of(
            question for question in reading.questions if question.parameter == "fill"
        )
        return PastedTable(problem="Choose how missing values are filled.", questions=questions)
    return PastedTable(series, questions=questions)


def _fields_of(questions: Iterable[Question]) -> FieldQuestions:
    fields: FieldQuestions = {}
    for question in questions:
        meanings = {choice.value: choice.meaning for choice in question.choices}
        choices = {"": "Choose one", **meanings}
        fields[_ANSWER_PREFIX + question.parameter] = (question.question, choices)
    return fields

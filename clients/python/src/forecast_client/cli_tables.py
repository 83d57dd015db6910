"""Let the service read the table in a file, for the command."""

import contextlib
import shlex
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from forecast_client.calls import Call, Json, notices_of
from forecast_client.errors import DataError, InvalidRequestError
from forecast_client.series import Labels, PreparedSeries

# The options of the command, by the parameters of POST /read.
OPTIONS = {
    "sheet": "--sheet",
    "header": "--header",
    "dates": "--dates",
    "columns": "--column",
    "layout": "--layout",
    "date_order": "--date-order",
    "decimal": "--decimal",
    "timezone": "--timezone",
    "fill": "--fill",
    "duplicates": "--duplicates",
    "per": "--per",
    "year": "--year",
    "start": "--start",
    "data_frequency": "--frequency",
    "unit": "--unit",
    "until": "--until",
}
MEDIA_TYPES = {
    ".csv": "text/csv",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".json": "application/json",
}
MAX_CHOICES = 8
MIN_POINTS = 10  # points of a series, without those that were filled
# Remarks and questions that become errors of single series.
_DEFECTS = ("irregular", "too_many_missing", "data_frequency", "fill")
_OFFERS = ("per", "header")  # questions that need not be answered
_ASKED = {"fill": "off_step", "until": "unfinished_period"}  # remarks that a question repeats


@dataclass(frozen=True)
class Table:
    """The content of a file.

    ``series`` can be forecast; ``decimals`` are their numbers of decimals; ``errors`` say why the
    others cannot be forecast. All are by name, and empty while a ``question`` is open. ``notes``
    say how the table was read, and which options could change that.
    """

    series: dict[str, PreparedSeries]
    decimals: dict[str, int]
    errors: dict[str, DataError]
    question: str
    notes: list[str]


def read_table(content: bytes, answers: Mapping[str, Any]) -> Call[Table]:
    """Return the call that reads a file; ``answers`` are parameters of POST /read, or None."""
    sent = {name: answer for name, answer in answers.items() if answer is not None}
    return Call(
        "POST",
        f"/read?{urlencode(sent, doseq=True)}",
        lambda response: _table_of(response.json(), sent),
        content,
        {"Content-Type": "application/octet-stream"},
    )


def forecast_table(
    content: bytes, options: Mapping[str, Any], suffix: str
) -> Call[tuple[bytes, tuple[str, ...]]]:
    """Return the call that forecasts a file's series.

    Its result is a file with a name of this ``suffix``, and notices. ``options`` are parameters of
    POST /tables/forecast, and others.
    """
    names = ("horizon", "model", "confidence", "holidays", *OPTIONS)
    sent = {name: options[name] for name in names if options[name] is not None}
    accept = MEDIA_TYPES.get(suffix.lower(), MEDIA_TYPES[".csv"])
    return Call(
        "POST",
        f"/tables/forecast?{urlencode(sent, doseq=True)}",
        lambda response: (response.content, notices_of(response)),
        content,
        {"Content-Type": "application/octet-stream", "Accept": accept},
    )


def questions_of(error: Exception) -> str:
    """Return the questions of a table that was not forecast, "" for any other error."""
    if not isinstance(error, InvalidRequestError):
        return ""
    defects = [defect for defect in error.details.get("errors", []) if "choices" in defect]
    return "\n".join(
        _question_text(
            {
                "parameter": defect["field"],
                # Services before 2.0.0 send no question apart from the issue.
                "question": defect.get("question")
                or defect["issue"].partition(f" Send {defect['field']}=")[0],
                "choices": defect["choices"],
            }
        )
        for defect in defects
    )


def _table_of(body: Json, sent: Mapping[str, Any]) -> Table:
    questions = [question for question in body["questions"] if question["parameter"] not in sent]
    asked = {question["parameter"]: _question_text(question) for question in questions}
    remarks = {remark["code"]: _remark_text(remark) for remark in body["remarks"]}
    required = [asked[question["parameter"]] for question in questions if question["required"]]
    known = {*_DEFECTS, *_OFFERS}
    known |= {_ASKED[name] for name in _ASKED if name in asked}
    notes = remarks | ({} if required else asked)
    shown = [note for code, note in notes.items() if code not in known]
    table = Table({}, {}, {}, "\n".join(required), shown)
    for series, form in zip(body["series"], body["chosen"]["number_forms"], strict=False):
        name = series["name"]
        step = (series["data_frequency"], series["step"])
        if defects := _defects(series, asked, remarks, sent):
            table.errors[name] = DataError("\n".join(defects))
            continue
        labels = _labels(series["timestamps"][0], body["chosen"]["timezone"])
        table.series[name] = PreparedSeries(
            series["timestamps"], series["values"], *step, name=name, labels=labels
        )
        table.decimals[name] = form["decimals"]
    return table


def _question_text(question: Json) -> str:
    """Format a question, with the option that answers it."""
    option = OPTIONS[question["parameter"]]
    choices = question["choices"]
    lines = [
        f"  {option} {shlex.quote(choice['value'])}: "
        + "; ".join(filter(None, (choice["meaning"], choice["example"])))
        for choice in choices[:MAX_CHOICES]
    ]
    rest = len(choices) - MAX_CHOICES
    more = f" It has {rest} more choices." if rest > 0 else ""
    return "\n".join([f"{question['question']} Choose with {option}.{more}", *lines])


def _remark_text(remark: Json) -> str:
    """Format a remark, with the option that changes what it reports."""
    text = str(remark["remark"])
    suggestion = remark.get("suggestion")  # services before 2.0.0 send none
    if not suggestion:
        return text
    option = OPTIONS[suggestion["parameter"]]
    if suggestion["value"] is None:
        return f"{text} {suggestion['text']} Use {option}."
    return f"{text} To change that, use {option} {shlex.quote(suggestion['value'])}."


def _defects(
    series: Json, asked: Mapping[str, str], remarks: Mapping[str, str], sent: Mapping[str, Any]
) -> list[str]:
    """Return why a series cannot be forecast, and which option helps."""
    times = series["timestamps"]
    if len(times) == 1:
        return [f"the series has one point, {times[0]}: send at least {MIN_POINTS}"]
    if series["data_frequency"] is None:
        remedies = (remarks.get("irregular"), asked.get("data_frequency"), asked.get("fill"))
        problem = "no step fits the dates"
        if frequency := sent.get("data_frequency"):
            problem = f"no step of --frequency {frequency} fits the dates: leave it out"
        return [remedy for remedy in remedies if remedy] or [problem]
    if not {*series["missing"]} <= {*times}:
        return [
            asked.get("fill") or remarks.get("too_many_missing") or "too many dates are missing"
        ]
    count = len({*times} - {*series["missing"]})
    if count < MIN_POINTS <= len(times):
        return [f"only {count} values are the table's own: send at least {MIN_POINTS}"]
    return []


def _labels(timestamp: str, zone: str | None) -> Labels:
    offset = datetime.fromisoformat(timestamp).tzinfo
    if offset is None:
        return Labels()
    if zone is not None:
        with contextlib.suppress(zoneinfo.ZoneInfoNotFoundError):  # not every system has them
            return Labels(zoneinfo.ZoneInfo(zone), is_utc=True)
    return Labels(offset)

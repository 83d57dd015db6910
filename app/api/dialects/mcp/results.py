"""Results of tools as text: one sentence, notes, and a short table in CSV."""

import csv
import io
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.anomalies.results import event_name
from app.api.dialects.mcp.number_format import NumberFormat, number_format_of, round_number
from app.api.dialects.mcp.sentences import (
    backtest_sentence,
    detection_sentence,
    forecast_sentence,
    step_text,
)
from app.api.dialects.mcp.tools import MAX_RESULT_ROWS, ROWS_AFTER, ResultOptions
from app.api.forecast.schemas import ForecastRequestSchema
from app.api.responses.json import Json
from app.core.text import short_timestamp
from app.forecasting.model_ids import DEFAULT_MODEL
from app.timeseries.calendar.fit import fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import parse_timestamps
from app.timeseries.words import count_of
from app.watching.monitors.states import State, states_of

_MAX_NOTES = 20
_MAX_CELL_LENGTH, _MAX_NOTE_LENGTH = 200, 400
_DEFAULT_CONFIDENCE = ForecastRequestSchema().fields["confidence"].load_default


@dataclass(frozen=True)
class ToolResult:
    """The result of a tool.

    ``rows`` are all rows of its table, or one page of them; ``next_after`` is the cursor of the
    next page. ``notes`` are lines between the sentence and the table.
    """

    sentence: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    notes: Sequence[str] = ()
    next_after: int | None = None


@dataclass(frozen=True)
class ToolCall:
    """A call that succeeded: the JSON body of the request, and the response with its headers."""

    sent: Json
    body: Json
    model_id: str
    notice: str
    options: ResultOptions


def result_of(name: str, tool_call: ToolCall) -> ToolResult:
    return _RESULT_FUNCTIONS.get(name, _default_result)(tool_call)


def render_result(result: ToolResult, tool_call: ToolCall) -> str:
    """Return a result as text, with at most ``MAX_RESULT_ROWS`` notes and rows."""
    first = tool_call.options.rows_after
    row_count = MAX_RESULT_ROWS - min(len(result.notes), _MAX_NOTES)
    rows = result.rows[first : first + row_count]
    lines = [result.sentence, *(note[:_MAX_NOTE_LENGTH] for note in result.notes[:_MAX_NOTES])]
    if len(result.notes) > _MAX_NOTES:
        lines.append(f"and {len(result.notes) - _MAX_NOTES:,} more")
    if tool_call.notice:
        lines.append(f"Notice: {tool_call.notice}")
    if rows:
        cells = [[_format_cell(value) for value in row] for row in rows]
        lines += ["", _csv_text([result.columns, *cells])]
    last = first + len(rows)
    if last < len(result.rows):
        lines.append(
            f"Rows {first + 1} to {last} of {len(result.rows):,}; the next: the same call with "
            f"{ROWS_AFTER} {last}."
        )
    if result.next_after is not None:
        lines.append(f"The next: the same call with after {result.next_after}.")
    return "\n".join(lines)


def _csv_text(rows: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().rstrip("\n")


def _forecast_result(tool_call: ToolCall) -> ToolResult:
    body = tool_call.body
    sentence = forecast_sentence(
        body,
        tool_call.model_id or DEFAULT_MODEL,
        _sent_step_text(tool_call),
        _number_format(tool_call),
        tool_call.sent.get("confidence", _DEFAULT_CONFIDENCE),
    )
    return ToolResult(sentence, [*body], [*zip(*body.values(), strict=True)])


def _backtest_result(tool_call: ToolCall) -> ToolResult:
    scores = tool_call.body["models"]
    step, number_format = _sent_step_text(tool_call), _number_format(tool_call)
    sentence = backtest_sentence(tool_call.body, step, number_format)
    return ToolResult(sentence, [*scores[0]], [[*score.values()] for score in scores])


def _sent_step_text(tool_call: ToolCall) -> str:
    times = parse_timestamps(_sent_series(tool_call)["timestamps"])
    frequency = Frequency(tool_call.sent["data_frequency"])
    return step_text(fit_calendar(times.times, frequency, times.suffix).step, frequency)


def _detection_result(tool_call: ToolCall) -> ToolResult:
    body, format_number = tool_call.body, _number_format(tool_call).format
    timestamps, is_anomaly = body["timestamps"], body["is_anomaly"]
    values = _sent_series(tool_call)["values"][-len(timestamps) :]
    names = ("lower_bound", "expected", "upper_bound", "p_value", "severity")
    rows = zip(timestamps, values, *(body[name] for name in names), strict=True)
    last = (
        f"Last point {_short_time(timestamps[-1])}: {format_number(values[-1])}, expected "
        f"{format_number(body['expected'][-1])}, band {format_number(body['lower_bound'][-1])} to "
        f"{format_number(body['upper_bound'][-1])}: "
        f"{'flagged' if is_anomaly[-1] else 'not flagged'}."
    )
    changes = [
        f"Change point {_short_time(change['timestamp'])}: level "
        f"{format_number(change['before'])} to {format_number(change['after'])}."
        for change in body["change_points"]
    ]
    notes = [last, *map(_event_text, body["events"]), *changes]
    flagged_rows = [*itertools.compress(rows, is_anomaly)]
    columns = ("timestamp", "value", *names)
    return ToolResult(detection_sentence(body), columns, flagged_rows, notes)


def _number_format(tool_call: ToolCall) -> NumberFormat:
    return number_format_of(np.asarray(_sent_series(tool_call)["values"], dtype=np.float64))


def _sent_series(tool_call: ToolCall) -> Json:
    return tool_call.sent["series"][0]


def _event_text(event: Json) -> str:
    name = event_name(event["kind"], event["direction"]).capitalize()
    start, end = event["start"], event["end"]
    until = "" if end == start else f" to {_short_time(end)}"
    return f"{name} {_short_time(start)}{until}, severity {event['severity']:.0f}."


def _reading_result(tool_call: ToolCall) -> ToolResult:
    body = tool_call.body
    facts = [_series_text(series) for series in body["series"]]
    questions = map(_question_text, body["questions"])
    rows = [
        (series["name"], *pair)
        for series in body["series"]
        for pair in zip(series["timestamps"], series["values"], strict=True)
    ]
    sentence = f"{len(facts):,} series read."
    if any(question["required"] for question in body["questions"]):
        sentence = "Nothing is read yet: the table leaves a required question open."
    notes = [*questions, *facts, *map(_remark_text, body["remarks"])]
    return ToolResult(sentence, ("series", "timestamp", "value"), rows, notes)


def _question_text(question: Json) -> str:
    kind = "Required" if question["required"] else "Optional"
    choices = ", ".join(choice["value"] for choice in question["choices"]) or "any"
    return f"{kind}: {question['question']} Send {question['parameter']}: {choices}"


def _remark_text(remark: Json) -> str:
    suggestion = remark["suggestion"]
    return f"{remark['remark']} {suggestion['text']}" if suggestion else str(remark["remark"])


def _series_text(series: Json) -> str:
    frequency = series["data_frequency"]
    step = step_text(series["step"], Frequency(frequency)) if frequency else "irregular"
    times = series["timestamps"]
    missing = len(series["missing"])
    span = f"{_short_time(times[0])} to {_short_time(times[-1])}" if times else "empty"
    return (
        f"{series['name'] or 'Series'}: {count_of(len(times), 'point')}, "
        f"{frequency or 'no frequency'}, step {step}, {span}, {missing} missing."
    )


def _monitors_result(tool_call: ToolCall) -> ToolResult:
    monitors = tool_call.body["monitors"]
    all_states = [
        states_of(State(monitor["state"]), monitor["is_anomalous"]) for monitor in monitors
    ]
    counts = Counter(itertools.chain(*all_states))
    states_text = ", ".join(f"{count} {state}" for state, count in counts.items())
    sentence = f"{count_of(len(monitors), 'monitor')}{f': {states_text}' if states_text else ''}."
    point_fields = ("timestamp", "value", "expected", "lower_bound", "upper_bound", "is_anomaly")
    rows = [
        (
            monitor["name"], " ".join(states), monitor["data_frequency"], monitor["points"],
            *((monitor["last_point"] or {}).get(name) for name in point_fields),
        )
        for monitor, states in zip(monitors, all_states, strict=True)
    ]  # fmt: skip
    return ToolResult(sentence, ("name", "states", "data_frequency", "points", *point_fields), rows)


def _events_result(tool_call: ToolCall) -> ToolResult:
    events = tool_call.body["events"]
    open_count = sum(event["end"] is None for event in events)
    alert_count = sum(event["is_alert"] for event in events)
    page = " on this page" if tool_call.body["next"] is not None else ""
    count = count_of(len(events), "event")
    sentence = f"{count}{page}: {open_count} open; {count_of(alert_count, 'alert')}."
    columns = (
        "id", "start", "end", "kind", "direction", "severity", "deviation", "is_alert", "closed_as",
        "reached_at",
    )  # fmt: skip
    rows = [[event[name] for name in columns] for event in events]
    return ToolResult(sentence, columns, rows, next_after=tool_call.body["next"])


def _default_result(tool_call: ToolCall) -> ToolResult:
    """Return the result of any other tool: its fields, and its list if it has one."""
    lists = [value for value in tool_call.body.values() if isinstance(value, list)]
    records = next((items for items in lists if items and isinstance(items[0], dict)), [])
    notes = [
        f"{name}: {_format_cell(value)}"
        for name, value in tool_call.body.items()
        if not isinstance(value, (list, dict))
    ]
    columns = [*records[0]] if records else []
    rows = [[record.get(name) for name in columns] for record in records]
    return ToolResult("Done.", columns, rows, notes)


def _short_time(timestamp: str) -> str:
    return short_timestamp(timestamp, has_days=True)


def _format_cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return round_number(value)
    return str(value)[:_MAX_CELL_LENGTH]


_RESULT_FUNCTIONS: dict[str, Callable[[ToolCall], ToolResult]] = {
    "forecast": _forecast_result,
    "backtest": _backtest_result,
    "detect_anomalies": _detection_result,
    "read_table": _reading_result,
    "list_monitors": _monitors_result,
    "monitor_events": _events_result,
}

"""Results of tools as text: one sentence, notes, and a short table in CSV."""

import csv
import io
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from app.anomalies.results import event_name
from app.api.dialects.mcp.tools import MAX_RESULT_ROWS, ROWS_AFTER, ResultOptions
from app.api.forecast.schemas import DEFAULT_CONFIDENCE
from app.api.responses.json import Json
from app.core.text import exact_timestamp, spread_digits, whole_digits
from app.forecasting.model_ids import DEFAULT_MODEL, MODEL_ROLES, SEASONAL_NAIVE
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.words import count_of
from app.watching.monitors.settings.states import State, states_of

TimestampFormat = Callable[[str], str]

_MAX_NOTES = 20
_MAX_DIGITS = 6  # significant
_MAX_PLAIN_NUMBER = 1e15  # larger ones have an exponent
_MAX_CELL_LENGTH, _MAX_NOTE_LENGTH = 200, 400


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
    times, brief = body["forecast_timestamps"], _timestamp_format(tool_call.sent["data_frequency"])
    name = _model_name(tool_call.model_id or DEFAULT_MODEL)
    confidence = tool_call.sent.get("confidence", DEFAULT_CONFIDENCE)
    sentence = (
        f"{name}: {count_of(len(times), 'forecast')}, {brief(times[0])} to "
        f"{brief(times[-1])}, with {100 * confidence:.3g} % intervals."
    )
    return ToolResult(sentence, [*body], [*zip(*body.values(), strict=True)])


def _backtest_result(tool_call: ToolCall) -> ToolResult:
    scores, windows = tool_call.body["models"], tool_call.body["windows"]
    errors = {score["model_id"]: score["mae"] for score in scores}
    best = tool_call.body["best_model"]
    error, naive_error = errors[best], errors[SEASONAL_NAIVE]
    verdict = " is better" if naive_error < error else " is as good" if naive_error == error else ""
    # Short windows count only if all are.
    count = sum(not window["short_history"] for window in windows) or len(windows)
    sentence = (
        f"Best of the models by mae: {_model_name(best)} {_rounded_number(error)}; seasonal naive "
        f"{_rounded_number(naive_error)}{verdict}; {count_of(count, 'window')}"
        f"{', too few to choose by' if count == 1 else ''}."
    )
    return ToolResult(sentence, [*scores[0]], [[*score.values()] for score in scores])


def _model_name(model_id: str) -> str:
    return MODEL_ROLES[model_id].name if model_id in MODEL_ROLES else "Seasonal naive"


def _detection_result(tool_call: ToolCall) -> ToolResult:
    body = tool_call.body
    timestamps, is_anomaly = body["timestamps"], body["is_anomaly"]
    values = tool_call.sent["series"][0]["values"][-len(timestamps) :]
    names = ("lower_bound", "expected", "upper_bound", "p_value", "severity")
    rows = zip(timestamps, values, *(body[name] for name in names), strict=True)
    brief = _timestamp_format(tool_call.sent["data_frequency"])
    numbers = [values[-1], *(body[name][-1] for name in names[:3])]
    digits = max(_MAX_DIGITS, spread_digits(min(numbers), max(numbers)))
    value, lower, expected, upper = (_rounded_number(number, digits) for number in numbers)
    last = (
        f"Last point {brief(timestamps[-1])}: {value}, expected {expected}, "
        f"band {lower} to {upper}: {'flagged' if is_anomaly[-1] else 'not flagged'}."
    )
    changes = [
        f"Change point {brief(change['timestamp'])}: level "
        f"{_rounded_number(change['before'])} to {_rounded_number(change['after'])}."
        for change in body["change_points"]
    ]
    events, flagged_rows = body["events"], [*itertools.compress(rows, is_anomaly)]
    sentence = (
        f"{count_of(len(flagged_rows), 'point')} flagged, {count_of(len(events), 'event')}, "
        f"{count_of(len(changes), 'change point')}."
    )
    notes = [last, *(_event_text(event, brief) for event in events), *changes]
    return ToolResult(sentence, ("timestamp", "value", *names), flagged_rows, notes)


def _event_text(event: Json, brief: TimestampFormat) -> str:
    name = event_name(event["kind"], event["direction"]).capitalize()
    start, end = event["start"], event["end"]
    until = "" if end == start else f" to {brief(end)}"
    return f"{name} {brief(start)}{until}, severity {event['severity']:.0f}."


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
    noun = frequency and UNITS[Frequency(frequency)].noun
    step = count_of(series["step"], noun) if frequency else "irregular"
    times, brief = series["timestamps"], _timestamp_format(frequency)
    missing = len(series["missing"])
    span = f"{brief(times[0])} to {brief(times[-1])}" if times else "empty"
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


def _timestamp_format(frequency: str | None) -> TimestampFormat:
    """Return how timestamps of a frequency are written; None: an irregular series."""
    has_days = frequency is not None and UNITS[Frequency(frequency)].has_days
    return partial(exact_timestamp, has_days=has_days)


def _format_cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return _rounded_number(value)
    return str(value)[:_MAX_CELL_LENGTH]


def _rounded_number(value: float, digits: int = _MAX_DIGITS) -> float | int:
    """Round to significant ``digits``; whole numbers keep all of theirs."""
    rounded = round(float(value), max(0, digits - whole_digits(value)))
    return int(rounded) if rounded.is_integer() and abs(rounded) < _MAX_PLAIN_NUMBER else rounded


_RESULT_FUNCTIONS: dict[str, Callable[[ToolCall], ToolResult]] = {
    "forecast": _forecast_result,
    "backtest": _backtest_result,
    "detect_anomalies": _detection_result,
    "read_table": _reading_result,
    "list_monitors": _monitors_result,
    "monitor_events": _events_result,
}

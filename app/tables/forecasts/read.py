"""Read a table whose series are to be forecast: which can be, and why others cannot."""

import re
from dataclasses import replace

import numpy as np

from app.forecasting.model_ids import MIN_POINTS
from app.tables.forecasts.types import (
    SUM_NAME,
    SeriesToForecast,
    TableStyle,
    TableToForecast,
)
from app.tables.read import read_file
from app.tables.results import (
    Answers,
    DecimalMark,
    Layout,
    NotATableError,
    Question,
    Reading,
    TableBounds,
    TableSeries,
    WrongAnswerError,
)
from app.timeseries.calendar.fit import Calendar, CalendarErrors, fit_calendar
from app.timeseries.calendar.timestamps import ParsedTimestamps, parse_timestamps

_UNNAMED = re.compile(r"Column \d{1,5}", re.ASCII)
_DELIMITERS = (",", ";", "\t")
# Questions about single series, which need an answer only if no series can be forecast without.
_OF_SERIES = ("fill", "data_frequency")


def read_to_forecast(
    content: bytes, answers: Answers, bounds: TableBounds, has_sum: bool
) -> TableToForecast | NotATableError | WrongAnswerError:
    """Read a file, or return the error; with ``has_sum`` the sum of all series is one more."""
    reading = read_file(content, answers, bounds)
    if not isinstance(reading, Reading):
        return reading
    calendars = _Calendars()
    forms = reading.chosen.get("number_forms", [])
    series = [
        _series_to_forecast(one, form["decimals"], calendars, reading)
        for one, form in zip(reading.series, forms, strict=False)
    ]
    if has_sum and series:
        series.append(_sum_of(series))
    questions = _open_questions(reading, can_forecast=any(not one.problem for one in series))
    return TableToForecast(series, _style_of(reading), questions, reading.remarks)


class _Calendars:
    """Times and calendars of series; those side by side in a table share their timestamps."""

    def __init__(self) -> None:
        self._parsed: dict[int, ParsedTimestamps] = {}
        self._fitted: dict[tuple[int, str], Calendar | str] = {}

    def times_of(self, one: TableSeries) -> ParsedTimestamps:
        key = id(one.timestamps)
        if key not in self._parsed:
            self._parsed[key] = parse_timestamps(one.timestamps)
        return self._parsed[key]

    def calendar_of(self, one: TableSeries) -> Calendar | str:
        """Return the calendar of a series, or why it has none."""
        assert one.data_frequency is not None
        key = id(one.timestamps), str(one.data_frequency)
        if key not in self._fitted:
            parsed = self.times_of(one)
            try:
                found = fit_calendar(parsed.times, one.data_frequency, parsed.suffix)
                self._fitted[key] = found
            except CalendarErrors as error:
                self._fitted[key] = error.defects[0].issue
        return self._fitted[key]


def _series_to_forecast(
    one: TableSeries, decimals: int, calendars: _Calendars, reading: Reading
) -> SeriesToForecast:
    parsed, values = calendars.times_of(one), np.array(one.values, dtype=np.float64)
    calendar, problem = None, _problem_of(one, reading)
    if one.data_frequency is not None and len(values) > 1 and _is_whole(one):
        found = calendars.calendar_of(one)
        calendar, problem = (found, problem) if isinstance(found, Calendar) else (None, found)
    return SeriesToForecast(
        one.name, parsed.times, values, parsed.suffix, decimals, calendar, problem
    )


def _is_whole(one: TableSeries) -> bool:
    """Return whether no entry is missing, or all have been filled."""
    return not one.missing or {*one.missing} <= {*one.timestamps}


def _problem_of(one: TableSeries, reading: Reading) -> str:
    """Return why a series cannot be forecast, and what to send instead; "" if it can be."""
    asked = {question.parameter for question in reading.questions}
    if len(one.values) == 1:
        return f"has one point: send {MIN_POINTS} or more"
    if one.data_frequency is None:
        ways = [f"{name}=…" for name in _OF_SERIES if name in asked]
        remedy = f"send {' or '.join(ways)}" if ways else "send dates that are one step apart"
        return f"no step fits all dates: {remedy}"
    if not _is_whole(one):
        if "fill" not in asked or reading.answers.fill:
            return f"too many dates are missing, the first is {one.missing[0]}: send them, or per=…"
        return (
            f"dates are missing, the first is {one.missing[0]}: send fill=linear, previous or zero"
        )
    if one.own_count < MIN_POINTS:
        filled = ", the others are filled in" if one.missing else ""
        return f"has {one.own_count} points{filled}: send {MIN_POINTS} or more"
    return ""


def _open_questions(reading: Reading, *, can_forecast: bool) -> list[Question]:
    """Return the questions that must be answered before there is any forecast."""
    answered = {name for name in _OF_SERIES if getattr(reading.answers, name) is not None}
    return [
        question
        for question in reading.questions
        if question.required
        or (
            not can_forecast
            and question.parameter in _OF_SERIES
            and question.parameter not in answered
        )
    ]


def _sum_of(series: list[SeriesToForecast]) -> SeriesToForecast:
    """Return the sum of all series, from the date on that all of them have."""
    shortest = min(series, key=lambda one: one.values.size)
    points, times = shortest.values.size, shortest.times
    decimals = max(one.decimals for one in series)
    total = replace(shortest, name=SUM_NAME, decimals=decimals, problem="")
    if problem := _problem_of_sum(series, shortest):
        nothing = replace(total, times=times[:0], values=shortest.values[:0], calendar=None)
        return replace(nothing, problem=f"no sum: {problem}")
    return replace(total, values=np.sum([one.values[-points:] for one in series], axis=0))


def _problem_of_sum(series: list[SeriesToForecast], shortest: SeriesToForecast) -> str:
    """Return why series cannot be added up; "" if they can."""
    times = shortest.times
    for one in series:
        if one.calendar is None:
            return f"{one.name} {one.problem}"
        if one.times[-1] != times[-1] or one.suffix != shortest.suffix:
            ends = f"{one.name} ends at {one.times[-1]}, {shortest.name} at {times[-1]}"
            return f"{ends}: send a table in which all series end together"
        if (one.times[-times.size :] != times).any():
            return f"{one.name} and {shortest.name} have different steps: send one of them"
    if times.size < MIN_POINTS:
        return f"{shortest.name} has {times.size} points: send {MIN_POINTS} or more"
    return ""


def _style_of(reading: Reading) -> TableStyle:
    chosen = reading.chosen
    dates = chosen.get("dates") or ""
    is_single = bool(dates) and ", " not in dates and not _UNNAMED.fullmatch(dates)
    forms = chosen.get("number_forms") or []
    decimal = DecimalMark(forms[0]["decimal"]) if forms else DecimalMark.POINT
    delimiter = chosen.get("delimiter")
    if delimiter not in _DELIMITERS:
        delimiter = ";" if decimal is DecimalMark.COMMA else ","
    columns = chosen.get("columns") or []
    is_named = len(columns) == 1 and not _UNNAMED.fullmatch(columns[0])
    is_long = "names" in chosen and chosen.get("layout") is not Layout.COLUMNS
    return TableStyle(
        date_header=dates if is_single else "date",
        names_header=(chosen["names"] or "series") if is_long else "",
        value_header=columns[0] if is_named else "value",
        delimiter=delimiter,
        decimal=decimal,
        date_form=chosen.get("date_form"),
    )

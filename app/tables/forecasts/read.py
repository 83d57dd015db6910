"""Read a table whose series are to be forecast: which can be, and why others cannot."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import compress
from typing import Any

import numpy as np

from app.forecasting.model_ids import MIN_POINTS
from app.tables.answers import Answers, DecimalMark, Layout, TableBounds
from app.tables.forecasts.computed_series import find_computed
from app.tables.forecasts.types import SUM_NAME, SeriesToForecast, TableStyle, TableToForecast
from app.tables.messages import list_first, quote
from app.tables.read_table import read_table
from app.tables.reading import Question, Reading, TableSeries
from app.timeseries.calendar.fit import Calendar, CalendarErrors, fit_calendar
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import ParsedTimestamps, parse_timestamps
from app.timeseries.types import BoolArray
from app.timeseries.words import count_of

_UNNAMED = re.compile(r"Column \d{1,5}", re.ASCII)
_MAX_NAMED_COMPUTED = 5
_DELIMITERS = (",", ";", "\t")
# A series has ended if it ends earlier than this fraction of the table's time before the end.
_MAX_ENDED_FRACTION = 0.1
# Questions about single series: they must be answered only if no series can be forecast otherwise.
_QUESTIONS_OF_SERIES = ("fill", "per", "data_frequency")


def read_to_forecast(
    content: bytes, answers: Answers, bounds: TableBounds, includes_sum: bool
) -> TableToForecast:
    """Read a file; with ``includes_sum`` the sum of all series is one more.

    Raise RejectedTableError if the table cannot be read.
    """
    reading = read_table(content, answers, bounds)
    calendars = _Calendars()
    forms = reading.notation.number_forms
    # While a question is open there are forms, but no series.
    all_series = [
        _series_to_forecast(table_series, form, calendars, reading)
        for table_series, form in zip(reading.series, forms, strict=False)
    ]
    is_computed = _are_computed(all_series)
    computed = [*compress(all_series, is_computed)]
    if includes_sum and all_series:
        all_series.append(_sum_of([*compress(all_series, ~is_computed)]))
    if computed:
        names = [series.name for series in computed]
        names_text = list_first(names, _MAX_NAMED_COMPUTED, quote)
        separately = "Forecast by itself: not exactly their sum."
        consequence = f"“{SUM_NAME}” excludes them." if includes_sum else separately
        reading.add_remark("computed_series", f"Computed from others: {names_text}. {consequence}")
    questions = _open_questions(reading, can_forecast=_can_forecast(all_series))
    return TableToForecast(all_series, _style_of(reading), questions, reading.remarks)


def _can_forecast(all_series: Sequence[SeriesToForecast]) -> bool:
    """Return whether any series that reaches nearly to the end of the table can be forecast."""
    ready = [series.times[-1] for series in all_series if not series.problem]
    dated = [series.times for series in all_series if series.times.size]
    if not ready:
        return False
    first, last = min(times[0] for times in dated), max(times[-1] for times in dated)
    before_end, span = ((last - time).astype(np.int64) for time in (max(ready), first))
    return bool(before_end <= _MAX_ENDED_FRACTION * span)


class _Calendars:
    """Times and calendars of series; series side by side in a table share their timestamps.

    The keys are the ids of these lists, which ``reading`` keeps alive.
    """

    def __init__(self) -> None:
        self._parsed: dict[int, ParsedTimestamps] = {}
        self._fitted: dict[tuple[int, str], Calendar | str] = {}

    def parse_times(self, series: TableSeries) -> ParsedTimestamps:
        key = id(series.timestamps)
        if key not in self._parsed:
            self._parsed[key] = parse_timestamps(series.timestamps)
        return self._parsed[key]

    def fit(self, series: TableSeries, frequency: Frequency) -> Calendar | str:
        """Return the calendar of a series, or why it has none."""
        key = id(series.timestamps), str(frequency)
        if key not in self._fitted:
            parsed = self.parse_times(series)
            try:
                self._fitted[key] = fit_calendar(parsed.times, frequency, parsed.suffix)
            except CalendarErrors as error:
                self._fitted[key] = error.defects[0].issue
        return self._fitted[key]


def _series_to_forecast(
    series: TableSeries, form: dict[str, Any], calendars: _Calendars, reading: Reading
) -> SeriesToForecast:
    parsed = calendars.parse_times(series)
    values = np.array(series.values, dtype=np.float64)
    calendar = None
    problem = _problem_of(series, reading)
    if series.data_frequency and len(values) > 1 and _is_whole(series):
        fitted = calendars.fit(series, series.data_frequency)
        calendar, problem = (fitted, problem) if isinstance(fitted, Calendar) else (None, fitted)
    return SeriesToForecast(
        name=series.name,
        times=parsed.times,
        values=values,
        suffix=parsed.suffix,
        decimals=form["decimals"],
        calendar=calendar,
        problem=problem,
        texts=[*([] if _has_parts(reading) else [series.name]), *series.descriptions],
        number_format=form["number_format"],
    )


def _problem_of(series: TableSeries, reading: Reading) -> str:
    """Return why a series cannot be forecast, and what to send instead; "" if it can be."""
    asked = {question.parameter for question in reading.questions}
    if len(series.values) == 1:
        return f"has one point: send {MIN_POINTS} or more"
    if series.data_frequency is None:
        answers = [f"{name}=…" for name in _helpful_parameters(reading)]
        remedy = f"send {' or '.join(answers)}" if answers else "send dates that are one step apart"
        return f"no step fits all dates: {remedy}"
    if not _is_whole(series):
        missing = f"dates are missing, the first is {series.missing[0]}"
        if "fill" not in asked or reading.answers.fill:
            return f"too many {missing}: send them, or per=…"
        return f"{missing}: send fill=linear, previous or zero"
    if series.original_count < MIN_POINTS:
        filled = ", the others are filled in" if series.missing else ""
        return f"has {count_of(series.original_count, 'point')}{filled}: send {MIN_POINTS} or more"
    return ""


def _is_whole(series: TableSeries) -> bool:
    return not series.missing or {*series.missing} <= {*series.timestamps}


def _open_questions(reading: Reading, *, can_forecast: bool) -> list[Question]:
    """Return the questions that must be answered before there is any forecast."""
    helpful = [] if can_forecast else _helpful_parameters(reading)
    return [
        question
        for question in reading.questions
        if question.required
        or (question.parameter in helpful and getattr(reading.answers, question.parameter) is None)
    ]


def _are_computed(all_series: Sequence[SeriesToForecast]) -> BoolArray:
    """Return which series are computed from others, by the dates that all of them have."""
    if not all_series:
        return np.zeros(0, dtype=bool)
    times = reduce(np.intersect1d, (series.times for series in all_series))
    values = [series.values[np.isin(series.times, times)] for series in all_series]
    return find_computed([series.name for series in all_series], np.array(values))


def _helpful_parameters(reading: Reading) -> list[str]:
    """Return the parameters of questions about single series.

    Rows of invoices, which are combined, have no frequency. Rows of one date may be of several
    series, as their names show: then the layout is an answer, too.
    """
    asked = {question.parameter for question in reading.questions}
    left_out = "data_frequency" if "per" in asked else ""
    helpful = [name for name in _QUESTIONS_OF_SERIES if name in asked and name != left_out]
    return [*helpful, "layout"] if "duplicates" in asked else helpful


def _sum_of(all_series: list[SeriesToForecast]) -> SeriesToForecast:
    """Return the sum of all series, from the first date that all of them have."""
    shortest = min(all_series, key=lambda series: series.values.size)
    points, times = shortest.values.size, shortest.times
    decimals = max(series.decimals for series in all_series)
    formats = {series.number_format for series in all_series}
    total = replace(
        shortest,
        name=SUM_NAME,
        decimals=decimals,
        problem="",
        texts=[SUM_NAME, *[""] * (len(shortest.texts) - 1)],
        number_format=formats.pop() if len(formats) == 1 else "",
    )
    if problem := _problem_of_sum(all_series, shortest):
        nothing = replace(total, times=times[:0], values=shortest.values[:0], calendar=None)
        return replace(nothing, problem=f"no sum: {problem}")
    return replace(total, values=np.sum([series.values[-points:] for series in all_series], axis=0))


def _problem_of_sum(all_series: list[SeriesToForecast], shortest: SeriesToForecast) -> str:
    """Return why series cannot be added up; "" if they can."""
    times = shortest.times
    for series in all_series:
        if series.calendar is None:
            return f"{series.name} {series.problem}"
        if series.times[-1] != times[-1] or series.suffix != shortest.suffix:
            ends = f"{series.name} ends at {series.times[-1]}, {shortest.name} at {times[-1]}"
            return f"{ends}: send a table in which all series end together"
        if (series.times[-times.size :] != times).any():
            return f"{series.name} and {shortest.name} have different steps: send one of them"
    if times.size < MIN_POINTS:
        return f"{shortest.name} has {count_of(times.size, 'point')}: send {MIN_POINTS} or more"
    return ""


def _style_of(reading: Reading) -> TableStyle:
    chosen, notation = reading.chosen, reading.notation
    dates = chosen.dates or ""
    is_single = bool(dates) and ", " not in dates and not _UNNAMED.fullmatch(dates)
    forms, columns, delimiter = notation.number_forms, chosen.columns, notation.delimiter
    decimal = DecimalMark(forms[0]["decimal"]) if forms else DecimalMark.POINT
    if delimiter is None or delimiter not in _DELIMITERS:
        delimiter = ";" if decimal is DecimalMark.COMMA else ","
    is_named = len(columns) == 1 and not _UNNAMED.fullmatch(columns[0])
    is_long = notation.has_names and chosen.layout is not Layout.COLUMNS
    names = [] if _has_parts(reading) else [notation.names or "series"]
    return TableStyle(
        date_header=dates if is_single else "date",
        text_headers=(*names, *reading.descriptions.headers) if is_long else (),
        value_header=columns[0] if is_named else "value",
        delimiter=delimiter,
        decimal=decimal,
        date_form=notation.date_form,
        date_format=notation.date_format,
        timezone=chosen.timezone,
    )


def _has_parts(reading: Reading) -> bool:
    """Return whether names stay in their columns; with several columns of values they do not."""
    return reading.descriptions.has_parts and len(reading.chosen.columns) == 1

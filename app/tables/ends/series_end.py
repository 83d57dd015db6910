"""Ask about ends of series that may not be data: new zeros, dates after today, half a month."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.dated_values import UngriddedSeries
from app.tables.errors import WrongAnswerError
from app.tables.reading import Choice, Reading, Suggestion
from app.timeseries.calendar.axes import MonthAxis, SecondAxis
from app.timeseries.calendar.fit import find_spacing
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.calendar.weekdays import weekdays_of
from app.timeseries.seconds import DAY_SECONDS, WEEK_SECONDS
from app.timeseries.words import count_of

# Zeros at the end are asked about only if at least this many other values come before them.
_MIN_VALUES_BEFORE_ZEROS = 6
_QUESTIONS_OF_DATES = ("dates", "date_order", "start", "year")
_DAY = np.timedelta64(1, "D")
_MONTH_SECONDS = 28 * DAY_SECONDS
_SAMPLE_DATES = 60  # the last dates, which show the step
_MONTH_ENDS = 31  # the day of a ``MonthAxis``
_WORDS = {1: "month", 3: "quarter", 6: "half-year", 12: "year"}
_SPLIT_YEAR_BEGIN = 3  # months after January: 2023/24 begins in April
# What the header, or a word before each date, says about the day of a week.
_IS_FIRST_DAY = re.compile(
    r"\b(?:from|of|start|begin|commenc|w/?c\b|ab\b|von\b|anfang|début|desde|inicio|inizio)",
    re.IGNORECASE,
)
_IS_LAST_DAY = re.compile(r"\b(?:end|w/?e\b|to\b|until|bis\b|fin\b|hasta)", re.IGNORECASE)


class _Period(NamedTuple):
    """A day, a week or several months.

    Attributes:
        first_day: Its first day.
        last_day: Its last day.
        day: The day in the table.
        months: Its number of months, 0 for a day or a week.
    """

    first_day: np.datetime64
    last_day: np.datetime64
    day: np.datetime64
    months: int = 0

    @property
    def is_day(self) -> bool:
        return bool(self.first_day == self.last_day)

    @property
    def name(self) -> str:
        """``month, November 2026``, ``week, to 2026-11-29``, ``day, 2026-11-27``."""
        if self.is_day:
            return f"day, {self.day}"
        if not self.months:
            return f"week, {'from' if self.day == self.first_day else 'to'} {self.day}"
        first, last = (f"{pd.Timestamp(day):%B %Y}" for day in (self.first_day, self.last_day))
        span = first if self.months == 1 else f"{first} to {last}"
        return f"{_WORDS.get(self.months, 'period')}, {span}"


def trim_end(series: list[UngriddedSeries], reading: Reading) -> list[UngriddedSeries]:
    """Return series until the answered day; ask about it if their last values may not be data."""
    until = reading.answers.until
    reading.chosen.until = until
    if until is None:
        _ask_end(series, reading)
        return series
    end = np.datetime64(until, "s") + _DAY
    cut = [_cut_after(raw, end) for raw in series]
    kept = [
        raw
        for raw in cut
        if raw.values.notna().any() or (raw.values.size and raw.substitutes is not None)
    ]
    if not any(raw.values.notna().any() for raw in kept):
        raise WrongAnswerError("until", f"no value is as early as {until}; send a later day")
    times = _times_of(kept)
    if left_out := int((_times_of(series) > times[-1]).sum()):
        reading.add_remark("until", f"Left out: {count_of(left_out, 'date')} after {until}.")
        if period := _find_last_period(times, reading):
            _report_unfinished(period, times, reading)
    return kept


def _cut_after(raw: UngriddedSeries, end: np.datetime64) -> UngriddedSeries:
    values, substitutes = raw.values, raw.substitutes
    return raw._replace(
        values=values[values.index < end],
        substitutes=None if substitutes is None else substitutes[substitutes.index < end],
    )


def _ask_end(series: Sequence[UngriddedSeries], reading: Reading) -> None:
    filled = [values for values in (raw.values.dropna() for raw in series) if values.size]
    if not filled:
        return
    times = _times_of(series)
    last = times[-1]
    zeros = [_zeros_at_end(values) for values in filled]
    if all(zeros) and len({values.index[-1] for values in filled}) == 1:
        count = min(zeros)
        last_real = times[-1 - count] if times.size > count else last
        offer_until(*leave_out_question("value", count, "0"), last_real, last, reading)
        return
    for raw, count in zip((raw for raw in series if raw.values.notna().any()), zeros, strict=True):
        if count:
            text = f"“{raw.name}” ends with {count_of(count, 'zero')}, and had none before."
            reading.add_remark("zeros_at_end", text)
            break
    if _are_dates_known(reading):
        _ask_about_today(times, np.datetime64(reading.bounds.today, "D"), reading)


def _times_of(series: Sequence[UngriddedSeries]) -> TimeArray:
    filled = [raw.values.dropna().index.to_numpy() for raw in series]
    return np.unique(np.concatenate(filled))


def _ask_about_today(times: TimeArray, today: np.datetime64, reading: Reading) -> None:
    """Ask about dates after today; offer to leave out the last one if its period is not over."""
    period = _find_last_period(times, reading)
    count = int(_is_ahead(times, period, today).sum())
    if 0 < count < times.size:
        question = leave_out_question("date", count, "after today")
        offer_until(*question, times[-1 - count], times[-1], reading)
        return
    if count or period is None or reading.asks("until"):
        return
    unfinished = _report_unfinished(period, times, reading)
    if unfinished and not period.is_day:  # many files of days are written when the day is over
        offer_until(unfinished, "leave it out", times[-2], times[-1], reading, required=False)
        reading.chosen.until = times[-1].astype("datetime64[D]").item()


def _report_unfinished(period: _Period, times: TimeArray, reading: Reading) -> str:
    """Report a last period that is not over, and return the words for it; empty if it is over."""
    if period.last_day < np.datetime64(reading.bounds.today, "D"):
        return ""
    state = "is that of today" if period.is_day else "is not over"
    unfinished = f"The last {period.name}, {state}"
    last_whole = str(np.datetime_as_string(times[-2], "D"))
    text = f"{unfinished}, and counts like the others."
    suggestion = suggest_until(last_whole, "To leave it out")
    reading.add_remark("unfinished_period", text, suggestion=suggestion)
    return unfinished


def suggest_until(last: str, purpose: str) -> Suggestion:
    """Return the suggestion to read no values after the day ``last``, a date in ISO form."""
    return Suggestion("until", last, f"{purpose}, send until={last}.")


def leave_out_question(noun: str, count: int, state: str) -> tuple[str, str]:
    """Return ``The last value is 0`` and ``leave it out``, or the same about several values."""
    if count == 1:
        return f"The last {noun} is {state}", "leave it out"
    return f"The last {count} {noun}s are {state}", "leave them out"


def offer_until(
    fact: str,
    proposal: str,
    last_real: np.datetime64,
    last: np.datetime64,
    reading: Reading,
    *,
    required: bool = True,
) -> None:
    """Ask whether to leave out what is after ``last_real``; ``last`` is the last time of all."""
    last_if_cut, last_if_kept = (np.datetime_as_string(time, "D") for time in (last_real, last))
    if last_if_cut == last_if_kept or not _are_dates_known(reading):
        return
    choices = [
        Choice(str(last_if_cut), "left out", f"{last_if_cut} is the last"),
        Choice(str(last_if_kept), "kept as they are", f"{last_if_kept} is the last"),
    ]
    is_required = required and reading.answers.until is None
    reading.ask("until", fact, choices, proposal=proposal, required=is_required)


def _are_dates_known(reading: Reading) -> bool:
    return not any(
        question.required and question.parameter in _QUESTIONS_OF_DATES
        for question in reading.questions
    )


def _zeros_at_end(values: pd.Series) -> int:
    """Return the number of zeros at the end of a series that had none before."""
    nonzero = np.flatnonzero(values.to_numpy() != 0)
    count = len(values) - 1 - int(nonzero[-1]) if nonzero.size else 0
    is_new = nonzero.size == len(values) - count and nonzero.size >= _MIN_VALUES_BEFORE_ZEROS
    return count if is_new else 0


def _is_ahead(times: TimeArray, period: _Period | None, today: np.datetime64) -> np.ndarray:
    """Return which times are after the period of today; ``period`` is the period of the last time.

    A month is named by any of its days. Some places are a day ahead of UTC.
    """
    steps = np.diff(times).astype("timedelta64[s]").astype(np.int64)
    step = int(np.median(steps)) if steps.size else 0
    if step >= _MONTH_SECONDS:
        months = times.astype("datetime64[M]")
        first_month = period.first_day.astype("datetime64[M]") if period else months[-1]
        return np.asarray(months + (first_month - months[-1]) > today.astype("datetime64[M]"))
    lag = max(_DAY, np.timedelta64(step, "s")) - _DAY
    if period:
        lag = times[-1].astype("datetime64[D]") - period.first_day
    return np.asarray(times >= (today + 2 * _DAY).astype("datetime64[s]") + lag)


def _find_last_period(times: TimeArray, reading: Reading) -> _Period | None:
    """Return the period that begins or ends on the last of ``times``, shape (n,).

    None if this is unclear, or if it is shorter than a day.
    """
    spacing = find_spacing(times[-_SAMPLE_DATES:])
    if spacing is None or not spacing.is_mostly_regular:
        return None
    last, axis = times[-1].astype("datetime64[D]"), spacing.axis
    style = reading.notation.date_form
    pattern = style.pattern if style else ""
    if isinstance(axis, SecondAxis) and spacing.stride == WEEK_SECONDS:
        return _week_of(last, f"{reading.chosen.dates} {pattern}")
    if spacing.frequency is Frequency.DAILY and spacing.step == 1 and times[-1] == last:
        return _Period(last, last, last)
    if not isinstance(axis, MonthAxis) or axis.day not in (1, _MONTH_ENDS):
        return None
    months, month = spacing.stride, last.astype("datetime64[M]")
    is_first = axis.day == 1 and (
        month.astype(int) % months == 0
        or style is None
        or style.unit in ("quarter", "half", "year")
        or style.months is not None
        or style.months_later is not None
    )
    first_month = month if is_first else month - (months - 1)
    if style and "{next" in pattern and style.months_later is None:
        first_month += _SPLIT_YEAR_BEGIN
    last_day = (first_month + months).astype("datetime64[D]") - _DAY
    return _Period(first_month.astype("datetime64[D]"), last_day, last, months)


def _week_of(day: np.datetime64, text: str) -> _Period:
    is_monday = weekdays_of(day) == 0
    is_first = _IS_FIRST_DAY.search(text) or (is_monday and not _IS_LAST_DAY.search(text))
    first_day = day if is_first else day - 6 * _DAY
    return _Period(first_day, first_day + 6 * _DAY, day)

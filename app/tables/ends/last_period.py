"""Find the week, month, quarter or year that the last date of a table names."""

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.reading import Reading
from app.timeseries.calendar.axes import MonthAxis, SecondAxis
from app.timeseries.calendar.fit import find_spacing
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.calendar.weekdays import weekdays_of
from app.timeseries.seconds import WEEK_SECONDS

_SAMPLE_DATES = 60  # the last dates, which show the step
_DAY = np.timedelta64(1, "D")
_MONTH_ENDS = 31  # the day of a ``MonthAxis``
_WORDS = {1: "month", 3: "quarter", 6: "half-year", 12: "year"}
_SPLIT_YEAR_BEGIN = 3  # months after January: 2023/24 begins in April
# What the header, or a word before each date, says about the day of a week.
_IS_FIRST_DAY = re.compile(
    r"\b(?:from|of|start|begin|commenc|w/?c\b|ab\b|von\b|anfang|début|desde|inicio|inizio)",
    re.IGNORECASE,
)
_IS_LAST_DAY = re.compile(r"\b(?:end|w/?e\b|to\b|until|bis\b|fin\b|hasta)", re.IGNORECASE)


class Period(NamedTuple):
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


def find_last_period(times: TimeArray, reading: Reading) -> Period | None:
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
        return Period(last, last, last)
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
    return Period(first_month.astype("datetime64[D]"), last_day, last, months)


def _week_of(day: np.datetime64, text: str) -> Period:
    is_monday = weekdays_of(day) == 0
    is_first = _IS_FIRST_DAY.search(text) or (is_monday and not _IS_LAST_DAY.search(text))
    first_day = day if is_first else day - 6 * _DAY
    return Period(first_day, first_day + 6 * _DAY, day)

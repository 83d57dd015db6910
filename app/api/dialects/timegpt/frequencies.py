"""The frequencies of pandas and polars as those of our calendar.

The SDK makes the timestamps itself. Here a frequency decides the recipe, the seasonal periods, and
the times of the points after the start of a series.
"""

import re
from dataclasses import dataclass

from app.timeseries.calendar.axes import MonthAxis, SecondAxis
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.periods import (
    periods_of_business_days,
    periods_of_months,
    periods_of_seconds,
)
from app.timeseries.seconds import DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, WEEK_SECONDS

# The months or seconds of a name. Those of polars are in lower case; the SDK sends "mo" as "MS".
_MONTHS = {
    **dict.fromkeys(("M", "ME", "MS", "BM", "BME", "BMS", "CBM", "CBME", "CBMS", "mo"), 1),
    **dict.fromkeys(("Q", "QE", "QS", "BQ", "BQE", "BQS", "q"), 3),
    **dict.fromkeys(("A", "AS", "Y", "YE", "YS", "BA", "BAS", "BY", "BYE", "BYS", "y"), 12),
}
_SECONDS = {
    **dict.fromkeys(("W", "w"), WEEK_SECONDS),
    **dict.fromkeys(("D", "d"), DAY_SECONDS),
    **dict.fromkeys(("H", "h"), HOUR_SECONDS),
    **dict.fromkeys(("T", "min", "m"), MINUTE_SECONDS),
    **dict.fromkeys(("S", "s"), 1),
}
_BUSINESS_DAYS = ("B", "C")
_HALF_MONTHS = ("SM", "SMS", "SME")
_HALF_MONTHS_A_YEAR = 24
# Names without seasonal periods: the number of business hours in a day is not sent, and our
# calendar has no fractions of a second.
_WITHOUT_PERIODS = {
    **dict.fromkeys(("BH", "CBH", "bh", "cbh"), Frequency.HOURS),
    **dict.fromkeys(("L", "ms", "U", "us", "N", "ns"), Frequency.SECONDS),
}
_NAMES = (*_MONTHS, *_SECONDS, *_BUSINESS_DAYS, *_HALF_MONTHS, *_WITHOUT_PERIODS)
# A multiple, a name, and the anchor of the period (``W-SUN``), which has no effect here.
FREQUENCY_PATTERN = f"^([1-9][0-9]{{0,3}})?({'|'.join(_NAMES)})(-[A-Za-z0-9-]+)?$"


@dataclass(frozen=True)
class ParsedFrequency:
    """The frequency that chooses the recipe, and the seasonal periods in steps, shortest first.

    ``step_seconds`` is None where steps have no constant length.
    """

    frequency: Frequency
    periods: tuple[int, ...]
    step_seconds: int | None = None


def parse_frequency(sent: str) -> ParsedFrequency | None:
    """Parse a frequency such as ``5min``, ``W-SUN`` or ``QS-OCT``; return None if it is unknown."""
    match = re.fullmatch(FREQUENCY_PATTERN, sent)
    if match is None:
        return None
    count = int(match[1] or 1)
    name = match[2]
    if name in _MONTHS:
        months = count * _MONTHS[name]
        return ParsedFrequency(MonthAxis(1, 0).frequency_of(months), periods_of_months(months))
    if name in _SECONDS:
        seconds = count * _SECONDS[name]
        frequency = SecondAxis().frequency_of(seconds)
        return ParsedFrequency(frequency, periods_of_seconds(seconds), seconds)
    if name in _BUSINESS_DAYS:
        return ParsedFrequency(Frequency.DAILY, periods_of_business_days(count))
    if name in _HALF_MONTHS:
        return ParsedFrequency(Frequency.WEEKLY, (_HALF_MONTHS_A_YEAR,) if count == 1 else ())
    return ParsedFrequency(_WITHOUT_PERIODS[name], ())

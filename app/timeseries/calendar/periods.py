"""The seasonal periods of a series, by its step.

There is one table for each kind of step. A cycle counts if it is a whole number of steps, at least
two; the two shortest are the periods of the series. Only the length of the step matters: 60 seconds
and 1 minute, or 2 weeks and 14 days, have the same periods.
"""

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.seconds import (
    DAY_SECONDS,
    HOUR_SECONDS,
    MINUTE_SECONDS,
    MONTHS_PER_YEAR,
    WEEK_SECONDS,
)

_YEAR_OF_DAYS = 365 * DAY_SECONDS
_YEAR_OF_WEEKS = 52 * WEEK_SECONDS
_BUSINESS_WEEK_DAYS = 5
_BUSINESS_YEAR_DAYS = 52 * _BUSINESS_WEEK_DAYS

# The shortest step in seconds, and the cycles to look for, in seconds, shortest first.
_CYCLES: tuple[tuple[int, tuple[int, ...]], ...] = (
    (WEEK_SECONDS, (_YEAR_OF_WEEKS,)),
    (DAY_SECONDS, (WEEK_SECONDS, _YEAR_OF_DAYS)),
    (MINUTE_SECONDS, (DAY_SECONDS, WEEK_SECONDS)),
    # Two steps per minute cannot show a cycle within the minute.
    (30, (HOUR_SECONDS, DAY_SECONDS)),
    (1, (MINUTE_SECONDS, HOUR_SECONDS, DAY_SECONDS)),
)
# The exact lengths, in steps, of the years among these periods: 365.25 days each.
_EXACT_YEARS: dict[tuple[Frequency | None, int], float] = {
    (Frequency.WEEKLY, _YEAR_OF_WEEKS // WEEK_SECONDS): 365.25 / 7,
    (Frequency.DAILY, _YEAR_OF_DAYS // DAY_SECONDS): 365.25,
    (Frequency.DAILY, _BUSINESS_YEAR_DAYS): 365.25 * 5 / 7,
}


def periods_of_seconds(stride: int) -> tuple[int, ...]:
    """Return the periods, in steps, of a series with a step of ``stride`` seconds."""
    cycles = next(cycles for shortest, cycles in _CYCLES if stride >= shortest)
    return _whole_periods(cycles, stride)


def periods_of_business_days(stride: int) -> tuple[int, ...]:
    """Return the periods, in steps, of a series with a step of ``stride`` business days."""
    return _whole_periods((_BUSINESS_WEEK_DAYS, _BUSINESS_YEAR_DAYS), stride)


def periods_of_months(stride: int) -> tuple[int, ...]:
    """Return the periods, in steps, of a series with a step of ``stride`` months."""
    return _whole_periods((MONTHS_PER_YEAR,), stride)


def exact_year(frequency: Frequency | None, period: int) -> float:
    """Return the exact length in steps of a period that is a calendar year, 0.0 if it is not."""
    return _EXACT_YEARS.get((frequency, period), 0.0)


def _whole_periods(cycles: tuple[int, ...], stride: int) -> tuple[int, ...]:
    periods = (cycle // stride for cycle in cycles if cycle % stride == 0 and cycle >= 2 * stride)
    return tuple(periods)[:2]

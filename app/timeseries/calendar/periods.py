"""The seasonal periods of a series, by its step.

There is one table for each kind of step. A cycle counts if it is a whole number of steps, at least
two; the two shortest are the periods of the series. Only the length of the step matters: 60 seconds
and 1 minute, or 2 weeks and 14 days, have the same periods.
"""

from functools import partial

_MINUTE, _HOUR, _DAY, _WEEK = 60, 3_600, 86_400, 604_800
_YEAR_OF_DAYS = 365 * _DAY
_YEAR_OF_WEEKS = 52 * _WEEK

# The shortest step in seconds, and the cycles to look for, in seconds, shortest first.
_CYCLES: tuple[tuple[int, tuple[int, ...]], ...] = (
    (_WEEK, (_YEAR_OF_WEEKS,)),
    (_DAY, (_WEEK, _YEAR_OF_DAYS)),
    (_MINUTE, (_DAY, _WEEK)),
    # Two steps per minute cannot show a cycle within the minute.
    (30, (_HOUR, _DAY)),
    (1, (_MINUTE, _HOUR, _DAY)),
)


def _whole_periods(cycles: tuple[int, ...], step: int) -> tuple[int, ...]:
    periods = (cycle // step for cycle in cycles if cycle % step == 0 and cycle >= 2 * step)
    return tuple(periods)[:2]


def periods_of_seconds(step: int) -> tuple[int, ...]:
    """Return the periods, in steps, of a series with a step of ``step`` seconds."""
    cycles = next(cycles for shortest, cycles in _CYCLES if step >= shortest)
    return _whole_periods(cycles, step)


periods_of_business_days = partial(_whole_periods, (5, 260))
"""Return the periods, in steps, of a series by its step in business days."""

periods_of_months = partial(_whole_periods, (12,))
"""Return the periods, in steps, of a series by its step in months."""

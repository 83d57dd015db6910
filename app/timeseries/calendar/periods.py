"""The seasonal periods of a series, from its step.

One table for each kind of step. A period counts where it is a whole number of steps, at least two,
and the two shortest that do are the series' periods. Only the length of a step
decides: 60 seconds and 1 minute, or 2 weeks and 14 days, have the same seasons.
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
    # Two steps a minute say nothing of what happens within a minute.
    (30, (_HOUR, _DAY)),
    (1, (_MINUTE, _HOUR, _DAY)),
)


def _whole_periods(cycles: tuple[int, ...], step: int) -> tuple[int, ...]:
    periods = (cycle // step for cycle in cycles if cycle % step == 0 and cycle >= 2 * step)
    return tuple(periods)[:2]


def periods_of_seconds(step: int) -> tuple[int, ...]:
    """The periods, in steps, of a series that steps over ``step`` seconds (weeks included)."""
    cycles = next(cycles for shortest, cycles in _CYCLES if step >= shortest)
    return _whole_periods(cycles, step)


periods_of_business_days = partial(_whole_periods, (5, 260))
"""The periods, in steps, of a series by its step in days from Monday to Friday."""

periods_of_months = partial(_whole_periods, (12,))
"""The periods, in steps, of a series by its step in months (years: none)."""

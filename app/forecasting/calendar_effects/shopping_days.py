"""Days that shops know in any country, such as Black Friday, where a history proves an effect."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from app.forecasting.calendar_effects.calendar_effects import CalendarEffects
from app.forecasting.calendar_effects.days import estimate_day_effects, significant_groups
from app.forecasting.calendar_effects.events import NO_HOLIDAYS, DayKind, EventDays, Holidays
from app.forecasting.effects import finite_effects
from app.timeseries.calendar.weekdays import MONDAY, SUNDAY, weekday_numbers
from app.timeseries.history import History
from app.timeseries.seconds import DAY_SECONDS, DAYS_PER_WEEK
from app.timeseries.types import FloatArray, IntArray

_MIN_POINTS = 360  # the same days of two years are further apart


@dataclass(frozen=True)
class ShoppingDays:
    """One or more days in a row that recur every year.

    Attributes:
        name: As notices write it.
        month: Of the last of these days, from 1.
        date: The last of these days, or the first date that it can have.
        weekday: The last of these days is the first such weekday from ``date`` on; None for any.
        count: How many days it is.
    """

    name: str
    month: int
    date: int
    weekday: int | None
    count: int

    def last_days(self, years: IntArray) -> IntArray:
        """Return the last of the days of each year, in days since 1970-01-01."""
        months = ((years - 1970) * 12 + self.month - 1).astype("datetime64[M]")
        days = months.astype("datetime64[D]").astype(np.int64) + self.date - 1
        if self.weekday is None:
            return days
        return np.asarray(days + (self.weekday - weekday_numbers(days)) % DAYS_PER_WEEK)


# Cyber Monday comes four days after Thanksgiving, the fourth Thursday of November.
SHOPPING_DAYS = (
    ShoppingDays("Thanksgiving to Cyber Monday", 11, 26, MONDAY, count=5),
    ShoppingDays("Singles' Day", 11, 11, None, count=2),
    ShoppingDays("Halloween", 10, 31, None, count=3),
    ShoppingDays("Valentine's Day", 2, 14, None, count=3),
    ShoppingDays("Mother's Day", 5, 8, SUNDAY, count=4),
)


def shopping_effects(
    history: History, horizon: int, holidays: Holidays | None
) -> CalendarEffects | None:
    """Return the effects of shopping days on a history and on the ``horizon`` steps after it.

    None if the history is not one of days with a grid, if it does not prove any, which needs two
    years, or if holidays are switched off.
    """
    grid = history.grid
    if grid is None or grid.step_seconds != DAY_SECONDS or holidays == NO_HOLIDAYS:
        return None
    if len(history.values) < _MIN_POINTS:
        return None
    times = grid.times(len(history.values) + horizon)
    days = times.astype("datetime64[D]").astype(np.int64)
    return finite_effects(partial(_find_shopping_effects, history.values, days), "shopping days")


def shopping_notices(names: Sequence[str]) -> tuple[str, ...]:
    """Return the notice about these shopping days, if there are any."""
    return (f"adjusted for shopping days: {', '.join(names)}",) if names else ()


def find_shopping_events(
    days: IntArray, shopping_days: Sequence[ShoppingDays]
) -> tuple[EventDays, IntArray]:
    """Return the events among ``days``, and the index in ``shopping_days`` of each, shape (e,).

    An occasion is a year's.

    Args:
        days: Consecutive days since 1970-01-01, shape (n,).
        shopping_days: Which to find.
    """
    first, last = (days[[0, -1]].astype("datetime64[D]").astype("datetime64[Y]")).astype(int) + 1970
    years = np.arange(first, last + 1)
    recurring = sorted(
        (int(day), number, offset, int(year))
        for number, shopping in enumerate(shopping_days)
        for year, end in zip(years, shopping.last_days(years), strict=True)
        for offset, day in enumerate(range(end - shopping.count + 1, end + 1))
        if days[0] <= day <= days[-1]
    )
    table = np.array(recurring, dtype=np.int64).reshape(-1, 4)
    index, number, offset, year = table.T
    events = EventDays(
        index - days[0],
        np.full(len(table), int(DayKind.SPECIAL)),
        _row_numbers(number, offset),
        _row_numbers(number, year),
    )
    return events, number


def _find_shopping_effects(values: FloatArray, days: IntArray) -> CalendarEffects | None:
    proved = list(significant_groups(values, days, *find_shopping_events(days, SHOPPING_DAYS)))
    if not proved:
        return None
    chosen = [SHOPPING_DAYS[number] for number in proved]
    effects = estimate_day_effects(values, days, find_shopping_events(days, chosen)[0])
    if effects is None:
        return None
    return replace(effects, shopping_days=tuple(shopping.name for shopping in chosen))


def _row_numbers(*columns: IntArray) -> IntArray:
    """Return one number for each different row of columns, from 0."""
    rows = np.stack(columns, axis=1)
    return np.unique(rows, axis=0, return_inverse=True)[1].ravel() if len(rows) else rows[:, 0]

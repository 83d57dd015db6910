"""The effects of holidays on a history and its forecast: the entry point."""

from dataclasses import replace
from functools import partial

import numpy as np

from app.forecasting.calendar_effects.calendar_effects import CalendarEffects
from app.forecasting.calendar_effects.days import estimate_day_effects
from app.forecasting.calendar_effects.events import (
    NO_HOLIDAYS,
    Holidays,
    core_holidays,
    find_event_days,
)
from app.forecasting.calendar_effects.hours import estimate_hour_effects
from app.forecasting.calendar_effects.requirements import has_supported_step, min_points
from app.forecasting.effects import finite_effects
from app.timeseries.calendar.countries import FIRST_YEAR, LAST_YEAR, public_holidays
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.seconds import DAY_SECONDS

_FREQUENCIES = (Frequency.DAILY, Frequency.HOURS)
_KNOWN_YEARS = f"holidays are known from {FIRST_YEAR} to {LAST_YEAR}"


def holiday_effects(
    history: History, horizon: int, holidays: Holidays | None
) -> CalendarEffects | None:
    """Return the effects of holidays on a history and on the ``horizon`` steps after it.

    Args:
        history: Without a grid it has no effects.
        horizon: Steps to come, 1 or more.
        holidays: Of a country; None for Christmas, New Year and Easter, which are used for daily
            series only; ``NO_HOLIDAYS`` for none.

    Returns:
        The effects, all finite, with their notices. None if the history does not show any, if its
        step is neither a day nor a part of one in whole hours, or, with an entry in the log, if
        they cannot be computed.
    """
    effects = finite_effects(partial(_find_holiday_effects, history, horizon, holidays), "holidays")
    if effects is None:
        return None
    return replace(effects, notices=holiday_notices(history, horizon, holidays, effects))


def _find_holiday_effects(
    history: History, horizon: int, holidays: Holidays | None
) -> CalendarEffects | None:
    grid = history.grid
    if grid is None or holidays == NO_HOLIDAYS or not has_supported_step(history):
        return None
    times = grid.times(len(history.values) + horizon)
    if grid.step_seconds == DAY_SECONDS:
        days = times.astype("datetime64[D]").astype(np.int64)
        names = core_holidays(days) if holidays is None else holidays.names_by_day
        return estimate_day_effects(history.values, days, find_event_days(days, names))
    if holidays is None:
        return None
    return estimate_hour_effects(
        history.values, times, DAY_SECONDS // grid.step_seconds, holidays.names_by_day
    )


def holidays_of(code: str, history: History, horizon: int) -> Holidays:
    """Return the holidays of a country or a subdivision in the years of a history and its forecast.

    Args:
        code: One of ``country_codes()``, or ``NO_HOLIDAYS.code``.
    """
    if code == NO_HOLIDAYS.code:
        return NO_HOLIDAYS
    if not has_supported_step(history):
        return Holidays(code, {})
    first, last = _year_range(history, horizon)
    return Holidays(code, public_holidays(code, first, last))


def holiday_notices(
    history: History, horizon: int, holidays: Holidays | None, effects: CalendarEffects | None
) -> tuple[str, ...]:
    """Return the notices about holidays; ``effects`` are from ``holiday_effects``."""
    if holidays is None or holidays == NO_HOLIDAYS:
        return ("adjusted for Christmas, New Year and Easter",) if effects else ()
    name = f"holidays of {holidays.code}"
    if history.frequency not in _FREQUENCIES:
        return ("holidays are used for days and hours only",)
    if history.grid is None or not has_supported_step(history):
        needed = "a daily series with seven days a week, or steps of 1, 2, 3, 4, 6, 8 or 12 hours"
        return (f"{name} were not used: they need {needed}",)
    first, last = _year_range(history, horizon)
    notices = () if first >= FIRST_YEAR and last <= LAST_YEAR else (_KNOWN_YEARS,)
    if effects is not None:
        return (
            f"{name}: {effects.upcoming_count} ahead, learned from {effects.learned_count}",
            *notices,
        )
    min_count = min_points(history.grid.step_seconds)
    if len(history.values) < min_count:
        return (f"{name} were not used: they are learned from {min_count} points or more", *notices)
    return (f"{name} do not show in this series", *notices)


def _year_range(history: History, horizon: int) -> tuple[int, int]:
    """Return the first and the last year of a history, its forecast and the days around it."""
    if history.grid is None:
        raise ValueError("the history has no grid")
    times = history.grid.times(len(history.values) + horizon)[[0, -1]]
    days = times.astype("datetime64[D]") + np.array([-1, 1])
    first, last = (days.astype("datetime64[Y]").astype(np.int64) + 1970).tolist()
    return first, last

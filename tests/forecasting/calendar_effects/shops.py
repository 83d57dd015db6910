"""Shops: series whose holidays are known, for the tests of what a calendar explains."""

import numpy as np

from app.forecasting.calendar_effects.events import core_holidays
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.grid import Grid
from app.timeseries.history import History
from app.timeseries.types import FloatArray, IntArray

DAY, HOUR = 86_400, 3_600


def days_from(first: str, count: int) -> IntArray:
    """Return ``count`` days from the date ``first`` on, since 1970-01-01."""
    return np.datetime64(first, "D").astype(np.int64) + np.arange(count)


def week_of(days: IntArray, noise: float, seed: int = 0) -> FloatArray:
    """Return 100 on working days and 60 at weekends, times a noise of the deviation ``noise``."""
    level = np.where((days + 3) % 7 >= 5, 60.0, 100.0)
    return level * np.exp(np.random.default_rng(seed).normal(0, noise, len(days)))


def shop(
    first: str, count: int, left: float = 0.3, noise: float = 0.05, seed: int = 0
) -> FloatArray:
    """Return daily sales, of which ``left`` is what is sold at Christmas, New Year and Easter."""
    days = days_from(first, count)
    closed = np.isin(days, list(core_holidays(days)))
    return week_of(days, noise, seed) * np.where(closed, left, 1.0)


def daily_history(values: FloatArray, first: str) -> History:
    """Return a daily history from the date ``first`` on."""
    return History(values, (7, 365), Frequency.DAILY, Grid(np.datetime64(first, "s"), DAY))


def hourly_history(values: FloatArray, first: str, hours: int = 1) -> History:
    """Return a history in steps of ``hours`` from the time ``first`` on."""
    grid = Grid(np.datetime64(first, "s"), HOUR * hours)
    return History(values, (24 // hours, 168 // hours), Frequency.HOURS, grid)

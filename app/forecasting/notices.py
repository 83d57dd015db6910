"""Notices about a forecast: how short its history is, where its level or its season changed."""

from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.calendar.timestamps import format_timestamps
from app.timeseries.series import Series


def length_notices(points: int, frequency: Frequency, suffix: str = "") -> tuple[str, ...]:
    """Return the notice of a series that is shorter than recommended, if it is."""
    recommended = UNITS[frequency].recommended_points
    if points >= recommended:
        return ()
    advice = f"{recommended} are recommended for {frequency} data"
    return (f"series has {points} points{suffix}, {advice}",)


def level_notices(series: Series, change: int | None) -> tuple[str, ...]:
    """Return the notices of a change of level at an index of the series; None: no change."""
    if change is None:
        return ()
    # Two notices: clients show each one by itself, and the second holds without the time.
    return (
        f"the level changed about {_time_of(series, change)}",
        "what came before is only used for the season",
    )


def season_notices(series: Series, shift: int | None) -> tuple[str, ...]:
    """Return the notices of a move of the season at an index of the series; None: no move."""
    if shift is None:
        return ()
    return (
        f"the daily season moved by an hour about {_time_of(series, shift)}",
        "what came before was moved with it",
    )


def _time_of(series: Series, index: int) -> str:
    """Return the timestamp of a point, of whole days only the date."""
    calendar = series.calendar
    (time,) = format_timestamps(calendar.past(len(series.values) - index)[:1], series.suffix)
    has_hours = 0 < UNITS[calendar.frequency].seconds < UNITS[Frequency.DAILY].seconds
    return time if has_hours else time[:10]

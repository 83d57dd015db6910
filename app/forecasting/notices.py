"""Notices about a forecast: how short its history is, and where its level changed."""

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
    calendar = series.calendar
    (time,) = format_timestamps(calendar.past(len(series.values) - change)[:1], series.suffix)
    # Two notices: clients show each one by itself, and the second holds without the time.
    has_hours = 0 < UNITS[calendar.frequency].seconds < UNITS[Frequency.DAILY].seconds
    return (
        f"the level changed about {time if has_hours else time[:10]}",
        "what came before is only used for the season",
    )

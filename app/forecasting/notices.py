"""Notices about a forecast: how short its history is, where its level or its season changed."""

from app.forecasting.types import Provenance
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


def bound_notices(bound: float | None, *, is_percent: bool = False) -> tuple[str, ...]:
    """Return the notice of an upper bound that limits a forecast, if it has one."""
    if bound is None:
        return ()
    shown = f"{100 * bound:,.10g}%" if is_percent else f"{bound:,.10g}"
    return (f"nothing is forecast above {shown}: the series often reached it and never passed it",)


def change_notices(series: Series, provenance: Provenance) -> tuple[str, ...]:
    """Return the notices of changes in a series, with their times."""
    shift, change = provenance.season_shift, provenance.level_change
    changes = (
        (shift, "the daily season moved by an hour", "what came before was moved with it"),
        (change, "the level changed", "what came before is only used for the season"),
    )
    # Two notices each: clients show each one by itself, and the second holds without the time.
    notices = tuple(
        notice
        for index, text, treatment in changes
        if index is not None
        for notice in (f"{text} about {_time_of(series, index)}", treatment)
    )
    if provenance.interruption is None:
        return notices
    first, last = (_time_of(series, index) for index in provenance.interruption)
    return (*notices, f"an interruption from {first} to {last} was moved to the usual level")


def _time_of(series: Series, index: int) -> str:
    """Return the timestamp of a point, of whole days only the date."""
    calendar = series.calendar
    (time,) = format_timestamps(calendar.past(len(series.values) - index)[:1], series.suffix)
    has_hours = 0 < UNITS[calendar.frequency].seconds < UNITS[Frequency.DAILY].seconds
    return time if has_hours else time[:10]

"""Resolve offsets, time zones and their names, and hours that a local clock repeats or skips."""

import datetime as dt
import zoneinfo
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from app.tables.answers import PeriodAggregation
from app.tables.dates.cells import ParsedDate
from app.tables.dates.month_names import fold_text
from app.tables.reading import Choice, Reading
from app.timeseries.calendar.fit import find_spacing
from app.timeseries.calendar.frequency import UNITS, Frequency
from app.timeseries.calendar.timestamps import TimeArray
from app.timeseries.calendar.weekdays import is_clock_change_day
from app.timeseries.seconds import HOUR_SECONDS
from app.timeseries.types import BoolArray

# Frequencies that are counted by the local calendar, not by elapsed time.
_CALENDAR_FREQUENCIES = [
    name for name in Frequency if not 0 < UNITS[name].seconds < UNITS[Frequency.DAILY].seconds
]
_MAX_CHANGE_HOUR = 3
# Zones whose clocks go forward at different hours or on different days, the northern ones first. No
# zone has a gap both in March and in September.
_ZONES_OF_CHANGES = (
    *("Europe/Berlin", "Europe/London", "Europe/Athens", "Atlantic/Azores", "Asia/Beirut"),
    *("America/New_York", "America/Havana", "America/Mexico_City"),
    *("Australia/Sydney", "Pacific/Auckland", "America/Santiago"),
    *("America/Sao_Paulo", "America/Asuncion"),
)
# Those offered before others with the same clock.
_KNOWN_ZONES = (
    *_ZONES_OF_CHANGES,
    *("America/Chicago", "America/Denver", "America/Los_Angeles", "America/Halifax"),
)
_REGIONS = ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Pacific")
# The names of standard and summer time: a column that has both is of one zone.
_NAMED_OFFSETS = (
    {"CET": "+01:00", "CEST": "+02:00"},
    {"MEZ": "+01:00", "MESZ": "+02:00"},
    {"EET": "+02:00", "EEST": "+03:00"},
    {"GMT": "+00:00", "BST": "+01:00"},
    {"EST": "-05:00", "EDT": "-04:00"},
    {"CST": "-06:00", "CDT": "-05:00"},
    {"MST": "-07:00", "MDT": "-06:00"},
    {"PST": "-08:00", "PDT": "-07:00"},
)


def read_zone_names(
    cells: Sequence[str], dates: Sequence[ParsedDate | None], reading: Reading
) -> Sequence[ParsedDate | None]:
    """Return dates with the offsets of their names, if these are of standard and summer time.

    Otherwise report that the name after the first date is ignored, as several zones may share it.
    """
    pairs = [*zip(cells, dates, strict=True)]
    first_name = next((_zone_name(cell, date) for cell, date in pairs if date), "")
    if not first_name:
        return dates
    names = [_zone_name(cell, date) for cell, date in pairs]
    of_dates = {name.strip("()") for name, date in zip(names, dates, strict=True) if date}
    for offsets in _NAMED_OFFSETS:
        if of_dates == {*offsets}:
            entries = zip(names, dates, strict=True)
            return [
                date and date._replace(suffix=offsets[name.strip("()")]) for name, date in entries
            ]
    reading.add_remark(
        "zone_names", f"“{first_name}” is left out: times are read as the clock shows them."
    )
    return dates


def _zone_name(cell: str, date: ParsedDate | None) -> str:
    match = date.form.pattern.fullmatch(fold_text(cell)) if date else None
    name = match.groupdict().get("zone_name") if match else None
    name = (name or "").strip()
    return name.title() if "/" in name else name.upper()


def resolve_time_zone(
    times: TimeArray, suffixes: np.ndarray, names: np.ndarray, reading: Reading
) -> tuple[TimeArray, str]:
    """Return all times by one clock, and the suffix of all their timestamps.

    Times that do not exist in the answered time zone are NaT. Days and longer steps are counted by
    the local calendar, shorter ones by elapsed time, in UTC.

    Args:
        times: Local times.
        suffixes: Empty, Z or an offset for each.
        names: The series of each.
    """
    zone = reading.answers.timezone
    kinds = set(suffixes.tolist())
    if zone is None and len(kinds) <= 1:
        return times, next(iter(kinds), "")
    if zone is None and "" in kinds:
        reading.ask("timezone", "Only some times have an offset. Where are the others of?", [])
        return times, ""
    offsets = np.array(
        [_offset_seconds(suffix) for suffix in suffixes.tolist()], dtype="timedelta64[s]"
    )
    moments: TimeArray = times - offsets
    if zone is None:
        wall = times
    else:
        is_local = suffixes == ""
        moments[is_local] = _localize(times[is_local], names[is_local], zone)
        wall = by_clock_of(zone, moments)
    is_combined = reading.answers.per not in (None, PeriodAggregation.NONE)
    if is_combined or _is_calendar_step(wall, moments):
        return wall, ""
    if len(kinds) > 1:
        reading.add_remark("offsets", "The offsets differ; brought to UTC.")
    elif zone is not None:
        reading.add_remark("offsets", f"The times are read as those of {zone}.")
    return moments, "Z"


def by_clock_of(zone: str, moments: TimeArray) -> TimeArray:
    """Return the local times of moments in UTC."""
    return _without_zone(pd.DatetimeIndex(moments).tz_localize("UTC").tz_convert(zone))


def can_clock_change(times: TimeArray) -> BoolArray:
    """Return whether clocks may change at each time: early on a Sunday in spring or autumn."""
    hours = (times - times.astype("datetime64[D]")).astype(np.int64) // HOUR_SECONDS
    return is_clock_change_day(times) & (hours <= _MAX_CHANGE_HOUR)


def are_skipped(times: TimeArray) -> BoolArray:
    """Return which times are skipped by the clock of the zone that skips most of them."""
    likely = np.flatnonzero(can_clock_change(times)).tolist()
    skipped = [
        [i for i in likely if _seconds_skipped(times[i], zone) > 0] for zone in _ZONES_OF_CHANGES
    ]
    is_skipped = np.zeros(times.size, dtype=bool)
    is_skipped[max(skipped, key=len)] = True
    return is_skipped


def ask_time_zone(
    time: np.datetime64,
    change: str,
    reading: Reading,
    *,
    is_skipped: bool = False,
    is_required: bool = False,
) -> bool:
    """Ask for the time zone, and offer those whose clocks repeat or skip ``time``.

    Return whether there are any. ``change`` is a sentence about the clock. Of zones with the same
    offset at that time, one is offered.
    """
    changes, sign = ("goes forward", 1) if is_skipped else ("goes back", -1)
    local: Any = time.item()
    names_by_offset: dict[dt.timedelta | None, list[str]] = {}
    for name in (*_KNOWN_ZONES, *sorted(zoneinfo.available_timezones() - {*_KNOWN_ZONES})):
        if name.partition("/")[0] in _REGIONS and sign * _seconds_skipped(time, name) > 0:
            offset = local.replace(tzinfo=zoneinfo.ZoneInfo(name)).utcoffset()
            names_by_offset.setdefault(offset, []).append(name)
    choices = [
        Choice(
            name,
            f"the clock {changes} there" + (f", as in {others[0]}" if others else ""),
            f"{time.item()} in {name}",
        )
        for name, *others in names_by_offset.values()
    ]
    question = f"{change} Which time zone are these times in?"
    if choices:
        reading.ask("timezone", question, choices, required=is_required)
    return bool(choices)


def _seconds_skipped(time: np.datetime64, zone: str) -> float:
    """Return how far a zone's clock goes forward at a time, below 0 if it goes back."""
    local: Any = time.item()
    first, second = (
        local.replace(tzinfo=zoneinfo.ZoneInfo(zone), fold=fold).utcoffset() for fold in (0, 1)
    )
    return float((second - first).total_seconds())


def _is_calendar_step(wall: TimeArray, moments: TimeArray) -> bool:
    """Return whether days or longer steps are at least as regular by local time as in UTC."""
    local, elapsed = (find_spacing(np.unique(times[~np.isnat(times)])) for times in (wall, moments))
    if local is None or elapsed is None or local.frequency not in _CALENDAR_FREQUENCIES:
        return False
    return local.is_mostly_regular and local.defect_count <= elapsed.defect_count


def _localize(times: TimeArray, names: np.ndarray, zone: str) -> TimeArray:
    """Convert local times to UTC; the first of two repeated hours is summer time."""
    frame = pd.DataFrame({"time": times, "name": names})
    is_second = frame.groupby(["time", "name"], sort=False).cumcount().to_numpy() > 0
    steps = np.diff(times).astype(np.int64)
    is_reversed = (steps < 0).sum() > (steps > 0).sum()
    index = pd.DatetimeIndex(times)
    local = index.tz_localize(zone, ambiguous=is_second == is_reversed, nonexistent="NaT")
    return _without_zone(local.tz_convert("UTC"))


def _without_zone(index: pd.DatetimeIndex) -> TimeArray:
    return index.tz_localize(None).to_numpy().astype("datetime64[s]")


def _offset_seconds(suffix: str) -> int:
    if suffix in ("", "Z"):
        return 0
    hours, minutes = suffix[1:].split(":")
    return (-1 if suffix[0] == "-" else 1) * (HOUR_SECONDS * int(hours) + 60 * int(minutes))

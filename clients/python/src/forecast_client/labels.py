"""Convert timestamps between the time zone of the data and the service's form, with pandas.

The service accepts one offset for a whole series. In a zone with changing offsets, days and longer
steps are counted by the local calendar: they are sent as wall-clock times with the zone's standard
offset. Shorter steps are counted by elapsed time: they are sent in UTC.
"""

import contextlib
from datetime import time, timedelta, timezone, tzinfo

import numpy as np
import pandas as pd

from forecast_client.series import Labels
from forecast_client.steps import Times, business_days


def index_of(times: Times, labels: Labels) -> pd.Index:
    """Convert times as sent, shape (n,), to labels of the data's kind."""
    shown = times
    if labels.business is not None:
        days = times.astype("datetime64[D]")
        shown = business_days(days, labels.business) + (times - days)
    index = pd.DatetimeIndex(shown, name=labels.name)
    if labels.period is not None:
        return index.to_period(labels.period)
    with contextlib.suppress(ValueError, OverflowError):  # the unit cannot represent these years
        index = index.as_unit(labels.unit)
    if labels.zone is None:
        return index
    if labels.is_utc:
        return index.tz_localize("UTC").tz_convert(labels.zone)
    return localize(index, labels.zone)


def localize(wall: pd.DatetimeIndex, zone: tzinfo) -> pd.DatetimeIndex:
    """Localize wall-clock times: the first of repeated ones, the next instead of skipped ones."""
    first = np.ones(len(wall), dtype=bool)
    return wall.tz_localize(zone, ambiguous=first, nonexistent="shift_forward")


def strings_of(times: Times, labels: Labels) -> list[str]:
    """Format times, shape (n,), as timestamps for the service."""
    suffix = _suffix(labels)
    return [string + suffix for string in np.datetime_as_string(times).tolist()]


def _suffix(labels: Labels) -> str:
    """Return the suffix of all timestamps: an offset, ``Z`` or ""."""
    if labels.zone is None:
        return ""
    offset = timedelta() if labels.is_utc else _standard_offset(labels.zone)
    return time(tzinfo=timezone(offset)).isoformat()[-6:] if offset else "Z"


def is_fixed(zone: tzinfo) -> bool:
    """Return whether a zone always has the same offset, in whole minutes."""
    offset = zone.utcoffset(None)
    return offset is not None and not offset % timedelta(minutes=1)


def _standard_offset(zone: tzinfo) -> timedelta:
    """Return a zone's offset outside summer time, as of 2024."""
    offsets: list[timedelta] = [
        pd.Timestamp(2024, month, 1, tz=zone).utcoffset() for month in (1, 7)
    ]
    return min(offsets)

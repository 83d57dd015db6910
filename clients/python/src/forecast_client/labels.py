"""Timestamps between the clock of the data and that of the service, by pandas.

The service takes one offset for a whole series. In a zone with changing clocks, days and longer
steps are counted by the local calendar: they are sent by wall clock, with the zone's standard
offset. Shorter steps are counted by elapsed time: they are sent in UTC.
"""

import contextlib
from datetime import time, timedelta, timezone, tzinfo

import numpy as np
import pandas as pd

from forecast_client.series import Labels
from forecast_client.steps import Times, business_days


def index_of(times: Times, labels: Labels) -> pd.Index:
    """Return times as they are sent, shape (n,), as labels of the data's kind."""
    if labels.business is not None:
        days = times.astype("datetime64[D]")
        times = business_days(days, labels.business) + (times - days)
    index = pd.DatetimeIndex(times, name=labels.name)
    if labels.period is not None:
        return index.to_period(labels.period)
    with contextlib.suppress(ValueError, OverflowError):  # the unit does not reach these years
        index = index.as_unit(labels.unit)
    if labels.zone is None:
        return index
    if labels.is_utc:
        return index.tz_localize("UTC").tz_convert(labels.zone)
    return localized(index, labels.zone)


def localized(wall: pd.DatetimeIndex, zone: tzinfo) -> pd.DatetimeIndex:
    """Return wall-clock times in their zone: the first of two, the next if there is none."""
    first = np.ones(len(wall), dtype=bool)
    return wall.tz_localize(zone, ambiguous=first, nonexistent="shift_forward")


def strings_of(times: Times, labels: Labels) -> list[str]:
    """Return times, shape (n,), as the service's timestamps."""
    suffix = _suffix(labels)
    return [string + suffix for string in np.datetime_as_string(times).tolist()]


def _suffix(labels: Labels) -> str:
    """Return the suffix of all timestamps: an offset, ``Z`` or nothing."""
    if labels.zone is None:
        return ""
    offset = timedelta() if labels.is_utc else _standard_offset(labels.zone)
    return time(tzinfo=timezone(offset)).isoformat()[-6:] if offset else "Z"


def is_fixed(zone: tzinfo) -> bool:
    """Return whether a zone has one offset of whole minutes for all times."""
    offset = zone.utcoffset(None)
    return offset is not None and not offset % timedelta(minutes=1)


def _standard_offset(zone: tzinfo) -> timedelta:
    """Return a zone's offset outside of summer time, as of 2024: the same for each call."""
    found: list[timedelta] = [pd.Timestamp(2024, month, 1, tz=zone).utcoffset() for month in (1, 7)]
    return min(found)

"""The hours and days (UTC) in which usage is counted."""

import datetime as dt
import functools
from enum import StrEnum

from app.timeseries.seconds import DAY_SECONDS, HOUR_SECONDS


class UsageInterval(StrEnum):
    HOUR = "hour"
    DAY = "day"

    @property
    def seconds(self) -> int:
        return HOUR_SECONDS if self is UsageInterval.HOUR else DAY_SECONDS

    def floor(self, seconds: float) -> int:
        """Return the start of the hour or day; both are seconds since the Unix epoch."""
        return int(seconds // self.seconds) * self.seconds

    def start(self, moment: dt.datetime) -> int:
        return self.floor(moment.timestamp())


@functools.lru_cache(maxsize=256)  # many rows share few times
def utc_datetime(seconds: int) -> dt.datetime:
    """Return ``seconds`` since the Unix epoch as a timezone-aware datetime in UTC."""
    return dt.datetime.fromtimestamp(seconds, dt.UTC)

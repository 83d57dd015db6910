"""Hours and days of UTC, as usage counts them."""

import datetime as dt
import functools
from enum import StrEnum

SECONDS = {"hour": 3_600, "day": 86_400}


class Interval(StrEnum):
    """What usage is told by."""

    HOUR = "hour"
    DAY = "day"

    @property
    def seconds(self) -> int:
        """Its length."""
        return SECONDS[self]

    def start(self, moment: dt.datetime) -> int:
        """Return when the hour or day of ``moment`` begins, in seconds since 1970."""
        return start_of(self, moment.timestamp())


def start_of(interval: Interval, seconds: float) -> int:
    """Return when the hour or day of a moment begins; both are seconds since 1970."""
    return int(seconds // interval.seconds) * interval.seconds


@functools.lru_cache(maxsize=256)  # of many rows a few moments
def moment_of(seconds: int) -> dt.datetime:
    """Return the moment that is ``seconds`` after 1970 began, aware, in UTC."""
    return dt.datetime.fromtimestamp(seconds, dt.UTC)

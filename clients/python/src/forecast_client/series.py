"""A series in the form to send, and the options for reading data into one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from forecast_client.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

# A pandas Series, a DataFrame of one series, a pair of timestamps and values, or what is prepared.
SeriesLike = Any
Duplicates = Literal["sum", "mean", "last"]
Fill = Literal["linear", "previous", "zero"]
SECONDS = {"Seconds": 1, "Minutes": 60, "Hours": 3_600, "Daily": 86_400, "Weekly": 604_800}
MONTHS = {"Monthly": 1, "Quarterly": 3, "Yearly": 12}
FREQUENCIES = (*SECONDS, *MONTHS)
# Frequencies that are counted by the local calendar; others by elapsed time.
LONG_FREQUENCIES = ("Daily", "Weekly", *MONTHS)
LOCAL_LENGTH = len("2024-01-31T00:00:00")


class PointReading(TypedDict, total=False):
    """Options for reading points.

    ``frequency``: by default found from the timestamps. ``duplicates``: how several values of one
    timestamp are merged; by default they are an error. ``time_column``, ``value_column``: of a
    DataFrame; by default the only ones that hold times and numbers.
    """

    frequency: str | None
    duplicates: Duplicates | None
    time_column: str | None
    value_column: str | None


class Reading(PointReading, total=False):
    """Options for reading a series, in every call that takes one.

    ``fill``: the value for missing ones; without it they are an error.
    """

    fill: Fill | None


@dataclass(frozen=True)
class Labels:
    """How to convert timestamps of a response to labels of the data's kind.

    ``zone`` is the time zone of the data; ``is_utc``: UTC is sent instead of wall-clock times.
    ``unit`` is the resolution of a DatetimeIndex, ``period`` the frequency of a PeriodIndex.
    ``business``: the first or last day of each month becomes the first or last business day.
    """

    zone: tzinfo | None = None
    is_utc: bool = False
    unit: str = "us"
    period: str | None = None
    name: Any = None
    business: Literal["first", "last"] | None = None


@dataclass(frozen=True)
class PreparedSeries:
    """A series in the form to send.

    ``timestamps`` are strings for the service, ``frequency`` is the data frequency, and ``step``
    its units between two points. ``notes`` list the changes to the data.
    """

    timestamps: Sequence[str]
    values: Sequence[float]
    frequency: str
    step: int = 1
    notes: tuple[str, ...] = ()
    name: str | None = None
    labels: Labels = field(default=Labels(), repr=False)

    def index(self, timestamps: Sequence[str]) -> "pd.Index":
        """Convert timestamps of a response to labels of the data's kind."""
        import numpy as np

        from forecast_client.labels import index_of

        local = [timestamp[:LOCAL_LENGTH] for timestamp in timestamps]
        return index_of(np.array(local, dtype="datetime64[s]"), self.labels)


Prepared = PreparedSeries  # the short name for callers, in examples and tests


def prepare(data: SeriesLike, **reading: Unpack[Reading]) -> PreparedSeries:
    """Return ``data`` in the form to send; a ``PreparedSeries`` is returned unchanged.

    Args:
        data: A pandas Series, a DataFrame of one series, or a pair of timestamps and values.
        reading: ``frequency``, ``fill``, ``duplicates``, ``time_column``, ``value_column``: see
            ``Reading``.

    Raises:
        DataError: The data cannot be sent; the message says what to change.
    """
    if isinstance(data, PreparedSeries):
        return data
    from forecast_client import preparing

    return preparing.prepare(data, **reading)


def frequency_name(name: str) -> str:
    """Return the service's name of a frequency; case is ignored."""
    if isinstance(name, str) and name.capitalize() in FREQUENCIES:
        return name.capitalize()
    raise DataError(f"unknown {name!r}: send one of {', '.join(FREQUENCIES)}", "frequency")

"""Time zones: what is sent of local times, and what a response's timestamps are in them.

The service takes one offset for a whole series. In a zone with changing clocks, days and longer
steps are counted by the local calendar: they are sent by wall clock, with the zone's standard
offset. Shorter steps are counted by elapsed time: they are sent in UTC.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING, Any, Literal

from forecast_client.axes import Axis
from forecast_client.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

Clock = Literal["wall", "utc"]
HEAD = len("2024-01-31T00:00:00")


@dataclass(frozen=True)
class Labels:
    """Turns timestamps as they are sent into labels of the kind that the data had.

    ``zone`` is None for times without one. ``clock``: what of them is sent. ``unit`` is the
    resolution of a DatetimeIndex, ``period`` the frequency of a PeriodIndex. ``snapped``: the axis
    of the data and that of what is sent, where these differ.
    """

    zone: tzinfo | None = None
    clock: Clock = "wall"
    unit: str | None = None
    period: str | None = None
    name: Any = None
    snapped: tuple[Axis, Axis] | None = None

    def sent(self, moments: Sequence[datetime]) -> list[str]:
        """Return times, of the clock that is sent, as strings for the service."""
        strings = [moment.isoformat() for moment in moments]
        suffix = self.suffix()
        return [string + suffix for string in strings] if suffix else strings

    def suffix(self) -> str:
        """Return what ends every timestamp that is sent: an offset, ``Z`` or nothing."""
        if self.zone is None:
            return ""
        offset = timedelta() if self.clock == "utc" else standard_offset(self.zone)
        if not offset:
            return "Z"
        sign, minutes = ("-" if offset < timedelta() else "+"), abs(offset) // timedelta(minutes=1)
        return f"{sign}{minutes // 60:02}:{minutes % 60:02}"

    def shown(self, moment: datetime, *, is_long: bool) -> str:
        """Return a time of the clock that is sent, for people: in the zone that the data had."""
        if self.clock == "utc":
            return str(moment.replace(tzinfo=UTC).astimezone(self.zone))
        return str(moment).removesuffix(" 00:00:00") if is_long else str(moment)

    def datetimes(self, timestamps: Sequence[str]) -> list[datetime]:
        """Return timestamps as local times: with the zone, where the data had one."""
        moments = self._moments(timestamps)
        if self.zone is None:
            return moments
        if self.clock == "wall":
            return [localized(moment, self.zone) for moment in moments]
        return [moment.replace(tzinfo=UTC).astimezone(self.zone) for moment in moments]

    def index(self, timestamps: Sequence[str]) -> "pd.Index":
        """Return timestamps as an index of the kind that the data had."""
        import numpy as np
        import pandas as pd

        moments = self._moments(timestamps)
        if self.period is not None:
            periods = [pd.Period(moment, freq=self.period) for moment in moments]
            return pd.PeriodIndex(periods, dtype=f"period[{self.period}]", name=self.name)
        # In seconds first: pandas 2 would make nanoseconds of datetimes, and not of all years.
        seconds = pd.DatetimeIndex(np.array(moments, dtype="datetime64[s]"), name=self.name)
        index = _in_unit(seconds, self.unit or "us")
        if self.zone is None:
            return index
        if self.clock == "utc":
            return index.tz_localize("UTC").tz_convert(self.zone)
        first = [True] * len(index)
        return index.tz_localize(self.zone, ambiguous=first, nonexistent="shift_forward")

    def _moments(self, timestamps: Sequence[str]) -> list[datetime]:
        moments = [datetime.fromisoformat(timestamp[:HEAD]) for timestamp in timestamps]
        if self.snapped is None:
            return moments
        own, sent = self.snapped
        return [own.moment(sent.position(moment)) for moment in moments]


AS_SENT = Labels()


def _in_unit(index: "pd.DatetimeIndex", unit: str) -> "pd.DatetimeIndex":
    """Return an index in a resolution, or in seconds where that cannot hold it."""
    try:
        return index.as_unit(unit)
    except (ValueError, OverflowError):  # OutOfBoundsDatetime is a ValueError
        return index.as_unit("s")


def is_fixed(zone: tzinfo) -> bool:
    """Return whether a zone has one offset of whole minutes for all times."""
    offset = zone.utcoffset(None)
    return offset is not None and not offset % timedelta(minutes=1)


def standard_offset(zone: tzinfo) -> timedelta:
    """Return a zone's offset outside of summer time, as of 2024: the same for each call."""
    fixed = zone.utcoffset(None)
    if fixed is not None:
        return fixed
    return min(_offset(datetime(2024, month, 1), zone) for month in (1, 7))


def localized(moment: datetime, zone: tzinfo) -> datetime:
    """Return a wall-clock time in its zone: the first of two, or what a skipped one became."""
    if hasattr(zone, "localize"):  # pytz
        local: datetime = zone.normalize(zone.localize(moment, is_dst=True))  # type: ignore[attr-defined]
        exists = local.replace(tzinfo=None) == moment
        return local if exists else zone.normalize(zone.localize(moment, is_dst=False))  # type: ignore[attr-defined]
    try:
        return moment.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
    except OverflowError:
        return moment.replace(tzinfo=zone)


def common_zone(zones: Sequence[tzinfo | None]) -> tzinfo | None:
    """Return the zone of all times.

    Raises:
        DataError: Some have another zone, or none.
    """
    distinct = {_zone_name(zone): zone for zone in zones}
    if len(distinct) == 1:
        name, zone = next(iter(distinct.items()))
        # pytz gives each of its offsets an object of its own; only strings are names of its zones.
        pytz: Any = sys.modules.get("pytz")
        return pytz.timezone(name) if pytz and isinstance(name, str) else zone
    first = _zone_name(zones[0])
    at = next(i for i, zone in enumerate(zones) if _zone_name(zone) != first)
    raise DataError(
        f"mixed time zones: the first timestamp has {_shown(zones[0])}, that of entry {at} has "
        f"{_shown(zones[at])}: convert all to one zone first, such as "
        'pd.to_datetime(times, utc=True).tz_convert("Europe/Berlin")'
    )


def unskipped(wall: list[datetime], zone: tzinfo) -> list[datetime]:
    """Return wall-clock times where those that the change of clocks had moved are moved back.

    A day whose midnight does not exist begins at one o'clock: it is midnight again.
    """
    clocks = Counter(moment.time() for moment in wall)
    most = max(clocks.values())
    usual = [clock for clock, count in clocks.items() if 4 * count > most]
    if len(usual) == len(clocks):
        return wall
    return [_unskipped(moment, usual, zone) for moment in wall]


def _unskipped(moment: datetime, usual: Sequence[time], zone: tzinfo) -> datetime:
    if moment.time() in usual:
        return moment
    meant = (datetime.combine(moment.date(), clock) for clock in usual)
    moved = (each for each in meant if localized(each, zone).replace(tzinfo=None) == moment)
    return next(moved, moment)


def _offset(moment: datetime, zone: tzinfo) -> timedelta:
    return localized(moment, zone).utcoffset() or timedelta()


def _zone_name(zone: tzinfo | None) -> Any:
    """What two objects of one zone have in common: the offset, pytz's name, or the zone itself."""
    if zone is None:
        return None
    fixed = zone.utcoffset(None)
    return getattr(zone, "zone", zone) if fixed is None else fixed


def _shown(zone: tzinfo | None) -> str:
    return "no zone" if zone is None else f"zone {zone}"

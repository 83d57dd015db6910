"""The days on which a series may differ from its weekday: holidays, and the days around them."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from app.timeseries.types import BoolArray, IntArray

_CHRISTMAS_EVE = 24
_AFTER_BOXING_DAY = 27
_EASTER_DAYS = {-2: "Good Friday", 0: "Easter Sunday", 1: "Easter Monday"}
_FIXED_DAYS = {(1, 1): "New Year's Day", (12, 25): "Christmas Day", (12, 26): "Boxing Day"}


class DayKind(IntEnum):
    """The relation of a day to a holiday."""

    HOLIDAY = 0
    BEFORE = 1
    AFTER = 2
    SPECIAL = 3  # Christmas Eve, 27 to 31 December, or a shopping day


@dataclass(frozen=True)
class Holidays:
    """Holidays by day, in days since 1970-01-01, of the country or subdivision ``code``."""

    code: str
    names_by_day: dict[int, str]


NO_HOLIDAYS = Holidays("NONE", {})  # also switches off Christmas, New Year and Easter


@dataclass(frozen=True)
class EventDays:
    """The e events among n days, in order: four arrays of shape (e,).

    Attributes:
        index: The index of the day.
        kind: A ``DayKind``.
        name_number: From 0, the same for events of one name and kind.
        occasion: From 0, the same for events that one outlier may have in common.
    """

    index: IntArray
    kind: IntArray
    name_number: IntArray
    occasion: IntArray

    @property
    def name_count(self) -> int:
        return int(self.name_number.max(initial=0)) + 1

    def ordinary_days(self, days: int) -> BoolArray:
        """Return which of the first ``days`` have no event, shape (days,)."""
        is_ordinary = np.ones(days, dtype=bool)
        is_ordinary[self.index[self.index < days]] = False
        return is_ordinary


def easter_days(years: IntArray) -> IntArray:
    """Return Easter Sunday of each year, in days since 1970-01-01.

    Source: the Gregorian computus of Meeus, Jones and Butcher (Meeus 1991).
    """
    century, year_of_century = np.divmod(years, 100)
    golden = years % 19
    lunar = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - century // 4 - lunar + 15) % 30
    weekday = (
        32 + 2 * (century % 4) + 2 * (year_of_century // 4) - epact - year_of_century % 4
    ) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    from_march = epact + weekday - 7 * late + 22  # 1 is 1 March
    march = (years - 1970).astype("datetime64[Y]").astype("datetime64[M]") + 2
    return march.astype("datetime64[D]").astype(np.int64) + from_march - 1


def core_holidays(days: IntArray) -> dict[int, str]:
    """Return Christmas, New Year and Easter on or next to ``days``, which are consecutive.

    Args:
        days: Days since 1970-01-01, shape (n,), n at least 1.
    """
    surrounding = np.arange(days[0] - 1, days[-1] + 2)
    years, months, dates = _year_month_date(surrounding)
    names_by_day = {
        int(day): name
        for (month, date), name in _FIXED_DAYS.items()
        for day in surrounding[(months == month) & (dates == date)]
    }
    for easter in easter_days(np.unique(years)).tolist():
        names_by_day |= {
            easter + offset: name
            for offset, name in _EASTER_DAYS.items()
            if surrounding[0] <= easter + offset <= surrounding[-1]
        }
    return dict(sorted(names_by_day.items()))


def find_event_days(days: IntArray, names_by_day: dict[int, str]) -> EventDays:
    """Return the events among ``days``.

    A day between two holidays is the day after the first. A day between Christmas and New Year is
    ``SPECIAL`` unless it is a holiday itself.

    Args:
        days: Consecutive days since 1970-01-01, shape (n,).
        names_by_day: The names of holidays, also of those next to the first and the last day.
    """
    _years, months, dates = _year_month_date(days)
    between = (months == 12) & ((dates == _CHRISTMAS_EVE) | (dates >= _AFTER_BOXING_DAY))
    kinds_by_day: dict[int, tuple[DayKind, str]] = {}
    for day, name in names_by_day.items():
        kinds_by_day[day - 1] = (DayKind.BEFORE, name)
    for day, name in names_by_day.items():
        kinds_by_day[day + 1] = (DayKind.AFTER, name)
    for day, date in zip(days[between].tolist(), dates[between].tolist(), strict=True):
        kinds_by_day[day] = (DayKind.SPECIAL, str(date))
    kinds_by_day |= {day: (DayKind.HOLIDAY, name) for day, name in names_by_day.items()}
    first, last = int(days[0]), int(days[-1])
    events = sorted(
        (day - first, *event) for day, event in kinds_by_day.items() if first <= day <= last
    )
    numbers: dict[tuple[DayKind, str], int] = {}
    names = [numbers.setdefault((kind, name), len(numbers)) for _index, kind, name in events]
    return EventDays(
        np.array([index for index, _kind, _name in events], dtype=np.int64),
        np.array([kind for _index, kind, _name in events], dtype=np.int64),
        np.array(names, dtype=np.int64),
        np.arange(len(events)),
    )


def _year_month_date(days: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    times = days.astype("datetime64[D]")
    months = times.astype("datetime64[M]")
    dates = (times - months.astype("datetime64[D]")).astype(np.int64) + 1
    since = months.astype(np.int64)
    return since // 12 + 1970, since % 12 + 1, dates

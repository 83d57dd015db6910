"""Times of the numbered parts of days, also on days on which clocks change."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from app.tables.dates.cells import readers_in_any_order
from app.tables.dates.time_zones import can_clock_change

_HOURS = 24
_MINUTES_PER_DAY = 1440
_CHANGE_HOUR = 2  # the local hour that is repeated or skipped
_BRITISH_CHANGE_HOUR = 1
_BRITISH_COUNT = 48  # settlement periods
_AMERICAN_REPEATED_HOUR = 1
_AMERICAN_AUTUMN = 11
# When clocks change in the south, where New Zealand has 48 trading periods.
_SOUTHERN_SPRING = (9, 10, 11)
_SOUTHERN_AUTUMN = (3, 4)


@dataclass(frozen=True)
class DayClock:
    """Times of day of the numbered parts of days, such as hours or settlement periods.

    ``first`` is the number of the first part, 0 or 1, ``count`` the number of parts of a usual day.
    As at power exchanges, the day on which clocks go back has the parts of one hour more, which is
    repeated; the day on which clocks go forward has the parts of one hour less.
    """

    first: int
    count: int

    def times(self, dates: pd.Series, numbers: pd.Series) -> pd.Series:
        """Return the time of day of each row, NaN for numbers that no day has."""
        parts = numbers - self.first
        per_hour = self.count // _HOURS
        by_day = parts.groupby(dates)
        part_count, last = by_day.transform("nunique"), by_day.transform("max")
        is_whole = part_count == last + 1
        is_longer = is_whole & (part_count == self.count + per_hour)
        # The last day of a file may not be over.
        is_shorter = is_whole & (part_count == self.count - per_hour) & (dates != dates.iloc[-1])
        spring_months = {
            day: month for day in dates[is_shorter].unique() if (month := _month_of_change(day))
        }
        autumn_months = {_month_of_change(day) for day in dates[is_longer].unique()}
        skipped, repeated = self._change_hours({*spring_months.values()}, autumn_months)
        is_after_repeated = parts >= (repeated + 1) * per_hour
        parts = parts.where(~(is_longer & is_after_repeated), parts - per_hour)
        is_after_skipped = parts >= skipped * per_hour
        parts = parts.where(~(dates.isin(spring_months) & is_after_skipped), parts + per_hour)
        minutes = range(0, _MINUTES_PER_DAY, _MINUTES_PER_DAY // self.count)
        return parts.map(dict(enumerate(f"{m // 60:02}:{m % 60:02}" for m in minutes)))

    def _change_hours(self, spring_months: set[int], autumn_months: set[int]) -> tuple[int, int]:
        """Return the local hours that clocks skip and repeat, by the months in which they do."""
        is_northern = spring_months.isdisjoint(_SOUTHERN_SPRING) and autumn_months.isdisjoint(
            _SOUTHERN_AUTUMN
        )
        is_british = self.count == _BRITISH_COUNT and is_northern
        hour = _BRITISH_CHANGE_HOUR if is_british else _CHANGE_HOUR
        return hour, _AMERICAN_REPEATED_HOUR if _AMERICAN_AUTUMN in autumn_months else hour


def _month_of_change(date: str) -> int:
    """Return the month of a day on which clocks may change, 0 for others.

    Day and month may be in any order.
    """
    read = (read(date) for read in readers_in_any_order())
    days = np.array([parsed.seconds for parsed in read if parsed], dtype="datetime64[s]")
    changing = days[can_clock_change(days)].astype("datetime64[M]").astype(int)
    return int(changing[0]) % 12 + 1 if changing.size else 0

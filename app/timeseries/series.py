"""A validated series."""

from dataclasses import dataclass

from app.timeseries.calendar.fit import Calendar
from app.timeseries.history import History
from app.timeseries.types import FloatArray


@dataclass(frozen=True)
class Series:
    """``values`` (n,) on the grid of ``calendar``, oldest first.

    ``suffix`` is the end of every timestamp: "", "Z" or an offset. If ``is_percent``, notices show
    a value of 0.95 as 95%.
    """

    values: FloatArray
    calendar: Calendar
    suffix: str = ""
    is_percent: bool = False

    @property
    def history(self) -> History:
        calendar = self.calendar
        grid = calendar.grid(len(self.values))
        return History(self.values, calendar.periods, calendar.frequency, grid)

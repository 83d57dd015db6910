"""A validated series."""

from dataclasses import dataclass

from app.timeseries.calendar.fit import Calendar
from app.timeseries.history import History
from app.timeseries.types import FloatArray


@dataclass(frozen=True)
class Series:
    """A validated series: ``values`` (n,) on the grid of ``calendar``, oldest first.

    ``suffix`` ends its timestamps: nothing, ``Z`` or an offset.
    """

    values: FloatArray
    calendar: Calendar
    suffix: str = ""

    @property
    def history(self) -> History:
        """The data that a model learns from."""
        calendar = self.calendar
        grid = calendar.grid(len(self.values))
        return History(self.values, calendar.periods, calendar.frequency, grid)

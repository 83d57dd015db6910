"""What a model or a detector learns from."""

from dataclasses import dataclass

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.grid import Grid
from app.timeseries.types import FloatArray


@dataclass(frozen=True)
class History:
    """A series without its timestamps.

    Attributes:
        values: Shape (n,), finite, oldest first, regularly spaced.
        periods: The seasonal periods in steps, shortest first, each at least 2: (12,) for months,
            (24, 168) for hours, (288, 2016) for five minutes, (7, 365) for days, () for years.
        frequency: The unit of a step.
        grid: The times of the values; None if unknown, or if steps have no constant length (months,
            business days).
    """

    values: FloatArray
    periods: tuple[int, ...]
    frequency: Frequency
    grid: Grid | None = None

    @property
    def period(self) -> int:
        """The shortest seasonal period in steps, 1 without one."""
        return min(self.periods, default=1)

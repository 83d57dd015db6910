"""What a batch of forecasts is asked for and gives: plain data, without the engine's libraries."""

from dataclasses import dataclass

import numpy as np

from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import FloatArray, IntArray

MAX_HISTORY_POINTS = 10_000
"""The number of last values used; older ones hardly change a forecast."""


@dataclass(frozen=True)
class BatchOptions:
    """What all forecasts of a call share; ``confidences`` are between 0 and 0.99."""

    frequency: Frequency
    periods: tuple[int, ...]
    model_id: str
    confidences: tuple[float, ...]


@dataclass(frozen=True)
class ForecastWindows:
    """Where forecasts are made: from ``starts`` to ``ends``, indices of values, shape (w,) each;
    then ``horizons`` steps."""

    starts: IntArray
    ends: IntArray
    horizons: IntArray

    def part(self, first: int, last: int) -> tuple["ForecastWindows", int, int]:
        """Return some of the windows, and the start and end of the values that they need.

        Their own indices begin at that start.
        """
        which = slice(first, last)
        starts, ends = self.starts[which], self.ends[which]
        begin, end = int(starts.min()), int(ends.max())
        return ForecastWindows(starts - begin, ends - begin, self.horizons[which]), begin, end

    def target_indices(self) -> IntArray:
        """Return the indices of the values that the forecasts are of, shape (n,)."""
        table = zip(self.ends, self.horizons, strict=True)
        return np.concatenate([np.arange(end, end + horizon) for end, horizon in table])


@dataclass(frozen=True)
class Forecasts:
    """Forecasts one behind the other: ``median`` (n,), bounds of shape (confidences, n)."""

    median: FloatArray
    lower: FloatArray
    upper: FloatArray
    fell_back: int

    @staticmethod
    def join(parts: list["Forecasts"]) -> "Forecasts":
        """Return the forecasts of all ``parts``."""
        return Forecasts(
            np.concatenate([part.median for part in parts]),
            np.concatenate([part.lower for part in parts], axis=1),
            np.concatenate([part.upper for part in parts], axis=1),
            sum(part.fell_back for part in parts),
        )

"""The data that engine processes get and return to forecast many windows of one array."""

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from app.forecasting.types import MAX_HORIZON
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import BoolArray, FloatArray, IntArray

MIN_FITTED_POINTS = 3  # with fewer no model can estimate an interval
MAX_HISTORY_POINTS = 10_000  # the last values that are used; older ones hardly change a forecast
_COSTLY_POINTS = 1_000  # this many points take twice as long as a few, and about as long as more

StepCounts = TypeVar("StepCounts", int, IntArray)


def relative_costs(points: IntArray, steps: int | IntArray) -> FloatArray:
    """Return the cost of forecasts of ``steps`` after ``points``, relative to a short one."""
    by_points = 1.0 + np.minimum(points, _COSTLY_POINTS) / _COSTLY_POINTS
    return by_points * equivalent_forecasts(np.asarray(steps))


def equivalent_forecasts(steps: StepCounts) -> StepCounts:
    """Return how many forecasts of `MAX_HORIZON` steps take as long as one of ``steps``."""
    return -(-steps // MAX_HORIZON)


@dataclass(frozen=True)
class WindowOptions:
    """Options shared by all forecasts of a call; ``confidences`` are between 0 and 0.99.

    ``step_seconds`` is None where steps have no constant length. ``country`` is a code
    of ``country_codes()``, whose holidays are used; None for Christmas, New Year and Easter.
    """

    frequency: Frequency
    periods: tuple[int, ...]
    model_id: str
    confidences: tuple[float, ...]
    step_seconds: int | None
    country: str | None


@dataclass(frozen=True)
class ForecastWindows:
    """Where forecasts are made, and how far.

    Histories are from ``starts`` to ``ends``, indices of values; ``horizons`` steps follow. All
    have shape (w,).

    ``times`` are when the histories begin, dtype ``datetime64[s]``, shape (w,); NaT where unknown.
    """

    starts: IntArray
    ends: IntArray
    horizons: IntArray
    times: npt.NDArray[np.datetime64] | None = None

    def part(self, first: int, last: int) -> tuple["ForecastWindows", int, int]:
        """Return the windows from ``first`` to before ``last``, and the range of their values.

        The indices of the returned windows count from the start of that range.
        """
        chosen = slice(first, last)
        starts, ends = self.starts[chosen], self.ends[chosen]
        begin, end = int(starts.min()), int(ends.max())
        times = None if self.times is None else self.times[chosen]
        windows = ForecastWindows(starts - begin, ends - begin, self.horizons[chosen], times)
        return windows, begin, end

    def target_indices(self) -> IntArray:
        """Return the indices of the forecast values, shape (n,)."""
        table = zip(self.ends, self.horizons, strict=True)
        return np.concatenate([np.arange(end, end + horizon) for end, horizon in table])


@dataclass(frozen=True)
class WindowColumns:
    """Columns that are known for the windows and the steps after them.

    ``values`` has shape (k, m), NaN where missing; ``starts`` (w,) are the indices of the first
    value of each window.
    """

    values: FloatArray
    is_category: BoolArray
    starts: IntArray

    def part(self, windows: ForecastWindows, first: int, last: int) -> "WindowColumns":
        """Return the columns for the windows from ``first`` to before ``last``."""
        lengths = (windows.ends - windows.starts + windows.horizons)[first:last]
        starts = self.starts[first:last]
        begin, end = int(starts.min()), int((starts + lengths).max())
        return replace(self, values=self.values[:, begin:end], starts=starts - begin)


@dataclass(frozen=True)
class Forecasts:
    """Concatenated forecasts: ``median`` (n,), bounds of shape (confidences, n).

    ``contributions``, of shape (k, n): by how much each known column moves the median.
    """

    median: FloatArray
    lower: FloatArray
    upper: FloatArray
    contributions: FloatArray
    fallbacks: int

    @staticmethod
    def join(parts: list["Forecasts"]) -> "Forecasts":
        return Forecasts(
            np.concatenate([part.median for part in parts]),
            np.concatenate([part.lower for part in parts], axis=1),
            np.concatenate([part.upper for part in parts], axis=1),
            np.concatenate([part.contributions for part in parts], axis=1),
            sum(part.fallbacks for part in parts),
        )

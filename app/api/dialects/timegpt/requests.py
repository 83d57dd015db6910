"""Valid calls, as their schemas load them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.forecasting.jobs.windows import ForecastWindows, WindowColumns, WindowOptions
from app.timeseries.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class SentColumns:
    """Columns of a call that are known for the steps that it forecasts.

    Attributes:
        values: The values of each series and of the steps after it, concatenated, NaN where
            missing; shape (k, n + s ``steps_ahead``).
        is_category: Whether a column has categories, as numbers; shape (k,).
        indices: The index of each column in the call, shape (k,).
        steps_ahead: The number of steps after each series.
    """

    values: FloatArray
    is_category: BoolArray
    indices: IntArray
    steps_ahead: int


@dataclass(frozen=True)
class TimeGptRequest:
    """The series of a call, and how they are forecast or judged.

    Attributes:
        values: The values of all series, concatenated, NaN where missing; shape (n,).
        sizes: The number of values of each series, shape (s,).
        times: The start of each series, dtype ``datetime64[s]``, NaT where unknown; shape (s,).
        options: The model, and its levels as confidences.
        level_labels: The levels as they are written in the names of columns.
        columns: The columns that are known ahead, None if there are none.
        sent_columns: The number of columns in the call, known ahead or not.
        needs_contributions: Whether the contributions of columns are returned.
    """

    values: FloatArray
    sizes: IntArray
    times: npt.NDArray[np.datetime64]
    options: WindowOptions
    level_labels: tuple[str, ...]
    columns: SentColumns | None
    sent_columns: int
    needs_contributions: bool

    @property
    def ends(self) -> IntArray:
        """The end of each series in ``values``."""
        return np.cumsum(self.sizes)

    @property
    def starts(self) -> IntArray:
        """The start of each series in ``values``."""
        return self.ends - self.sizes

    def columns_of_starts(self, windows: ForecastWindows) -> WindowColumns | None:
        """Return the columns of windows that start where their series start."""
        if self.columns is None:
            return None
        starts = windows.starts + self.columns.steps_ahead * self._series_indices(windows)
        return WindowColumns(self.columns.values, self.columns.is_category, starts)

    def start_times_of(self, windows: ForecastWindows) -> npt.NDArray[np.datetime64]:
        """Return the start times of windows that start where their series start."""
        return self.times[self._series_indices(windows)]

    def _series_indices(self, windows: ForecastWindows) -> IntArray:
        return np.searchsorted(self.starts, windows.starts)


@dataclass(frozen=True)
class TimeGptForecastRequest(TimeGptRequest):
    """A forecast of ``horizon`` steps after each series."""

    horizon: int


@dataclass(frozen=True)
class TimeGptCrossValidationRequest(TimeGptForecastRequest):
    """Forecasts of ``window_count`` windows at the end of each series, ``step_size`` apart.

    With ``has_full_history``, the windows cover nearly all of it, and the numbers have no effect.
    """

    window_count: int
    step_size: int
    has_full_history: bool


@dataclass(frozen=True)
class TimeGptDetectionRequest(TimeGptRequest):
    """A detection on all points of each series."""

    false_alarm_rate: float


@dataclass(frozen=True)
class TimeGptOnlineDetectionRequest(TimeGptRequest):
    """A detection on the last points of each series, by forecasts of ``step_size`` steps."""

    detection_size: int
    step_size: int

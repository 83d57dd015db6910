"""What calls ask for, as their schemas load it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.forecasting.windows import ForecastWindows, WindowColumns, WindowOptions
from app.timeseries.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class SentColumns:
    """Columns of a call that are known for the steps that it forecasts.

    Attributes:
        values: Those of each series and of the ``ahead`` steps after it, concatenated, NaN where
            missing; shape (k, n + ahead s).
        is_category: Which have categories, as numbers; shape (k,).
        indices: Which column of the call each is, shape (k,).
        ahead: Steps after each series.
    """

    values: FloatArray
    is_category: BoolArray
    indices: IntArray
    ahead: int


@dataclass(frozen=True)
class TimeGptRequest:
    """The series, and how each is treated.

    Attributes:
        values: All of them, concatenated, NaN where missing; shape (n,).
        sizes: The number of values of each, shape (s,).
        times: When each began, dtype ``datetime64[s]``, NaT where unknown; shape (s,).
        options: The model, and its levels as confidences.
        labels: The levels as they are written in the names of columns.
        columns: The columns that are known ahead, None without any.
        sent_columns: How many the call has, known ahead or not.
        needs_contributions: Whether the contributions of columns are returned.
    """

    values: FloatArray
    sizes: IntArray
    times: npt.NDArray[np.datetime64]
    options: WindowOptions
    labels: tuple[str, ...]
    columns: SentColumns | None
    sent_columns: int
    needs_contributions: bool

    @property
    def ends(self) -> IntArray:
        """Where each series ends in ``values``."""
        return np.cumsum(self.sizes)

    @property
    def starts(self) -> IntArray:
        """Where each series starts in ``values``."""
        return self.ends - self.sizes

    def columns_of(self, windows: ForecastWindows) -> WindowColumns | None:
        """Return the columns for windows, each of which begins with its series."""
        if self.columns is None:
            return None
        starts = windows.starts + self.columns.ahead * self._owners(windows)
        return WindowColumns(self.columns.values, self.columns.is_category, starts)

    def times_of(self, windows: ForecastWindows) -> npt.NDArray[np.datetime64]:
        """Return when windows begin, each of which begins with its series."""
        return self.times[self._owners(windows)]

    def _owners(self, windows: ForecastWindows) -> IntArray:
        return np.searchsorted(self.starts, windows.starts)


@dataclass(frozen=True)
class TimeGptForecastRequest(TimeGptRequest):
    """A forecast of ``horizon`` steps after each series."""

    horizon: int


@dataclass(frozen=True)
class CrossValidationRequest(TimeGptForecastRequest):
    """Forecasts of ``count`` windows at the end of each series, ``step`` apart.

    With ``has_full_history`` of nearly all of it instead, whatever the other numbers are.
    """

    count: int
    step: int
    has_full_history: bool


@dataclass(frozen=True)
class TimeGptDetectionRequest(TimeGptRequest):
    """A judgement of all points of each series, at a false alarm rate."""

    rate: float


@dataclass(frozen=True)
class OnlineDetectionRequest(TimeGptRequest):
    """A judgement of the last ``size`` points of each series, by forecasts of ``step`` steps."""

    size: int
    step: int

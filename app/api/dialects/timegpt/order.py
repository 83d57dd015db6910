"""What calls ask for, as their schemas load it."""

from dataclasses import dataclass

import numpy as np

from app.forecasting.batch import BatchOptions
from app.timeseries.types import FloatArray, IntArray


@dataclass(frozen=True)
class TimeGptOrder:
    """The series, and how each is treated.

    Attributes:
        values: All of them, one behind the other, NaN where missing; shape (n,).
        sizes: The number of values of each, shape (s,).
        terms: The model, and its levels as confidences.
        labels: The levels as they are written in the names of columns.
    """

    values: FloatArray
    sizes: IntArray
    terms: BatchOptions
    labels: tuple[str, ...]

    @property
    def ends(self) -> IntArray:
        """Where each series ends in ``values``."""
        return np.cumsum(self.sizes)

    @property
    def starts(self) -> IntArray:
        """Where each series starts in ``values``."""
        return self.ends - self.sizes


@dataclass(frozen=True)
class TimeGptForecastOrder(TimeGptOrder):
    """A forecast of ``horizon`` steps after each series."""

    horizon: int


@dataclass(frozen=True)
class CrossValidationOrder(TimeGptForecastOrder):
    """Forecasts of ``count`` windows at the end of each series, ``step`` apart.

    With ``full_history`` of nearly all of it instead, whatever the other numbers are.
    """

    count: int
    step: int
    full_history: bool


@dataclass(frozen=True)
class TimeGptDetectionOrder(TimeGptOrder):
    """A judgement of all points of each series, at a false alarm rate."""

    rate: float


@dataclass(frozen=True)
class OnlineOrder(TimeGptOrder):
    """A judgement of the last ``size`` points of each series, by forecasts of ``step`` steps."""

    size: int
    step: int

"""Past origins, at which the forecasts of members are compared with the values that followed.

The weights and intervals of long series come from forecasts at earlier points of the same series
(rolling-origin evaluation, Tashman 2000). An origin is the index of the first step of a forecast; a
lead is the number of steps ahead, 1 at the origin itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.forecasting.preprocessing.cleaning import CleanedSeries, clean_series
from app.forecasting.preprocessing.seasonality import Seasonality
from app.forecasting.preprocessing.transformations import TransformedSeries
from app.timeseries.types import FloatArray, IntArray

_MAX_REFITS = 4  # among the past origins: each takes as long as a fit of the whole history


@dataclass(frozen=True)
class BacktestTask:
    """One series, the forecast to make, and the past origins at which members are measured.

    Attributes:
        values: The series, shape (n,).
        seasonality: The seasonal periods that it shows.
        horizon: Steps to forecast.
        pooled_leads: The number of first steps whose errors are pooled.
        origins: The past origins, ascending.
        targets: The values after each origin, shape (origins, horizon); NaN past the end.
        transformed: The series under each transformation that members use.
    """

    values: FloatArray
    seasonality: Seasonality
    horizon: int
    pooled_leads: int
    origins: tuple[int, ...]
    targets: FloatArray
    transformed: tuple[TransformedSeries, ...]

    @cached_property
    def starts(self) -> IntArray:
        """Where forecasts begin: the past origins, then the end of the series."""
        return np.array([*self.origins, len(self.values)])

    @cached_property
    def cleaned(self) -> CleanedSeries:
        """The decomposed series, for members that need it without disturbances."""
        return clean_series(self.values, self.seasonality, self.horizon)


def targets_after(
    values: FloatArray, origins: Sequence[int], horizon: int, count: int
) -> FloatArray:
    """Return the values after each origin, shape (origins, horizon).

    They are NaN past the end, and at each lead before its last ``count`` origins.
    """
    padded = np.concatenate([values, np.full(horizon, np.nan)])
    starts = np.asarray(origins, dtype=np.int64)
    targets = padded[starts[:, None] + np.arange(horizon)]
    later = np.cumsum(np.isfinite(targets)[::-1], axis=0)[::-1]
    return np.where(later <= count, targets, np.nan)


def choose_origins(
    points: int, *, max_lead: int, distance: int, count: int, earliest: int
) -> tuple[int, ...]:
    """Return past origins in ascending order, ``distance`` steps apart.

    ``distance`` values follow the last origin. ``count`` origins have a value at ``max_lead``, if
    the history is long enough. If ``count`` origins do not fit, they are closer together.

    Args:
        points: Number of points of the series.
        max_lead: The last lead that ``count`` origins measure.
        distance: Steps between origins in a long history.
        count: The number of origins that measure each lead.
        earliest: The first index before which members have enough points.
    """
    room = points - earliest
    if room < 1:
        return ()
    distance = max(1, min(distance, room // count))
    reach = min(room, distance * (count - 1) + max_lead)
    return tuple(range(points - reach // distance * distance, points, distance))


def refit_blocks(origins: IntArray) -> list[IntArray]:
    """Return the past origins in blocks; members are refitted at the first origin of each."""
    return np.array_split(origins, min(_MAX_REFITS, len(origins)))


def errors_by_lead(backtests: FloatArray, targets: FloatArray, pooled_leads: int) -> FloatArray:
    """Return the mean absolute error by which each member is weighted at each lead.

    One lead has few errors, so it is the mean over all leads up to that one, at least over the
    first ``pooled_leads``.

    Args:
        backtests: Shape (members, origins, h).
        targets: Shape (origins, h), NaN where unknown.
        pooled_leads: From 1 to h.

    Returns:
        Shape (members, h).
    """
    is_known = np.isfinite(targets)
    errors = np.where(is_known, np.abs(backtests - np.where(is_known, targets, 0.0)), 0.0).sum(
        axis=1
    )
    counts = is_known.sum(axis=0)
    by_lead = errors / np.maximum(counts, 1)
    mean = np.cumsum(by_lead, axis=1) / np.maximum(np.cumsum(counts > 0), 1)
    last_pooled = np.maximum(np.arange(targets.shape[1]), pooled_leads - 1)
    return np.asarray(mean[:, last_pooled])

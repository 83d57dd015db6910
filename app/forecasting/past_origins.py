"""Past origins: where a member's forecasts are compared with what followed.

The weights and intervals of long series come from what their members would have forecast at earlier
points of the same series (rolling-origin evaluation, Tashman 2000).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.forecasting.cleaning import Cleaned, clean
from app.forecasting.seasonality import Seasonality
from app.forecasting.transformations import Transformed
from app.forecasting.types import FloatArray


@dataclass(frozen=True)
class Task:
    """One series, the forecast to make, and the past origins at which members are measured.

    ``origins`` are ascending indices; ``targets`` of shape (origins, horizon) holds the values
    after each of them, NaN past the end of the history. ``transformed``: the series as members
    work on it.
    """

    values: FloatArray
    seasonality: Seasonality
    horizon: int
    origins: tuple[int, ...]
    targets: FloatArray
    transformed: tuple[Transformed, ...]

    @cached_property
    def cleaned(self) -> Cleaned:
        """The decomposed series, for members that need it without disturbances."""
        seasonality = self.seasonality
        return clean(self.values, seasonality.short, seasonality.long, self.horizon)


def targets_after(values: FloatArray, origins: Sequence[int], horizon: int) -> FloatArray:
    """Return the values after each origin: shape (origins, horizon), NaN past the end."""
    padded = np.concatenate([values, np.full(horizon, np.nan)])
    starts = np.asarray(origins, dtype=np.int64)
    return np.asarray(padded[starts[:, None] + np.arange(horizon)])


def choose_origins(
    length: int, horizon: int, *, step: int, count: int, earliest: int
) -> tuple[int, ...]:
    """Return past origins, ascending, evenly ``step`` apart.

    The last origin is the last with a whole horizon after it, or, in a history too short
    for that, half way between ``earliest`` and the end. The step shrinks to fit ``count`` origins.

    Args:
        length: number of points.
        horizon: steps forecast.
        step: distance between origins where the history is long enough.
        count: largest number of origins.
        earliest: the first index that leaves members enough to learn from.
    """
    latest = max(length - horizon, min(length - 1, (earliest + length) // 2))
    room = latest - earliest
    if room < 0:
        return ()
    step = max(1, min(step, room // max(1, count - 1)))
    return tuple(o for o in (latest - step * k for k in range(count)) if o >= earliest)[::-1]


def mean_absolute_errors(backtests: FloatArray, targets: FloatArray) -> FloatArray:
    """Return the mean absolute error of each member.

    Args:
        backtests: shape (members, origins, h).
        targets: shape (origins, h), NaN where nothing was seen.
    """
    seen = np.isfinite(targets)
    errors = np.where(seen, np.abs(backtests - np.where(seen, targets, 0.0)), 0.0)
    return np.asarray(errors.sum(axis=(1, 2)) / max(1, int(seen.sum())))

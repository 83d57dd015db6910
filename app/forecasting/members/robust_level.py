"""A robust level of recent values, plus the season.

The level is the exponentially weighted median of the deseasonalized values (a median form of simple
exponential smoothing), one forecast per half-life.
"""

from collections.abc import Sequence

import numpy as np

from app.forecasting.cleaning import CleanedSeries
from app.forecasting.members.types import BacktestedForecast
from app.forecasting.past_origins import BacktestTask
from app.timeseries.bounds import floor_of
from app.timeseries.robust import weighted_median
from app.timeseries.types import FloatArray, IntArray

# The window of a weighted median, in half-lives: beyond it weights are below 1/32.
_WINDOW_HALF_LIVES = 5


def forgetting_medians(values: FloatArray, half_life: float, starts: IntArray) -> FloatArray:
    """Return the weighted median of the points before each start; older ones have less weight.

    Args:
        values: Shape (n,).
        half_life: Steps after which a point has half the weight.
        starts: Each at least 1.
    """
    window = int(_WINDOW_HALF_LIVES * half_life) + 2
    index = starts[:, None] + np.arange(-window, 0)
    weights = np.where(index >= 0, 0.5 ** (np.arange(window)[::-1] / half_life), 0.0)
    return weighted_median(values[np.maximum(index, 0)].T, weights.T)


def robust_levels(
    task: BacktestTask, cleaned: CleanedSeries, half_lives: Sequence[float]
) -> list[BacktestedForecast]:
    """Return one forecast per half-life; ``task.values`` are ``cleaned.moved``."""
    n = len(task.values)
    residual = cleaned.clipped - cleaned.season
    season = np.concatenate([cleaned.season, cleaned.season_ahead])
    starts = np.array([*task.origins, n])
    seasonal = season[starts[:, None] + np.arange(task.horizon)]
    forecasts = []
    for half_life in half_lives:
        paths = forgetting_medians(residual, half_life, starts)[:, None] + seasonal
        paths = np.maximum(paths, floor_of(task.values))
        forecasts.append(BacktestedForecast(forecast=paths[-1], backtest=paths[:-1]))
    return forecasts

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
    """Return the weighted median of the points before each start, shape (starts,).

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
    """Return one forecast per half-life in steps; ``task.values`` are ``cleaned.moved``."""
    deseasonalized = cleaned.clipped - cleaned.season
    season = np.concatenate([cleaned.season, cleaned.season_ahead])
    season_ahead = season[task.starts[:, None] + np.arange(task.horizon)]
    forecasts = []
    for half_life in half_lives:
        levels = forgetting_medians(deseasonalized, half_life, task.starts)
        paths = np.maximum(levels[:, None] + season_ahead, floor_of(task.values))
        forecasts.append(BacktestedForecast.of_paths(paths))
    return forecasts

"""ARIMA of a series that is seasonally adjusted, unless its season is short.

A seasonal ARIMA of period 24 takes seconds to fit; an ARIMA of the series less a seasonal profile
takes milliseconds. The order is searched and fitted once; each past origin has its own profile and
the same coefficients.
"""

from collections.abc import Sequence

import numpy as np

from app.forecasting.arma.forecast import forecast_arma
from app.forecasting.members.arima import (
    MAX_PERIOD,
    ArimaSearch,
    forecast_by_pmdarima,
    search_order,
)
from app.forecasting.members.types import BacktestedForecast, HighFrequencyMember
from app.forecasting.past_origins import BacktestTask
from app.timeseries.phases import phase_means
from app.timeseries.types import FloatArray

_MAX_ADJUSTED_POINTS = 700
_PROFILE_HALF_LIFE = 3.0  # half-life, in cycles, of a cycle's weight in the seasonal profile


def adjusted_arima(task: BacktestTask, period: int) -> BacktestedForecast:
    """Return the forecast by pmdarima under the last of the task's transformations.

    Args:
        period: Seasonal period in steps: up to 12 part of the model, otherwise adjusted for; 0 or 1
            for none.

    Raise ValueError if the adjusted series does not vary, and pass on errors of pmdarima.
    """
    transformed = task.transformed[-1]
    is_adjusted = period > MAX_PERIOD
    arima_period = period if 2 <= period <= MAX_PERIOD else 1
    steps = np.arange(task.horizon)

    def adjust(start: int) -> tuple[FloatArray, FloatArray]:
        past = transformed.values[:start]
        if not is_adjusted:
            return past[-_MAX_ADJUSTED_POINTS:], np.zeros(task.horizon)
        profile = forgetting_profile(past, period)
        adjusted = past - profile[np.arange(start) % period]
        return adjusted[-_MAX_ADJUSTED_POINTS:], profile[(start + steps) % period]

    adjusted, seasons = zip(*map(adjust, task.starts.tolist()), strict=True)
    search = search_order(adjusted[-1], arima_period)
    paths = apply_search(search, adjusted, task.horizon)
    paths[-1] = forecast_by_pmdarima(search, task.horizon)
    return BacktestedForecast.of_paths(transformed.invert(paths + np.stack(seasons)))


ADJUSTED_ARIMA = HighFrequencyMember(
    "ARIMA",
    lambda task: [adjusted_arima(task, task.seasonality.state_period or task.seasonality.short)],
    # A constant has nothing to fit.
    lambda task: bool(np.ptp(task.values) > 0),
)


def forgetting_profile(values: FloatArray, period: int) -> FloatArray:
    """Return the seasonal deviation of each phase, shape (period,): recent cycles have more weight.

    Deviations are from a centred moving average over one period; ``values[0]`` has phase 0. They
    are 0 for phases without a value.
    """
    points = len(values)
    before = period // 2
    sums = np.concatenate([[0.0], np.cumsum(values)])
    averages = (sums[period:] - sums[:-period]) / period
    index = np.arange(points)
    trend = averages[np.minimum(np.maximum(index - before, 0), len(averages) - 1)]
    weights = 0.5 ** ((points - 1 - index) / (period * _PROFILE_HALF_LIFE))
    return phase_means(values - trend, index % period, period, weights=weights)


def apply_search(search: ArimaSearch, series: Sequence[FloatArray], horizon: int) -> FloatArray:
    """Return the forecasts from the end of each series with one model, shape (series, h)."""
    standardized = [(values - search.location) / search.scale for values in series]
    median = forecast_arma(standardized, search.fit, search.integration, horizon)
    return median * search.scale + search.location

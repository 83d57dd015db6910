"""ARIMA for long seasons: on the seasonally adjusted series, or with a short season in the model.

A seasonal ARIMA of period 24 takes seconds to fit; the same ARIMA without a season, on a series
minus a slowly forgetting seasonal profile, takes milliseconds. The order is searched and
fitted once; each past origin learns its own profile and keeps the coefficients.
"""

from collections.abc import Sequence

import numpy as np

from app.forecasting.arma_forecast import forecast_arma
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

_MAX_POINTS = 700
_PROFILE_HALF_LIFE = 3.0  # half-life, in cycles, of a cycle's weight in the seasonal profile


def adjusted_arima(task: BacktestTask, period: int) -> BacktestedForecast:
    """Return the forecast of pmdarima, on logarithms if the series allows.

    Args:
        period: Seasonal period in steps; up to 12 ARIMA models it, a longer one is adjusted for;
            0 or 1 for none.

    Raises:
        ValueError: The adjusted series does not vary. pmdarima's own errors pass through.
    """
    transformed = task.transformed[-1]
    is_adjusted = period > MAX_PERIOD
    arima_period = period if 2 <= period <= MAX_PERIOD else 1
    steps = np.arange(task.horizon)

    def adjust(stop: int) -> tuple[FloatArray, FloatArray]:
        past = transformed.values[:stop]
        if not is_adjusted:
            return past[-_MAX_POINTS:], np.zeros(task.horizon)
        profile = forgetting_profile(past, period)
        adjusted = past - profile[np.arange(stop) % period]
        return adjusted[-_MAX_POINTS:], profile[(stop + steps) % period]

    adjusted, seasons = zip(
        *(adjust(stop) for stop in (*task.origins, len(task.values))), strict=True
    )
    search = search_order(adjusted[-1], arima_period)
    paths = apply_search(search, adjusted, task.horizon)
    paths[-1] = forecast_by_pmdarima(search, task.horizon)
    raw = transformed.invert(paths + np.stack(seasons))
    return BacktestedForecast(forecast=raw[-1], backtest=raw[:-1])


ADJUSTED_ARIMA = HighFrequencyMember(
    "ARIMA",
    lambda task: [adjusted_arima(task, task.seasonality.second or task.seasonality.short)],
    # A history whose recent part is constant leaves nothing to fit.
    lambda task: bool(np.ptp(task.values) > 0),
)


def forgetting_profile(values: FloatArray, period: int) -> FloatArray:
    """Return the seasonal deviation of each phase, shape (period,), recent cycles weighing more.

    Deviations are taken from a centred moving average over one period; phase 0 is ``values[0]``'s.
    Phases never seen get 0.
    """
    n = len(values)
    before = period // 2
    sums = np.concatenate([[0.0], np.cumsum(values)])
    averages = (sums[period:] - sums[:-period]) / period
    index = np.arange(n)
    trend = averages[np.minimum(np.maximum(index - before, 0), len(averages) - 1)]
    weights = 0.5 ** ((n - 1 - index) / (period * _PROFILE_HALF_LIFE))
    return phase_means(values - trend, index % period, period, weights=weights)


def apply_search(search: ArimaSearch, series: Sequence[FloatArray], horizon: int) -> FloatArray:
    """Return the forecasts from the end of each series, shape (series, h).

    The coefficients are the search's.
    """
    standardized = [(values - search.location) / search.scale for values in series]
    median = forecast_arma(standardized, search.fit, search.integration, horizon)
    return median * search.scale + search.location

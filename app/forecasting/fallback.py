"""Forecasts without a model: of constants, of one or two points, and the seasonal naive one."""

from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from app.forecasting.intervals.normal import normal_half_width
from app.forecasting.members.naive import seasonal_naive
from app.forecasting.types import Bounds, ForecastDistribution, Prediction
from app.timeseries.bounds import floor_of
from app.timeseries.history import History
from app.timeseries.types import FloatArray


def fit_constant(value: float, horizon: int) -> ForecastDistribution:
    """Forecast a constant series: its value, without uncertainty."""
    values = np.full(horizon, value)
    return ForecastDistribution(values, lambda confidence: (values, values))


def fit_short_history(values: FloatArray, horizon: int) -> ForecastDistribution:
    """Forecast the last of one or two values, with the interval of a random walk.

    Its scale is the only known step, or a step from 0 if there is one value or both are equal. The
    ratio of an error to it follows Student's t with one degree of freedom. Bounds are not negative
    unless a value is.
    """
    last = float(values[-1])
    scale = abs(last - float(values[0])) or abs(last)
    median = np.full(horizon, last)
    deviations = scale * np.sqrt(np.arange(1.0, horizon + 1))

    def interval(confidence: float) -> Bounds:
        half = stdtrit(1, (1.0 + confidence) / 2.0) * deviations
        return np.maximum(median - half, floor_of(values)), median + half

    return ForecastDistribution(median, interval)


def fit_naive(history: History, horizon: int) -> ForecastDistribution:
    """Repeat the last seasonal period, with the interval of a seasonal random walk.

    If the history repeats exactly from season to season, the interval has no width.
    """
    median, errors = seasonal_naive(history, horizon)

    def interval(confidence: float) -> Bounds:
        half = errors * normal_half_width(confidence)
        return median - half, median + half

    return ForecastDistribution(median, interval)


def forecast_seasonal_naive(history: History, horizon: int, confidence: float) -> Prediction:
    """Repeat the last seasonal period; bounds are not negative if the history never was.

    The interval is that of a seasonal random walk with normal steps, whose deviation is that of the
    seasonal changes in the history (Hyndman and Athanasopoulos 2021, section 5.5).
    """
    prediction = fit_naive(history, horizon).at(confidence)
    return replace(prediction, lower=np.maximum(prediction.lower, floor_of(history.values)))

"""Forecasts without a model: of constants, and the seasonal naive one."""

from dataclasses import replace

import numpy as np

from app.forecasting.intervals.normal import normal_half_width
from app.forecasting.members.naive import seasonal_naive
from app.forecasting.types import Bounds, ForecastDistribution, Prediction
from app.timeseries.bounds import floor_of
from app.timeseries.history import History


def fit_constant(value: float, horizon: int) -> ForecastDistribution:
    """Forecast a constant series: its value, without uncertainty."""
    values = np.full(horizon, value)
    return ForecastDistribution(values, lambda confidence: (values, values))


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

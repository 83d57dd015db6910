"""The last resort: forecasts that cannot fail, and the baseline."""

from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from app.forecasting.members.naive import seasonal_naive
from app.forecasting.types import Bounds, Fit, Prediction
from app.timeseries.types import History


def fit_constant(value: float, horizon: int) -> Fit:
    """Forecast a constant series: its value, without uncertainty."""
    values = np.full(horizon, value)
    return Fit(values, lambda confidence: (values, values))


def fit_naive(history: History, horizon: int) -> Fit:
    """Forecast the last seasonal period again, with the interval of a seasonal random walk."""
    member = seasonal_naive(history, horizon)
    median, width = member.median, member.width

    def interval(confidence: float) -> Bounds:
        half = width * ndtri((1.0 + confidence) / 2.0) if width is not None else 0.0
        return median - half, median + half

    return Fit(median, interval)


def forecast_seasonal_naive(history: History, horizon: int, confidence: float) -> Prediction:
    """Return the last seasonal period again, not below 0 if the history never was.

    The interval is the normal one of a seasonal random walk, whose deviation is that of the
    history's own seasonal changes (Hyndman and Athanasopoulos 2021, section 5.5).
    """
    prediction = fit_naive(history, horizon).predict(confidence)
    if history.values.min() < 0:
        return prediction
    return replace(prediction, lower=np.maximum(prediction.lower, 0.0))

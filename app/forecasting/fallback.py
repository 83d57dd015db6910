"""The last resort: forecasts that cannot fail."""

import numpy as np
from scipy.special import ndtri

from app.forecasting.members.naive import seasonal_naive
from app.forecasting.types import Bounds, Fit, History


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

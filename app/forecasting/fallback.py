"""The last resort: forecasts that cannot fail."""

import numpy as np
from scipy.special import ndtri

from app.forecasting.members.naive import seasonal_naive
from app.forecasting.types import History, Prediction


def forecast_constant(value: float, horizon: int) -> Prediction:
    """Forecast a constant series: its value, without uncertainty."""
    values = np.full(horizon, value)
    return Prediction(values, values, values)


def forecast_naive(history: History, horizon: int, confidence: float) -> Prediction:
    """Forecast the last seasonal period again, with the interval of a seasonal random walk."""
    member = seasonal_naive(history, horizon)
    half = member.width * ndtri((1.0 + confidence) / 2.0) if member.width is not None else 0.0
    return Prediction(member.median - half, member.median, member.median + half)

"""What answers last: forecasts that cannot fail."""

import numpy as np
from scipy.special import ndtri

from app.forecasting.members.naive import seasonal_naive
from app.forecasting.types import History, Prediction


def forecast_constant(value: float, horizon: int) -> Prediction:
    """A series that never changed: its value, for sure."""
    values = np.full(horizon, value)
    return Prediction(values, values, values)


def forecast_naive(history: History, horizon: int, confidence: float) -> Prediction:
    """The last cycle again, with the normal interval of a seasonal random walk."""
    member = seasonal_naive(history, horizon)
    half = member.width * ndtri((1.0 + confidence) / 2.0) if member.width is not None else 0.0
    return Prediction(member.median - half, member.median, member.median + half)

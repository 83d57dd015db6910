"""The seasonal naive forecast: the baseline for any member, and the last resort."""

import numpy as np

from app.forecasting.members.types import MemberForecast
from app.timeseries.history import History


def seasonal_naive(history: History, horizon: int) -> MemberForecast:
    """Repeat the last cycle of the shortest period that the history shows, else the last value.

    ``standard_error`` is a seasonal random walk's.
    """
    values = history.values
    period = naive_period(history)
    steps = np.arange(horizon)
    changes = values[period:] - values[:-period]
    deviation = np.sqrt(np.mean(changes**2)) if len(changes) else 0.0
    # A seasonal walk takes one step of its noise each cycle.
    errors = deviation * np.sqrt(steps // period + 1)
    return MemberForecast(values[-period:][steps % period], errors)


def naive_period(history: History) -> int:
    """Return the shortest period if the history is longer than it, else 1."""
    return history.period if history.period < len(history.values) else 1

"""The seasonal naive forecast: the baseline of backtests, and the last fallback."""

import numpy as np

from app.timeseries.history import History
from app.timeseries.types import FloatArray


def seasonal_naive(history: History, horizon: int) -> tuple[FloatArray, FloatArray]:
    """Repeat the last seasonal cycle, or the last value if the history is shorter than that.

    Return the median, (h,), and the standard errors, those of a seasonal random walk.
    """
    values = history.values
    period = naive_period(history)
    steps = np.arange(horizon)
    changes = values[period:] - values[:-period]
    deviation = np.sqrt(np.mean(changes**2)) if len(changes) else 0.0
    # A seasonal walk takes one step of its noise each cycle.
    errors = deviation * np.sqrt(steps // period + 1)
    return values[-period:][steps % period], errors


def naive_period(history: History) -> int:
    """Return the shortest period if the history is longer than it, else 1."""
    return history.period if history.period < len(history.values) else 1

"""The naive forecasts: what any other member has to beat, and what answers when none can."""

from collections.abc import Sequence

import numpy as np

from app.forecasting.backtest import refit_backtest
from app.forecasting.types import FloatArray, History, MemberForecast


def _repeat_cycle(values: FloatArray, period: int, horizon: int) -> FloatArray:
    return values[-period:][np.arange(horizon) % period]


def _walk_width(values: FloatArray, period: int, horizon: int) -> FloatArray:
    changes = values[period:] - values[:-period]
    deviation = np.sqrt(np.mean(changes**2)) if len(changes) else 0.0
    # A seasonal walk takes one step of its noise each cycle.
    width: FloatArray = deviation * np.sqrt(np.arange(horizon) // period + 1)
    return width


def naive(history: History, horizon: int, origins: Sequence[int] = ()) -> MemberForecast:
    """The last value for ever; ``width`` is that of a random walk."""

    def repeat(past: History, steps: int) -> FloatArray:
        return _repeat_cycle(past.values, 1, steps)

    width = _walk_width(history.values, 1, horizon)
    backtest = refit_backtest(repeat, history, horizon, origins)
    return MemberForecast(repeat(history, horizon), width, backtest)


def seasonal_naive(history: History, horizon: int, origins: Sequence[int] = ()) -> MemberForecast:
    """The last cycle for ever, of the shortest period that the history shows; else ``naive``.

    ``width`` is that of a seasonal random walk.
    """

    def repeat(past: History, steps: int) -> FloatArray:
        return _repeat_cycle(past.values, _shown_period(past), steps)

    width = _walk_width(history.values, _shown_period(history), horizon)
    backtest = refit_backtest(repeat, history, horizon, origins)
    return MemberForecast(repeat(history, horizon), width, backtest)


def _shown_period(history: History) -> int:
    if history.periods and history.periods[0] < len(history.values):
        return history.periods[0]
    return 1

"""Backtests of members cheap enough to be fitted again at every origin."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from app.forecasting.types import FloatArray, History


def refit_backtest(
    forecast: Callable[[History, int], FloatArray],
    history: History,
    horizon: int,
    origins: Sequence[int],
) -> FloatArray | None:
    """What ``forecast`` would have said at each origin from the values before it alone.

    Returns shape (origins, horizon), or None without origins. Costs one fit an origin.
    """
    if not origins:
        return None
    return np.stack(
        [forecast(replace(history, values=history.values[:origin]), horizon) for origin in origins]
    )

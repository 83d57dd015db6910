"""Forecast a series and compare each step with limits, in an engine process."""

from dataclasses import replace

import numpy as np

from app.forecasting.forecast import complete_forecast, fit
from app.forecasting.jobs.limits import LimitForecast, probability_above
from app.forecasting.jobs.window_forecasts import fill_gaps
from app.forecasting.model_ids import DEFAULT_MODEL
from app.forecasting.types import ForecastDistribution
from app.timeseries.series import Series
from app.timeseries.types import FloatArray

# Read as quantiles: denser than ``CONFIDENCE_LEVELS``, as probabilities are linear in between.
CONFIDENCES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


def forecast_with_limits(
    series: Series, horizon: int, upper: float | None, lower: float | None, confidence: float = 0.95
) -> LimitForecast:
    """Forecast ``horizon`` steps of ``series`` by the default model and compare them with limits.

    Args:
        series: The history; NaN where a value is missing, but the newest one is known.
        horizon: Steps to forecast, at least 1.
        upper: Values above it are beyond the limit; None: no upper limit.
        lower: Values below it are beyond the limit; None: no lower limit.
        confidence: The confidence level of the interval, 0.1 to 0.99.

    Raise BeyondCalendarError if a step would be past the year 9999.
    """
    filled = replace(series, values=fill_gaps(series.values)[0])
    fitted = fit(filled.history, horizon, DEFAULT_MODEL)
    forecast = complete_forecast(filled, horizon, fitted.at(confidence), DEFAULT_MODEL)
    if upper is None and lower is None:
        return LimitForecast(forecast, None, None)
    levels, quantiles = quantiles_of(fitted)
    return LimitForecast(
        forecast,
        None if upper is None else probability_above(levels, quantiles, upper),
        # The lower tail is the upper tail of the mirrored series.
        None if lower is None else probability_above(levels, -quantiles[::-1], -lower),
    )


def quantiles_of(distribution: ForecastDistribution) -> tuple[FloatArray, FloatArray]:
    """Return levels, shape (q,) and rising, and the quantiles of each step, shape (q, h).

    The quantiles of a step rise with the level, also where intervals of two levels cross.
    """
    bounds = [distribution.interval(confidence) for confidence in CONFIDENCES]
    half = np.array(CONFIDENCES) / 2
    levels = np.concatenate([0.5 - half[::-1], [0.5], 0.5 + half])
    below = np.minimum.accumulate([distribution.median, *(lower for lower, _ in bounds)])
    above = np.maximum.accumulate([distribution.median, *(upper for _, upper in bounds)])
    return levels, np.concatenate([below[:0:-1], above])

"""Forecasts of a fitted seasonal ARMA model from the end of any number of series.

Source: Box and Jenkins (1976), chapter 5, the difference equation with future shocks of zero. One
linear filter forecasts all series together.
"""

from collections.abc import Sequence

import numpy as np
from scipy.linalg import hankel
from scipy.signal import lfilter

from app.forecasting.arma.estimation import ArmaFit, lag_polynomial
from app.timeseries.types import FloatArray


def difference_polynomial(differences: int, seasonal_differences: int, period: int) -> FloatArray:
    """Return the coefficients of (1 - B)^d (1 - B^m)^D, constant term first."""
    polynomial = np.ones(1)
    for _ in range(differences):
        polynomial = np.convolve(polynomial, [1.0, -1.0])
    for _ in range(seasonal_differences):
        polynomial = np.convolve(polynomial, lag_polynomial(np.ones(1), period, -1.0))
    return polynomial


def forecast_arma(
    series: Sequence[FloatArray], fit: ArmaFit, integration: FloatArray, horizon: int
) -> FloatArray:
    """Forecast undifferenced series from the end of each.

    Args:
        series: Each of shape (n,), of any lengths.
        fit: The model of a differenced series.
        integration: The ``difference_polynomial`` from ``series`` to the fitted series.

    Returns:
        Shape (series, horizon).
    """
    longest = max(len(values) for values in series)
    levels = np.stack([np.pad(values, (longest - len(values), 0)) for values in series])
    dropped = len(integration) - 1
    centred = np.zeros_like(levels)
    for lag in np.flatnonzero(integration):
        centred[:, dropped:] += integration[lag] * levels[:, dropped - lag : longest - lag]
    centred -= fit.mean
    # Before its start a differenced series is its mean.
    first_known = np.array([longest - len(values) + dropped for values in series])
    centred[np.arange(longest) < first_known[:, None]] = 0.0
    autoregression, moving_average = fit.polynomials
    residuals = lfilter(autoregression, moving_average, centred, axis=1)
    full = np.convolve(autoregression, integration)
    innovations = np.full((len(series), horizon), fit.mean * autoregression.sum())
    shocks = _filter_state(moving_average, residuals)[:, :horizon]
    innovations[:, : shocks.shape[1]] += shocks
    path, _ = lfilter([1.0], full, innovations, axis=1, zi=-_filter_state(full, levels))
    return np.asarray(path)


def _filter_state(polynomial: FloatArray, past: FloatArray) -> FloatArray:
    """Return the state of a transposed filter of p lags after the ``past`` (series, n).

    It is what the past adds to each of the next p steps, shape (series, p).
    ``scipy.signal.lfiltic`` computes it for one series only.
    """
    lags = len(polynomial) - 1
    if not lags:
        return np.zeros((len(past), 0))
    reversed_past = past[:, : -lags - 1 : -1]
    weights = hankel(polynomial[1:])[: reversed_past.shape[1]]
    return np.asarray(reversed_past @ weights)


def standard_errors(fit: ArmaFit, integration: FloatArray, horizon: int) -> FloatArray:
    """Return the standard error of the forecast at each step, shape (horizon,).

    It includes future noise, not the uncertainty of the parameters.
    """
    autoregression, moving_average = fit.polynomials
    impulse = np.zeros(horizon)
    impulse[0] = 1.0
    weights = lfilter(moving_average, np.convolve(autoregression, integration), impulse)
    variance = fit.sum_of_squares / max(1, fit.count - fit.order.size)
    return np.asarray(np.sqrt(variance * np.cumsum(weights**2)))

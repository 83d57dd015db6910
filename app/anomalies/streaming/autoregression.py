"""The autoregression of a stream, which outliers hardly move."""

import numpy as np

from app.anomalies.streaming.fit import StreamFit
from app.anomalies.units import NEGLIGIBLE
from app.timeseries.robust import mad_sigma
from app.timeseries.types import FloatArray

# The lags of the autoregression, besides those of a season of at most ``_MAX_LAG`` steps that has
# been seen ``_MIN_CYCLES`` times.
_LAGS, _MAX_LAG, _MIN_CYCLES = (1, 2, 3, 4), 200, 3
# The ridge penalty towards the last value; errors above this many sigmas are weighted down
# (Huber 1964), in this many rounds.
_RIDGE, _HUBER_SIGMAS, _ROUNDS = 1e-2, 3.0, 3


def fit_autoregression(fit: StreamFit, rest: FloatArray) -> None:
    """Set the lags and weights of a fit to values without their season, shape (n,)."""
    n = len(rest)
    season = fit.periods[0] if fit.periods else 0
    is_short = _LAGS[-1] < season <= _MAX_LAG and n >= _MIN_CYCLES * season
    lags = {*_LAGS, season, season + 1} if is_short else {*_LAGS}
    fit.lags = tuple(sorted(lag for lag in lags if lag <= max(1, n // 3)))
    around = rest - fit.base
    longest = fit.lags[-1]
    count = len(fit.lags)
    start = np.eye(count)[0]
    weights = start
    target = around[longest:]
    if len(target) >= 2 * count + 8:
        columns = np.column_stack([around[longest - lag : n - lag] for lag in fit.lags])
        huber = np.ones(len(target))
        for _ in range(_ROUNDS):
            weighted = columns * huber[:, None]
            products = weighted.T @ columns
            ridge = (_RIDGE * np.trace(products) / count + NEGLIGIBLE**2) * np.eye(count)
            missed = target - columns @ start
            weights = start + np.linalg.solve(products + ridge, weighted.T @ missed)
            size = np.abs(target - columns @ weights)
            usual = mad_sigma(size) + NEGLIGIBLE * float(size.mean())
            limit = _HUBER_SIGMAS * max(usual, NEGLIGIBLE**2)
            huber = np.minimum(1.0, limit / np.maximum(size, NEGLIGIBLE**2))
    fit.weights = weights.tolist()

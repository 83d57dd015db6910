"""The autoregression of a stream, which outliers hardly move."""

import numpy as np

from app.anomalies.streaming.fit import StreamFit
from app.anomalies.units import NEGLIGIBLE
from app.timeseries.robust import mad_sigma
from app.timeseries.types import FloatArray

_LAGS = (1, 2, 3, 4)  # besides that of a season
_MAX_LAG = 200  # steps of a season with a lag
_MIN_CYCLES = 3  # of a season with a lag
_RIDGE = 1e-2  # the penalty towards the last value
_HUBER_SIGMAS = 3.0  # errors above are weighted down (Huber 1964)
_ROUNDS = 3  # of weighting and fitting


def fit_autoregression(fit: StreamFit, deseasonalized: FloatArray) -> None:
    """Set the lags and weights of a fit to values without their season, shape (n,)."""
    n = len(deseasonalized)
    season = fit.periods[0] if fit.periods else 0
    is_short = _LAGS[-1] < season <= _MAX_LAG and n >= _MIN_CYCLES * season
    lags = {*_LAGS, season, season + 1} if is_short else {*_LAGS}
    fit.lags = tuple(sorted(lag for lag in lags if lag <= max(1, n // 3)))
    centred = deseasonalized - fit.base
    longest = fit.lags[-1]
    count = len(fit.lags)
    start = np.eye(count)[0]
    weights = start
    target = centred[longest:]
    if len(target) >= 2 * count + 8:
        columns = np.column_stack([centred[longest - lag : n - lag] for lag in fit.lags])
        huber = np.ones(len(target))
        for _ in range(_ROUNDS):
            weighted = columns * huber[:, None]
            products = weighted.T @ columns
            ridge = (_RIDGE * np.trace(products) / count + NEGLIGIBLE**2) * np.eye(count)
            residual = target - columns @ start
            weights = start + np.linalg.solve(products + ridge, weighted.T @ residual)
            size = np.abs(target - columns @ weights)
            usual = mad_sigma(size) + NEGLIGIBLE * float(size.mean())
            limit = _HUBER_SIGMAS * max(usual, NEGLIGIBLE**2)
            huber = np.minimum(1.0, limit / np.maximum(size, NEGLIGIBLE**2))
    fit.weights = weights.tolist()

"""The KPSS test of whether a series is stationary around a level."""

import numpy as np

from app.timeseries.numbers import TINY
from app.timeseries.types import FloatArray

# 5 and 1 % points of the statistic (Kwiatkowski et al. 1992, table 1).
KPSS_5_PERCENT = 0.463
KPSS_1_PERCENT = 0.739


def kpss_statistic(values: FloatArray, lags: int | None = None) -> float:
    """Return the statistic of Kwiatkowski et al. (1992) around a level.

    ``lags`` of the Bartlett window are 3 sqrt(n) / 13 by default, as in ``forecast::auto.arima``
    (Hyndman and Khandakar 2008).
    """
    length = len(values)
    errors = values - values.mean()
    lags = int(3 * np.sqrt(length) / 13) if lags is None else lags
    long_run = errors @ errors / length
    for lag in range(1, lags + 1):
        long_run += 2 / length * (1 - lag / (lags + 1)) * (errors[lag:] @ errors[:-lag])
    partial_sums = np.cumsum(errors)
    return float(partial_sums @ partial_sums / (length**2 * max(long_run, TINY)))

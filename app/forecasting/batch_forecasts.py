"""Many forecasts in one job: each of a window of one array, by the same model and levels."""

import time

import numpy as np

from app.forecasting.batch import MAX_HISTORY_POINTS, BatchOptions, Forecasts, ForecastWindows
from app.forecasting.forecast import fit
from app.forecasting.types import Fit
from app.timeseries.types import FloatArray, History


def forecast_windows(
    terms: BatchOptions, values: FloatArray, windows: ForecastWindows
) -> tuple[float, Forecasts]:
    """Forecast after each window; return how many seconds that took, too.

    ``values`` (n,) are NaN where missing; each window has at least one that is not, among its last
    ``MAX_HISTORY_POINTS``. A forecast depends on the values of its own window only.
    """
    started = time.perf_counter()
    table = zip(windows.starts, windows.ends, windows.horizons, strict=True)
    found = [
        _forecast_window(terms, values[start:end], int(horizon)) for start, end, horizon in table
    ]
    return time.perf_counter() - started, Forecasts.join(found)


def _forecast_window(terms: BatchOptions, sent: FloatArray, horizon: int) -> Forecasts:
    values, missing = fill_gaps(sent[-MAX_HISTORY_POINTS:])
    history = History(values, terms.periods, terms.frequency)
    found: Fit = fit(history, missing + horizon, terms.model_id)
    bounds = [found.interval(confidence) for confidence in terms.confidences]
    lower, upper = np.zeros((2, len(bounds), missing + horizon))
    for row, bound in enumerate(bounds):
        lower[row], upper[row] = bound
    return Forecasts(
        found.median[missing:] + 0.0,  # so that no -0.0 is returned
        lower[:, missing:] + 0.0,
        upper[:, missing:] + 0.0,
        int(found.fell_back),
    )


def fill_gaps(values: FloatArray) -> tuple[FloatArray, int]:
    """Return the values from the first to the last that is known, gaps filled linearly; and how
    many are missing after that."""
    known = np.flatnonzero(np.isfinite(values))
    first, last = int(known[0]), int(known[-1])
    filled = np.interp(np.arange(first, last + 1), known, values[known])
    return filled, len(values) - 1 - last

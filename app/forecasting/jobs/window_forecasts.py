"""Many forecasts in one job: of windows of one array, by one model, with the same confidences."""

import numpy as np
from scipy.special import stdtrit

from app.forecasting.calendar_effects.holiday_effects import holidays_of
from app.forecasting.forecast import fit
from app.forecasting.jobs.windows import (
    MAX_HISTORY_POINTS,
    MIN_FITTED_POINTS,
    Forecasts,
    ForecastWindows,
    WindowColumns,
    WindowOptions,
)
from app.forecasting.regressors.columns import KnownColumns
from app.forecasting.types import Bounds, ForecastDistribution
from app.timeseries.bounds import floor_of
from app.timeseries.calendar.grid import Grid
from app.timeseries.history import History
from app.timeseries.numbers import without_negative_zero
from app.timeseries.types import FloatArray


def forecast_windows(
    options: WindowOptions,
    values: FloatArray,
    windows: ForecastWindows,
    columns: WindowColumns | None = None,
) -> Forecasts:
    """Forecast the steps after each window.

    A forecast depends only on the values of its window, and on ``columns`` up to its last step.

    Args:
        options: Of all windows.
        values: Shape (n,), NaN where missing. At least one of the last ``MAX_HISTORY_POINTS`` of
            each window is known.
        windows: Of ``values``.
        columns: Known for the windows and the steps after them; None for none.
    """
    forecasts = []
    for index, (start, end) in enumerate(zip(windows.starts, windows.ends, strict=True)):
        horizon = int(windows.horizons[index])
        window_columns = None
        if columns is not None:
            begin = columns.starts[index]
            steps = slice(begin, begin + end - start + horizon)
            window_columns = KnownColumns(columns.values[:, steps], columns.is_category)
        first = None if windows.times is None else windows.times[index]
        window = values[start:end]
        forecasts.append(_forecast_window(options, window, horizon, first, window_columns))
    return Forecasts.join(forecasts)


def _forecast_window(
    options: WindowOptions,
    window: FloatArray,
    horizon: int,
    first: np.datetime64 | None,
    columns: KnownColumns | None,
) -> Forecasts:
    recent = window[-MAX_HISTORY_POINTS:]
    values, trailing_gap_steps = fill_gaps(recent)
    dropped = len(window) - trailing_gap_steps - len(values)
    grid = None
    if first is not None and not np.isnat(first) and options.step_seconds is not None:
        grid = Grid(first, options.step_seconds).without_first(dropped)
    if columns is not None:
        columns = columns.without_first(dropped).with_filled_gaps()
    steps = trailing_gap_steps + horizon
    finite = recent[np.isfinite(recent)]  # without the filled gaps, which are not observations
    if len(finite) < MIN_FITTED_POINTS:
        fitted = fit_short_history(finite, steps)
    else:
        history = History(values, options.periods, options.frequency, grid)
        holidays = holidays_of(options.country, history, steps) if options.country else None
        fitted = fit(history, steps, options.model_id, holidays, columns)
    lower, upper = np.zeros((2, len(options.confidences), steps))
    for row, confidence in enumerate(options.confidences):
        lower[row], upper[row] = fitted.interval(confidence)
    contributions = fitted.contributions
    if contributions is None:
        contributions = np.zeros((0 if columns is None else len(columns.values), steps))
    return Forecasts(
        median=without_negative_zero(fitted.median[trailing_gap_steps:]),
        lower=without_negative_zero(lower[:, trailing_gap_steps:]),
        upper=without_negative_zero(upper[:, trailing_gap_steps:]),
        contributions=without_negative_zero(contributions[:, trailing_gap_steps:]),
        fallbacks=int(fitted.provenance.is_fallback),
    )


def fit_short_history(values: FloatArray, horizon: int) -> ForecastDistribution:
    """Forecast the last of one or two values, with the interval of a random walk.

    Its scale is the only known step, or a step from 0 if there is one value or both are equal. The
    ratio of an error to it follows Student's t with one degree of freedom. Bounds are not negative
    unless a value is.
    """
    last = float(values[-1])
    scale = abs(last - float(values[0])) or abs(last)
    median = np.full(horizon, last)
    deviations = scale * np.sqrt(np.arange(1.0, horizon + 1))

    def interval(confidence: float) -> Bounds:
        half = stdtrit(1, (1.0 + confidence) / 2.0) * deviations
        return np.maximum(median - half, floor_of(values)), median + half

    return ForecastDistribution(median, interval)


def fill_gaps(values: FloatArray) -> tuple[FloatArray, int]:
    """Return the values from the first to the last known one, with gaps filled linearly.

    The second result is the number of missing values at the end.
    """
    indices = np.flatnonzero(np.isfinite(values))
    first, last = int(indices[0]), int(indices[-1])
    return np.interp(np.arange(first, last + 1), indices, values[indices]), len(values) - 1 - last

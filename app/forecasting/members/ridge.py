"""Ridge autoregression: a linear regression on lags and season, shrunk towards the mean.

Autoregression with the ridge penalty of Hoerl and Kennard (1970); forecasts of several steps are
fed back. No single form is best, so the mean is taken over levels, first differences and seasonal
differences, over raw values and logarithms, and over a weak and a strong penalty.
"""

from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from app.forecasting.members.seasonal_ridge import integrate
from app.forecasting.members.types import ErrorPart, LowFrequencyMember, MemberForecast
from app.forecasting.regression import solve_ridge
from app.timeseries.bounds import floor_of
from app.timeseries.history import History
from app.timeseries.types import FloatArray, IntArray

_MAX_POINTS = 600  # the newest points: older ones only take time
_PENALTIES = (0.03, 0.3)  # penalty on each squared coefficient, in fractions of the number of rows
# Cycles that a history must have for lags of one cycle, and of two.
_MIN_CYCLES = 3.5
_MIN_CYCLES_FOR_TWO = 5
_MAX_LAG_FRACTION = 0.35  # of the history, for the longest lag
# How far below and above the history's range a forecast may go, in ranges.
_ROOM_BELOW, _ROOM_ABOVE = 0.5, 1.0
_MAX_EXPONENT = 700.0  # exp() of more overflows
_MAX_STANDARDIZED = 6.0  # the maximum distance of a forecast from the mean, in standard deviations


@dataclass(frozen=True)
class _Design:
    """One regression: which lags (in steps), which period, and whether each phase has a dummy."""

    lags: IntArray
    period: int
    has_dummies: bool


def ridge_autoregression(history: History, horizon: int) -> MemberForecast:
    """Forecast by the mean of up to twelve ridge autoregressions, near the range of the history.

    The shortest seasonal period counts if the history has three cycles of it. The standard error is
    the root mean square error one step ahead inside the history, the same at each step.
    """
    values = history.values[-_MAX_POINTS:]
    period = history.period
    if len(values) < 3 * period + 3:
        period = 1
    design = _Design(usable_lags(len(values), period), period, has_dummies=period > 1)
    forms = [regress_and_roll, forecast_differences]
    if period > 1 and len(values) > 4 * period:
        forms.append(forecast_seasonal_differences)
    # The series itself, and its logarithms where it has them.
    transformed = np.stack([values, np.log(values)] if values.min() > 0 else [values])
    fitted = [form(transformed, design, horizon) for form in forms]
    forecasts = np.stack([forecast for forecast, _ in fitted], axis=1)
    forecasts[1:] = np.exp(np.clip(forecasts[1:], -_MAX_EXPONENT, _MAX_EXPONENT))
    lowest, highest = _plausible_range(values)
    mean: FloatArray = np.clip(forecasts.reshape(-1, horizon), lowest, highest).mean(0)
    error = float(np.mean([errors[0] for _, errors in fitted]))
    return MemberForecast(mean, np.full(horizon, error))


RIDGE = LowFrequencyMember("ridge", ridge_autoregression, ErrorPart.NONE)


def usable_lags(length: int, period: int) -> IntArray:
    """Return lags 1 to 3 and around one and two cycles, as far as ``length`` points suffice."""
    lags = {1, 2, 3}
    if period > 1 and length > _MIN_CYCLES * period:
        lags |= {period, period + 1}
    if period > 1 and length > _MIN_CYCLES_FOR_TWO * period:
        lags.add(2 * period)
    return np.array(sorted(lag for lag in lags if lag < _MAX_LAG_FRACTION * length) or [1])


def _plausible_range(values: FloatArray) -> tuple[float, float]:
    spread = float(values.max() - values.min())
    lowest = float(values.min()) - _ROOM_BELOW * spread
    highest = float(values.max()) + _ROOM_ABOVE * spread
    return max(floor_of(values), lowest), highest


def forecast_differences(
    values: FloatArray, design: _Design, horizon: int
) -> tuple[FloatArray, FloatArray]:
    """Forecast changes from step to step; the arguments are as in ``regress_and_roll``."""
    # Indicators may start with any phase, so that those of differences need no shift.
    changes, errors = regress_and_roll(np.diff(values), design, horizon)
    return values[:, None, -1:] + np.cumsum(changes, axis=2), errors


def forecast_seasonal_differences(
    values: FloatArray, design: _Design, horizon: int
) -> tuple[FloatArray, FloatArray]:
    """Forecast changes from season to season; the arguments are as in ``regress_and_roll``."""
    period = design.period
    plain = _Design(design.lags, period, has_dummies=False)
    changes, errors = regress_and_roll(values[:, period:] - values[:, :-period], plain, horizon)
    return integrate(changes, values[:, None, -period:]), errors


def regress_and_roll(
    series: FloatArray, design: _Design, horizon: int
) -> tuple[FloatArray, FloatArray]:
    """Return forecasts, shape (series, penalties, horizon), and the regressions' errors, (series,).

    The errors are root mean squares; the series have shape (series, n).
    """
    location, scale = series.mean(axis=1), series.std(axis=1)
    standardized = (series - location[:, None]) / np.where(scale > 0, scale, 1.0)[:, None]
    count, length = series.shape
    rows = np.arange(int(design.lags.max()), length)
    regressors = standardized[:, rows[:, None] - design.lags]
    if design.has_dummies:
        dummies = np.eye(design.period)[rows % design.period]
        regressors = np.concatenate([regressors, np.stack(count * [dummies])], axis=2)
    transposed = regressors.transpose(0, 2, 1)
    response = standardized[:, rows, None]
    penalties = np.array(_PENALTIES)[:, None] * len(rows)
    gram, moment = transposed @ regressors, (transposed @ response)[..., 0]
    coefficients = solve_ridge(gram[:, None], moment[:, None], penalties)
    residuals = response - regressors @ coefficients.transpose(0, 2, 1)
    lag_part, phase_part = np.split(coefficients, [len(design.lags)], axis=2)
    season = np.zeros((count, len(_PENALTIES), horizon))
    if design.has_dummies:
        season = phase_part[:, :, (length + np.arange(horizon)) % design.period]
    path = np.stack(
        [
            [
                _run_recursion(design.lags, lag_coefficients, season_term, past)
                for lag_coefficients, season_term in zip(by_penalty, season_terms, strict=True)
            ]
            for by_penalty, season_terms, past in zip(lag_part, season, standardized, strict=True)
        ]
    )
    # An autoregression may be unstable.
    path = np.clip(np.nan_to_num(path, nan=0.0), -_MAX_STANDARDIZED, _MAX_STANDARDIZED)
    errors = np.sqrt(np.mean(residuals**2, axis=(1, 2))) * scale
    return path * scale[:, None, None] + location[:, None, None], errors


def _run_recursion(
    lags: IntArray, coefficients: FloatArray, season: FloatArray, past: FloatArray
) -> FloatArray:
    """Return the path (h,) of an autoregression from its ``past`` and a ``season`` term (h,)."""
    longest = int(lags.max())
    feedback = np.zeros(longest + 1)
    feedback[0] = 1.0
    feedback[lags] = -coefficients
    # The state of the transposed filter after the past.
    state = -np.correlate(feedback[1:], past[: -longest - 1 : -1], "full")[longest - 1 :]
    path, _ = lfilter([1.0], feedback, season, zi=state)
    return np.asarray(path)

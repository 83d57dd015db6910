"""Two tests that an effect must pass: it exceeds chance, and it has improved past forecasts.

Two random walks are correlated by chance (Yule 1926), but no less if one of them is shifted. So a
column must explain more than shifted copies of it. At past origins, effects that were learned from
the values before an origin must improve a simple forecast of the values after it.
"""

import numpy as np

from app.forecasting.regressors.selection import Moments
from app.forecasting.regressors.whitening import Whitening
from app.timeseries.types import FloatArray

_SHIFTS = 12
_MIN_SHIFT_RATIO = 1.5  # of what a column explains to what it explains at the best shift
_ORIGINS = 8
# The fractions of the learned effects that are tried.
_FRACTIONS = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
# By this much effects must reduce the error at past origins.
_MIN_GAIN_FRACTION = 0.02
_MIN_GAIN_STANDARD_ERRORS = 1.5  # of the reduction over the origins
_MAX_ERROR_MEDIANS = 6.0  # errors are clipped at this many medians of the errors without effects
# The minimum number of steps after an origin, at most this fraction of the history: 1 / 8.
_MIN_JUDGED_STEPS = 14
_MIN_HORIZONS = 8


def is_better_than_shifted(
    regressors: FloatArray,
    residuals: FloatArray,
    weights: FloatArray,
    prior: FloatArray,
    whitening: Whitening,
) -> bool:
    """Return whether a column explains more of a series than if it is shifted by whole seasons.

    Args:
        regressors: The regressors of the column, shape (p, n).
        residuals: The filtered series less the other effects, shape (n - dropped,).
        weights: The weights of its points, of the same shape.
        prior: The prior variances of the effects, shape (p,).
        whitening: The filter.
    """

    def explained_power(shifted: FloatArray) -> float:
        moments = Moments.of(whitening.apply(shifted), residuals, weights)
        return float(moments.moment @ moments.solve(prior)[0])

    points = regressors.shape[1]
    period = whitening.period
    shifts = np.arange(1, _SHIFTS + 1) * points // (_SHIFTS + 1) // period * period
    shifted_powers = [
        explained_power(np.roll(regressors, shift, axis=1)) for shift in np.unique(shifts) if shift
    ]
    return explained_power(regressors) >= _MIN_SHIFT_RATIO * max(shifted_powers, default=np.inf)


def supported_fraction(
    values: FloatArray,
    regressors: FloatArray,
    weights: FloatArray,
    prior: FloatArray,
    whitening: Whitening,
) -> float:
    """Return the fraction of the effects that would have been best at past origins; 0 for none.

    Args:
        values: The series, shape (n,).
        regressors: Shape (p, n).
        weights: The weights of the filtered points, shape (n - dropped,).
        prior: The prior variances of the effects, shape (p,).
        whitening: The filter; its model makes the simple forecast.
    """
    points = len(values)
    ahead = min(max(2 * whitening.period, _MIN_JUDGED_STEPS), points // _MIN_HORIZONS)
    origins = np.unique(np.linspace(points // 2, points - ahead, _ORIGINS).astype(np.int64))
    indices = origins[:, None] + np.arange(ahead)
    error = values[indices] - whitening.forecast(values, origins, ahead)
    unknown = regressors[:, indices] - whitening.forecast(regressors, origins, ahead)
    filtered_regressors, filtered = whitening.apply(regressors), whitening.apply(values)
    effect = np.empty_like(error)
    for row, end in enumerate(origins - whitening.dropped):
        moments = Moments.of(filtered_regressors[:, :end], filtered[:end], weights[:end])
        effect[row] = np.tensordot(moments.solve(prior)[0], unknown[:, row], 1)
    limit = _MAX_ERROR_MEDIANS * float(np.median(np.abs(error)))
    errors = np.abs(error - _FRACTIONS[:, None, None] * effect)
    errors = np.minimum(errors, limit or np.inf).mean(axis=2)
    best = int(errors.mean(axis=1).argmin())
    gains = errors[0] - errors[best]
    is_supported = (
        gains.mean() >= _MIN_GAIN_FRACTION * errors[0].mean()
        and gains.mean() >= _MIN_GAIN_STANDARD_ERRORS * gains.std(ddof=1) / np.sqrt(len(gains))
        and len(gains) > 1
    )
    return float(_FRACTIONS[best]) if is_supported else 0.0

"""Two tests that an effect must pass: it exceeds chance, and it has improved past forecasts.

Chance is measured by shifted columns: two random walks look related, also if one of them is shifted
(Yule 1926). The improvement is measured at past origins: effects are learned from the values before
an origin, and have to improve a simple forecast of those after it.
"""

import numpy as np

from app.forecasting.regressors.selection import Moments
from app.forecasting.regressors.whitening import Whitening
from app.timeseries.types import FloatArray

_SHIFTS = 12
_MIN_SHIFT_RATIO = 1.5  # a column must explain this many times as much as the best shift
_ORIGINS = 8
# One of these fractions of the learned effects is used.
_FRACTIONS = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
# Effects must reduce the error at past origins by this fraction, and by this many of its standard
# errors over the origins.
_MIN_GAIN_FRACTION, _MIN_GAIN_STANDARD_ERRORS = 0.02, 1.5
_MAX_ERROR_MEDIANS = 6.0  # an error counts at most this much, in medians of those without effects
# Minimum steps ahead that are judged, if the history has `_MIN_HORIZONS` times this length.
_MIN_JUDGED_STEPS = 14
_MIN_HORIZONS = 8


def is_better_than_shifted(
    regressors: FloatArray,
    residuals: FloatArray,
    weights: FloatArray,
    prior: FloatArray,
    whitening: Whitening,
) -> bool:
    """Return whether a column explains more of a series than when it is shifted.

    Args:
        regressors: The regressors of the column, shape (p, n).
        residuals: What others leave of the filtered series, shape (n - dropped,).
        weights: The weights of its points, of the same shape.
        prior: The variances of the effects before the series was seen, shape (p,).
    """

    def explained_power(shifted: FloatArray) -> float:
        moments = Moments.of(whitening.apply(shifted), residuals, weights)
        return float(moments.moment @ moments.solve(prior)[0])

    count = regressors.shape[1]
    period = whitening.period
    shifts = np.arange(1, _SHIFTS + 1) * count // (_SHIFTS + 1) // period * period
    by_chance = [
        explained_power(np.roll(regressors, shift, axis=1)) for shift in np.unique(shifts) if shift
    ]
    return explained_power(regressors) >= _MIN_SHIFT_RATIO * max(by_chance, default=np.inf)


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
        prior: The variances of the effects before the series was seen, shape (p,).
        whitening: The filter; its model makes the simple forecast.
    """
    count = len(values)
    ahead = min(max(2 * whitening.period, _MIN_JUDGED_STEPS), count // _MIN_HORIZONS)
    origins = np.unique(np.linspace(count // 2, count - ahead, _ORIGINS).astype(np.int64))
    at = origins[:, None] + np.arange(ahead)
    error = values[at] - whitening.forecast(values, origins, ahead)
    unknown = regressors[:, at] - whitening.forecast(regressors, origins, ahead)
    filtered_regressors, filtered = whitening.apply(regressors), whitening.apply(values)
    effect = np.empty_like(error)
    for row, known in enumerate(origins - whitening.dropped):
        moments = Moments.of(filtered_regressors[:, :known], filtered[:known], weights[:known])
        effect[row] = np.tensordot(moments.solve(prior)[0], unknown[:, row], 1)
    bound = _MAX_ERROR_MEDIANS * float(np.median(np.abs(error)))
    errors = np.abs(error - _FRACTIONS[:, None, None] * effect)
    errors = np.minimum(errors, bound or np.inf).mean(axis=2)
    best = int(errors.mean(axis=1).argmin())
    gains = errors[0] - errors[best]
    is_supported = (
        gains.mean() >= _MIN_GAIN_FRACTION * errors[0].mean()
        and gains.mean() >= _MIN_GAIN_STANDARD_ERRORS * gains.std(ddof=1) / np.sqrt(len(gains))
        and len(gains) > 1
    )
    return float(_FRACTIONS[best]) if is_supported else 0.0

"""How far from its forecast the next value of a series may be, at any false alarm rate.

There are two sources. The forecast's interval, learned from thousands of series, is extended
beyond 99 % by a power law. The series' own errors come from a small ridge autoregression on the
whole history, in units of their moving mean (normalized conformal scores, Papadopoulos et al.
2008), with a Pareto tail. The first decides for a short series, the second for a long one.

How often it is wrong: ``docs/developing/anomaly-figures.md``, "The last point".
"""

from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter
from scipy.special import ndtri

from app.anomalies.results import Direction
from app.anomalies.tail import MIN_P_VALUE, Tail, fit_tail
from app.anomalies.units import MIN_IDLE_FRACTION
from app.forecasting.jobs.windows import MAX_HISTORY_POINTS
from app.forecasting.preprocessing.seasonality import Seasonality, find_seasonality, seasonal_lags
from app.forecasting.types import Prediction
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.least_squares import lag_columns
from app.timeseries.numbers import TINY
from app.timeseries.types import FloatArray

# The confidences of the forecast's intervals that are used.
INNER_CONFIDENCE, OUTER_CONFIDENCE = 0.90, 0.99

# The power by which the forecast's interval widens as the probability beyond it falls: between the
# two confidences, within these bounds, or a capped interval would have no tail at all.
_MIN_POWER, _MAX_POWER = 0.15, 0.4
_INNER_PROBABILITY, _OUTER_PROBABILITY = (1 - INNER_CONFIDENCE) / 2, (1 - OUTER_CONFIDENCE) / 2
# After this many points the series' own errors have half of the weight, and soon nearly all.
_HALF_WEIGHT_POINTS = 200.0
# Distances by the series' own errors are multiplied by a power of the ratio of the forecast's
# interval to them, clipped to this range: the forecast may be better than the autoregression, but
# its interval comes from few errors.
_GAIN_RANGE, _GAIN_POWER = (0.3, 1.0), 0.5
# The mixture is multiplied by these at false alarm rates of 5, 1 and 0.1 %, as on the development
# series it was too narrow by that much (on either half of them). Days need more: no forecast here
# knows their holidays. Short steps need less: their long series' own errors have nearly all weight.
# No factor is smaller than the one before, so that a smaller rate has a wider band.
_CALIBRATED_PROBABILITIES = (0.025, 0.005, 0.0005)
_CALIBRATED_NEGATIVE_LOGS = -np.log(_CALIBRATED_PROBABILITIES)
_CALIBRATION_FACTORS = (1.07, 1.15, 1.3)
_FACTORS_BY_FREQUENCY = {Frequency.DAILY: (1.3, 1.3, 1.3)} | dict.fromkeys(
    (Frequency.HOURS, Frequency.MINUTES, Frequency.SECONDS), (1.05, 1.05, 1.05)
)
_MAX_SIDE_P_VALUE = 0.5
_LOG_P_BISECTIONS = 50
# Distances below this fraction of the largest value are rounding errors.
_ROUNDING = 1e-12
_NORMAL_PROBABILITY = 0.1  # above this tail probability the distribution is normal
# Below this many points there is one lag for each of the last steps and the season, not three.
_MIN_POINTS_FOR_ALL_LAGS = 40
_MIN_SEASONS_FOR_ALL_LAGS = 6  # with fewer, not all lags of a season can be learned
_RIDGE = 1e-3  # a fraction of the variance: it keeps collinear lags together
_ERROR_HALF_LIFE_STEPS = 40.0  # of the scale, a moving mean of absolute errors
# An error in it, and the scale, are clipped at these multiples of the mean of all errors.
_MAX_ERROR_MEANS, _MIN_SCALE_MEANS = 8.0, 0.1


@dataclass(frozen=True)
class BandSide:
    """One side of the band: how far from its expectation a clean value may be."""

    inner: float  # half-width of the forecast's interval at ``INNER_CONFIDENCE``, in series' units
    outer: float  # the same at ``OUTER_CONFIDENCE``
    tail: Tail  # of the series' own scores on this side
    scale: float  # the size of its errors that the scores count in, in the series' units
    error_weight: float  # the weight of the series' own errors, 0 to 1
    factors: tuple[float, ...]  # what the mixture is multiplied by at ``_CALIBRATED_PROBABILITIES``
    min_distance: float  # the smallest distance: rounding
    # For an idle series, whose moves are rare but normal: the tail of the distances of the values
    # from their expectation.
    idle_tail: Tail | None

    def distance(self, tail_probability: float) -> float:
        """Return the distance that a clean value exceeds with ``tail_probability``, at most 0.5."""
        if tail_probability > _NORMAL_PROBABILITY:
            ratio = ndtri(1 - tail_probability) / ndtri(1 - _NORMAL_PROBABILITY)
            return self.distance(_NORMAL_PROBABILITY) * float(ratio)
        inner_error = max(self._error_distance(_INNER_PROBABILITY), TINY)
        gain = self._forecast_distance(_INNER_PROBABILITY) / inner_error
        by_forecast = self._forecast_distance(tail_probability)
        by_errors = self._error_distance(tail_probability)
        by_errors *= float(np.clip(gain, *_GAIN_RANGE)) ** _GAIN_POWER
        mixed = (1 - self.error_weight) * by_forecast + self.error_weight * by_errors
        negative_log = -np.log(tail_probability)
        factor = np.exp(np.interp(negative_log, _CALIBRATED_NEGATIVE_LOGS, np.log(self.factors)))
        idle = self.idle_tail.quantile(-float(negative_log)) if self.idle_tail else 0.0
        return float(max(self.min_distance, idle, factor * mixed))

    def probability_beyond(self, distance: float) -> float:
        """Return the probability of a clean value further out, by bisection of ``distance``."""
        if distance <= self.distance(_MAX_SIDE_P_VALUE):
            return _MAX_SIDE_P_VALUE
        low, high = np.log(MIN_P_VALUE), np.log(_MAX_SIDE_P_VALUE)
        for _ in range(_LOG_P_BISECTIONS):
            middle = (low + high) / 2
            is_nearer = self.distance(float(np.exp(middle))) < distance
            low, high = (low, middle) if is_nearer else (middle, high)
        return float(np.exp(high))

    def _error_distance(self, tail_probability: float) -> float:
        return max(0.0, self.tail.quantile(float(np.log(tail_probability)))) * self.scale

    def _forecast_distance(self, tail_probability: float) -> float:
        if self.inner <= 0:
            return self.outer
        power = np.log(self.outer / self.inner) / np.log(_INNER_PROBABILITY / _OUTER_PROBABILITY)
        power = float(np.clip(power, _MIN_POWER, _MAX_POWER))
        return float(self.outer * (_OUTER_PROBABILITY / tail_probability) ** power)


@dataclass(frozen=True)
class Band:
    """Both sides of the band of the next value, around its expectation."""

    below: BandSide
    above: BandSide

    def p_value(self, error: float, direction: Direction) -> float:
        """Return the probability of an error at least as far out, on the requested sides."""
        side = self.above if error >= 0 else self.below
        beyond = side.probability_beyond(abs(error))
        if direction is Direction.BOTH:
            return 2 * beyond
        return beyond if direction.has_side(error >= 0) else 1 - beyond


def one_step_band(
    history: History, periods: tuple[int, ...], forecasts: tuple[Prediction, Prediction]
) -> Band:
    """Return the band of the value that follows a history.

    The history has at least ``MIN_DETECTION_POINTS`` - 1 points. ``forecasts`` are those of one
    step, at ``INNER_CONFIDENCE`` and ``OUTER_CONFIDENCE``.
    """
    values = history.values
    seasonality = find_seasonality(len(values), history.periods, history.frequency)
    scores, scale = _one_step_errors(values, seasonality)
    above = [float(prediction.upper[0] - prediction.median[0]) for prediction in forecasts]
    below = [float(prediction.median[0] - prediction.lower[0]) for prediction in forecasts]
    if forecasts[1].lower[0] == 0 and values.min() >= 0:
        # The lower bound was cut at 0; intervals are as wide on both sides.
        below = [max(pair) for pair in zip(below, above, strict=True)]
    _, counts = np.unique(values, return_counts=True)
    # Such as counts that are mostly 0.
    is_idle = not periods and counts.max() >= MIN_IDLE_FRACTION * len(values)
    distances = values - forecasts[1].median[0]

    def side_of(sign: int, inner: float, outer: float) -> BandSide:
        return BandSide(
            inner=inner,
            outer=outer,
            tail=fit_tail(sign * scores),
            scale=scale,
            error_weight=1 / (1 + (_HALF_WEIGHT_POINTS / len(values)) ** 2),
            factors=_FACTORS_BY_FREQUENCY.get(history.frequency, _CALIBRATION_FACTORS),
            min_distance=_ROUNDING * float(np.abs(values).max()) * bool(np.ptp(values)),
            idle_tail=fit_tail(sign * distances) if is_idle else None,
        )

    return Band(below=side_of(-1, *below), above=side_of(1, *above))


def _one_step_errors(values: FloatArray, seasonality: Seasonality) -> tuple[FloatArray, float]:
    """Return how far a ridge autoregression misses each value of a history of shape (n,).

    Returns:
        The errors in units of their typical size before each of them, shape (m,), and that size at
        the end, in the series' units.
    """
    kept = values[-MAX_HISTORY_POINTS:]
    unit = max(float(np.abs(kept).max()), TINY)
    errors = _autoregression_errors(kept / unit, _autoregression_lags(len(kept), seasonality))
    sizes = np.abs(errors)
    mean_size = float(sizes.mean())
    if mean_size == 0:
        return errors, 0.0
    new = 1 - 0.5 ** (1 / _ERROR_HALF_LIFE_STEPS)
    clipped = np.minimum(sizes, _MAX_ERROR_MEANS * mean_size)
    moving, _ = lfilter([new], [1, new - 1], clipped, zi=[(1 - new) * mean_size])
    scales = np.maximum(np.concatenate([[mean_size], moving]), _MIN_SCALE_MEANS * mean_size)
    return errors / scales[:-1], float(scales[-1]) * unit


def _autoregression_lags(length: int, seasonality: Seasonality) -> list[int]:
    """Return the seasonal lags of the members, and all of one season where six have been seen."""
    short = seasonality.short
    is_short = length < _MIN_POINTS_FOR_ALL_LAGS
    lags = {1, short} if is_short else {1, *seasonal_lags(seasonality, length)}
    if seasonality.dummy_period and length >= _MIN_SEASONS_FOR_ALL_LAGS * short:
        lags |= set(range(1, short + 2))
    return sorted(lag for lag in lags if 0 < lag <= length // 3)


def _autoregression_errors(values: FloatArray, lags: list[int]) -> FloatArray:
    """Return residuals of shape (n - longest lag,), widened to their size out of sample."""
    centred = values - np.median(values)
    columns = lag_columns(centred, lags)
    regressors = np.column_stack([columns, np.ones(len(columns))])
    # The penalty draws towards the last value, lag 1, which a random walk needs.
    start = np.eye(regressors.shape[1])[0]
    missed = centred[lags[-1] :] - regressors @ start
    gram = regressors.T @ regressors
    penalty = _RIDGE * (np.trace(gram) / len(gram)) * np.eye(len(gram))
    weights, *_ = np.linalg.lstsq(gram + penalty, regressors.T @ missed, rcond=None)
    freedom = max(1, len(missed) - len(weights))
    return np.asarray(
        (missed - regressors @ weights) * np.sqrt((len(missed) + len(weights)) / freedom)
    )

"""Values judged by forecasts of them."""

from statistics import NormalDist

import numpy as np

from app.timeseries.types import BoolArray, FloatArray

# Of an interval, as a share of its median: a narrower one counts as this wide.
_MIN_RELATIVE_WIDTH = 1e-12
# Scores beyond say no more.
_MAX_SCORE = 1e6


def score_values(
    values: FloatArray,
    median: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    confidence: float,
) -> tuple[BoolArray, FloatArray]:
    """Judge values by forecasts of them; all arrays have the shape (n,).

    Returns which are outside their intervals, and a score of each: its signed distance from the
    median, in standard deviations of a normal distribution with such an interval of this
    confidence. A missing value (NaN) never is an anomaly, and has the score 0.
    """
    known = np.isfinite(values)
    distance = np.where(known, values - median, 0.0)
    width = np.where(distance > 0, upper - median, median - lower)
    width = np.maximum(width, _MIN_RELATIVE_WIDTH * np.maximum(np.abs(median), 1.0))
    score = NormalDist().inv_cdf((1 + confidence) / 2) * distance / width
    is_anomaly = known & ((values < lower) | (values > upper))
    return is_anomaly, np.clip(score, -_MAX_SCORE, _MAX_SCORE)

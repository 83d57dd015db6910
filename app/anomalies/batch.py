"""What a batch of detections gives, and values judged by forecasts of them: without the engine's
libraries."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from app.timeseries.types import BoolArray, FloatArray

MIN_RELATIVE_WIDTH = 1e-12  # of an interval, as a share of its median
MAX_SCORE = 1e6


@dataclass(frozen=True)
class Detections:
    """Arrays with an entry for each point of the series, one behind the other."""

    expected: FloatArray
    lower: FloatArray
    upper: FloatArray
    is_anomaly: BoolArray

    @staticmethod
    def join(parts: list["Detections"]) -> "Detections":
        """Return the detections of all ``parts``."""
        columns = zip(
            *((part.expected, part.lower, part.upper, part.is_anomaly) for part in parts),
            strict=True,
        )
        return Detections(*map(np.concatenate, columns))


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
    width = np.maximum(width, MIN_RELATIVE_WIDTH * np.maximum(np.abs(median), 1.0))
    score = NormalDist().inv_cdf((1 + confidence) / 2) * distance / width
    is_anomaly = known & ((values < lower) | (values > upper))
    return is_anomaly, np.clip(score, -MAX_SCORE, MAX_SCORE)

"""The detection of many series in one job."""

import time
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from app.anomalies.detect import FEWEST_POINTS, detect
from app.anomalies.results import BoolArray
from app.forecasting.calendar.frequency import Frequency
from app.forecasting.types import FloatArray, History, IntArray

LEAST_WIDTH, GREATEST_SCORE = 1e-12, 1e6  # of an interval, as a share of its median; beside it


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
            *((one.expected, one.lower, one.upper, one.is_anomaly) for one in parts), strict=True
        )
        return Detections(*map(np.concatenate, columns))


def detect_many(
    frequency: Frequency,
    periods: tuple[int, ...],
    rate: float,
    values: FloatArray,
    sizes: IntArray,
) -> tuple[float, Detections]:
    """Judge every point of each series against all its others; return how many seconds that took,
    too.

    ``values`` are NaN where missing, at least one of each series is not; ``sizes`` cut them. In
    series of fewer than ``FEWEST_POINTS`` nothing is an anomaly, nor is a missing value.
    """
    started = time.perf_counter()
    series = np.split(values, np.cumsum(sizes)[:-1])
    found = [_detect(frequency, periods, rate, one) for one in series]
    return time.perf_counter() - started, Detections.join(found)


def judge(
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
    width = np.maximum(width, LEAST_WIDTH * np.maximum(np.abs(median), 1.0))
    score = float(ndtri((1 + confidence) / 2)) * distance / width
    is_anomaly = known & ((values < lower) | (values > upper))
    return is_anomaly, np.clip(score, -GREATEST_SCORE, GREATEST_SCORE)


def _detect(
    frequency: Frequency, periods: tuple[int, ...], rate: float, sent: FloatArray
) -> Detections:
    known = np.isfinite(sent)
    filled = np.interp(np.arange(len(sent)), np.flatnonzero(known), sent[known])
    if known.sum() < FEWEST_POINTS:
        return Detections(filled, filled, filled, np.zeros(len(sent), dtype=np.bool_))
    seen = detect(History(filled, periods, frequency), rate)
    # So that no -0.0 is returned.
    expected, lower, upper = seen.expected + 0.0, seen.lower + 0.0, seen.upper + 0.0
    return Detections(expected, lower, upper, seen.is_anomaly & known)

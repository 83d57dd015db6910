"""The detection of many series in one job."""

import time

import numpy as np

from app.anomalies.detect import MIN_DETECTION_POINTS, detect
from app.anomalies.results import Detections
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray, IntArray


def detect_many(
    frequency: Frequency, periods: tuple[int, ...], rate: float, values: FloatArray, sizes: IntArray
) -> tuple[float, Detections]:
    """Judge every point of each series against all its others.

    Args:
        values: The series, concatenated, NaN where missing; each has a finite value.
        sizes: The number of points of each series.

    Returns:
        The seconds of a core that it took, and the detections. A missing value is never an anomaly,
        nor is any point of a series with fewer than ``MIN_DETECTION_POINTS`` values.
    """
    started = time.thread_time()
    series = np.split(values, np.cumsum(sizes)[:-1])
    detections = [_detect(frequency, periods, rate, series_values) for series_values in series]
    return time.thread_time() - started, Detections.join(detections)


def _detect(
    frequency: Frequency, periods: tuple[int, ...], rate: float, sent: FloatArray
) -> Detections:
    known = np.isfinite(sent)
    filled = np.interp(np.arange(len(sent)), np.flatnonzero(known), sent[known])
    if known.sum() < MIN_DETECTION_POINTS:
        return Detections(filled, filled, filled, np.zeros(len(sent), dtype=np.bool_))
    seen = detect(History(filled, periods, frequency), rate)
    # So that no -0.0 is returned.
    expected, lower, upper = seen.expected + 0.0, seen.lower + 0.0, seen.upper + 0.0
    return Detections(expected, lower, upper, seen.is_anomaly & known)

"""Make Azure's fields of a detection on the grid, with one entry per point sent."""

import math

import numpy as np

from app.anomalies.results import Detection
from app.api.dialects.azure_anomaly_detector.grid import Granularity
from app.api.dialects.azure_anomaly_detector.points import MIN_AZURE_POINTS
from app.api.dialects.azure_anomaly_detector.schemas import AzureDetectionRequest, ImputeMode
from app.api.responses.json import Json
from app.timeseries.numbers import without_negative_zero
from app.timeseries.types import BoolArray, FloatArray, IntArray

_SEVERITY_SCALE = 100
_SEVERITY_DECIMALS = 4
# The suggested window is four seasonal periods and one point, as Azure's. Without a period it is
# the number of points for the granularity, and one.
_SUGGESTED_PERIODS = 4
_SUGGESTED_WINDOWS = {
    Granularity.YEARLY: 12,
    Granularity.MONTHLY: 12,
    Granularity.WEEKLY: 12,
    Granularity.DAILY: 28,
    Granularity.HOURLY: 168,
    Granularity.MINUTELY: 1440,
    Granularity.SECONDLY: 1440,
    Granularity.MICROSECOND: 1000,
    Granularity.NONE: 1440,
}
# The threshold 0.5 keeps change points with a p-value below 10 to the power of minus this. Level
# shifts that are visible have 1e-10 and far less: Azure's 0.9 keeps all of them.
_HALF_THRESHOLD_DECADES = 20


def filled_values(request: AzureDetectionRequest) -> FloatArray:
    """Return the values at every step of the grid, with missing ones filled."""
    positions, values = request.grid.positions, request.values
    steps = np.arange(request.grid.length)
    if len(steps) == len(values):
        return values
    if request.impute_mode is ImputeMode.PREVIOUS:
        return values[np.searchsorted(positions, steps, side="right") - 1]
    if request.impute_mode in (ImputeMode.FIXED, ImputeMode.ZERO):
        is_fixed = request.impute_mode is ImputeMode.FIXED
        filled = np.full(len(steps), request.fixed_value if is_fixed else 0.0)
        filled[positions] = values
        return filled
    return np.interp(steps, positions, values)


def entire_body(request: AzureDetectionRequest, detection: Detection) -> Json:
    positions = request.grid.positions
    flagged, p_values = detection.is_anomaly[positions], detection.p_value[positions]
    reported = _reported_anomalies(request, flagged, p_values)
    columns = _band_fields(request.values, detection, positions, reported)
    return columns | {"period": period_of(request, detection)}


def last_body(request: AzureDetectionRequest, detection: Detection) -> Json:
    columns = _band_fields(request.values[-1:], detection, np.array([0]), detection.is_anomaly)
    period = period_of(request, detection)
    window = _SUGGESTED_PERIODS * period if period else _SUGGESTED_WINDOWS[request.granularity]
    return {
        "period": period,
        "suggestedWindow": max(window + 1, MIN_AZURE_POINTS),
        **{name.removesuffix("s"): column[0] for name, column in columns.items()},
    }


def change_point_body(request: AzureDetectionRequest, detection: Detection) -> Json:
    positions = request.grid.positions
    scores = np.zeros(len(positions))
    changes = detection.change_points
    ends = [*(change.index for change in changes[1:]), request.grid.length]
    for change, end in zip(changes, ends, strict=False):
        is_stable = end - change.index >= (request.stable_trend_window or 0)
        if is_stable and change.p_value <= max_p_value(request.threshold):
            # A change at a missing point is reported at the next point sent.
            point = min(int(np.searchsorted(positions, change.index)), len(positions) - 1)
            scores[point] = 1 - change.p_value
    return {
        "period": period_of(request, detection),
        "isChangePoint": scores > 0,
        "confidenceScores": scores,
    }


def max_p_value(threshold: float | None) -> float:
    """Return the largest p-value of a change point for Azure's threshold, 0 to 1."""
    if threshold is None:
        return 1.0
    decades = _HALF_THRESHOLD_DECADES * (1 - threshold) / threshold if threshold else math.inf
    return 10.0**-decades


def period_of(request: AzureDetectionRequest, detection: Detection) -> int:
    """Return the period sent, else the longest one detected, 0 if there is none."""
    if request.period is not None:
        return request.period
    return max(detection.periods, default=0)


def band_margins(
    expected: FloatArray, bound: FloatArray, values: FloatArray, is_outside: BoolArray
) -> FloatArray:
    """Return the margins between ``expected`` and upper bounds; all arrays have one shape.

    Clients compare ``expected + margin`` with the value: in floating point, too, it is below the
    value exactly where that ``is_outside``. Where a value is not, its margin includes it.
    """
    reach = np.where(is_outside, bound, np.maximum(bound, values))
    margins = np.maximum(reach - expected, 0.0)
    step = np.spacing(np.maximum.reduce([np.abs(reach), np.abs(expected), margins]))
    # The difference and the sum are each rounded once, so one step corrects both.
    is_too_small = ~is_outside & (expected + margins < values)
    margins = np.where(is_too_small, margins + step, margins)
    is_too_large = is_outside & (expected + margins >= values)
    return np.where(is_too_large, np.maximum(margins - step, 0.0), margins)


def _band_fields(
    values: FloatArray, detection: Detection, positions: IntArray, is_flagged: BoolArray
) -> Json:
    """Return the fields of the points at ``positions``, a list each."""
    expected = detection.expected[positions]
    lower, upper = detection.lower[positions], detection.upper[positions]
    is_above, is_below = is_flagged & (values > expected), is_flagged & (values < expected)
    severity = np.round(detection.severity[positions] / _SEVERITY_SCALE, _SEVERITY_DECIMALS)
    return {
        "expectedValues": without_negative_zero(expected).tolist(),
        "upperMargins": band_margins(expected, upper, values, is_above).tolist(),
        "lowerMargins": band_margins(-expected, -lower, -values, is_below).tolist(),
        "isAnomaly": is_flagged.tolist(),
        "isNegativeAnomaly": is_below.tolist(),
        "isPositiveAnomaly": is_above.tolist(),
        "severity": np.where(is_flagged, severity, 0.0).tolist(),
    }


def _reported_anomalies(
    request: AzureDetectionRequest, is_flagged: BoolArray, p_values: FloatArray
) -> BoolArray:
    """Return which flagged points are reported: the least probable, up to ``max_anomaly_ratio``.

    At least one is reported, as by Azure's detector: a short series might have none otherwise.
    """
    limit = max(int(request.max_anomaly_ratio * len(is_flagged)), 1)
    is_reported = np.zeros(len(is_flagged), dtype=np.bool_)
    indices = np.flatnonzero(is_flagged)
    is_reported[indices[np.argsort(p_values[indices], kind="stable")[:limit]]] = True
    return is_reported

"""Make Azure's fields of a detection on the grid, with one entry per point sent."""

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
# The suggested window is four periods and one point, as Azure's; without a period, this many.
_PERIODS_SUGGESTED = 4
_WINDOWS = {
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
# Visible level shifts have p-values of 1e-10 and far less: Azure's 0.9 keeps all of them, 0.5 those
# below 1e-20, and 0 none.
_DECADES_AT_HALF = 20


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
    at = request.grid.positions
    flagged = _least_probable(request, detection.is_anomaly[at], detection.p_value[at])
    columns = _band_fields(request.values, detection, at, flagged)
    return columns | {"period": period_of(request, detection)}


def last_body(request: AzureDetectionRequest, detection: Detection) -> Json:
    columns = _band_fields(request.values[-1:], detection, np.array([0]), detection.is_anomaly)
    period = period_of(request, detection)
    window = _PERIODS_SUGGESTED * period if period else _WINDOWS[request.granularity]
    return {
        "period": period,
        "suggestedWindow": max(window + 1, MIN_AZURE_POINTS),
        **{name.removesuffix("s"): column[0] for name, column in columns.items()},
    }


def change_point_body(request: AzureDetectionRequest, detection: Detection) -> Json:
    at = request.grid.positions
    scores = np.zeros(len(at))
    changes = detection.change_points
    ends = [*(change.index for change in changes[1:]), request.grid.length]
    for change, end in zip(changes, ends, strict=False):
        is_stable = end - change.index >= (request.stable_trend_window or 0)
        if is_stable and change.p_value <= max_p_value(request.threshold):
            # A change at a missing point is reported at the next point sent.
            shown = min(int(np.searchsorted(at, change.index)), len(at) - 1)
            scores[shown] = 1 - change.p_value
    return {
        "period": period_of(request, detection),
        "isChangePoint": scores > 0,
        "confidenceScores": scores,
    }


def max_p_value(threshold: float | None) -> float:
    """Return the largest p-value of a change point for Azure's threshold, 0 to 1."""
    if threshold is None:
        return 1.0
    return 10.0 ** (-_DECADES_AT_HALF * (1 - threshold) / threshold) if threshold else 0.0


def period_of(request: AzureDetectionRequest, detection: Detection) -> int:
    """Return the period sent, else the longest one detected, 0 if there is none."""
    if request.period is not None:
        return request.period
    return max(detection.periods, default=0)


def margin(
    expected: FloatArray, bound: FloatArray, values: FloatArray, outside: BoolArray
) -> FloatArray:
    """Return the margins between ``expected`` and upper bounds, all of one shape.

    In floating point, ``expected + margin`` is below ``values`` exactly where they are ``outside``.
    Values beyond the bound that are not ``outside`` get a margin that includes them.
    """
    reach = np.where(outside, bound, np.maximum(bound, values))
    margins = np.maximum(reach - expected, 0.0)
    step = np.spacing(np.maximum.reduce([np.abs(reach), np.abs(expected), margins]))
    # The difference and the sum are each rounded once, so one step corrects both.
    margins = np.where(~outside & (expected + margins < values), margins + step, margins)
    return np.where(
        outside & (expected + margins >= values), np.maximum(margins - step, 0.0), margins
    )


def _band_fields(
    values: FloatArray, detection: Detection, at: IntArray, flagged: BoolArray
) -> Json:
    """Return the fields of the points at the positions ``at``, a list each."""
    expected, lower, upper = detection.expected[at], detection.lower[at], detection.upper[at]
    above, below = flagged & (values > expected), flagged & (values < expected)
    severity = np.round(detection.severity[at] / _SEVERITY_SCALE, _SEVERITY_DECIMALS)
    return {
        "expectedValues": without_negative_zero(expected).tolist(),
        "upperMargins": margin(expected, upper, values, above).tolist(),
        "lowerMargins": margin(-expected, -lower, -values, below).tolist(),
        "isAnomaly": flagged.tolist(),
        "isNegativeAnomaly": below.tolist(),
        "isPositiveAnomaly": above.tolist(),
        "severity": np.where(flagged, severity, 0.0).tolist(),
    }


def _least_probable(
    request: AzureDetectionRequest, flagged: BoolArray, p_value: FloatArray
) -> BoolArray:
    """Return which flagged points are reported: the least probable, up to ``max_anomaly_ratio``.

    At least one is reported, as by Azure's detector: a short series might have none otherwise.
    """
    limit = max(int(request.max_anomaly_ratio * len(flagged)), 1)
    kept = np.zeros(len(flagged), dtype=np.bool_)
    positions = np.flatnonzero(flagged)
    kept[positions[np.argsort(p_value[positions], kind="stable")[:limit]]] = True
    return kept

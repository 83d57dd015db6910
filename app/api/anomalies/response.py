"""Make the 200 body of POST /anomalies: the engine's result with timestamps for indices."""

from collections.abc import Sequence

import numpy as np

from app.anomalies.results import SEVERITY_DECIMALS, ChangePoint, Detection, Event
from app.api.responses.json import Json
from app.timeseries.numbers import without_negative_zero
from app.timeseries.types import BoolArray, FloatArray

_PROBABILITY_DIGITS = 4  # more digits are meaningless and would double a long response


def detection_body(detection: Detection, timestamps: Sequence[str]) -> Json:
    return {
        "timestamps": timestamps[-len(detection.is_anomaly) :],
        "is_anomaly": detection.is_anomaly,
        "expected": without_negative_zero(detection.expected),
        "lower_bound": without_negative_zero(detection.lower),
        "upper_bound": without_negative_zero(detection.upper),
        "p_value": round_probabilities(detection.p_value, detection.is_anomaly),
        "severity": without_negative_zero(np.round(detection.severity, SEVERITY_DECIMALS)),
        "events": [_event_body(event, timestamps) for event in detection.events],
        "change_points": [_change_body(change, timestamps) for change in detection.change_points],
        "periods": detection.periods,
    }


def round_probabilities(p_value: FloatArray, is_anomaly: BoolArray) -> FloatArray:
    """Return p-values to four digits: down where flagged, else up, so that none crosses the rate.

    NaN stays NaN.
    """
    with np.errstate(divide="ignore"):
        exponent = np.floor(np.log10(p_value))
    digits = _PROBABILITY_DIGITS - 1 - np.where(np.isfinite(exponent), exponent, 0).astype(int)
    # Dividing by whole powers of ten gives the shortest decimal numbers.
    power = 10.0 ** np.abs(digits)
    scaled = p_value * power
    rounded = np.where(is_anomaly, np.floor(scaled), np.ceil(scaled)) / power
    rounded = np.where(digits > 0, rounded, p_value)
    # The product is itself rounded, and may have skipped the next of these numbers.
    return np.where(is_anomaly, np.minimum(rounded, p_value), np.maximum(rounded, p_value))


def _event_body(event: Event, timestamps: Sequence[str]) -> Json:
    return {
        "start": timestamps[event.start],
        "end": timestamps[event.end],
        "kind": event.kind,
        "direction": event.direction,
        "peak_timestamp": timestamps[event.peak],
        "severity": round(event.severity, SEVERITY_DECIMALS),
    }


def _change_body(change: ChangePoint, timestamps: Sequence[str]) -> Json:
    return {
        "timestamp": timestamps[change.index],
        "before": without_negative_zero(change.before),
        "after": without_negative_zero(change.after),
        "p_value": float(f"{change.p_value:.{_PROBABILITY_DIGITS - 1}e}"),
    }

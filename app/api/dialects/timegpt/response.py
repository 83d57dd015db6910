"""The fields that responses of TimeGPT share."""

from statistics import NormalDist

import numpy as np

from app.api.dialects.timegpt.requests import TimeGptRequest
from app.api.responses.json import Json
from app.forecasting.jobs.windows import Forecasts
from app.timeseries.types import BoolArray, FloatArray

# The smallest half-width that counts, as a fraction of the median, or of 1 if that is larger.
_MIN_RELATIVE_WIDTH = 1e-12
_MAX_SCORE = 1e6  # larger scores carry no more information
NO_TOKENS = {"input_tokens": 0, "output_tokens": 0, "finetune_tokens": 0}
NO_WEIGHTS: Json = {"weights_x": None}


def score_values(
    values: FloatArray, median: FloatArray, lower: FloatArray, upper: FloatArray, confidence: float
) -> tuple[BoolArray, FloatArray]:
    """Return which values are outside their intervals, and the score of each, shape (n,).

    The score is the signed distance from the median, in standard deviations of a normal
    distribution that has the interval with this confidence. A missing value (NaN) is not an
    anomaly and has the score 0.
    """
    is_known = np.isfinite(values)
    distance = np.where(is_known, values - median, 0.0)
    width = np.where(distance > 0, upper - median, median - lower)
    width = np.maximum(width, _MIN_RELATIVE_WIDTH * np.maximum(np.abs(median), 1.0))
    score = NormalDist().inv_cdf((1 + confidence) / 2) * distance / width
    is_anomaly = is_known & ((values < lower) | (values > upper))
    return is_anomaly, np.clip(score, -_MAX_SCORE, _MAX_SCORE)


def forecast_fields(request: TimeGptRequest, forecasts: Forecasts) -> Json:
    intervals = intervals_of(request, forecasts.lower, forecasts.upper)
    return NO_TOKENS | {"mean": forecasts.median, "intervals": intervals}


def contributions_field(request: TimeGptRequest, forecasts: Forecasts) -> Json:
    """Return the contributions of all columns and of the rest, null unless they are requested."""
    if not request.needs_contributions:
        return {"feature_contributions": None}
    rows = np.zeros((request.sent_columns + 1, len(forecasts.median)))
    if request.columns is not None:
        rows[request.columns.indices] = forecasts.contributions
    rows[-1] = forecasts.median - rows.sum(axis=0)
    return {"feature_contributions": list(rows)}


def intervals_of(request: TimeGptRequest, lower: FloatArray, upper: FloatArray) -> Json | None:
    """Return the bounds by the names of their columns; each array has the shape (levels, n)."""
    if not request.level_labels:
        return None
    rows = zip(request.level_labels, lower, upper, strict=True)
    return {
        name: bound
        for label, low, high in rows
        for name, bound in ((f"lo-{label}", low), (f"hi-{label}", high))
    }

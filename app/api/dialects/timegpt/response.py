"""The fields that responses of TimeGPT share."""

import numpy as np

from app.api.dialects.timegpt.requests import TimeGptRequest
from app.api.endpoints.endpoint import Json
from app.forecasting.batch import Forecasts
from app.timeseries.types import FloatArray

NO_TOKENS = {"input_tokens": 0, "output_tokens": 0, "finetune_tokens": 0}
NO_WEIGHTS: Json = {"weights_x": None}


def forecast_fields(request: TimeGptRequest, forecasts: Forecasts) -> Json:
    intervals = intervals_of(request, forecasts.lower, forecasts.upper)
    return NO_TOKENS | {"mean": forecasts.median, "intervals": intervals}


def contributions_field(request: TimeGptRequest, forecasts: Forecasts) -> Json:
    """Return the contributions of all columns that were sent and of the rest, if wanted."""
    if not request.wants_contributions:
        return {"feature_contributions": None}
    rows = np.zeros((request.sent_columns + 1, len(forecasts.median)))
    if request.columns is not None:
        rows[request.columns.indices] = forecasts.contributions
    rows[-1] = forecasts.median - rows.sum(axis=0)
    return {"feature_contributions": list(rows)}


def intervals_of(request: TimeGptRequest, lower: FloatArray, upper: FloatArray) -> Json | None:
    """Return the bounds, of shape (levels, n) each, by the names of their columns."""
    if not request.labels:
        return None
    rows = zip(request.labels, lower, upper, strict=True)
    return {
        name: bound
        for label, low, high in rows
        for name, bound in ((f"lo-{label}", low), (f"hi-{label}", high))
    }

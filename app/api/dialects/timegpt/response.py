"""The fields that responses of TimeGPT share."""

import numpy as np

from app.api.declaration import Json
from app.api.dialects.timegpt.order import TimeGptOrder
from app.forecasting.batch import Forecasts
from app.timeseries.types import FloatArray

NO_TOKENS = {"input_tokens": 0, "output_tokens": 0, "finetune_tokens": 0}
NO_WEIGHTS: Json = {"weights_x": None}


def forecast_fields(order: TimeGptOrder, forecasts: Forecasts) -> Json:
    """Return the fields that all forecasts share."""
    intervals = intervals_of(order, forecasts.lower, forecasts.upper)
    return NO_TOKENS | {"mean": forecasts.median, "intervals": intervals}


def contributions_field(order: TimeGptOrder, forecasts: Forecasts) -> Json:
    """Return the contributions of all columns that were sent and of the rest, if wanted."""
    if not order.wants_contributions:
        return {"feature_contributions": None}
    rows = np.zeros((order.sent_columns + 1, len(forecasts.median)))
    if order.columns is not None:
        rows[order.columns.indices] = forecasts.contributions
    rows[-1] = forecasts.median - rows.sum(axis=0)
    return {"feature_contributions": list(rows)}


def intervals_of(order: TimeGptOrder, lower: FloatArray, upper: FloatArray) -> Json | None:
    """Return the bounds, of shape (levels, n) each, by the names of their columns."""
    if not order.labels:
        return None
    rows = zip(order.labels, lower, upper, strict=True)
    return {
        name: bound
        for label, low, high in rows
        for name, bound in ((f"lo-{label}", low), (f"hi-{label}", high))
    }

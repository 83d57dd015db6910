"""The endpoints of TimeGPT that Nixtla's SDK calls."""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from flask import Blueprint
from marshmallow import Schema

from app.anomalies.batch import score_values
from app.api.declaration import Endpoint, Example, Json, Tag
from app.api.dialects.timegpt.bounds import BATCH
from app.api.dialects.timegpt.computing import DETECTIONS, FORECASTS, detect, forecast
from app.api.dialects.timegpt.examples import (
    CROSS_VALIDATION,
    DETECTION,
    FORECAST,
    ONLINE_DETECTION,
)
from app.api.dialects.timegpt.models import HORIZON, INPUT_SIZE, MODELS
from app.api.dialects.timegpt.order import (
    CrossValidationOrder,
    OnlineOrder,
    TimeGptDetectionOrder,
    TimeGptForecastOrder,
    TimeGptOrder,
)
from app.api.dialects.timegpt.response_schemas import (
    TimeGptCrossValidationSchema,
    TimeGptDetectionSchema,
    TimeGptFinetunedModelsSchema,
    TimeGptForecastSchema,
    TimeGptKeySchema,
    TimeGptModelSchema,
    TimeGptModelsSchema,
    TimeGptOnlineDetectionSchema,
    TimeGptUsageSchema,
)
from app.api.dialects.timegpt.schemas import (
    TASKS,
    TimeGptCrossValidationRequestSchema,
    TimeGptDetectionRequestSchema,
    TimeGptForecastRequestSchema,
    TimeGptIdSchema,
    TimeGptModelQuerySchema,
    TimeGptOnlineDetectionRequestSchema,
    TimeGptTaskSchema,
)
from app.api.dialects.timegpt.windows import (
    history_windows,
    judging_windows,
    last_windows,
    whole_series,
)
from app.api.endpoint import View, endpoint
from app.api.errors import ApiError, not_found_error
from app.api.limiter import current_state
from app.compute.jobs import Job
from app.forecasting.batch import Forecasts
from app.identity.accounts.permissions import Permission
from app.identity.limits.tiers import DAY, HOUR, MINUTE
from app.timeseries.types import FloatArray

PREFIX = "/timegpt/"
blueprint = Blueprint("timegpt", __name__)

TAG = Tag(
    "TimeGPT",
    "The API of Nixtla's TimeGPT, for its Python SDK: many series in a call.",
)
DESCRIPTION = """\
Compatible with Nixtla's SDK: `NixtlaClient(base_url="https://host/timegpt", api_key="ak_…")`.
`model` is one of TimeGPT's names or of the service's own. Bodies above 1 MiB may be compressed by
zstd (`Content-Encoding: zstd`). `clean_ex_first`, `finetune_depth`, `finetune_loss`,
`refit` and `job_options` are accepted and have no effect. Invalid requests get
`422`, whose `detail` says what to send or set instead."""
COST_NOTE = """

Counts as one request for each 100 forecasts or 50,000 points, at least one: all of them or, if
they do not fit the limits, only the first. What takes longer than 50 s gets `422`."""
NO_TOKENS = {"input_tokens": 0, "output_tokens": 0, "finetune_tokens": 0}
NO_WEIGHTS: Json = {"weights_x": None}


def _declare(
    method: str,
    path: str,
    response: Schema | None,
    *,
    permission: Permission | None,
    **options: Any,
) -> Callable[[View], View]:
    """Declare the decorated view as an endpoint under the prefix."""

    def declare(view: View) -> View:
        declared = Endpoint(
            method,
            PREFIX + path,
            operation_id=f"timegpt_{view.__name__}",
            tag=TAG,
            permission=permission,
            response=response,
            **{"description": DESCRIPTION} | options,
        )
        return endpoint(blueprint, declared)(view)

    return declare


def _declare_call(
    path: str, body: Schema, response: Schema, job: Job, example: Example
) -> Callable[[View], View]:
    """Declare the decorated view as an endpoint that computes something of many series."""
    return _declare(
        "POST",
        f"v2/{path}",
        response,
        permission=Permission.READ,
        computes=job,
        body=body,
        batch=BATCH,
        description=DESCRIPTION + COST_NOTE,
        example=example,
    )


@_declare("GET", "validate_api_key", TimeGptKeySchema(), permission=None, is_counted=False)
def validate_api_key() -> Json:
    """Show that the key is valid."""
    return {"detail": "API key is valid"}


@_declare(
    "GET",
    "model_params",
    TimeGptModelSchema(),
    permission=None,
    is_counted=False,
    query=TimeGptModelQuerySchema(),
    other_errors=frozenset({422}),
)
def model_params(_chosen: Json) -> Json:
    """Show how many points and steps a model uses."""
    return {"detail": {"input_size": INPUT_SIZE, "horizon": HORIZON}}


@_declare("GET", "usage", TimeGptUsageSchema(), permission=None, is_counted=False)
def usage() -> Json:
    """Show what is used of the key's limits."""
    windows = {window.seconds: window for window in current_state().windows}
    return {
        name: {"usage": windows[seconds].used, "limit": windows[seconds].limit}
        for name, seconds in (("minute", MINUTE), ("hour", HOUR), ("day", DAY))
    }


@_declare("GET", "v2/models", TimeGptModelsSchema(), permission=None, is_counted=False)
def models() -> Json:
    """List the names of models."""
    return {"models": [{"name": name} for name in MODELS]}


@_declare_call(
    "forecast",
    TimeGptForecastRequestSchema(),
    TimeGptForecastSchema(),
    FORECASTS,
    FORECAST,
)
def forecast_series(order: TimeGptForecastOrder) -> Json:
    """Forecast many series."""
    forecasts = forecast(order, whole_series(order))
    contributions = _contributions(order, forecasts)
    return _forecast_fields(order, forecasts) | NO_WEIGHTS | contributions


@_declare_call(
    "cross_validation",
    TimeGptCrossValidationRequestSchema(),
    TimeGptCrossValidationSchema(),
    FORECASTS,
    CROSS_VALIDATION,
)
def cross_validate(order: CrossValidationOrder) -> Json:
    """Forecast the last windows of many series, each from the points before it."""
    if order.full_history:
        windows, sizes = history_windows(order)
    else:
        windows = last_windows(order)
        sizes = np.full_like(order.sizes, order.count * order.horizon)
    forecasts = forecast(order, windows)
    body = _forecast_fields(order, forecasts) | _contributions(order, forecasts)
    return body | {"sizes": sizes, "idxs": windows.target_indices()}


@_declare_call(
    "anomaly_detection",
    TimeGptDetectionRequestSchema(),
    TimeGptDetectionSchema(),
    DETECTIONS,
    DETECTION,
)
def detect_anomalies(order: TimeGptDetectionOrder) -> Json:
    """Judge every point of many series, each against all others of its series."""
    detection, sizes = detect(order)
    intervals = _intervals(order, detection.lower[None], detection.upper[None])
    return {
        **NO_TOKENS,
        **NO_WEIGHTS,
        "mean": detection.expected,
        "intervals": intervals,
        "sizes": sizes,
        "anomaly": detection.is_anomaly,
    }


@_declare_call(
    "online_anomaly_detection",
    TimeGptOnlineDetectionRequestSchema(),
    TimeGptOnlineDetectionSchema(),
    FORECASTS,
    ONLINE_DETECTION,
)
def detect_anomalies_online(order: OnlineOrder) -> Json:
    """Judge the last points of many series by forecasts from the points before them."""
    windows = judging_windows(order)
    forecasts, places = forecast(order, windows), windows.target_indices()
    (confidence,) = order.terms.confidences
    is_anomaly, score = score_values(
        order.values[places], forecasts.median, forecasts.lower[0], forecasts.upper[0], confidence
    )
    return _forecast_fields(order, forecasts) | {
        "sizes": np.full_like(order.sizes, order.size),
        "idxs": places,
        "anomaly": is_anomaly,
        "anomaly_score": score,
        "accumulated_anomaly_score": None,
    }


@_declare("GET", "v2/finetuned_models", TimeGptFinetunedModelsSchema(), permission=Permission.READ)
def finetuned_models() -> Json:
    """List the fine-tuned models: there are none."""
    return {"finetuned_models": []}


def _declare_id(method: str) -> Callable[[View], View]:
    return _declare(
        method,
        "v2/finetuned_models/<model_id>",
        None,
        permission=Permission.READ,
        variables=TimeGptIdSchema(),
        successes={},
        other_errors=frozenset({404}),
    )


@_declare_id("GET")
def finetuned_model(model_id: str) -> NoReturn:
    """Show a fine-tuned model: there is none."""
    raise _no_model_error(model_id)


@_declare_id("DELETE")
def delete_finetuned_model(model_id: str) -> NoReturn:
    """Delete a fine-tuned model: there is none."""
    raise _no_model_error(model_id)


def _declare_refused(path: str, *missing: int) -> Callable[[View], View]:
    return _declare(
        "POST",
        path,
        None,
        permission=Permission.READ,
        variables=TimeGptTaskSchema(),
        successes={},
        other_errors=frozenset({422, *missing}),
    )


@_declare_refused(f"v2/<any({', '.join(TASKS)}):task>", 404)
def reject_task(task: str) -> NoReturn:
    """Refuse what the service does not offer."""
    raise _not_offered_error(task)


@_declare_refused("v2/<task>/async")
def reject_job(task: str) -> NoReturn:
    """Refuse what would be polled."""
    raise _not_offered_error(f"{task}/async")


def _no_model_error(model_id: str) -> ApiError:
    return not_found_error(
        f"fine-tuned model {model_id[:100]!r}", "every call fits its own; leave it out"
    )


def _not_offered_error(task: str) -> ApiError:
    issue = (
        f"{task[:100]} is not offered, as there is no fine-tuning, simulation, explanation or "
        "job that is polled; use forecast, cross_validation, detect_anomalies or "
        "detect_anomalies_online, with num_partitions for many series"
    )
    return ApiError(422, "Not offered", {"issue": issue})


def _forecast_fields(order: TimeGptOrder, forecasts: Forecasts) -> Json:
    """Return the fields that all forecasts share."""
    intervals = _intervals(order, forecasts.lower, forecasts.upper)
    return NO_TOKENS | {"mean": forecasts.median, "intervals": intervals}


def _contributions(order: TimeGptOrder, forecasts: Forecasts) -> Json:
    """Return the contributions of all columns that were sent and of the rest, if wanted."""
    if not order.wants_contributions:
        return {"feature_contributions": None}
    rows = np.zeros((order.sent_columns + 1, len(forecasts.median)))
    if order.columns is not None:
        rows[order.columns.indices] = forecasts.contributions
    rows[-1] = forecasts.median - rows.sum(axis=0)
    return {"feature_contributions": list(rows)}


def _intervals(order: TimeGptOrder, lower: FloatArray, upper: FloatArray) -> Json | None:
    """Return the bounds, of shape (levels, n) each, by the names of their columns."""
    if not order.labels:
        return None
    rows = zip(order.labels, lower, upper, strict=True)
    return {
        name: bound
        for label, low, high in rows
        for name, bound in ((f"lo-{label}", low), (f"hi-{label}", high))
    }

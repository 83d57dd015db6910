"""The endpoints of TimeGPT that compute: forecasts, past forecasts and anomalies."""

import numpy as np

from app.api.dialects.timegpt.computing import (
    DETECTION_JOB,
    FORECAST_WINDOWS_JOB,
    run_detections,
    run_forecasts,
)
from app.api.dialects.timegpt.declaration import declare_call
from app.api.dialects.timegpt.requests import (
    TimeGptCrossValidationRequest,
    TimeGptDetectionRequest,
    TimeGptForecastRequest,
    TimeGptOnlineDetectionRequest,
)
from app.api.dialects.timegpt.response import (
    NO_TOKENS,
    NO_WEIGHTS,
    contributions_field,
    forecast_fields,
    intervals_of,
    score_values,
)
from app.api.dialects.timegpt.response_schemas import (
    TimeGptCrossValidationSchema,
    TimeGptDetectionSchema,
    TimeGptForecastSchema,
    TimeGptOnlineDetectionSchema,
)
from app.api.dialects.timegpt.schemas import (
    TimeGptCrossValidationRequestSchema,
    TimeGptDetectionRequestSchema,
    TimeGptForecastRequestSchema,
    TimeGptOnlineDetectionRequestSchema,
)
from app.api.dialects.timegpt.windows import (
    future_windows,
    history_windows,
    judging_windows,
    last_windows,
)
from app.api.responses.json import Json


@declare_call(
    "forecast",
    TimeGptForecastRequestSchema(),
    TimeGptForecastSchema(),
    FORECAST_WINDOWS_JOB,
    "Two series of a year, monthly",
)
def forecast_series(request: TimeGptForecastRequest) -> Json:
    """Forecast many series."""
    forecasts = run_forecasts(request, future_windows(request))
    contributions = contributions_field(request, forecasts)
    return forecast_fields(request, forecasts) | NO_WEIGHTS | contributions


@declare_call(
    "cross_validation",
    TimeGptCrossValidationRequestSchema(),
    TimeGptCrossValidationSchema(),
    FORECAST_WINDOWS_JOB,
    "The last two quarters of two series",
)
def cross_validate(request: TimeGptCrossValidationRequest) -> Json:
    """Forecast the last windows of many series, each from the points before it."""
    if request.has_full_history:
        windows, sizes = history_windows(request)
    else:
        windows = last_windows(request)
        sizes = np.full_like(request.sizes, request.window_count * request.horizon)
    forecasts = run_forecasts(request, windows)
    body = forecast_fields(request, forecasts) | contributions_field(request, forecasts)
    return body | {"sizes": sizes, "idxs": windows.target_indices()}


@declare_call(
    "anomaly_detection",
    TimeGptDetectionRequestSchema(),
    TimeGptDetectionSchema(),
    DETECTION_JOB,
    "Five weeks of daily values with a spike",
)
def detect_anomalies(request: TimeGptDetectionRequest) -> Json:
    """Judge every point of many series, each against all others of its series."""
    detection, sizes = run_detections(request)
    return {
        **NO_TOKENS,
        **NO_WEIGHTS,
        "mean": detection.expected,
        "intervals": intervals_of(request, detection.lower[None], detection.upper[None]),
        "sizes": sizes,
        "anomaly": detection.is_anomaly,
    }


@declare_call(
    "online_anomaly_detection",
    TimeGptOnlineDetectionRequestSchema(),
    TimeGptOnlineDetectionSchema(),
    FORECAST_WINDOWS_JOB,
    "The last five of 35 days",
)
def detect_anomalies_online(request: TimeGptOnlineDetectionRequest) -> Json:
    """Judge the last points of many series by forecasts from the points before them."""
    windows = judging_windows(request)
    forecasts = run_forecasts(request, windows)
    indices = windows.target_indices()
    (confidence,) = request.options.confidences
    is_anomaly, score = score_values(
        request.values[indices],
        forecasts.median,
        forecasts.lower[0],
        forecasts.upper[0],
        confidence,
    )
    return forecast_fields(request, forecasts) | {
        "sizes": np.full_like(request.sizes, request.detection_size),
        "idxs": indices,
        "anomaly": is_anomaly,
        "anomaly_score": score,
        "accumulated_anomaly_score": None,
    }

"""The three endpoints of Azure's Anomaly Detector for one series, in both versions."""

from flask import Blueprint
from marshmallow import Schema

from app.anomalies.results import Detection
from app.api.anomalies.jobs import DETECTION_JOBS, Detect, run_detection
from app.api.dialects.azure_anomaly_detector.response import (
    change_point_body,
    entire_body,
    filled_values,
    last_body,
)
from app.api.dialects.azure_anomaly_detector.response_schemas import (
    ChangePointDetectionSchema,
    EntireDetectionSchema,
    EntireDetectionWithSeveritySchema,
    LastDetectionSchema,
    LastDetectionWithSeveritySchema,
)
from app.api.dialects.azure_anomaly_detector.schemas import (
    AzureDetectionRequest,
    ChangePointRequestSchema,
    DetectRequestSchema,
    false_alarm_rate,
)
from app.api.endpoints.endpoint import Endpoint, Result, Success, Tag
from app.api.examples.recorded import Example, Examples
from app.api.responses.headers import NOTICE_HEADER, notice_headers
from app.api.serving.decorator import View, endpoint
from app.identity.accounts.permissions import Permission
from app.timeseries.history import History

PATH_PREFIX = "/anomalydetector/"
EXAMPLES = Examples(__package__)
blueprint = Blueprint("azure_anomaly_detector", __name__)

_TAG = Tag(
    "Azure Anomaly Detector",
    "The univariate API of Microsoft's service, which was retired on 1 October 2026, for existing "
    "clients. New clients should use `POST /anomalies`.",
)
_DESCRIPTION = """\
Compatible with Azure's Anomaly Detector: an existing client only needs a new address and key. Send
the key in `Ocp-Apim-Subscription-Key`, or in `Authorization` as for other endpoints.

Errors have Azure's `code` and `message`, at the top level and in `error`; `error.details.code` is
the service's own code. Invalid requests get `400`."""
_SPIKE_SUMMARY = "Three weeks of daily values with a spike"
_CHANGE_POINT = EXAMPLES.success("changepoint", "Six weeks of daily values with a new level")


def detect_entire_series(request: AzureDetectionRequest) -> Result:
    """Detect anomalies in a whole series."""
    detection = _detect(request, Detect.ALL)
    return Result(entire_body(request, detection), notice_headers(detection.notices))


def detect_last_point(request: AzureDetectionRequest) -> Result:
    """Detect whether the last point of a series is an anomaly."""
    detection = _detect(request, Detect.LAST)
    return Result(last_body(request, detection), notice_headers(detection.notices))


def detect_change_points(request: AzureDetectionRequest) -> Result:
    """Detect the points at which the level of a series changes."""
    detection = _detect(request, Detect.ALL)
    return Result(change_point_body(request, detection), notice_headers(detection.notices))


def _detect(request: AzureDetectionRequest, scope: Detect) -> Detection:
    """Return the detector's result on the grid of a request."""
    history = History(filled_values(request), request.grid.periods, request.grid.frequency)
    rate = false_alarm_rate(request.sensitivity)
    return run_detection(scope, history, rate, period=request.period)


def _declare(
    version: str,
    segment: str,
    view: View,
    body: type[Schema],
    response: type[Schema],
    example: Example,
) -> None:
    """Declare ``view`` as ``timeseries/<segment>/detect`` of a version of the API."""
    name = f"{view.__name__}_{version.replace('.', '_')}"
    declared = Endpoint(
        "POST",
        f"{PATH_PREFIX}{version}/timeseries/{segment}/detect",
        operation_id=name,
        permission=Permission.READ,
        computes=DETECTION_JOBS[Detect.LAST if segment == "last" else Detect.ALL],
        body=body(),
        successes={200: Success("The detection.", response(), NOTICE_HEADER)},
        tag=_TAG,
        description=_DESCRIPTION,
        example=example,
    )
    endpoint(blueprint, declared, name=name)(view)


for _version, _recorded, _entire, _last in (
    ("v1.0", "-1.0", EntireDetectionSchema, LastDetectionSchema),
    ("v1.1", "", EntireDetectionWithSeveritySchema, LastDetectionWithSeveritySchema),
):
    for _segment, _view, _response in (
        ("entire", detect_entire_series, _entire),
        ("last", detect_last_point, _last),
    ):
        _example = EXAMPLES.success("entire", _SPIKE_SUMMARY, f"{_segment}{_recorded}")
        _declare(_version, _segment, _view, DetectRequestSchema, _response, _example)
    _changes = (detect_change_points, ChangePointRequestSchema, ChangePointDetectionSchema)
    _declare(_version, "changepoint", *_changes, _CHANGE_POINT)

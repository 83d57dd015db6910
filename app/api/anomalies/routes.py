"""POST /anomalies: one series in, its anomalies, events and change points out."""

from flask import Blueprint

from app.api.anomalies.jobs import DETECTION_JOBS, Detect, run_detection
from app.api.anomalies.response import detection_body
from app.api.anomalies.schemas import (
    AnomaliesRequestSchema,
    AnomaliesResponseSchema,
    DetectionRequest,
)
from app.api.endpoints.endpoint import Endpoint, Result, Success, Tag
from app.api.examples.recorded import EXAMPLES
from app.api.responses.headers import NOTICE_HEADER, notice_headers
from app.api.serving.decorator import endpoint
from app.identity.accounts.permissions import Permission
from app.timeseries.history import History

blueprint = Blueprint("anomalies", __name__)

_DETECTION_TAG = Tag("Anomalies", "One time series in; anomalies, events and change points out.")
_DESCRIPTION = """\
Takes **one** series and returns the points that do not fit it, and the band that they lie outside.

`false_alarm_rate` is the fraction of points of a clean series that may be flagged. It is the only
parameter to tune: with 0.001, about one in a thousand points is flagged where nothing is wrong.

The arrays `timestamps`, `is_anomaly`, `expected`, `lower_bound`, `upper_bound`, `p_value` and
`severity` are parallel, with one entry per point; with `detect` `last` they have one entry.
`is_anomaly` is true exactly where the value lies outside `lower_bound` and `upper_bound` on a side
selected by `direction`. `events` has one entry for each incident, `change_points` one for each
lasting change of the level. The same request always gets the same bytes.

Needs the permission `read`. Counts against the limits, even if the response is 400, 403, 413, 415
or 422."""


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/anomalies",
        permission=Permission.READ,
        computes=DETECTION_JOBS[Detect.ALL],
        body=AnomaliesRequestSchema(),
        successes={200: Success("The detection.", AnomaliesResponseSchema(), NOTICE_HEADER)},
        tag=_DETECTION_TAG,
        operation_id="detectAnomalies",
        tool="detect_anomalies",
        description=_DESCRIPTION,
        example=EXAMPLES.success("anomalies", "A month of daily values with a spike"),
    ),
)
def detect_anomalies(request: DetectionRequest) -> Result:
    """Detect anomalies in one time series: a band, events and change points."""
    calendar = request.series.calendar
    history = History(request.series.values, calendar.periods, calendar.frequency)  # no holidays
    detection = run_detection(request.detect, history, request.false_alarm_rate, request.direction)
    return Result(detection_body(detection, request.timestamps), notice_headers(detection.notices))

"""POST /anomalies: one series in, its anomalies, events and change points out."""

from flask import Blueprint

from app.accounts.permissions import Permission
from app.api.anomalies.engine import run_detection
from app.api.anomalies.response import body_of
from app.api.anomalies.schemas import (
    AnomaliesRequestSchema,
    AnomaliesResponseSchema,
    DetectionOrder,
)
from app.api.declaration import Example, Json, Tag
from app.api.endpoint import endpoint
from app.api.examples import ANOMALIES, ANOMALIES_REQUEST
from app.api.notices import NOTICE_HEADER, notice_headers
from app.forecasting.types import History

blueprint = Blueprint("anomalies", __name__)

DETECTION = Tag("Anomalies", "One time series in; its anomalies, events and change points out.")
DESCRIPTION = """\
Sends **one** series and gets its points that do not fit, and the band outside of which they lie.

`false_alarm_rate` is the share of the points of a clean series that may be flagged. It is the one
thing to choose: 0.001 flags about one of a thousand points where nothing is wrong.

The arrays `timestamps`, `is_anomaly`, `expected`, `lower_bound`, `upper_bound`, `p_value` and
`severity` are parallel, one entry a point; for `detect` `last` they have one entry. `is_anomaly` is
true exactly where the value that was sent lies outside `lower_bound` and `upper_bound` on a side
that `direction` asks for. `events` has one entry for each thing that happened, `change_points` one
for each lasting change of the level. The same request gets the same bytes.

Needs the permission `read`; counts against the limits, also when it is answered 400, 403, 413, 415
or 422."""


@endpoint(
    blueprint,
    "POST",
    "/anomalies",
    permission=Permission.READ,
    computes=True,
    body=AnomaliesRequestSchema,
    response=AnomaliesResponseSchema,
    successes={200: "The detection."},
    response_headers=NOTICE_HEADER,
    tag=DETECTION,
    operation_id="detectAnomalies",
    description=DESCRIPTION,
    example=Example("A month, daily, with a spike", ANOMALIES, ANOMALIES_REQUEST),
)
def detect_anomalies(order: DetectionOrder) -> tuple[Json, dict[str, str]]:
    """Detect the anomalies of one time series: a band, events and change points."""
    calendar = order.series.calendar
    history = History(order.series.values, calendar.periods, calendar.frequency)
    rate = order.false_alarm_rate
    detection = run_detection(order.detect, history, rate, order.direction)
    return body_of(detection, order.timestamps), notice_headers(detection.notices)

"""The response bodies of /monitors."""

from typing import Any

from marshmallow import Schema, fields

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.events import Closing
from app.api.anomalies.schemas import PROBABILITY, SEVERITY, SIDES
from app.api.declaration import Json
from app.api.fields import ArrayField
from app.api.monitors.schemas import MAX_APPEND_POINTS, MAX_PAGE_SIZE, MAX_STEP
from app.api.names import NAME_METADATA
from app.api.series.columns import TIMESTAMP
from app.api.series.schemas import FREQUENCY_NAMES
from app.delivery.models import DeliveryState
from app.watching.monitors.records import (
    ABSENT,
    OVERDUE,
    LearningReason,
    MessageType,
    PointStatus,
    State,
)

STATES = (
    "`learning`: too few points yet to judge; `anomalous`: an event is open; `normal`: no event is "
    "open"
)
STATUSES = (
    "`judged`; `learning`: too few points yet to judge; `late`: older than the newest point, "
    "stored but not judged"
)
REPEATED = (
    "; `duplicate`: already stored with this value, with its first verdict; `conflict`: already "
    "stored with another value, which is kept with its verdict"
)
CURSOR = {"description": "Cursor: send it as `after` to continue from here."}


def _number(metadata: Json) -> fields.Float:
    """Return a field for a number, null for a late point."""
    return fields.Float(required=True, allow_none=True, metadata=metadata)


def _timestamp(description: str, *, allow_none: bool = False) -> fields.String:
    metadata = TIMESTAMP | {"description": description}
    return fields.String(required=True, allow_none=allow_none, metadata=metadata)


def _moment(description: str, *, allow_none: bool = False) -> fields.String:
    """Return a field for a time of the service's clock."""
    metadata = {"description": f"{description}. In UTC.", "format": "date-time"}
    return fields.String(required=True, allow_none=allow_none, metadata=metadata)


def _one_of(choices: list[str], description: str, *, allow_none: bool = False) -> fields.String:
    listed = [*choices, None] if allow_none else choices
    metadata = {"enum": listed, "description": description}
    return fields.String(required=True, allow_none=allow_none, metadata=metadata)


def _reason() -> fields.String:
    return _one_of(
        [*LearningReason],
        "Why the monitor is learning; null unless `state` is `learning`. `new`: it has had too few "
        "points; `gap`: more than two seasons of points were missing; `changed`: the series has "
        "changed for good.",
        allow_none=True,
    )


class MonitorPointSchema(Schema):
    """A point and its verdict."""

    cursor = fields.Integer(required=True, metadata=CURSOR)
    timestamp = _timestamp("On the monitor's time grid.")
    value = fields.Float(required=True)
    status = _one_of([PointStatus.JUDGED, PointStatus.LEARNING, PointStatus.LATE], f"{STATUSES}.")
    is_anomaly = fields.Boolean(required=True)
    expected = _number({"description": "The value forecast from the points before."})
    lower_bound = _number({"description": "Lower bound of the band."})
    upper_bound = _number({"description": "Upper bound of the band."})
    p_value = _number(PROBABILITY)
    severity = _number(SEVERITY)


class MonitorEventSchema(Schema):
    """One incident of one or more points."""

    id = fields.Integer(required=True, metadata={"description": "Never changes."})
    cursor = fields.Integer(
        required=True,
        metadata={
            "description": "Cursor: send it as `after` to continue from here. It changes when the "
            "event becomes an alert and when it closes."
        },
    )
    kind = _one_of(
        [*EventKind, OVERDUE],
        "As in `POST /anomalies`; `overdue`: an expected point did not arrive.",
    )
    direction = _one_of([*SIDES], "Null if `kind` is `overdue`.", allow_none=True)
    start = _timestamp("Timestamp of the first point.")
    end = _timestamp("Timestamp of the last point; null while the event is open.", allow_none=True)
    peak_timestamp = _timestamp("Timestamp of the point that is farthest from its expected value.")
    severity = fields.Float(required=True, metadata=SEVERITY)
    deviation = fields.Float(
        required=True,
        allow_none=True,
        metadata={
            "minimum": 0,
            "description": "Distance of the value from the expected one at the peak, in the "
            "values' unit; null if `kind` is `overdue`.",
        },
    )
    is_alert = fields.Boolean(
        required=True,
        metadata={
            "description": "Whether it reached `alert_severity` and `alert_min_deviation` at a "
            "time when the monitor was not muted. Only alerts are sent to the webhook."
        },
    )
    closed_as = _one_of(
        [*Closing, ABSENT],
        "`ended`: the series is back to normal; `new_level`: the new level is the normal one; "
        "`absent`: the query no longer returns the series; null while the event is open.",
        allow_none=True,
    )
    opened_at = _moment("When the event was detected")
    closed_at = _moment("When the end was detected; null while the event is open", allow_none=True)


class MonitorSchema(Schema):
    """A monitor: its settings and its state."""

    name = fields.String(required=True, metadata=NAME_METADATA)
    source = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Source whose query feeds it; null: clients append its points."},
    )
    query = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Query that feeds it, and whose settings it has; or null."},
    )
    labels = fields.Dict(
        fields.String(),
        fields.String(),
        required=True,
        allow_none=True,
        metadata={"description": "Labels of the series that it is, if a query feeds it; or null."},
    )
    data_frequency = _one_of(FREQUENCY_NAMES, "Unit of the step between two points.")
    step = fields.Integer(
        required=True,
        metadata={
            "minimum": 1,
            "maximum": MAX_STEP,
            "description": "Number of units between two points.",
        },
    )
    false_alarm_rate = fields.Float(required=True, metadata=PROBABILITY)
    direction = _one_of([*Direction], "On which sides of the band a point is an anomaly.")
    webhook = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Name of the webhook that alerts are sent to; null: none."},
    )
    alert_severity = fields.Float(
        required=True, metadata=SEVERITY | {"description": "Least severity of an alert."}
    )
    alert_min_deviation = fields.Float(
        required=True,
        metadata={
            "minimum": 0,
            "description": "Least `deviation` of an alert, in the values' unit.",
        },
    )
    muted_until = _moment("Until when nothing is sent; null: not muted", allow_none=True)
    state = _one_of(
        [*State],
        f"{STATES}; `overdue`: the next point is two steps late; `absent`: the query that feeds it "
        "has not returned the series for five steps.",
    )
    reason = _reason()
    is_anomalous = fields.Boolean(
        required=True,
        metadata={"description": "Whether an event is open, also while the state is `overdue`."},
    )
    points = fields.Integer(
        required=True, metadata={"minimum": 0, "description": "Number of points stored."}
    )
    last_point = fields.Nested(
        MonitorPointSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The newest point; null if there is none."},
    )
    created_at = _moment("When the monitor was created")
    overdue_at = _moment("When the monitor becomes overdue if no point arrives", allow_none=True)


class MonitorsSchema(Schema):
    """The monitors of the account."""

    monitors = fields.List(
        fields.Nested(MonitorSchema), required=True, metadata={"description": "Ordered by name."}
    )


def _column(item: fields.Field[Any], description: str) -> ArrayField:
    length = {"minItems": 1, "maxItems": MAX_APPEND_POINTS}
    return ArrayField(item, description, metadata=length)


def _numbers(description: str, **metadata: Any) -> ArrayField:
    return _column(
        fields.Float(allow_none=True, metadata=metadata), f"{description}; null for `late` points."
    )


class AppendedSchema(Schema):
    """The verdicts as parallel arrays, one entry per point; then the state and events."""

    timestamps = _column(fields.String(metadata=TIMESTAMP), "Timestamps as sent.")
    status = _column(fields.String(metadata={"enum": [*PointStatus]}), f"{STATUSES}{REPEATED}.")
    is_anomaly = _column(
        fields.Boolean(),
        "True exactly where the value lies outside the band on a side selected by `direction`.",
    )
    expected = _numbers("Values forecast from the points before")
    lower_bound = _numbers("Lower bounds of the band")
    upper_bound = _numbers("Upper bounds of the band")
    p_value = _numbers(
        "Probability that a point of a clean series lies this far out; below `false_alarm_rate` "
        "exactly where `is_anomaly` is true",
        **PROBABILITY,
    )
    severity = _numbers(
        "0 to 100: the evidence that something new begins, comparable between monitors. Chance "
        "does not reach 50 at the default rate; 75 is twice that evidence",
        **SEVERITY,
    )
    state = _one_of([State.LEARNING, State.NORMAL, State.ANOMALOUS], f"{STATES}.")
    reason = _reason()
    events = fields.List(
        fields.Nested(MonitorEventSchema),
        required=True,
        metadata={"description": "Events that these points opened, made alerts or closed."},
    )


def _page(item: type[Schema]) -> fields.List[Any]:
    return fields.List(
        fields.Nested(item),
        required=True,
        metadata={"maxItems": MAX_PAGE_SIZE, "description": "In the requested `order`."},
    )


def _next() -> fields.Integer:
    return fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "Send it as `after` to get the next page; null if there is none yet."
        },
    )


class PointsPageSchema(Schema):
    """A page of the stored points."""

    points = _page(MonitorPointSchema)
    next = _next()


class EventsPageSchema(Schema):
    """A page of the stored events."""

    events = _page(MonitorEventSchema)
    next = _next()


class DeliverySchema(Schema):
    """A message about an event, sent or to be sent to the monitor's webhook."""

    id = fields.String(
        required=True, metadata={"description": "The `webhook-id` header of every attempt."}
    )
    event_id = fields.Integer(required=True)
    type = _one_of([*MessageType], "What the message reports.")
    state = _one_of([*DeliveryState], "`failed`: given up after 24 hours.")
    attempts = fields.Integer(required=True, metadata={"minimum": 0})
    last_problem = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Why the last attempt failed; null if none has failed."},
    )
    created_at = _moment("When the message was created")
    next_attempt_at = _moment(
        "When the next attempt is due; null if there is none", allow_none=True
    )
    delivered_at = _moment("When the receiver accepted it", allow_none=True)
    failed_at = _moment("When the service gave up", allow_none=True)


class DeliveriesSchema(Schema):
    """The newest messages of a monitor."""

    deliveries = fields.List(
        fields.Nested(DeliverySchema), required=True, metadata={"description": "Newest first."}
    )

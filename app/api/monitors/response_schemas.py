"""The bodies of responses about monitors."""

from typing import Any

from marshmallow import Schema, fields

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.verdict import Closing
from app.api.anomalies.schemas import PROBABILITY, SEVERITY, SIDES
from app.api.declaration import Json
from app.api.fields import ArrayField
from app.api.monitors.schemas import LARGEST_PAGE, MAX_POINTS_OF_APPEND, MAX_STEP, NAME_METADATA
from app.api.series.columns import TIMESTAMP
from app.api.series.schemas import FREQUENCY_NAMES
from app.monitors.messages import CLOSED, OPENED
from app.monitors.records import OVERDUE, State, Status
from app.webhooks.models import DeliveryState

STATES = (
    "`learning`: too little was seen yet to judge; `anomalous`: an event is open; `normal`: none is"
)
STATUSES = (
    "`judged`; `learning`: too little was seen yet to judge; `late`: older than the newest point, "
    "stored and not judged"
)
REPEATED = (
    "; `duplicate`: known with this value, with its first verdict; `conflict`: known with another "
    "value, which stays, as its verdict does"
)
CURSOR = {"description": "Read on `after` it."}


def _number(metadata: Json) -> fields.Float:
    """A number, null where a late point has none."""
    return fields.Float(required=True, allow_none=True, metadata=metadata)


def _timestamp(description: str, *, allow_none: bool = False) -> fields.String:
    metadata = TIMESTAMP | {"description": description}
    return fields.String(required=True, allow_none=allow_none, metadata=metadata)


def _moment(description: str, *, allow_none: bool = False) -> fields.String:
    """A moment of the service's clock."""
    metadata = {"description": f"{description}, in UTC.", "format": "date-time"}
    return fields.String(required=True, allow_none=allow_none, metadata=metadata)


def _one_of(choices: list[str], description: str, *, allow_none: bool = False) -> fields.String:
    listed = [*choices, None] if allow_none else choices
    metadata = {"enum": listed, "description": description}
    return fields.String(required=True, allow_none=allow_none, metadata=metadata)


class MonitorPointSchema(Schema):
    """A point and its verdict."""

    cursor = fields.Integer(required=True, metadata=CURSOR)
    timestamp = _timestamp("On the grid of the monitor.")
    value = fields.Float(required=True)
    status = _one_of([Status.JUDGED, Status.LEARNING, Status.LATE], f"{STATUSES}.")
    is_anomaly = fields.Boolean(required=True)
    expected = _number({"description": "The forecast of the value from those before."})
    lower_bound = _number({"description": "Lower bound of the band."})
    upper_bound = _number({"description": "Upper bound of the band."})
    p_value = _number(PROBABILITY)
    severity = _number(SEVERITY)


class MonitorEventSchema(Schema):
    """One thing that happened, however many points it took."""

    id = fields.Integer(required=True, metadata={"description": "Stays the same."})
    cursor = fields.Integer(
        required=True,
        metadata={"description": "Read on `after` it; it is a new one once the event closes."},
    )
    kind = _one_of([*EventKind, OVERDUE], "As of `POST /anomalies`; `overdue`: no point came.")
    direction = _one_of([*SIDES], "Null where `overdue`.", allow_none=True)
    start = _timestamp("Timestamp of its first point.")
    end = _timestamp("Timestamp of its last point; null while it is open.", allow_none=True)
    peak_timestamp = _timestamp("Timestamp of its most extreme point.")
    severity = fields.Float(required=True, metadata=SEVERITY)
    closed_as = _one_of(
        [*Closing],
        "`ended`: the series is as it was; `new_level`: its new level is the normal one now; null "
        "while it is open.",
        allow_none=True,
    )
    opened_at = _moment("When it was seen")
    closed_at = _moment("When it was seen to be over, null while it is open", allow_none=True)


class MonitorSchema(Schema):
    """A monitor: what was said of it, and how it is."""

    name = fields.String(required=True, metadata=NAME_METADATA)
    data_frequency = _one_of(FREQUENCY_NAMES, "Unit of the step between timestamps.")
    step = fields.Integer(
        required=True,
        metadata={"minimum": 1, "maximum": MAX_STEP, "description": "Units between two points."},
    )
    false_alarm_rate = fields.Float(required=True, metadata=PROBABILITY)
    direction = _one_of([*Direction], "The sides of the band on which a point counts.")
    webhook_url = fields.String(required=True, allow_none=True)
    state = _one_of([*State], f"{STATES}; `overdue`: the next point is late by two steps.")
    points = fields.Integer(
        required=True, metadata={"minimum": 0, "description": "How many are kept."}
    )
    last_point = fields.Nested(
        MonitorPointSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The newest, null where there is none."},
    )
    created_at = _moment("When it was made")
    overdue_at = _moment("When it is overdue unless a point comes", allow_none=True)


class PutMonitorSchema(MonitorSchema):
    """A monitor that was made or changed."""

    webhook_secret = fields.String(
        metadata={
            "description": "Signs what is sent to `webhook_url`; shown this once, where it is new.",
            "examples": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        }
    )


class MonitorsSchema(Schema):
    """The monitors of the account."""

    monitors = fields.List(
        fields.Nested(MonitorSchema), required=True, metadata={"description": "By name."}
    )


def _column(item: fields.Field[Any], description: str) -> ArrayField:
    length = {"minItems": 1, "maxItems": MAX_POINTS_OF_APPEND}
    return ArrayField(item, description, metadata=length)


def _numbers(description: str, **metadata: Any) -> ArrayField:
    return _column(
        fields.Float(allow_none=True, metadata=metadata), f"{description}; null where `late`."
    )


class AppendedSchema(Schema):
    """What became of points: parallel arrays, one entry a point; state and events after them."""

    timestamps = _column(fields.String(metadata=TIMESTAMP), "As they were sent.")
    status = _column(fields.String(metadata={"enum": [*Status]}), f"{STATUSES}{REPEATED}.")
    is_anomaly = _column(
        fields.Boolean(),
        "True exactly where the value lies outside the band, on a side of `direction`.",
    )
    expected = _numbers("The forecast of the value from those before")
    lower_bound = _numbers("Lower bounds of the band")
    upper_bound = _numbers("Upper bounds of the band")
    p_value = _numbers(
        "Probability that a point of a clean series lies as far out; below `false_alarm_rate` "
        "exactly where `is_anomaly`",
        **PROBABILITY,
    )
    severity = _numbers("0 to 100: -log10 of `p_value` times 25/3", **SEVERITY)
    state = _one_of([State.LEARNING, State.NORMAL, State.ANOMALOUS], f"{STATES}.")
    events = fields.List(
        fields.Nested(MonitorEventSchema),
        required=True,
        metadata={"description": "Those that these points opened or closed."},
    )


def _page(item: type[Schema]) -> fields.List[Any]:
    return fields.List(
        fields.Nested(item),
        required=True,
        metadata={"maxItems": LARGEST_PAGE, "description": "In the `order` asked for."},
    )


def _next() -> fields.Integer:
    return fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "Read on `after` it; null where there is no more yet."},
    )


class PointsPageSchema(Schema):
    """Some of the points that are kept."""

    points = _page(MonitorPointSchema)
    next = _next()


class EventsPageSchema(Schema):
    """Some of the events that are kept."""

    events = _page(MonitorEventSchema)
    next = _next()


class WebhookSecretSchema(Schema):
    """A new secret."""

    webhook_secret = fields.String(
        required=True,
        metadata={
            "description": "Signs from now on; the former one signs beside it for 24 hours.",
        },
    )


class DeliverySchema(Schema):
    """A message about an event, on its way to `webhook_url`."""

    id = fields.String(
        required=True, metadata={"description": "The header `webhook-id` of each attempt."}
    )
    event_id = fields.Integer(required=True)
    type = _one_of([OPENED, CLOSED], "What it tells.")
    state = _one_of([*DeliveryState], "`failed`: given up after 24 hours, or there is no address.")
    attempts = fields.Integer(required=True, metadata={"minimum": 0})
    last_problem = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Why the last attempt failed, null where none has."},
    )
    created_at = _moment("When it was written")
    next_attempt_at = _moment("When it is sent next, null once it is over", allow_none=True)
    delivered_at = _moment("When it was accepted", allow_none=True)
    failed_at = _moment("When it was given up", allow_none=True)


class DeliveriesSchema(Schema):
    """The newest messages."""

    deliveries = fields.List(
        fields.Nested(DeliverySchema), required=True, metadata={"description": "The newest first."}
    )

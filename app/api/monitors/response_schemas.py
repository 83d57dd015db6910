"""The response bodies of /monitors."""

from typing import Any

from marshmallow import Schema, fields

from app.api.anomalies.schemas import PROBABILITY_KEYWORDS, SEVERITY_KEYWORDS
from app.api.endpoints.record_schemas import nested_schema, response_schema
from app.api.monitors.schemas import MAX_PAGE_SIZE
from app.api.responses.fields import (
    ArrayField,
    boolean_field,
    integer_field,
    list_field,
    number_field,
    string_field,
    timestamp_field,
)
from app.api.series.columns import TIMESTAMP_SCHEMA
from app.watching.monitors.append import MAX_APPEND_POINTS
from app.watching.monitors.settings.limits import Limit
from app.watching.monitors.settings.monitor_records import EventRecord, Monitor, PointStatus
from app.watching.monitors.settings.states import (
    MONITOR_STATE_MEANINGS,
    REASON_MEANINGS,
    LearningReason,
    State,
)
from app.watching.monitors.storage.messages import DeliveryRecord

_STATUSES = (
    "`judged`; `learning`: too few points yet to judge; `late`: older than the newest point, "
    "stored but not judged"
)
_REPEATED_STATUSES = (
    "; `duplicate`: already stored with this value, with its first verdict; `conflict`: already "
    "stored with another value, which is kept with its verdict"
)
_CURSOR_METADATA = {
    "description": "Cursor: send it as `after` to continue from here. It is negative for points "
    "older than the first one."
}


class MonitorPointSchema(Schema):
    cursor = integer_field(**_CURSOR_METADATA)
    timestamp = timestamp_field("On the monitor's time grid.")
    value = number_field()
    status = string_field(
        f"{_STATUSES}.", enum=[PointStatus.JUDGED, PointStatus.LEARNING, PointStatus.LATE]
    )
    is_anomaly = boolean_field()
    expected = number_field("The value forecast from the points before.", allow_none=True)
    lower_bound = number_field("Lower bound of the band.", allow_none=True)
    upper_bound = number_field("Upper bound of the band.", allow_none=True)
    p_value = number_field(allow_none=True, **PROBABILITY_KEYWORDS)
    severity = number_field(allow_none=True, **SEVERITY_KEYWORDS)


MonitorEventSchema = response_schema(EventRecord, "MonitorEvent")
LimitSchema = nested_schema(Limit)
MonitorSchema = response_schema(Monitor, last_point=MonitorPointSchema)


def _column_field(item: fields.Field[Any], description: str) -> ArrayField:
    length = {"minItems": 1, "maxItems": MAX_APPEND_POINTS}
    return ArrayField(item, description, **length)


def _number_column_field(description: str, **metadata: Any) -> ArrayField:
    return _column_field(
        fields.Float(allow_none=True, metadata=metadata), f"{description}; null for `late` points."
    )


class AppendedSchema(Schema):
    """The verdicts as parallel arrays, one entry per point; then the state and events."""

    timestamps = _column_field(fields.String(metadata=TIMESTAMP_SCHEMA), "Timestamps as sent.")
    status = _column_field(
        fields.String(metadata={"enum": [*PointStatus]}), f"{_STATUSES}{_REPEATED_STATUSES}."
    )
    is_anomaly = _column_field(
        fields.Boolean(),
        "True exactly where the value lies outside the band on a side selected by `direction`.",
    )
    expected = _number_column_field("Values forecast from the points before")
    lower_bound = _number_column_field("Lower bounds of the band")
    upper_bound = _number_column_field("Upper bounds of the band")
    p_value = _number_column_field(
        "Probability that a point of a clean series lies this far out; below `false_alarm_rate` "
        "exactly where `is_anomaly` is true",
        **PROBABILITY_KEYWORDS,
    )
    severity = _number_column_field(
        "0 to 100: the evidence that something new begins, comparable between monitors. Points "
        "flagged by chance stay below 50 at the default false alarm rate; 75 is twice that "
        "evidence",
        **SEVERITY_KEYWORDS,
    )
    state = string_field(
        f"{MONITOR_STATE_MEANINGS}.", enum=[State.LEARNING, State.NORMAL, State.ANOMALOUS]
    )
    reason = string_field(REASON_MEANINGS, allow_none=True, enum=[*LearningReason, None])
    events = list_field(
        MonitorEventSchema, "Events that these points opened, made alerts or closed."
    )


def _page_field(item: type[Schema]) -> fields.List[Any]:
    return list_field(item, "In the requested `order`.", maxItems=MAX_PAGE_SIZE)


_NEXT_CURSOR = integer_field(
    "Send it as `after` to get the next page; null if there is none yet.", allow_none=True
)


class PointsPageSchema(Schema):
    points = _page_field(MonitorPointSchema)
    next = _NEXT_CURSOR


class EventsPageSchema(Schema):
    events = _page_field(MonitorEventSchema)
    next = _NEXT_CURSOR


class DeliveriesSchema(Schema):
    deliveries = list_field(response_schema(DeliveryRecord), "Newest first.")

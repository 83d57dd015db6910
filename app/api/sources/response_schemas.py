"""The response bodies of /sources."""

from typing import Any

from marshmallow import Schema, fields

from app.anomalies.results import Direction
from app.api.declaration import Json
from app.api.names import NAME_METADATA
from app.api.sources.fields import CREDENTIAL_FIELDS
from app.watching.sources.models import MAX_NAME_LENGTH, MAX_QUERY_LENGTH, QueryState

NAME = NAME_METADATA | {"maxLength": MAX_NAME_LENGTH}
STATES = (
    "`waiting`: not read yet, for longer only if no worker runs; `filling`: the history is being "
    "read and learned; `live`: the newest poll succeeded; `failing`: it failed, and is repeated; "
    "`refused`: the query returns too many series"
)


def _name() -> fields.String:
    return fields.String(required=True, metadata=NAME)


def _moment(description: str, *, allow_none: bool = True) -> fields.String:
    metadata = {"description": f"{description}. In UTC.", "format": "date-time"}
    return fields.String(required=True, allow_none=allow_none, metadata=metadata)


def _optional(description: str, **metadata: Any) -> fields.String:
    described: Json = {"description": description, **metadata}
    return fields.String(required=True, allow_none=True, metadata=described)


def _count(description: str) -> fields.Integer:
    return fields.Integer(required=True, metadata={"minimum": 0, "description": description})


def _number(description: str) -> fields.Float:
    return fields.Float(required=True, metadata={"minimum": 0, "description": description})


def _state() -> fields.String:
    metadata = {"enum": [*QueryState], "description": f"{STATES}."}
    return fields.String(required=True, metadata=metadata)


class ShownAuthorizationSchema(Schema):
    """That a source has credentials, without them."""

    type = fields.String(required=True, metadata={"enum": [*CREDENTIAL_FIELDS]})


class QueryStateSchema(Schema):
    """A query of a source, in short."""

    name = _name()
    state = _state()


class SourceSchema(Schema):
    """A server with Prometheus' API."""

    name = _name()
    url = fields.String(required=True)
    authorization = fields.Nested(
        ShownAuthorizationSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The type of the stored credentials; null: there are none."},
    )
    tenant = _optional("Sent as `X-Scope-OrgID`; null: not sent.")
    alertmanagers = fields.List(fields.String(), required=True)
    queries = fields.List(
        fields.Nested(QueryStateSchema), required=True, metadata={"description": "By name."}
    )
    created_at = _moment("When it was created", allow_none=False)


class SourcesSchema(Schema):
    """The sources of the account."""

    sources = fields.List(
        fields.Nested(SourceSchema), required=True, metadata={"description": "Ordered by name."}
    )


class QuerySchema(Schema):
    """A query of a source: its settings, and how it is going."""

    source = _name()
    name = _name()
    query = fields.String(required=True, metadata={"maxLength": MAX_QUERY_LENGTH})
    step = _count("Seconds between two points.")
    history = _count("Steps that were read when the query was new.")
    delay = _count("Seconds after which a step is read.")
    max_series = _count("Most series.")
    false_alarm_rate = _number("Fraction of points of a clean series that may be flagged.")
    direction = fields.String(required=True, metadata={"enum": [*Direction]})
    alert_severity = _number("Least severity of an alert.")
    alert_min_deviation = _number("Least deviation of an alert, in the values' unit.")
    muted_until = _moment("Until when nothing is sent; null: not muted")
    webhook = _optional("Name of the webhook that alerts are sent to; null: none.")
    state = _state()
    series = _count("Series in the newest response.")
    monitors = _count("Series that are watched, each as a monitor.")
    read_to = _moment("The newest step that was read; null before the history was")
    polled_at = _moment("When the newest poll ended; null before the first")
    failing_since = _moment("Since when polls fail; null unless `state` is `failing`")
    problem = _optional("Why it is `failing` or `refused`, in the words of the source; else null.")
    notices = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "What looks wrong about the series, and what to ask instead."},
    )
    created_at = _moment("When it was created", allow_none=False)

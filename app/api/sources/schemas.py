"""The request bodies and path parameters of /sources."""

from typing import Any

from marshmallow import Schema, ValidationError, post_load, validate, validates, validates_schema

from app.anomalies.results import Direction
from app.api.anomalies.fields import DirectionField, RateField
from app.api.current_settings import current_settings
from app.api.fields import StrictInteger
from app.api.monitors.fields import (
    AlertMinDeviationField,
    AlertSeverityField,
    MutedUntilField,
    WebhookNameField,
)
from app.api.names import check_new_name, is_valid_name, name_field
from app.api.sources.fields import (
    AlertmanagersField,
    AuthorizationField,
    PromqlField,
    ServerUrlField,
    TenantField,
)
from app.api.strict_schema import StrictSchema
from app.watching.sources.models import MAX_NAME_LENGTH
from app.watching.sources.records import (
    KEEP_AUTHORIZATION,
    NoSuchQueryError,
    NoSuchSourceError,
    QueryOrder,
    SourceOrder,
)

DAY_SECONDS = 86_400
DEFAULT_STEP_SECONDS, DEFAULT_HISTORY_STEPS, DEFAULT_DELAY_SECONDS, DEFAULT_SERIES = (
    300,
    4_032,
    45,
    100,
)
MAX_HISTORY_STEPS, MAX_DELAY_SECONDS = 10_000, 3_600


class SourceNameSchema(Schema):
    """The name of a source, in the path."""

    source = name_field("source", "prod", MAX_NAME_LENGTH)

    @post_load
    def reject_impossible_name(self, data: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Reject an invalid name without a query: no source can have it."""
        if not is_valid_name(data["source"], MAX_NAME_LENGTH):
            raise NoSuchSourceError(data["source"])
        return data


class NewSourceNameSchema(SourceNameSchema):
    """The name of a source that is created if it does not exist."""

    @validates("source")
    def check_name(self, name: str, **_kwargs: Any) -> None:
        """Check that a source may have this name."""
        check_new_name(name, "source", MAX_NAME_LENGTH)


class QueryNameSchema(SourceNameSchema):
    """The names of a source and of a query, in the path."""

    query = name_field("query", "checkout-rate", MAX_NAME_LENGTH)

    @post_load
    def reject_impossible_query_name(self, data: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Reject an invalid name without a query: no query can have it."""
        if not is_valid_name(data["query"], MAX_NAME_LENGTH):
            raise NoSuchQueryError(data["query"])
        return data


class NewQueryNameSchema(QueryNameSchema):
    """The names of a source and of a query that is created if it does not exist."""

    @validates("query")
    def check_name(self, name: str, **_kwargs: Any) -> None:
        """Check that a query may have this name."""
        check_new_name(name, "query", MAX_NAME_LENGTH)


class SourceRequestSchema(StrictSchema):
    """The body of PUT /sources/{source}; loads into a ``SourceOrder``."""

    data_message = "Invalid source"
    url = ServerUrlField(
        "http://prometheus.internal:9090",
        "Address of the server; its API is under this and `/api/v1`. `https://` to public "
        "addresses; `http://` and private addresses only where the operator allows them.",
    )
    authorization = AuthorizationField()
    tenant = TenantField()
    alertmanagers = AlertmanagersField()

    @post_load
    def make_order(self, data: dict[str, Any], **_kwargs: Any) -> SourceOrder:
        """Return the valid request as an order."""
        return SourceOrder(**{"authorization": KEEP_AUTHORIZATION} | data)


def _integer_field(default: int, low: int, high: int, description: str) -> StrictInteger:
    return StrictInteger(
        load_default=default,
        validate=validate.Range(low, high, error=f"Must be between {low:,} and {high:,}"),
        metadata={"description": description},
    )


class QueryRequestSchema(StrictSchema):
    """The body of PUT /sources/{source}/queries/{query}; loads into a ``QueryOrder``."""

    data_message = "Invalid query"
    query = PromqlField()
    step = _integer_field(
        DEFAULT_STEP_SECONDS,
        1,
        DAY_SECONDS,
        "Seconds between two points: a divisor of a day, by default at least 15. With 300, days "
        "and weeks are learned from the history. Cannot change once there are monitors.",
    )
    history = _integer_field(
        DEFAULT_HISTORY_STEPS,
        0,
        MAX_HISTORY_STEPS,
        "Steps that are read and learned when the query is new.",
    )
    delay = _integer_field(
        DEFAULT_DELAY_SECONDS,
        0,
        MAX_DELAY_SECONDS,
        "Seconds after which a step is read. VictoriaMetrics needs at least 30.",
    )
    max_series = StrictInteger(
        load_default=DEFAULT_SERIES,
        metadata={"minimum": 1, "description": "Most series; for more nothing is created."},
    )
    false_alarm_rate = RateField()
    direction = DirectionField()
    alert_severity = AlertSeverityField()
    alert_min_deviation = AlertMinDeviationField()
    muted_until = MutedUntilField()
    webhook = WebhookNameField()

    @validates("step")
    def check_step(self, step: int, **_kwargs: Any) -> None:
        """Check that the steps of a day begin at midnight."""
        least = current_settings().source_least_step
        if 0 < step < least:
            raise ValidationError(f"Must be at least {least} s; the operator can allow less")
        if 0 < step <= DAY_SECONDS and DAY_SECONDS % step:
            raise ValidationError("Must divide a day: send for example 15, 30, 60, 300 or 3600")

    @validates_schema
    def check_max_series(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """Check that so many series are allowed."""
        limit = current_settings().series_per_query
        data["max_series"] = data.get("max_series", min(DEFAULT_SERIES, limit))
        if not 1 <= data["max_series"] <= max(limit, 1):
            raise ValidationError({"max_series": [f"Must be between 1 and {limit:,}"]})

    @post_load
    def make_order(self, data: dict[str, Any], **_kwargs: Any) -> QueryOrder:
        """Return the valid request as an order."""
        return QueryOrder(**data | {"direction": Direction(data["direction"])})

"""The request bodies of /sources."""

from typing import Any

from marshmallow import ValidationError, post_load, pre_load, validate, validates

from app.api.endpoints.record_schemas import request_fields
from app.api.monitors.fields import LimitField, MutedUntilField, WebhookNameField
from app.api.requests.fields import StrictInteger
from app.api.requests.strict_schema import StrictSchema
from app.api.service import current_settings
from app.api.sources.fields import (
    AlertmanagersField,
    AuthorizationField,
    LabelsField,
    PromqlField,
    ServerUrlField,
    TenantField,
)
from app.timeseries.seconds import DAY_SECONDS
from app.watching.sources.query_replay import DEFAULT_DAYS, MAX_DAYS
from app.watching.sources.source_records import DEFAULT_MAX_SERIES, QuerySettings, SourceSettings


class SourceRequestSchema(StrictSchema):
    data_message = "Invalid source"
    record = SourceSettings

    class Meta(StrictSchema.Meta):
        include = request_fields(
            SourceSettings,
            url=ServerUrlField,
            authorization=AuthorizationField,
            tenant=TenantField,
            alertmanagers=AlertmanagersField,
            labels=LabelsField,
        )


class QueryRequestSchema(StrictSchema):
    data_message = "Invalid query"
    record = QuerySettings

    class Meta(StrictSchema.Meta):
        include = request_fields(
            QuerySettings,
            query=PromqlField,
            muted_until=MutedUntilField,
            webhook=WebhookNameField,
            limit=LimitField,
            labels=LabelsField,
        )

    @validates("step")
    def check_step(self, step: int, **_kwargs: Any) -> None:
        """Check the operator's minimum, and that the steps of a day begin at midnight."""
        min_step = current_settings().source_least_step
        if step < min_step:
            raise ValidationError(f"Must be at least {min_step} s; the operator can allow less")
        if DAY_SECONDS % step:
            raise ValidationError("Must divide a day: send for example 15, 30, 60, 300 or 3600")

    @pre_load
    def set_max_series(self, sent: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Set a missing ``max_series``: the operator's limit may be below the field's default."""
        return {"max_series": default_max_series()} | sent

    @validates("max_series")
    def check_max_series(self, max_series: int, **_kwargs: Any) -> None:
        limit = current_settings().series_per_query
        if not 1 <= max_series <= limit:
            raise ValidationError(f"Must be between 1 and {limit:,}")


def default_max_series() -> int:
    return min(DEFAULT_MAX_SERIES, current_settings().series_per_query)


class QueryReplayRequestSchema(QueryRequestSchema):
    """The body of a replay; loads into the settings and the number of days."""

    data_message = "Invalid replay"

    days = StrictInteger(
        load_default=DEFAULT_DAYS,
        validate=validate.Range(1, MAX_DAYS, error=f"Must be between 1 and {MAX_DAYS}"),
        metadata={"description": "Days before now that are replayed.", "default": DEFAULT_DAYS},
    )

    @post_load
    def load_record(self, data: dict[str, Any], **_kwargs: Any) -> Any:
        days = data.pop("days")
        return QuerySettings(**data), days

"""The request bodies and query parameters of /monitors."""

from dataclasses import dataclass, fields
from typing import Any

from marshmallow import ValidationError, post_load, validate, validates_schema

from app.api.endpoints.record_schemas import request_fields
from app.api.monitors.fields import LimitField, MutedUntilField, WebhookNameField
from app.api.requests.fields import StrictChoice
from app.api.requests.query import MAX_INTEGER, IntegerParameter, StrictQuerySchema
from app.api.requests.series import OneSeriesField, TimeSeriesSchema, fit_spacing, series_of
from app.api.requests.strict_schema import StrictSchema
from app.api.series.columns import TimestampsField, ValuesField
from app.timeseries.calendar.fit import Calendar
from app.timeseries.calendar.timestamps import ParsedTimestamps
from app.timeseries.series import Series
from app.timeseries.types import FloatArray
from app.watching.monitors.append import MAX_APPEND_POINTS
from app.watching.monitors.settings.monitor_settings import MonitorSettings

_SETTING_NAMES = [field.name for field in fields(MonitorSettings)]
_DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE = 100, 1_000


@dataclass(frozen=True)
class MonitorRequest:
    """A valid request for a monitor; ``history`` is the series to learn from."""

    settings: MonitorSettings
    history: Series | None


@dataclass(frozen=True)
class PointsRequest:
    """Valid points; ``sent`` are the timestamps as sent."""

    timestamps: ParsedTimestamps
    values: FloatArray
    sent: list[str]


class MonitorRequestSchema(StrictSchema):
    class Meta(StrictSchema.Meta):
        include = request_fields(
            MonitorSettings, webhook=WebhookNameField, muted_until=MutedUntilField, limit=LimitField
        ) | {
            "series": OneSeriesField(
                required=False, description="A history to learn from: exactly one series."
            )
        }

    @validates_schema(skip_on_field_errors=False)
    def check_spacing(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """Check that the history is one regular grid with the declared step."""
        calendar = data["calendar"] = fit_spacing(data, step_as="step")
        if calendar is not None and calendar.step != data.get("step", calendar.step):
            raise ValidationError({"series": {0: {"timestamps": {1: [_step_issue(calendar)]}}}})

    @post_load
    def make_request(self, data: dict[str, Any], **_kwargs: Any) -> MonitorRequest:
        settings = MonitorSettings(**{name: data[name] for name in _SETTING_NAMES})
        calendar = data["calendar"]
        return MonitorRequest(settings, series_of(data, calendar) if calendar else None)


def _step_issue(calendar: Calendar) -> str:
    apart = calendar.axis.describe(calendar.stride)
    return (
        f"not the step of the monitor: the timestamps are {apart} apart; send step "
        f"{calendar.step}, or a history with the step of the monitor"
    )


class PointTimestampsField(TimestampsField):
    def __init__(self) -> None:
        super().__init__(1, MAX_APPEND_POINTS)
        description = (
            "On the monitor's time grid, which its first point defines; oldest first; all with the "
            "same offset (`Z`, `+02:00`), or all without one if the first point had none."
        )
        self.metadata = {**self.metadata, "description": description}


class PointsRequestSchema(TimeSeriesSchema):
    timestamps = PointTimestampsField()
    values = ValuesField(1, MAX_APPEND_POINTS)

    @post_load(pass_original=True)
    def make_request(self, data: dict[str, Any], sent: Any, **_kwargs: Any) -> PointsRequest:
        return PointsRequest(data["timestamps"], data["values"], sent["timestamps"])


class PageSchema(StrictQuerySchema):
    after = IntegerParameter(
        load_default=None,
        validate=validate.Range(-MAX_INTEGER, MAX_INTEGER),
        metadata={"description": "A cursor: the page starts after it. Default: from the start."},
    )
    limit = IntegerParameter(
        load_default=_DEFAULT_PAGE_SIZE,
        validate=validate.Range(1, MAX_PAGE_SIZE, error=f"Must be between 1 and {MAX_PAGE_SIZE}"),
        metadata={"description": "Maximum number of entries in a page."},
    )
    order = StrictChoice(
        ["asc", "desc"],
        "unknown order",
        load_default="asc",
        metadata={"description": "`asc`: oldest first; `desc`: newest first."},
    )

    @post_load
    def make_arguments(self, data: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        newest_first = data["order"] == "desc"
        return {"after": data["after"], "limit": data["limit"], "newest_first": newest_first}

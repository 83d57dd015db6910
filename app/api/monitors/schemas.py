"""The request bodies, path and query parameters of /monitors."""

import re
from dataclasses import dataclass
from typing import Any

from flask import current_app
from marshmallow import (
    Schema,
    ValidationError,
    fields,
    post_load,
    validate,
    validates,
    validates_schema,
)

from app.accounts.errors import AccountError
from app.accounts.texts import refuse_keys
from app.anomalies.results import Direction
from app.api.anomalies.fields import DirectionField, RateField
from app.api.fields import StrictChoice, StrictWhole
from app.api.monitors.fields import AlertMinDeviationField, AlertSeverityField, MutedUntilField
from app.api.query import LARGEST_WHOLE, QuerySchema, WholeParameter
from app.api.series.columns import TimestampsField, ValuesField
from app.api.series.schemas import (
    FrequencyField,
    OneSeriesField,
    TimeSeriesSchema,
    fit_spacing,
    series_of,
)
from app.api.strict_schema import StrictSchema
from app.forecasting.calendar.fit import Calendar
from app.forecasting.calendar.frequency import Frequency
from app.forecasting.calendar.timestamps import ParsedTimestamps
from app.forecasting.series import Series
from app.forecasting.types import FloatArray
from app.monitors.models import LONGEST_NAME
from app.monitors.records import MonitorSettings, NoSuchMonitorError
from app.webhooks.addresses import LONGEST_URL, WebhookUrlError, check_url

NAME = re.compile(r"\.*[a-z0-9_-][a-z0-9._-]*")
NAME_METADATA = {"pattern": f"^{NAME.pattern}$", "maxLength": LONGEST_NAME}
NAME_ISSUE = (
    f"not a valid monitor name: send 1 to {LONGEST_NAME} of a-z, 0-9, hyphens, underscores and "
    "dots, and not dots alone"
)
MAX_STEP = 10_000
MAX_POINTS_OF_APPEND = 1_000
USUAL_PAGE, LARGEST_PAGE = 100, 1_000


@dataclass(frozen=True)
class MonitorOrder:
    """A valid request for a monitor; ``history`` is the series to learn from, if any."""

    settings: MonitorSettings
    history: Series | None


@dataclass(frozen=True)
class PointsOrder:
    """Valid points; ``sent`` are the timestamps as sent."""

    timestamps: ParsedTimestamps
    values: FloatArray
    sent: list[str]


def _is_name(name: str) -> bool:
    return len(name) <= LONGEST_NAME and NAME.fullmatch(name) is not None


class NameSchema(Schema):
    """The name of a monitor, in the path."""

    name = fields.String(
        required=True,
        metadata=NAME_METADATA
        | {"description": "Name of the monitor.", "examples": ["checkout-latency"]},
    )

    @post_load
    def know_that_there_is_none(self, data: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Reject an invalid name without a query: no monitor can have it."""
        if not _is_name(data["name"]):
            raise NoSuchMonitorError
        return data


class NewNameSchema(NameSchema):
    """The name of a monitor that is created if it does not exist."""

    @validates("name")
    def check_name(self, name: str, **_kwargs: Any) -> None:
        """Check that a monitor may have this name."""
        if not _is_name(name):
            raise ValidationError(NAME_ISSUE)
        _refuse_keys(name, "the name")


def _refuse_keys(name: str, what: str) -> None:
    try:
        refuse_keys(name, what)
    except AccountError as error:
        raise ValidationError(str(error)) from None


class WebhookUrlField(fields.String):
    """The address that alerts are sent to; null for none."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError("Must be a string, such as https://example.com/hook, or null")
        _refuse_keys(value, "the URL")
        try:
            check_url(value, current_app.config["WEBHOOK_ALLOWED_NETWORKS"])
        except WebhookUrlError as error:
            raise ValidationError(str(error)) from None
        return value


class MonitorRequestSchema(StrictSchema):
    """The body of PUT /monitors/{name}; loads into a ``MonitorOrder``."""

    data_frequency = FrequencyField()
    step = StrictWhole(
        load_default=1,
        validate=validate.Range(1, MAX_STEP, error=f"Must be between 1 and {MAX_STEP}"),
        metadata={
            "description": "Units of `data_frequency` between two points: 5 for five-minute data."
        },
    )
    false_alarm_rate = RateField()
    direction = DirectionField()
    webhook_url = WebhookUrlField(
        load_default=None,
        allow_none=True,
        metadata={
            "description": "HTTPS address that alerts are sent to; absent or null: none.",
            "maxLength": LONGEST_URL,
            "pattern": "^https://",
            "examples": ["https://example.com/hook"],
        },
    )
    alert_severity = AlertSeverityField()
    alert_min_deviation = AlertMinDeviationField()
    muted_until = MutedUntilField()
    series = OneSeriesField(
        required=False, description="A history to learn from: exactly one series."
    )

    @validates_schema(skip_on_field_errors=False)
    def check_spacing(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """Check that the history is one regular grid with the declared step."""
        calendar = data["calendar"] = fit_spacing(data)
        if calendar is not None and calendar.step != data.get("step", calendar.step):
            raise ValidationError({"series": {0: {"timestamps": {1: [_step_issue(calendar)]}}}})

    @post_load
    def make_order(self, data: dict[str, Any], **_kwargs: Any) -> MonitorOrder:
        """Return the valid request as an order."""
        settings = MonitorSettings(
            data_frequency=Frequency(data["data_frequency"]),
            step=data["step"],
            false_alarm_rate=data["false_alarm_rate"],
            direction=Direction(data["direction"]),
            webhook_url=data["webhook_url"],
            alert_severity=data["alert_severity"],
            alert_min_deviation=data["alert_min_deviation"],
            muted_until=data["muted_until"],
        )
        calendar = data["calendar"]
        return MonitorOrder(settings, series_of(data, calendar) if calendar else None)


def _step_issue(calendar: Calendar) -> str:
    apart = calendar.axis.describe(calendar.stride)
    return (
        f"not the step of the monitor: the timestamps are {apart} apart; send step "
        f"{calendar.step}, or a history with the step of the monitor"
    )


class PointTimestampsField(TimestampsField):
    """The timestamps of points to append."""

    def __init__(self) -> None:
        super().__init__(1, MAX_POINTS_OF_APPEND)
        description = (
            "On the monitor's time grid, which its first point defines; oldest first; all with the "
            "same offset (`Z`, `+02:00`), or all without one if the first point had none."
        )
        self.metadata = {**self.metadata, "description": description}


class PointsRequestSchema(TimeSeriesSchema):
    """The body of POST /monitors/{name}/points; loads into a ``PointsOrder``."""

    timestamps = PointTimestampsField()
    values = ValuesField(1, MAX_POINTS_OF_APPEND)

    @post_load(pass_original=True)
    def make_order(self, data: dict[str, Any], sent: Any, **_kwargs: Any) -> PointsOrder:
        """Return the valid request as an order."""
        return PointsOrder(data["timestamps"], data["values"], sent["timestamps"])


class PageSchema(QuerySchema):
    """The query parameters of a page."""

    after = WholeParameter(
        load_default=None,
        validate=validate.Range(-LARGEST_WHOLE, LARGEST_WHOLE),
        metadata={"description": "A cursor: the page starts after it. Default: from the start."},
    )
    limit = WholeParameter(
        load_default=USUAL_PAGE,
        validate=validate.Range(1, LARGEST_PAGE, error=f"Must be between 1 and {LARGEST_PAGE}"),
        metadata={"description": "Maximum number of entries in a page."},
    )
    order = StrictChoice(
        ["asc", "desc"],
        "unknown order",
        load_default="asc",
        metadata={"description": "`asc`: oldest first; `desc`: newest first."},
    )

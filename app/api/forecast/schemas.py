"""The body of POST /forecast and its response."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, post_load, validate, validates_schema

from app.api.requests.fields import StrictChoice, StrictInteger, StrictNumber
from app.api.requests.holidays import HolidaysHeaderSchema
from app.api.requests.series import FrequencyField, OneSeriesField, fit_spacing, series_of
from app.api.requests.strict_schema import StrictSchema
from app.api.responses.fields import numbers_field, timestamps_field
from app.forecasting.model_ids import DEFAULT_MODEL, MODEL_IDS, MODEL_ROLES, SEASONAL_NAIVE
from app.forecasting.types import MAX_HORIZON
from app.timeseries.calendar.fit import BeyondCalendarError, Calendar
from app.timeseries.series import Series

MODEL_LIST = "\n".join(
    f"- `{model_id}` ({role.name}): {role.purpose} {role.detail}".rstrip()
    for model_id, role in MODEL_ROLES.items()
)
PERIODS_KEYWORDS = {"minItems": 1, "maxItems": MAX_HORIZON}
# The fields that give the unit of the step.
FREQUENCY_FIELDS = "data_frequency and forecast_frequency"
# The arguments of the field of the confidence, in a body or a query.
MIN_CONFIDENCE, MAX_CONFIDENCE, DEFAULT_CONFIDENCE = 0.1, 0.99, 0.95


class _ConfidenceRange(validate.Range):
    """The range of the confidence; numbers above 1 are taken for percentages in its error."""

    def __call__(self, value: Any) -> Any:
        try:
            return super().__call__(value)
        except ValidationError as error:
            if value <= 1:
                raise
            issue = f"{error.messages[0]}: a fraction, not a percentage; send 0.95 for 95 %"
            raise ValidationError(issue) from None


CONFIDENCE_KEYWORDS: dict[str, Any] = {
    "load_default": DEFAULT_CONFIDENCE,
    "validate": _ConfidenceRange(
        MIN_CONFIDENCE,
        MAX_CONFIDENCE,
        error=f"Must be between {MIN_CONFIDENCE} and {MAX_CONFIDENCE}",
    ),
    "metadata": {"description": "Confidence level of the prediction interval."},
}


@dataclass(frozen=True)
class ForecastRequest:
    """A valid request of POST /forecast."""

    series: Series
    horizon: int
    confidence: float


class ForecastRequestSchema(StrictSchema):
    remedies: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("model", "models", "model_id", "X-Model-Id"), "name the model in the header X-Model-Id"
    )

    series = OneSeriesField(many_remedy="send many series as a table to POST /tables/forecast")
    forecast_horizon = StrictInteger(
        required=True,
        validate=validate.Range(1, MAX_HORIZON, error=f"Must be between 1 and {MAX_HORIZON}"),
        error_messages={"required": f"missing: send a whole number from 1 to {MAX_HORIZON}"},
        metadata={"description": "Number of future periods to predict.", "examples": [12]},
    )
    data_frequency = FrequencyField()
    forecast_frequency = FrequencyField("Must equal `data_frequency`.")
    confidence = StrictNumber(**CONFIDENCE_KEYWORDS)

    @validates_schema(skip_on_field_errors=False)
    def check_frequencies(self, data: dict[str, Any], **_kwargs: Any) -> None:
        of_forecast, of_data = data.get("forecast_frequency"), data.get("data_frequency")
        if of_forecast and of_data and of_forecast != of_data:
            issue = f"invalid frequency: Must equal data_frequency, which is {of_data}"
            raise ValidationError({"forecast_frequency": [issue]})

    @validates_schema(skip_on_field_errors=False)
    def check_spacing(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """The timestamps are one regular grid, and the calendar does not end within the horizon."""
        calendar = fit_spacing(data, FREQUENCY_FIELDS)
        if calendar is None:
            return
        data["calendar"] = calendar
        _check_future(calendar, data.get("forecast_horizon", 1))

    @post_load
    def make_request(self, data: dict[str, Any], **_kwargs: Any) -> ForecastRequest:
        return ForecastRequest(
            series=series_of(data, data["calendar"]),
            horizon=data["forecast_horizon"],
            confidence=data["confidence"],
        )


def _check_future(calendar: Calendar, horizon: int) -> None:
    try:
        calendar.future(horizon)
    except BeyondCalendarError as error:
        raise ValidationError({"forecast_horizon": [error.issue("forecast_horizon")]}) from None


class ModelChoice(StrictChoice):
    def __init__(self, description: str, data_key: str | None = None, **metadata: str) -> None:
        super().__init__(
            list(MODEL_IDS),
            "unknown model",
            extra=(SEASONAL_NAIVE,),
            data_key=data_key,
            load_default=DEFAULT_MODEL,
            metadata={"description": description} | metadata,
        )


class ForecastHeadersSchema(HolidaysHeaderSchema):
    model_id = ModelChoice(
        f"The model to forecast with.\n\n{MODEL_LIST}\n"
        f"`{SEASONAL_NAIVE}`, the baseline of backtests, is accepted too.",
        "X-Model-Id",
        alias="X-Model-Selector",
    )


class ForecastResponseSchema(Schema):
    """The 200 body of POST /forecast: four parallel arrays, one entry per future period."""

    forecast_timestamps = timestamps_field(
        "Timestamps of the forecast periods, in the form that was sent.",
        attribute="timestamps",
        **PERIODS_KEYWORDS,
    )
    lower_bound = numbers_field(
        "Lower bounds of the prediction interval.", attribute="lower", **PERIODS_KEYWORDS
    )
    median = numbers_field("Point forecasts.", **PERIODS_KEYWORDS)
    upper_bound = numbers_field(
        "Upper bounds of the prediction interval.", attribute="upper", **PERIODS_KEYWORDS
    )

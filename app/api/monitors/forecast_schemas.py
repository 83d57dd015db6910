"""The query and the response of a monitor's forecast."""

from marshmallow import Schema, fields, validate

from app.api.forecast.schemas import CONFIDENCE_KEYWORDS
from app.api.monitors.response_schemas import LimitSchema
from app.api.requests.query import IntegerParameter, NumberParameter, StrictQuerySchema
from app.api.responses.fields import (
    nested_field,
    number_field,
    numbers_field,
    timestamp_field,
    timestamps_field,
)
from app.watching.monitors.settings.limits import MAX_HORIZON_STEPS, Limit

DEFAULT_HORIZON = Limit.horizon
_PERIODS = {"minItems": 1, "maxItems": MAX_HORIZON_STEPS}


class MonitorForecastQuerySchema(StrictQuerySchema):
    horizon = IntegerParameter(
        load_default=None,
        validate=validate.Range(
            1, MAX_HORIZON_STEPS, error=f"Must be between 1 and {MAX_HORIZON_STEPS:,}"
        ),
        metadata={
            "description": "Number of future steps. Default: that of the limit, or "
            f"{DEFAULT_HORIZON} without one."
        },
    )
    confidence = NumberParameter(**CONFIDENCE_KEYWORDS)


def _step_field(percent: int) -> fields.String:
    description = f"First step with a probability of at least {percent} %; null: none."
    return timestamp_field(description, allow_none=True)


class ReachedSideSchema(Schema):
    p10 = _step_field(10)
    p50 = _step_field(50)
    p90 = _step_field(90)
    probability = number_field("Highest probability of a step.", minimum=0, maximum=1)


def _reached_field(name: str) -> fields.Nested:
    description = f"For the {name} limit; null without one."
    return nested_field(ReachedSideSchema, description, allow_none=True)


class ReachedSchema(Schema):
    upper = _reached_field("upper")
    lower = _reached_field("lower")


class MonitorForecastSchema(Schema):
    """The forecast of a monitor: four parallel arrays, and when the limit is passed."""

    forecast_timestamps = timestamps_field("Timestamps of the future steps.", **_PERIODS)
    lower_bound = numbers_field("Lower bounds of the prediction interval.", **_PERIODS)
    median = numbers_field("Point forecasts.", **_PERIODS)
    upper_bound = numbers_field("Upper bounds of the prediction interval.", **_PERIODS)
    limit = nested_field(LimitSchema, "The limit of the monitor; null: none.", allow_none=True)
    reached = nested_field(
        ReachedSchema, "When the limit is passed; null without one.", allow_none=True
    )

"""The query of POST /tables/forecast: what to forecast, and the answers of POST /read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from marshmallow import Schema, fields, post_load, validate

from app.api.forecast.schemas import CONFIDENCE_KEYWORDS, ModelChoice
from app.api.read.response_schemas import RemarkSchema
from app.api.read.schemas import ReadQuerySchema, answers_of
from app.api.requests.holidays import HolidaysField
from app.api.requests.query import BooleanParameter, IntegerParameter, NumberParameter
from app.api.responses.fields import (
    ArrayField,
    list_field,
    nested_field,
    numbers_field,
    string_field,
    timestamps_field,
)
from app.forecasting.model_ids import SEASONAL_NAIVE
from app.tables.answers import Answers
from app.tables.forecasts.types import ForecastOptions


class TableHistorySchema(Schema):
    """The values that the table has, with those that were filled in."""

    timestamps = timestamps_field("Oldest first.")
    values = numbers_field("A value for each timestamp.")


class TableForecastSeriesSchema(Schema):
    """The forecast of a series: parallel arrays, empty where it could not be forecast."""

    name = string_field("The column's name, or what its rows belong to.")
    forecast_timestamps = timestamps_field("Timestamps of the forecast periods.")
    lower_bound = numbers_field("Lower bounds of the prediction interval.")
    median = numbers_field("Point forecasts.")
    upper_bound = numbers_field("Upper bounds of the prediction interval.")
    notices = ArrayField(fields.String(), "As in `X-Forecast-Notice` of `POST /forecast`.")
    problem = string_field(
        "Why it could not be forecast, and what to send instead.", allow_none=True
    )
    history = nested_field(TableHistorySchema, "null unless `history=true`.", allow_none=True)


class TableForecastResponseSchema(Schema):
    """The forecast of every series of a table, in its order; `all`, the sum, comes last."""

    series = list_field(TableForecastSeriesSchema)
    remarks = list_field(
        RemarkSchema, "What was done to the table, or left out, as in `POST /read`."
    )


# A week of quarters of an hour is 672 periods; intervals are calibrated for up to 100.
MAX_TABLE_HORIZON = 1_000
_HORIZON_REMEDY = f"send a whole number from 1 to {MAX_TABLE_HORIZON:,}"


@dataclass(frozen=True)
class TableForecastRequest:
    """The options of the forecast, and the answers about the table."""

    options: ForecastOptions
    answers: Answers


class TableForecastQuerySchema(ReadQuerySchema):
    remedies: ClassVar[Mapping[str, str]] = {
        "forecast_horizon": "send it as horizon",
        "X-Holidays": "send it as holidays",
        "model_id": "send it as model",
    }

    horizon = IntegerParameter(
        required=True,
        validate=validate.Range(
            1, MAX_TABLE_HORIZON, error=f"Must be between 1 and {MAX_TABLE_HORIZON:,}"
        ),
        error_messages={"required": f"missing: {_HORIZON_REMEDY}"},
        metadata={
            "description": "Number of future periods to predict; intervals are calibrated for up "
            "to 100.",
            "examples": [12],
        },
    )
    model = ModelChoice(f"The model to forecast with. `{SEASONAL_NAIVE}` is accepted too.")
    confidence = NumberParameter(**CONFIDENCE_KEYWORDS)
    holidays = HolidaysField("Whose public holidays to use, as `X-Holidays` of `POST /forecast`.")
    history = BooleanParameter(
        load_default=False,
        metadata={"description": "Whether the values of the table are returned, too."},
    )
    sum = BooleanParameter(
        load_default=False,
        metadata={
            "description": "Whether the sum of all series is forecast as well, as a series `all` "
            "with an interval of its own."
        },
    )

    @post_load
    def load_request(self, data: dict[str, Any], **_kwargs: Any) -> Any:
        options = ForecastOptions(
            horizon=data["horizon"],
            model_id=data["model"],
            confidence=data["confidence"],
            country=data["holidays"],
            includes_history=data["history"],
            includes_sum=data["sum"],
        )
        return TableForecastRequest(options, answers_of(data))

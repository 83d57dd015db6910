"""The JSON of POST /tables/forecast."""

from marshmallow import Schema, fields

from app.api.read.response_schemas import RemarkSchema
from app.api.responses.fields import (
    ArrayField,
    list_field,
    nested_field,
    numbers_field,
    text_field,
    timestamps_field,
)


class TableHistorySchema(Schema):
    """The values that the table has, with those that were filled in."""

    timestamps = timestamps_field("Oldest first.")
    values = numbers_field("A value for each timestamp.")


class TableForecastSeriesSchema(Schema):
    """The forecast of a series: parallel arrays, empty where it could not be forecast."""

    name = text_field("The column's name, or what its rows belong to.")
    forecast_timestamps = timestamps_field("Timestamps of the forecast periods.")
    lower_bound = numbers_field("Lower bounds of the prediction interval.")
    median = numbers_field("Point forecasts.")
    upper_bound = numbers_field("Upper bounds of the prediction interval.")
    notices = ArrayField(fields.String(), "As in `X-Forecast-Notice` of `POST /forecast`.")
    problem = text_field("Why it could not be forecast, and what to send instead.", allow_none=True)
    history = nested_field(TableHistorySchema, "null unless `history=true`.", allow_none=True)


class TableForecastResponseSchema(Schema):
    """The forecast of every series of a table, in its order; `all`, the sum, comes last."""

    series = list_field(TableForecastSeriesSchema)
    remarks = list_field(
        RemarkSchema, "What was done to the table, or left out, as in `POST /read`."
    )

"""The JSON of POST /tables/forecast."""

from marshmallow import Schema, fields

from app.api.read.response_schemas import RemarkSchema
from app.api.requests.fields import ArrayField
from app.api.series.columns import TIMESTAMP


class TableHistorySchema(Schema):
    """The values that the table has, with those that were filled in."""

    timestamps = ArrayField(fields.String(metadata=TIMESTAMP), "Oldest first.")
    values = ArrayField(fields.Float(), "A value for each timestamp.")


class TableForecastSeriesSchema(Schema):
    """The forecast of a series: parallel arrays, empty where it could not be forecast."""

    name = fields.String(
        required=True, metadata={"description": "The column's name, or what its rows belong to."}
    )
    forecast_timestamps = ArrayField(
        fields.String(metadata=TIMESTAMP), "Timestamps of the forecast periods."
    )
    lower_bound = ArrayField(fields.Float(), "Lower bounds of the prediction interval.")
    median = ArrayField(fields.Float(), "Point forecasts.")
    upper_bound = ArrayField(fields.Float(), "Upper bounds of the prediction interval.")
    notices = ArrayField(fields.String(), "As in `X-Forecast-Notice` of `POST /forecast`.")
    problem = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Why it could not be forecast, and what to send instead."},
    )
    history = fields.Nested(
        TableHistorySchema,
        required=True,
        allow_none=True,
        metadata={"description": "null unless `history=true`."},
    )


class TableForecastResponseSchema(Schema):
    """The forecast of every series of a table, in its order; `all`, the sum, comes last."""

    series = fields.List(fields.Nested(TableForecastSeriesSchema), required=True)
    remarks = fields.List(
        fields.Nested(RemarkSchema),
        required=True,
        metadata={"description": "What was done to the table, or left out, as in `POST /read`."},
    )

"""The response of POST /explain; its body is that of POST /forecast."""

from marshmallow import Schema, fields

from app.api.forecast.schemas import PERIODS
from app.api.requests.fields import ArrayField
from app.api.series.columns import TIMESTAMP


class ExplanationSchema(Schema):
    """The 200 body of POST /explain: five parallel arrays, one entry a future period."""

    forecast_timestamps = ArrayField(
        fields.String(metadata=TIMESTAMP),
        "Timestamps of the forecast periods, in the form that was sent.",
        metadata=PERIODS,
    )
    median = ArrayField(
        fields.Float(),
        "Point forecasts, those of `/forecast`: the sum of the three parts.",
        metadata=PERIODS,
    )
    level_and_trend = ArrayField(
        fields.Float(), "What neither season nor holidays explain.", metadata=PERIODS
    )
    season = ArrayField(
        fields.Float(),
        "What the time of the day, the week or the year adds to the level, or takes from it.",
        metadata=PERIODS,
    )
    holidays = ArrayField(
        fields.Float(),
        "What holidays add or take; 0 where the history shows no effect of them.",
        metadata=PERIODS,
    )

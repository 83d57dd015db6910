"""The response of POST /explain; its body is that of POST /forecast."""

from marshmallow import Schema

from app.api.forecast.schemas import PERIODS
from app.api.responses.fields import numbers_field, timestamps_field


class ExplanationSchema(Schema):
    """The 200 body of POST /explain: five parallel arrays, one entry a future period."""

    forecast_timestamps = timestamps_field(
        "Timestamps of the forecast periods, in the form that was sent.", **PERIODS
    )
    median = numbers_field(
        "Point forecasts, those of `/forecast`: the sum of the three parts.", **PERIODS
    )
    level_and_trend = numbers_field("What neither season nor holidays explain.", **PERIODS)
    season = numbers_field(
        "What the time of the day, the week or the year adds to the level, or takes from it.",
        **PERIODS,
    )
    holidays = numbers_field(
        "What holidays add or take; 0 where the history shows no effect of them.", **PERIODS
    )

"""POST /explain: one series in, a median and the parts that add up to it out."""

from typing import Any

from flask import Blueprint
from marshmallow import Schema

from app.api.endpoints.endpoint import Endpoint, Result, Success
from app.api.examples.recorded import EXAMPLES, MODEL
from app.api.forecast.routes import FORECAST_JOB, FORECASTING, run_forecast
from app.api.forecast.schemas import (
    PERIODS_KEYWORDS,
    ForecastHeadersSchema,
    ForecastRequest,
    ForecastRequestSchema,
)
from app.api.responses.fields import numbers_field, timestamps_field
from app.api.responses.headers import FORECAST_HEADERS
from app.api.serving.decorator import endpoint
from app.compute.jobs import Job
from app.identity.accounts.permissions import Permission


class ExplanationSchema(Schema):
    """The 200 body of POST /explain: five parallel arrays, one entry per future period."""

    forecast_timestamps = timestamps_field(
        "Timestamps of the forecast periods, in the form that was sent.",
        attribute="timestamps",
        **PERIODS_KEYWORDS,
    )
    median = numbers_field(
        "Point forecasts, those of `/forecast`: the sum of the three parts.", **PERIODS_KEYWORDS
    )
    level_and_trend = numbers_field("What neither season nor holidays explain.", **PERIODS_KEYWORDS)
    season = numbers_field(
        "What the time of the day, the week or the year adds to the level, or takes from it.",
        **PERIODS_KEYWORDS,
    )
    holidays = numbers_field(
        "What holidays add or take; 0 where the history shows no effect of them.",
        **PERIODS_KEYWORDS,
    )


blueprint = Blueprint("explain", __name__)

_EXPLAIN_JOB = Job(
    "app.forecasting.explanation:explain", noun="explanation", remedy=FORECAST_JOB.remedy
)
_DESCRIPTION = """\
Send what you send to `POST /forecast`, with the same headers, to see what its median is made of.

The median is the same, and at each period the sum of three parts within rounding: level and trend,
season, and holidays. Holidays are what was taken out of the history and put back. The season is the
usual difference of each phase from the level, over the end of the history and the forecast, where
it explains either; level and trend are the rest. The parts describe the forecast and prove no
cause.

Needs the permission `read`; counts as a forecast does."""


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/explain",
        permission=Permission.READ,
        computes=_EXPLAIN_JOB,
        body=ForecastRequestSchema(),
        headers=ForecastHeadersSchema(),
        successes={
            200: Success(
                "The forecast's median and its parts.", ExplanationSchema(), FORECAST_HEADERS
            )
        },
        tag=FORECASTING,
        operation_id="explainForecast",
        description=_DESCRIPTION,
        example=EXAMPLES.success("forecast", f"A year, monthly, by {MODEL}", "explanation"),
    ),
)
def explain_forecast(request: ForecastRequest, headers: dict[str, Any]) -> Result:
    """Explain a forecast of one time series: level and trend, season and holidays."""
    return run_forecast(_EXPLAIN_JOB, request, headers)

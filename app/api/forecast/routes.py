"""POST /forecast: one series in, a median and a prediction interval out."""

from typing import Any

from flask import Blueprint

from app.api.computing.engine_jobs import run_job
from app.api.endpoints.endpoint import Endpoint, Result, Success, Tag
from app.api.errors.statuses import ORDER_OF_CHECKS
from app.api.examples.recorded import EXAMPLES, MODEL
from app.api.forecast.schemas import (
    ForecastHeadersSchema,
    ForecastRequest,
    ForecastRequestSchema,
    ForecastResponseSchema,
)
from app.api.request_state import JobDetails
from app.api.requests.holidays import clock_notices
from app.api.responses.headers import FORECAST_HEADERS, forecast_headers
from app.api.serving.decorator import endpoint
from app.compute.jobs import Job
from app.forecasting.types import Forecast
from app.identity.accounts.permissions import Permission

blueprint = Blueprint("forecast", __name__)

FORECAST_JOB = Job(
    "app.forecasting.forecast:forecast",
    noun="forecast",
    remedy="send the request again, with fewer points or for forecast-model-2, which is quicker",
)
FORECASTING = Tag("Forecasting", "One time series in, a median and a prediction interval out.")
_DESCRIPTION = f"""\
Send the history of **one** series to get a forecast of its next `forecast_horizon` periods.

The response has four parallel arrays of exactly `forecast_horizon` entries each;
`lower_bound` ≤ `median` ≤ `upper_bound`. Future timestamps continue the data with its step and
offset. The same request gets the same bytes. A series that was never negative gets no negative
forecast. `X-Holidays` names whose holidays to use. Needs the permission `read`; counts
against the limits, also when the response is 400, 403, 413, 415 or 422. Most forecasts take well
under a second; plan for up to 10 seconds.

If several things are wrong, the first in this order is reported:
{ORDER_OF_CHECKS}."""


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/forecast",
        permission=Permission.READ,
        computes=FORECAST_JOB,
        body=ForecastRequestSchema(),
        headers=ForecastHeadersSchema(),
        successes={200: Success("The forecast.", ForecastResponseSchema(), FORECAST_HEADERS)},
        tag=FORECASTING,
        operation_id="requestForecast",
        tool="forecast",
        description=_DESCRIPTION,
        example=EXAMPLES.success("forecast", f"A year, monthly, by {MODEL}"),
    ),
)
def request_forecast(request: ForecastRequest, headers: dict[str, Any]) -> Result:
    """Forecast one time series: a median and a prediction interval per period."""
    return run_forecast(FORECAST_JOB, request, headers)


def run_forecast(job: Job, request: ForecastRequest, headers: dict[str, Any]) -> Result:
    """Return the forecast that a job makes, with the headers of its response."""
    series, horizon = request.series, request.horizon
    model_id, country = headers["model_id"], headers["holidays"]
    details = JobDetails(model_id, len(series.values), horizon)
    arguments = (series, horizon, request.confidence, model_id, country)
    forecast: Forecast = run_job(job, *arguments, details=details)
    details.fallback_count = int(forecast.is_fallback)
    notices = (*forecast.notices, *clock_notices(country, series))
    return Result(forecast, forecast_headers(forecast.model_id, notices))

"""POST /backtest: how good each model would have been at the end of a series."""

from flask import Blueprint

from app.api.backtest.response import backtest_body
from app.api.backtest.schemas import BacktestRequest, BacktestRequestSchema, BacktestResponseSchema
from app.api.computing.engine_jobs import run_job
from app.api.endpoints.endpoint import Endpoint, Result, Success
from app.api.examples.recorded import EXAMPLES
from app.api.forecast.routes import FORECASTING
from app.api.request_state import JobDetails
from app.api.requests.holidays import HolidaysHeaderSchema, clock_notices
from app.api.responses.headers import NOTICE_HEADER, notice_headers
from app.api.serving.decorator import endpoint
from app.compute.jobs import Job
from app.forecasting.backtest.results import Backtest
from app.forecasting.notices import change_notices
from app.identity.accounts.permissions import Permission

blueprint = Blueprint("backtest", __name__)

_BACKTEST_JOB = Job(
    "app.forecasting.backtest.backtest:backtest",
    noun="backtest",
    remedy="send the request again, with fewer points, models or windows",
    guessed_seconds=0.1,
    seconds_per_point=5e-5,
)
_DESCRIPTION = """\
Shows which model is best on **your** series: each of the last `windows` windows of
`forecast_horizon` points is forecast from the points before it and compared with what followed.

Each forecast is the one that `POST /forecast` makes of the series cut off there, with the same
`X-Holidays`. `seasonal_naive`, the last seasonal period repeated, is the baseline: a model that
does not beat it adds nothing on this series. `best_model` is the best of the requested models, by
the mean absolute error.

Windows that would leave fewer than 10 points before them are left out, and the oldest ones of very
long series; `X-Forecast-Notice` says so. If none is left, the response is 422. The same
request gets the same response, except for `seconds`.

Needs the permission `read`. Counts as one request, also when it is rejected with 400, 403, 413, 415
or 422. Most backtests take well under two seconds; plan for up to 10 seconds."""


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/backtest",
        permission=Permission.READ,
        computes=_BACKTEST_JOB,
        body=BacktestRequestSchema(),
        headers=HolidaysHeaderSchema(),
        successes={200: Success("The backtest.", BacktestResponseSchema(), NOTICE_HEADER)},
        tag=FORECASTING,
        operation_id="backtestModels",
        tool="backtest",
        description=_DESCRIPTION,
        example=EXAMPLES.success("backtest", "A year and a half, monthly, two windows"),
    ),
)
def backtest_models(request: BacktestRequest, headers: dict[str, str | None]) -> Result:
    """Compare the models on the end of one time series: errors, ranks and past forecasts."""
    history = request.series.history
    country = headers["holidays"]
    terms = (request.horizon, request.confidence, request.models, request.windows)
    details = JobDetails(_BACKTEST_JOB.noun, len(history.values), request.horizon)
    points = request.equivalent_points
    backtest: Backtest = run_job(
        _BACKTEST_JOB, history, *terms, country, details=details, points=points
    )
    notices = (
        *backtest.notices,
        *change_notices(request.series, backtest.newest),
        *clock_notices(country, request.series),
    )
    return Result(backtest_body(backtest, request.timestamps), notice_headers(notices))

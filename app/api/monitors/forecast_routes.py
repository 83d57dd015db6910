"""GET /monitors/{name}/forecast: what a monitor stores continued, and when it passes the limit."""

from marshmallow import Schema, fields, validate

from app.api.callers.current_caller import current_caller
from app.api.computing.engine_jobs import run_job
from app.api.errors.api_error import ApiError, defect_error
from app.api.errors.problems import field_error
from app.api.forecast.schemas import CONFIDENCE
from app.api.monitors.blueprint import MONITORS
from app.api.monitors.response_schemas import LimitSchema
from app.api.request_state import JobDetails
from app.api.requests.query import IntegerParameter, NumberParameter, StrictQuerySchema
from app.api.responses.fields import (
    nested_field,
    number_field,
    numbers_field,
    timestamp_field,
    timestamps_field,
)
from app.api.responses.headers import FORECAST_HEADERS, forecast_headers
from app.api.responses.json import Json
from app.api.series.columns import INSUFFICIENT
from app.forecasting.limits import LimitForecast, first_step
from app.forecasting.model_ids import MIN_POINTS
from app.timeseries.calendar.fit import BeyondCalendarError
from app.timeseries.types import FloatArray
from app.watching.monitors.forecasting import LIMIT_FORECAST_JOB, TooFewPointsError, read_history
from app.watching.monitors.limits import MAX_HORIZON_STEPS, Limit

_DEFAULT_HORIZON = Limit.horizon
# Probabilities of a value beyond the limit, by the name that the response has for them.
_LEVELS = {"p10": 0.1, "p50": 0.5, "p90": 0.9}
_PERIODS = {"minItems": 1, "maxItems": MAX_HORIZON_STEPS}
_DESCRIPTION = f"""\
Forecasts the points that a monitor stores, of its newest 10,000 steps; missing points are filled
linearly. It needs {MIN_POINTS} points. The arrays are those of `POST /forecast`.

If the monitor has a `limit`, `reached` has for each side the first step at which the value is
beyond the limit with a probability of 10, 50 and 90 %, within `horizon`. The probabilities are
those of the forecast's own prediction intervals. The worker makes the same forecast each twelfth of
the limit's horizon, hourly if that is shorter, but not more than once per step, and opens an event
`limit_ahead` when the probability reaches the limit's `probability` at some step."""


class MonitorForecastQuerySchema(StrictQuerySchema):
    horizon = IntegerParameter(
        load_default=None,
        validate=validate.Range(
            1, MAX_HORIZON_STEPS, error=f"Must be between 1 and {MAX_HORIZON_STEPS:,}"
        ),
        metadata={
            "description": "Number of future steps. Default: that of the limit, or "
            f"{_DEFAULT_HORIZON} without one."
        },
    )
    confidence = NumberParameter(**CONFIDENCE)


def _step(percent: int) -> fields.String:
    description = f"First step with a probability of at least {percent} %; null: none."
    return timestamp_field(description, allow_none=True)


class ReachedSideSchema(Schema):
    p10 = _step(10)
    p50 = _step(50)
    p90 = _step(90)
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


@MONITORS.endpoint(
    "GET",
    "/monitors/<name>/forecast",
    computes=LIMIT_FORECAST_JOB,
    query=MonitorForecastQuerySchema(),
    response=MonitorForecastSchema(),
    successes={200: "The forecast."},
    response_headers=FORECAST_HEADERS,
    description=_DESCRIPTION,
    errors=[422],
)
def forecast_monitor(query: Json, name: str) -> tuple[Json, dict[str, str]]:
    """Forecast a monitor's series, and say when it will pass its limit."""
    body, limit_forecast = compute_monitor_forecast(
        current_caller().account_id, name, query["horizon"], query["confidence"]
    )
    forecast = limit_forecast.forecast
    return body, forecast_headers(forecast.model_id, forecast.notices)


def compute_monitor_forecast(
    account_id: int,
    name: str,
    horizon: int | None,
    confidence: float,
    *,
    is_evaluated: bool = False,
) -> tuple[Json, LimitForecast]:
    """Return the forecast of a monitor, as a body and as the engine returns it.

    With ``is_evaluated``, it is the forecast of the newest evaluation of the limit.

    Raises:
        NoSuchMonitorError: The account has no monitor with this name.
        ApiError: 400 if the horizon passes the year 9999, 422 if there are too few points.
    """
    try:
        history = read_history(account_id, name, is_evaluated=is_evaluated)
    except TooFewPointsError as error:
        raise _too_few_points_error(error.points) from None
    limit = history.limit
    horizon = horizon or (limit.horizon if limit else _DEFAULT_HORIZON)
    sides = (limit.upper, limit.lower) if limit else (None, None)
    details = JobDetails("monitor forecast", len(history.series.values), horizon)
    try:
        history.series.calendar.future(horizon)
    except BeyondCalendarError as error:
        issue = error.issue("horizon")
        raise field_error(MonitorForecastQuerySchema(), "horizon", issue, horizon) from None
    limit_forecast: LimitForecast = run_job(
        LIMIT_FORECAST_JOB, history.series, horizon, confidence, *sides, details=details
    )
    forecast = limit_forecast.forecast
    reached = {
        "upper": _reached_steps(limit_forecast.above, forecast.timestamps),
        "lower": _reached_steps(limit_forecast.below, forecast.timestamps),
    }
    return {
        "forecast_timestamps": forecast.timestamps,
        "lower_bound": forecast.lower,
        "median": forecast.median,
        "upper_bound": forecast.upper,
        "limit": limit,
        "reached": reached if limit else None,
    }, limit_forecast


def _reached_steps(probabilities: FloatArray | None, timestamps: list[str]) -> Json | None:
    """Return when one side of the limit is passed; None without a limit on this side."""
    if probabilities is None:
        return None
    steps = {name: first_step(probabilities, level) for name, level in _LEVELS.items()}
    body: Json = {name: None if step is None else timestamps[step] for name, step in steps.items()}
    return body | {"probability": float(probabilities.max())}


def _too_few_points_error(points: int) -> ApiError:
    issue = (
        f"{INSUFFICIENT}: the monitor has {points} in its newest steps, a forecast needs "
        f"{MIN_POINTS}; append more and send the request again"
    )
    return defect_error(422, "Invalid time series data", "points", issue, points)

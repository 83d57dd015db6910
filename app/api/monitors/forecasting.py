"""Forecast the stored points of a monitor, for the API and the dashboard."""

from app.api.computing.engine_jobs import run_job
from app.api.endpoints.endpoint import Result
from app.api.errors.api_error import INVALID_SERIES, ApiError, defect_error
from app.api.errors.validation import field_error
from app.api.monitors.forecast_schemas import DEFAULT_HORIZON, MonitorForecastQuerySchema
from app.api.request_state import JobDetails
from app.api.responses.headers import forecast_headers
from app.api.responses.json import Json
from app.api.series.columns import INSUFFICIENT
from app.forecasting.jobs.limits import LimitForecast, first_step
from app.forecasting.model_ids import MIN_POINTS
from app.timeseries.calendar.fit import BeyondCalendarError
from app.timeseries.types import FloatArray
from app.watching.monitors.queries.stored_history import (
    LIMIT_FORECAST_JOB,
    TooFewPointsError,
    read_history,
)

# Probabilities of a value beyond the limit, by their fields in ``ReachedSideSchema``.
_REACHED_PROBABILITIES = {"p10": 0.1, "p50": 0.5, "p90": 0.9}


def compute_monitor_forecast(
    account_id: int,
    name: str,
    horizon: int | None,
    confidence: float,
    *,
    is_evaluated: bool = False,
) -> Result:
    """Return the forecast of a monitor, with the headers of its response.

    With ``is_evaluated``, it is the forecast of the newest evaluation of the limit.

    Raise NoSuchMonitorError if the account has no monitor with this name; raise ApiError, 400 if
    the horizon passes the year 9999, 422 if there are too few points.
    """
    try:
        history = read_history(account_id, name, is_evaluated=is_evaluated)
    except TooFewPointsError as error:
        raise _too_few_points_error(error.points) from None
    limit = history.limit
    horizon = horizon or (limit.horizon if limit else DEFAULT_HORIZON)
    sides = (limit.upper, limit.lower) if limit else (None, None)
    details = JobDetails("monitor forecast", len(history.series.values), horizon)
    try:
        history.series.calendar.future(horizon)
    except BeyondCalendarError as error:
        issue = error.issue("horizon")
        raise field_error(MonitorForecastQuerySchema(), "horizon", issue, horizon) from None
    limit_forecast: LimitForecast = run_job(
        LIMIT_FORECAST_JOB, history.series, horizon, *sides, confidence, details=details
    )
    forecast = limit_forecast.forecast
    details.fallback_count = int(forecast.is_fallback)
    reached = {
        "upper": _reached_steps(limit_forecast.above, forecast.timestamps),
        "lower": _reached_steps(limit_forecast.below, forecast.timestamps),
    }
    body = {
        "forecast_timestamps": forecast.timestamps,
        "lower_bound": forecast.lower,
        "median": forecast.median,
        "upper_bound": forecast.upper,
        "limit": limit,
        "reached": reached if limit else None,
    }
    return Result(body, forecast_headers(forecast.model_id, forecast.notices))


def _reached_steps(probabilities: FloatArray | None, timestamps: list[str]) -> Json | None:
    """Return when one side of the limit is passed; None without a limit on this side."""
    if probabilities is None:
        return None
    steps = {
        name: first_step(probabilities, probability)
        for name, probability in _REACHED_PROBABILITIES.items()
    }
    body: Json = {name: None if step is None else timestamps[step] for name, step in steps.items()}
    return body | {"probability": float(probabilities.max())}


def _too_few_points_error(points: int) -> ApiError:
    issue = (
        f"{INSUFFICIENT}: the monitor has {points} in its newest steps, a forecast needs "
        f"{MIN_POINTS}; append more and send the request again"
    )
    return defect_error(*INVALID_SERIES, "points", issue, points)

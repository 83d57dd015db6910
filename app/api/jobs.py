"""How views reach the engine: in this process, or in engine processes where a server has started
them; and what becomes of an engine that is busy or does not answer."""

import time
from typing import cast

from flask import current_app, g

from app.api.errors import ApiError
from app.engine.pool import Compute, EngineBusyError, EngineFailedError
from app.forecasting.series import Forecast, Series
from app.observability import instruments
from app.observability.requests import Work

EXTENSION = "forecast-engine"
BUSY_SECONDS = 2
QUICKER = "send the request again, with fewer points or for forecast-model-2, which is quicker"


def compute_forecast(series: Series, horizon: int, confidence: float, model_id: str) -> Forecast:
    """Return the forecast; raise a 503 when too many wait, a 500 when the engine fails."""
    compute = cast(Compute, current_app.extensions.get(EXTENSION, _compute_here))
    work = g.work = Work(model_id, len(series.values), horizon)
    instruments.SERIES_POINTS.observe(work.points)
    started = time.perf_counter()
    try:
        with instruments.ENGINE_IN_FLIGHT.track_inprogress():
            forecast = compute(series, horizon, confidence, model_id)
    except EngineBusyError:
        instruments.ENGINE_REFUSALS.inc()
        issue = f"too many forecasts are waiting; send the request again in {BUSY_SECONDS} s"
        headers = {"Retry-After": str(BUSY_SECONDS)}
        raise ApiError(503, "Service is busy", {"issue": issue}, headers) from None
    except EngineFailedError as error:
        instruments.ENGINE_FAILURES.labels(model_id).inc()
        current_app.logger.error("forecast not computed: %s", error)
        issue = f"the forecast could not be computed: {error}; {QUICKER}"
        raise ApiError(500, "Internal server error", {"issue": issue}) from None
    instruments.ENGINE_SECONDS.labels(model_id).observe(time.perf_counter() - started)
    work.fell_back = forecast.fell_back
    if forecast.fell_back:
        instruments.FALLBACKS.labels(model_id).inc()
    return forecast


def _compute_here(series: Series, horizon: int, confidence: float, model_id: str) -> Forecast:
    # Imported late: the libraries under the engine take a second, which a command need not wait.
    from app.forecasting.forecast import forecast  # noqa: PLC0415

    return forecast(series, horizon, confidence, model_id)

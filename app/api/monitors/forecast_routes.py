"""GET /monitors/{name}/forecast: a forecast of its points, and when it passes the limit."""

from app.api.callers.current_caller import current_caller
from app.api.endpoints.endpoint import Result, Success
from app.api.monitors.blueprint import MONITOR_RESOURCE
from app.api.monitors.forecast_schemas import MonitorForecastQuerySchema, MonitorForecastSchema
from app.api.monitors.forecasting import compute_monitor_forecast
from app.api.responses.headers import FORECAST_HEADERS
from app.api.responses.json import Json
from app.forecasting.model_ids import MIN_POINTS
from app.watching.monitors.queries.stored_history import LIMIT_FORECAST_JOB

_DESCRIPTION = f"""\
Forecasts the points that a monitor stores, of its newest 10,000 steps; missing points are filled
linearly. It needs {MIN_POINTS} points. The arrays are those of `POST /forecast`.

If the monitor has a `limit`, `reached` has for each side the first step at which the value is
beyond the limit with a probability of 10, 50 and 90 %, within `horizon`. The probabilities are
those of the forecast's own prediction intervals. The worker makes the same forecast each twelfth of
the limit's horizon, hourly if that is shorter, but not more than once per step, and opens an event
`limit_ahead` when the probability reaches the limit's `probability` at some step."""


@MONITOR_RESOURCE.endpoint(
    "GET",
    "/monitors/<name>/forecast",
    computes=LIMIT_FORECAST_JOB,
    query=MonitorForecastQuerySchema(),
    successes={200: Success("The forecast.", MonitorForecastSchema(), FORECAST_HEADERS)},
    description=_DESCRIPTION,
    errors=[422],
)
def forecast_monitor(query: Json, name: str) -> Result:
    """Forecast a monitor's series, and say when it will pass its limit."""
    account_id = current_caller().account_id
    return compute_monitor_forecast(account_id, name, query["horizon"], query["confidence"])

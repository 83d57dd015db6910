"""The route of POST /forecast: parse, call the engine, dump."""

from collections.abc import Mapping
from typing import Any, cast

from flask import Blueprint, Response, request
from marshmallow import Schema, ValidationError

from app.accounts.permissions import Permission
from app.api.body import read_json_object
from app.api.forecast.schemas import (
    ForecastOrder,
    ForecastRequestSchema,
    ForecastResponseSchema,
    ModelHeaderSchema,
)
from app.api.identity import requires
from app.api.jobs import run_job
from app.api.json import json_response
from app.api.problems import Failure, Tree, validation_error
from app.forecasting.series import Forecast
from app.limits.limiter import limited
from app.observability import instruments
from app.observability.requests import Work

blueprint = Blueprint("forecast", __name__)
request_schema = ForecastRequestSchema()
header_schema = ModelHeaderSchema()
response_schema = ForecastResponseSchema()

QUICKER = "send the request again, with fewer points or for forecast-model-2, which is quicker"


@blueprint.post("/forecast")
@requires(Permission.READ)
@limited
def request_forecast() -> Response:
    """Forecast one time series: a median and a prediction interval a period."""
    order, model_id = read_order()
    forecast = compute_forecast(order, model_id)
    response = json_response(response_schema.dump(forecast))
    response.headers["X-Model-Id"] = forecast.model_id
    if forecast.notices:
        response.headers["X-Forecast-Notice"] = "; ".join(forecast.notices)
    return response


def read_order() -> tuple[ForecastOrder, str]:
    """Return what the current request asks for, and the model that shall answer.

    Raises:
        ApiError: 415, 413, 400 or 422, with every defect that was found.
    """
    body = read_json_object()
    header = request.headers.get("X-Model-Id", request.headers.get("X-Model-Selector"))
    headers = {} if header is None else {"X-Model-Id": header}
    failures: list[Failure] = []
    chosen = _load(header_schema, headers, failures)
    order = _load(request_schema, body, failures)
    if failures:
        raise validation_error(failures)
    return order, chosen["model_id"]


def compute_forecast(order: ForecastOrder, model_id: str) -> Forecast:
    """Return the forecast that the engine makes; note when a simpler model made it."""
    series, horizon = order.series, order.horizon
    work = Work(model_id, len(series.values), horizon)
    arguments = (series, horizon, order.confidence, model_id)
    forecast: Forecast = run_job("forecast", *arguments, work=work, quicker=QUICKER)
    work.fell_back = forecast.fell_back
    if forecast.fell_back:
        instruments.FALLBACKS.labels(model_id).inc()
    return forecast


def _load(schema: Schema, sent: Mapping[str, Any], failures: list[Failure]) -> Any:
    try:
        return schema.load(sent)
    except ValidationError as error:
        failures.append((cast(Tree, error.messages), sent))
        return None

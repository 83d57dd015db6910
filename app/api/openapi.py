"""GET /openapi.json: the OpenAPI 3.1 document, generated from the schemas that serve requests."""

import functools
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Blueprint, Response
from marshmallow import Schema, fields, validate

from app.api.errors import ErrorCode
from app.api.forecast.schemas import ForecastRequestSchema, ForecastResponseSchema
from app.api.json import json_response
from app.api.responses import API_VERSION
from app.api.verify.schemas import VerifyResponseSchema
from app.forecasting.series import MODEL_IDS

blueprint = Blueprint("openapi", __name__)


class ErrorBodySchema(Schema):
    """What went wrong."""

    code = fields.String(required=True, validate=validate.OneOf(list(map(str, ErrorCode))))
    message = fields.String(required=True)
    details = fields.Dict(keys=fields.String())


class ErrorSchema(Schema):
    """The body of every answer that is not 2xx."""

    error = fields.Nested(ErrorBodySchema, required=True)


INTEGER_HEADER = {"schema": {"type": "integer"}}
COMMON_HEADERS: dict[str, Any] = {
    "X-RateLimit-Limit": {"description": "Request limit of the tightest window."} | INTEGER_HEADER,
    "X-RateLimit-Remaining": {"description": "Requests remaining in it."} | INTEGER_HEADER,
    "X-RateLimit-Reset": {"description": "Its end in epoch seconds."} | INTEGER_HEADER,
    "X-Request-Id": {"description": "Id of the request.", "schema": {"type": "string"}},
    "X-Api-Version": {"description": "Version of the API.", "schema": {"type": "string"}},
}
ERROR_MEANINGS: dict[int, str] = {
    400: "Validation failed for one or more request parameters.",
    401: "API key invalid, missing or expired.",
    403: "The key lacks a required permission, or the request came over plain HTTP.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    422: "Problem with the time series data.",
    429: "Rate limit exceeded.",
    500: "Unexpected server error.",
    503: "Too many forecasts are waiting.",
}
RETRYABLE = (429, 503)


def _response(description: str, schema: str, **headers: Any) -> dict[str, Any]:
    return {
        "description": description,
        "headers": COMMON_HEADERS | headers,
        "content": {"application/json": {"schema": schema}},
    }


def _errors(*statuses: int) -> dict[str, Any]:
    wait = {"Retry-After": {"description": "Seconds to wait."} | INTEGER_HEADER}
    return {
        str(status): _response(
            ERROR_MEANINGS[status], "Error", **(wait if status in RETRYABLE else {})
        )
        for status in statuses
    }


@functools.cache
def document() -> dict[str, Any]:
    """Return the document."""
    spec = APISpec(
        title="Forecast service",
        version=API_VERSION,
        openapi_version="3.1.0",
        info={"description": "Forecasts one time series per request."},
        plugins=[MarshmallowPlugin()],
        security=[{"ApiKey": []}],
        tags=[{"name": "Forecasting"}, {"name": "Authentication"}],
    )
    key_format = "ak_ followed by 64 hexadecimal characters"
    spec.components.security_scheme(
        "ApiKey", {"type": "http", "scheme": "bearer", "bearerFormat": key_format}
    )
    spec.components.schema("Error", schema=ErrorSchema)
    spec.components.schema("ForecastRequest", schema=ForecastRequestSchema)
    spec.components.schema("ForecastResponse", schema=ForecastResponseSchema)
    spec.components.schema("VerifyResponse", schema=VerifyResponseSchema)
    for schema in spec.components.schemas.values():
        schema["additionalProperties"] = False
    text = {"schema": {"type": "string"}}
    model = {
        "name": "X-Model-Id",
        "in": "header",
        "description": "\n".join(f"- `{name}`: {role}" for name, role in MODEL_IDS.items()),
        "schema": {"type": "string", "enum": list(MODEL_IDS), "default": next(iter(MODEL_IDS))},
    }
    selector = model | {
        "name": "X-Model-Selector",
        "deprecated": True,
        "description": "An older name of X-Model-Id; counts when that is absent.",
        "schema": {"type": "string", "enum": list(MODEL_IDS)},
    }
    forecast_headers = {
        "X-Model-Id": {"description": "The model that answered."} | text,
        "X-Forecast-Notice": {"description": "What to know about this answer."} | text,
    }
    spec.path(
        "/forecast",
        operations={
            "post": {
                "operationId": "requestForecast",
                "tags": ["Forecasting"],
                "summary": "Forecast one time series",
                "parameters": [model, selector],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": "ForecastRequest"}},
                },
                "responses": {
                    "200": _response("The forecast.", "ForecastResponse", **forecast_headers)
                }
                | _errors(400, 401, 403, 413, 415, 422, 429, 500, 503),
            }
        },
    )
    spec.path(
        "/verify",
        operations={
            "get": {
                "operationId": "verifyApiKey",
                "tags": ["Authentication"],
                "summary": "Check an API key and its rate limit",
                "responses": {"200": _response("The key is valid.", "VerifyResponse")}
                | _errors(401, 429, 500),
            }
        },
    )
    return spec.to_dict()


@blueprint.get("/openapi.json")
def openapi() -> Response:
    """Return the OpenAPI document."""
    return json_response(document())

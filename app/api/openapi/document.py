"""Assembles the document: each route's operation, and the components that they share."""

from collections.abc import Iterable
from typing import Any, cast

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask
from marshmallow import Schema
from werkzeug.routing import Rule

from app.api.error_schema import ErrorSchema
from app.api.examples import ERROR_EXAMPLES
from app.api.examples.answers import Json
from app.api.forecast.schemas import (
    ForecastRequestSchema,
    ForecastResponseSchema,
)
from app.api.openapi.description import describe
from app.api.openapi.headers import (
    ALWAYS,
    AUTHENTICATE,
    NOTICE,
    OF_ERROR,
    OF_FORECAST,
    REQUEST_ID,
    RETRY_AFTER,
)
from app.api.openapi.operations import OPERATIONS, TAGS, Operation
from app.api.response_headers import API_VERSION
from app.api.statuses import STATUSES
from app.api.verify.schemas import VerifyResponseSchema

SCHEMAS: dict[type[Schema], str] = {
    ErrorSchema: "Error",
    ForecastRequestSchema: "ForecastRequest",
    ForecastResponseSchema: "ForecastResponse",
    VerifyResponseSchema: "VerifyResponse",
}
OPEN_SCHEMAS = {"ErrorDetails"}
ERRORS_PATH = "/docs/errors"


def build_document(app: Flask) -> Json:
    """Return the document of ``app``, with the limits of its settings."""
    spec = APISpec(
        title="Forecast service",
        version=API_VERSION,
        openapi_version="3.1.0",
        plugins=[MarshmallowPlugin()],
        info={
            "summary": "Forecasts one time series per request.",
            "description": describe(
                max_points=app.config["MAX_POINTS"],
                max_body_bytes=app.config["MAX_BODY_BYTES"],
                anonymous_per_minute=app.config["ANONYMOUS_PER_MINUTE"],
                errors_path=ERRORS_PATH,
            ),
            "contact": {"name": "The operator of this service"},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        servers=[{"url": "/", "description": "The service that serves this document."}],
        security=[{"ApiKey": []}],
        tags=[{"name": name, "description": meaning} for name, meaning in TAGS.items()],
    )
    _add_schemas(spec, max_points=app.config["MAX_POINTS"])
    _add_headers(spec)
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint in OPERATIONS]
    _add_errors(spec, {rule.rule for rule in rules})
    for rule in rules:
        view = app.view_functions[rule.endpoint]
        _add_operation(spec, rule, OPERATIONS[rule.endpoint], view.__doc__ or "")
    return spec.to_dict()


def _add_schemas(spec: APISpec, max_points: int) -> None:
    spec.components.security_scheme(
        "ApiKey",
        {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "ak_ followed by 64 hexadecimal characters",
            "description": "An API key, sent as `Authorization: Bearer ak_…`.",
        },
    )
    for schema, name in SCHEMAS.items():
        spec.components.schema(name, schema=schema)
    components = cast(dict[str, Json], spec.components.schemas)
    for name, component in components.items():
        component["additionalProperties"] = name in OPEN_SCHEMAS
    for column in components["TimeSeries"]["properties"].values():
        column["maxItems"] = max_points


def _add_headers(spec: APISpec) -> None:
    spec.components.parameter("X-Request-Id", "header", REQUEST_ID)
    for headers in (ALWAYS, OF_FORECAST, AUTHENTICATE, RETRY_AFTER):
        for name, header in headers.items():
            spec.components.header(name, header | {"required": True})
    for name, header in NOTICE.items():
        spec.components.header(name, header)


def _add_errors(spec: APISpec, paths: set[str]) -> None:
    documented = {status for operation in OPERATIONS.values() for status in operation.errors}
    examples = [one for one in ERROR_EXAMPLES if one.status in documented and one.path in paths]
    for example in examples:
        shown = {"summary": example.when, "description": example.remedy}
        spec.components.example(example.name, shown | {"value": example.answer})
    for status in sorted(documented):
        names = {one.name: one.name for one in examples if one.status == status}
        headers = OF_ERROR.get(status, {})
        response = _response(STATUSES[status].when, "Error", headers, names)
        spec.components.response(f"Error{status}", response)


def _add_operation(spec: APISpec, rule: Rule, operation: Operation, docstring: str) -> None:
    answered = _response(
        operation.answer_description,
        SCHEMAS[operation.answer],
        operation.answer_headers,
        {"answer": {"summary": operation.example_summary, "value": operation.answer_example}},
    )
    described: dict[str, Any] = {
        "operationId": operation.operation_id,
        "tags": [operation.tag],
        "summary": docstring.splitlines()[0].rstrip("."),
        "description": operation.description,
        "parameters": list(operation.parameters),
        "responses": {"200": answered}
        | {str(status): f"Error{status}" for status in operation.errors},
    }
    if operation.request:
        example = {"summary": operation.example_summary, "value": operation.request_example}
        content = {"schema": SCHEMAS[operation.request], "examples": {"request": example}}
        described["requestBody"] = {"required": True, "content": {"application/json": content}}
    methods = (rule.methods or set()) - {"HEAD", "OPTIONS"}
    spec.path(rule.rule, operations={method.lower(): described for method in methods})


def _response(description: str, schema: str, headers: Iterable[str], examples: Json) -> Json:
    content = {"schema": schema, "examples": examples}
    return {
        "description": description,
        "headers": {name: name for name in [*ALWAYS, *headers]},
        "content": {"application/json": content},
    }

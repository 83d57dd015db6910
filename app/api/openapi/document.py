"""Assemble the document from the declared endpoints: operations, and the components they share."""

import re
from collections.abc import Iterable
from typing import Any, cast

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Flask
from marshmallow import Schema

from app.api.callers.current_caller import BEARER_HEADER
from app.api.endpoints.dialect import Dialect, dialects_of, error_examples, find_dialect
from app.api.endpoints.endpoint import Endpoint, FileBody, endpoints_of, openapi_path
from app.api.errors.error_schema import ErrorSchema
from app.api.errors.statuses import STATUSES
from app.api.examples.recorded import ErrorExample
from app.api.openapi.description import api_description
from app.api.openapi.headers import (
    AUTHENTICATE_HEADERS,
    COMMON_HEADERS,
    ERROR_HEADERS,
    REQUEST_ID,
    RETRY_AFTER_HEADERS,
)
from app.api.responses.json import JSON_MEDIA_TYPE, Json
from app.api.serving.common_headers import API_VERSION
from app.core.settings import Settings


def build_document(app: Flask) -> Json:
    """Return the document of ``app``, with the limits of its settings."""
    endpoints = list(endpoints_of(app).values())
    dialects = dialects_of(app)
    settings: Settings = app.config["SETTINGS"]
    tags = dict.fromkeys(endpoint.tag for endpoint in endpoints)
    marshmallow = MarshmallowPlugin()
    spec = APISpec(
        title="Forecast service",
        version=API_VERSION,
        openapi_version="3.1.0",
        plugins=[marshmallow],
        info={
            "summary": "Forecasts, backtests and monitors time series.",
            "description": api_description(
                endpoints,
                max_points=settings.max_points,
                max_body_bytes=settings.max_body_bytes,
                anonymous_per_minute=settings.anonymous_per_minute,
            ),
            "contact": {"name": "The operator of this service"},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        servers=[{"url": "/", "description": "The service that serves this document."}],
        security=[{"ApiKey": []}],
        tags=[{"name": tag.name, "description": tag.description} for tag in tags],
    )
    _add_security_schemes(spec, dialects)
    errors: list[type[Schema]] = [ErrorSchema, *(dialect.error_schema for dialect in dialects)]
    converter = cast(OpenAPIConverter, marshmallow.converter)
    _add_schemas(spec, converter, endpoints, errors, settings.max_points)
    _add_headers(spec, endpoints)
    _add_errors(spec, endpoints, dialects, error_examples(app))
    for endpoint in endpoints:
        _add_operation(spec, endpoint, find_dialect(endpoint.path, dialects))
    return spec.to_dict()


def _add_security_schemes(spec: APISpec, dialects: Iterable[Dialect]) -> None:
    spec.components.security_scheme(
        "ApiKey",
        {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "ak_ followed by 64 hexadecimal characters",
            "description": "An API key, sent as `Authorization: Bearer ak_…`.",
        },
    )
    for dialect in filter(_has_key_header, dialects):
        spec.components.security_scheme(
            _security_scheme_name(dialect),
            {
                "type": "apiKey",
                "in": "header",
                "name": dialect.key_header,
                "description": f"The same API key, as clients of {dialect.name} send it.",
            },
        )


def _add_schemas(
    spec: APISpec,
    converter: OpenAPIConverter,
    endpoints: Iterable[Endpoint],
    errors: Iterable[type[Schema]],
    max_points: int,
) -> None:
    used: list[Schema | None] = []
    for endpoint in endpoints:
        used += [endpoint.json_schema, *(success.schema for success in endpoint.successes.values())]
    for schema in dict.fromkeys((*errors, *map(type, filter(None, used)))):
        if _component_name(schema) not in spec.components.schemas:
            spec.components.schema(_component_name(schema), schema=schema)
    components = cast(dict[str, Json], spec.components.schemas)
    for (schema, *_options), name in converter.refs.items():
        component = components[name]
        component["additionalProperties"] = getattr(schema, "allows_others", False)
        for field_name, field in schema().fields.items():
            if getattr(field, "max_points", 0) is None:  # the setting bounds the points
                component["properties"][field.data_key or field_name]["maxItems"] = max_points


def _add_headers(spec: APISpec, endpoints: Iterable[Endpoint]) -> None:
    spec.components.parameter("X-Request-Id", "header", REQUEST_ID)
    successes = (success for endpoint in endpoints for success in endpoint.successes.values())
    declared = [success.headers for success in successes]
    for headers in (COMMON_HEADERS, AUTHENTICATE_HEADERS, RETRY_AFTER_HEADERS, *declared):
        for name, header in headers.items():
            if name not in spec.components.headers:
                spec.components.header(name, header)


def _add_errors(
    spec: APISpec,
    endpoints: list[Endpoint],
    dialects: Iterable[Dialect],
    examples: Iterable[ErrorExample],
) -> None:
    """Add the errors, separately for each dialect: their bodies have another shape."""
    known_path = re.compile("|".join(endpoint.path_pattern for endpoint in endpoints))

    def name_of(path: str, status: int) -> str:
        return _error_name(find_dialect(path, dialects), status)

    documented = {
        name_of(endpoint.path, status): (status, find_dialect(endpoint.path, dialects))
        for endpoint in endpoints
        for status in endpoint.error_statuses
    }
    example_names: dict[str, list[str]] = {name: [] for name in documented}
    for example in examples:
        name = name_of(example.path, example.status)
        if name in documented and known_path.fullmatch(example.path.partition("?")[0]):
            words = {"summary": example.when, "description": example.remedy}
            spec.components.example(example.name, words | {"value": example.response})
            example_names[name].append(example.name)
    for name, (status, dialect) in sorted(documented.items()):
        schema = _component_name(dialect.error_schema if dialect else ErrorSchema)
        headers = ERROR_HEADERS.get(status, {})
        references = {example: example for example in example_names[name]}
        spec.components.response(name, _response(STATUSES[status], schema, headers, references))


def _add_operation(spec: APISpec, endpoint: Endpoint, dialect: Dialect | None) -> None:
    errors = {f"{status}": _error_name(dialect, status) for status in endpoint.error_statuses}
    described: dict[str, Any] = {
        "operationId": endpoint.operation_id,
        "tags": [endpoint.tag.name],
        "summary": endpoint.summary,
        "description": endpoint.description,
        "parameters": [*_operation_parameters(endpoint), "X-Request-Id"],
        "responses": errors | _success_responses(endpoint),
    }
    if dialect and _has_key_header(dialect):
        described["security"] = [{_security_scheme_name(dialect): []}, {"ApiKey": []}]
    if endpoint.is_public:
        described["security"] = [{"ApiKey": []}, {}]
    if content := _request_content(endpoint):
        described["requestBody"] = {"required": not endpoint.is_body_optional, "content": content}
    spec.path(openapi_path(endpoint.path), operations={endpoint.method.lower(): described})


def _error_name(dialect: Dialect | None, status: int) -> str:
    return f"{dialect.name if dialect else ''}Error{status}"


def _security_scheme_name(dialect: Dialect) -> str:
    return f"{dialect.name}Key"


def _has_key_header(dialect: Dialect) -> bool:
    """Return whether clients of a dialect send the key in a special header."""
    return dialect.key_header != BEARER_HEADER


def _success_responses(endpoint: Endpoint) -> Json:
    examples: Json = {}
    if example := endpoint.example:
        examples["response"] = {"summary": example.summary, "value": example.response}
    responses: Json = {}
    for status, success in endpoint.successes.items():
        schema = _component_name(type(success.schema)) if success.schema else None
        response = _response(success.meaning, schema, success.headers, examples)
        for media_type in success.media_types:
            is_text = media_type.startswith("text/")  # other files have no schema in OpenAPI 3.1
            shown = {"schema": {"type": "string"}} if is_text else {}
            response.setdefault("content", {}).setdefault(media_type, shown)
        responses[f"{status}"] = response
    return responses


def _request_content(endpoint: Endpoint) -> Json:
    """Return the body of a request by media type, empty without one."""
    content: Json = {}
    if isinstance(endpoint.body, FileBody):
        for media_type in endpoint.body.media_types:
            types = ["array", "object"] if media_type == JSON_MEDIA_TYPE else "string"
            content[media_type] = {"schema": {"type": types}}
    elif endpoint.json_schema is not None:
        content[JSON_MEDIA_TYPE] = {"schema": _component_name(type(endpoint.json_schema))}
    if content and (example := endpoint.example):
        shown = {"summary": example.summary, "value": example.request}
        next(iter(content.values()))["examples"] = {"request": shown}
    return content


def _component_name(schema: type[Schema]) -> str:
    """Return the name of a schema's component: its own, without the word Schema."""
    return schema.__name__.removesuffix("Schema")


def _operation_parameters(endpoint: Endpoint) -> Iterable[Json]:
    locations = {"path": endpoint.variables, "query": endpoint.query, "header": endpoint.headers}
    for location, schema in locations.items():
        if schema is not None:
            yield {"in": location, "schema": type(schema)}
    for name, field in endpoint.headers.fields.items() if endpoint.headers else ():
        if alias := field.metadata.get("alias"):
            yield {
                "name": alias,
                "in": "header",
                "description": f"An older name of `{field.data_key or name}`; read when that is "
                "absent.",
                "deprecated": True,
                "schema": {"type": "string", "enum": field.metadata["enum"]},
            }


def _response(description: str, schema: str | None, headers: Iterable[str], examples: Json) -> Json:
    response: Json = {
        "description": description,
        "headers": {name: name for name in [*COMMON_HEADERS, *headers]},
    }
    if schema is not None:
        content: Json = {"schema": schema} | ({"examples": examples} if examples else {})
        response["content"] = {JSON_MEDIA_TYPE: content}
    return response

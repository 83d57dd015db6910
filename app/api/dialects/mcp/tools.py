"""Tools: endpoints that are declared as such, whose whole input is one flat object."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import orjson
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import current_app
from marshmallow import Schema

from app.api.dialects.mcp.errors import reject_params
from app.api.dialects.mcp.relay import MAX_ARGUMENTS_LENGTH, RelayedRequest
from app.api.endpoints.endpoint import PATH_VARIABLE, Endpoint, FileBody, endpoints_of
from app.api.responses.json import JSON_MEDIA_TYPE, Json
from app.identity.accounts.permissions import Permission

_TOOLS_EXTENSION = "tools"
MAX_RESULT_ROWS = 60
_MAX_LIMIT_DIGITS = 18
_MAX_JSON_BYTES_PER_CHARACTER = 6  # JSON may escape each: "\\u00e9"
TABLE, ROWS_AFTER, _CHART, _PAGE_LIMIT = "table", "rows_after", "chart", "limit"
# Arguments that tools have in addition to the parameters of their endpoints.
_TOOL_ARGUMENTS: dict[str, Json] = {
    ROWS_AFTER: {
        "type": "integer",
        "minimum": 0,
        "description": f"Rows of the result to leave out: a result has at most {MAX_RESULT_ROWS}, "
        "and says how to get the next ones.",
    },
    _CHART: {
        "type": "boolean",
        "description": "Whether to add a chart as a picture (PNG), for a client that shows some.",
    },
}
_TABLE_ARGUMENT: Json = {
    "type": "string",
    "description": "The text of the table, which is the body: CSV or text copied from a "
    "spreadsheet. Not a workbook.",
}


@dataclass(frozen=True)
class ResultOptions:
    """The options of a tool's result, which are not sent to its endpoint."""

    rows_after: int
    has_chart: bool


@dataclass(frozen=True)
class Tool:
    """An endpoint as a tool; ``schema`` describes its arguments, ``rule_name`` is Flask's name."""

    rule_name: str
    endpoint: Endpoint
    schema: Json

    @property
    def name(self) -> str:
        return self.endpoint.tool

    def as_json(self) -> Json:
        can_write = self.endpoint.permission in (Permission.WRITE, Permission.DELETE)
        return {
            "name": self.name,
            "title": self.endpoint.summary,
            "description": f"{self.endpoint.summary}.\n\n{self.endpoint.description}",
            "inputSchema": self.schema,
            "annotations": {
                "title": self.endpoint.summary,
                "readOnlyHint": not can_write,
                "destructiveHint": can_write,
                "openWorldHint": False,
            },
        }


def current_tools() -> dict[str, Tool]:
    """Return the tools of the current application by name; they are built once."""
    tools: dict[str, Tool] | None = current_app.extensions.get(_TOOLS_EXTENSION)
    if tools is None:
        tools = make_tools(endpoints_of(current_app))
        current_app.extensions[_TOOLS_EXTENSION] = tools
    return tools


def make_tools(endpoints: Mapping[str, Endpoint]) -> dict[str, Tool]:
    """Return the tools among ``endpoints`` by name; ``endpoints`` are by Flask's names."""
    tools = (
        Tool(name, endpoint, _input_schema(endpoint))
        for name, endpoint in endpoints.items()
        if endpoint.tool
    )
    return {tool.name: tool for tool in tools}


def permitted_tools(tools: Iterable[Tool], granted: frozenset[Permission]) -> list[Tool]:
    return [tool for tool in tools if tool.endpoint.permission in (None, *granted)]


def _input_schema(endpoint: Endpoint) -> Json:
    """Return the JSON Schema of a tool's arguments: all input of its endpoint in one object."""
    parts = (endpoint.variables, endpoint.json_schema, endpoint.query, endpoint.headers)
    has_file = isinstance(endpoint.body, FileBody)
    properties: Json = {TABLE: _TABLE_ARGUMENT} if has_file else {}
    required = [TABLE] if has_file else []
    for part in filter(None, parts):
        converted = _json_schema(part)
        properties |= converted.get("properties", {})
        required += converted.get("required", [])
    if not endpoint.has_pages:
        properties[ROWS_AFTER] = _TOOL_ARGUMENTS[ROWS_AFTER]
    if endpoint.has_series:
        properties[_CHART] = _TOOL_ARGUMENTS[_CHART]
    schema: Json = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def _json_schema(schema: Schema) -> Json:
    """Return a schema as JSON Schema, with nested schemas in place of references."""
    plugin = MarshmallowPlugin(schema_name_resolver=lambda _schema: "")
    APISpec("", "", "3.1.0", plugins=[plugin])
    converter = cast(OpenAPIConverter, plugin.converter)
    return converter.schema2jsonschema(schema)  # type: ignore[no-untyped-call]


def read_arguments(tool: Tool, arguments: Any) -> tuple[RelayedRequest, ResultOptions]:
    """Return the request and the options in a tool's arguments, whose values are JSON texts.

    An unknown argument is sent as a part of the body or the query, so that the endpoint rejects it.
    Raise RpcError if they are not an object, or an argument that only tools have is wrong.
    """
    if not isinstance(arguments, dict):
        reject_params("arguments: Must be an object")
    endpoint = tool.endpoint
    remaining = dict(arguments)
    options = _pop_options(tool, remaining)
    path_names = PATH_VARIABLE.findall(endpoint.path)
    table_name = [TABLE] if isinstance(endpoint.body, FileBody) else []
    _reject_missing([*table_name, *path_names], tool, remaining)
    variables = {name: _unquoted_text(remaining.pop(name)) for name in path_names}
    headers = {
        # WSGI has the bytes of a header as characters of Latin-1.
        name: _unquoted_text(remaining.pop(name)).encode().decode("latin-1")
        for name in _field_names(endpoint.headers)
        if remaining.get(name, b"null") != b"null"
    }
    if isinstance(endpoint.body, FileBody):
        media_type = endpoint.body.media_types[0]
        text = remaining.pop(TABLE)
        body = str(orjson.loads(text)).encode() if text.startswith(b'"') else text
    elif endpoint.json_schema is not None:
        query_names = _field_names(endpoint.query)
        body_names = [name for name in remaining if name not in query_names]
        body = orjson.dumps({name: orjson.Fragment(remaining.pop(name)) for name in body_names})
        media_type = JSON_MEDIA_TYPE
    else:
        body, media_type = b"", ""
    query = [(name, value) for name, text in remaining.items() for value in _query_values(text)]
    if endpoint.has_pages:
        query = _with_page_limit(query)
    return RelayedRequest(variables, query, headers, body, media_type), options


def _reject_missing(names: Iterable[str], tool: Tool, sent: Mapping[str, bytes]) -> None:
    """Reject a call without one of these: the endpoint would call it an empty body or path."""
    for name in names:
        if sent.get(name, b"null") == b"null":
            names_text = ", ".join(tool.schema["properties"])
            reject_params(f"{name}: missing: send it; the arguments are {names_text}")


def _field_names(schema: Schema | None) -> list[str]:
    return [field.data_key or name for name, field in schema.fields.items()] if schema else []


def _pop_options(tool: Tool, remaining: dict[str, bytes]) -> ResultOptions:
    """Remove the tool's own arguments from ``remaining`` and return them."""
    sent = {
        name: _parse_json(remaining.pop(name))
        for name in _TOOL_ARGUMENTS
        if name in remaining and _TOOL_ARGUMENTS[name] is tool.schema["properties"].get(name)
    }
    rows_after, chart = sent.get(ROWS_AFTER), sent.get(_CHART)
    if rows_after is not None and (type(rows_after) is not int or rows_after < 0):
        reject_params(f"{ROWS_AFTER}: Must be a whole number, 0 or more")
    if chart is not None and not isinstance(chart, bool):
        reject_params(f"{_CHART}: Must be true or false")
    return ResultOptions(rows_after or 0, bool(chart))


def _unquoted_text(raw: bytes) -> str:
    """Return a JSON value as it is written in a path or a header: a string without its quotes."""
    value = _parse_json(raw)
    return value if isinstance(value, str) else raw.decode()


def _query_values(raw: bytes) -> list[str]:
    """Return the values of a parameter: one for each entry of an array, none for null."""
    parsed = _parse_json(raw)
    if parsed is None:
        return []
    values = parsed if isinstance(parsed, list) else [parsed]
    return [value if isinstance(value, str) else orjson.dumps(value).decode() for value in values]


def _parse_json(raw: bytes) -> Any:
    """Parse an argument that is not in the body; reject a long one before it is parsed."""
    if len(raw) > _MAX_JSON_BYTES_PER_CHARACTER * MAX_ARGUMENTS_LENGTH:
        reject_params(
            f"arguments: one of them, beside {TABLE} and what is in the body, has {len(raw):,} "
            f"bytes; send at most {MAX_ARGUMENTS_LENGTH:,} characters in all of these"
        )
    return orjson.loads(raw)


def _with_page_limit(query: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Lower the limit of a page to ``MAX_RESULT_ROWS``; the endpoint rejects an invalid limit."""
    sent = dict(query).get(_PAGE_LIMIT, str(MAX_RESULT_ROWS))
    is_above = sent.isdecimal() and len(sent) < _MAX_LIMIT_DIGITS and int(sent) > MAX_RESULT_ROWS
    limit = str(MAX_RESULT_ROWS) if is_above else sent
    return [*(pair for pair in query if pair[0] != _PAGE_LIMIT), (_PAGE_LIMIT, limit)]

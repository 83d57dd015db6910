"""Call tools and read resources: relay the request, and make content of the response."""

import base64
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import orjson
from flask import Response, current_app

from app.api.callers.current_caller import current_caller
from app.api.dialects.mcp.chart import ChartData, draw_chart
from app.api.dialects.mcp.errors import INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcError, reject_params
from app.api.dialects.mcp.relay import MAX_ARGUMENTS_LENGTH, RelayedRequest, relay
from app.api.dialects.mcp.results import ToolCall, render, result_of
from app.api.dialects.mcp.schemas import ARGUMENTS
from app.api.dialects.mcp.tools import MAX_RESULT_ROWS, find_tools, permitted_tools, read_arguments
from app.api.endpoints.endpoint import endpoints_of
from app.api.errors.statuses import ErrorCode
from app.api.responses.headers import NOTICE
from app.api.responses.json import Json

_CHART_SCHEME = "monitor-chart:///"
_CHART_POINTS = 500
PNG = "image/png"
_POINTS_ENDPOINT, _MONITORS_ENDPOINT = "GET /monitors/{name}/points", "GET /monitors"
_MODEL_HEADER = "X-Model-Id"
# These statuses, and those from 500 on, end the HTTP request: a model cannot react to them.
_NOT_FOR_MODELS = (401, 429)


class RelayedError(Exception):
    """The endpoint could not serve now: its status, headers and error are the response's."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response


def list_tools(_params: Json) -> Json:
    tools = permitted_tools(find_tools().values(), current_caller().permissions)
    return {"tools": [tool.as_json() for tool in tools]}


def call_tool(params: Json) -> Json:
    """Return what a tool returns; an error of its endpoint is a result, for the model to read.

    Raises:
        RpcError: The tool is unknown, or its arguments are not an object.
        RelayedError: The endpoint could not serve now.
    """
    name = params.get("name")
    tool = find_tools().get(name) if isinstance(name, str) else None
    if tool is None:
        reject_params(f"name: unknown tool; send one of {', '.join(find_tools())}")
    # Popped to free their memory: the request has a copy, and may wait for an engine.
    sent, options = read_arguments(tool, params.pop(ARGUMENTS, {}))
    response = relay(tool.rule_name, tool.endpoint, sent)
    _raise_if_unavailable(response)
    body: Json = orjson.loads(response.get_data())
    if response.status_code >= 400:
        return {"content": [_text_block(error_text(body))], "isError": True}
    series = orjson.loads(sent.body) if tool.has_series else {}
    model, notice = response.headers.get(_MODEL_HEADER, ""), response.headers.get(NOTICE, "")
    tool_call = ToolCall(series, body, model, notice, options)
    content = [_text_block(render(result_of(tool.name, tool_call), tool_call))]
    if options.has_chart and (charted := _draw_result(tool_call)):
        content.append({"type": "image", "data": _base64(charted), "mimeType": PNG})
    if tool.endpoint.path.startswith("/monitors/<name>"):
        content.append({"type": "resource_link", **_chart_resource(sent.variables["name"])})
    return {"content": content, "isError": False}


def _raise_if_unavailable(response: Response) -> None:
    if response.status_code in _NOT_FOR_MODELS or response.status_code >= 500:
        raise RelayedError(response)


def error_text(body: Json) -> str:
    """Return the error of an endpoint in words: every defect with its place."""
    error = body["error"]
    details = error.get("details", {})
    defects = details.get("errors") or [details]
    lines = [
        ": ".join(str(defect[key]) for key in ("field", "issue") if defect.get(key))
        for defect in defects
    ]
    return "\n".join([f"{error['message']}.", *filter(None, lines)])


def _text_block(text: str) -> Json:
    return {"type": "text", "text": text}


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _draw_result(tool_call: ToolCall) -> bytes | None:
    """Return the chart of a forecast or a detection; None of anything else."""
    body = tool_call.body
    sent = tool_call.sent["series"][0]
    values = np.asarray(sent["values"], dtype=np.float64)
    times = sent["timestamps"]
    if "median" in body:
        ahead = body["forecast_timestamps"]
        middle, low, high = (
            np.concatenate([np.full(values.size, np.nan), body[name]])
            for name in ("median", "lower_bound", "upper_bound")
        )
        values = np.concatenate([values, np.full(len(ahead), np.nan)])
        unflagged = np.zeros(values.size, dtype=bool)
        return draw_chart(ChartData([*times, *ahead], values, middle, low, high, unflagged))
    if "is_anomaly" in body:
        count = len(body["timestamps"])
        middle, low, high = (
            np.asarray(body[name]) for name in ("expected", "lower_bound", "upper_bound")
        )
        flagged = np.asarray(body["is_anomaly"])
        newest = values[-count:]
        return draw_chart(ChartData(body["timestamps"], newest, middle, low, high, flagged))
    return None


def _chart_resource(monitor: str) -> Json:
    return {
        "uri": f"{_CHART_SCHEME}{quote(monitor, safe='')}",
        "name": f"Chart of {monitor}"[:200],
        "description": f"The newest {_CHART_POINTS} points with their band, flagged ones in red.",
        "mimeType": PNG,
    }


def list_resources(params: Json) -> Json:
    """Return the charts of the account's monitors, ``MAX_RESULT_ROWS`` at a time."""
    cursor = params.get("cursor", "0")
    if not (isinstance(cursor, str) and cursor.isdecimal() and len(cursor) < 10):
        reject_params("cursor: unknown; send nextCursor of the last result")
    monitors = _relay_call(_MONITORS_ENDPOINT, RelayedRequest())["monitors"]
    end = int(cursor) + MAX_RESULT_ROWS
    listed: Json = {
        "resources": [_chart_resource(monitor["name"]) for monitor in monitors[int(cursor) : end]]
    }
    return listed | ({"nextCursor": str(end)} if end < len(monitors) else {})


def list_templates(_params: Json) -> Json:
    template = {"uriTemplate": f"{_CHART_SCHEME}{{name}}", "name": "Chart of a monitor"}
    return {"resourceTemplates": [template | {"mimeType": PNG}]}


def read_resource(params: Json, *, is_modern: bool) -> Json:
    """Return the chart of a monitor.

    Raises:
        RpcError: There is no such resource.
        RelayedError: The endpoint could not serve now.
    """
    missing = INVALID_PARAMS if is_modern else RESOURCE_NOT_FOUND
    sent = params.get("uri")
    uri = sent if isinstance(sent, str) else ""
    if len(uri) > MAX_ARGUMENTS_LENGTH:
        raise RpcError(missing, f"uri: Must have at most {MAX_ARGUMENTS_LENGTH:,} characters")
    if not uri.startswith(_CHART_SCHEME):
        raise RpcError(missing, f"uri: unknown; send {_CHART_SCHEME} and the name of a monitor")
    name = unquote(uri.removeprefix(_CHART_SCHEME))
    query = [("limit", str(_CHART_POINTS)), ("order", "desc")]
    page = _relay_call(_POINTS_ENDPOINT, RelayedRequest({"name": name}, query), missing)
    points = page["points"][::-1]

    def column(key: str) -> Any:
        return np.array([point[key] for point in points], dtype=np.float64)

    chart = draw_chart(
        ChartData(
            [point["timestamp"] for point in points],
            column("value"),
            column("expected"),
            column("lower_bound"),
            column("upper_bound"),
            np.array([point["is_anomaly"] for point in points], dtype=bool),
        )
    )
    return {"contents": [{"uri": uri, "mimeType": PNG, "blob": _base64(chart)}]}


def _relay_call(endpoint_name: str, sent: RelayedRequest, code: int = INVALID_PARAMS) -> Json:
    endpoints = endpoints_of(current_app).items()
    name, endpoint = next(pair for pair in endpoints if pair[1].name == endpoint_name)
    response = relay(name, endpoint, sent)
    _raise_if_unavailable(response)
    body: Json = orjson.loads(response.get_data())
    if response.status_code >= 400:
        raise RpcError(code, error_text(body), {"code": ErrorCode(body["error"]["code"])})
    return body

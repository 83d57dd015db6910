"""Call tools and read resources: relay the request, and turn the response into content."""

import base64
from urllib.parse import quote, unquote

import numpy as np
import orjson
from flask import Response, current_app

from app.api.callers.current_caller import current_caller
from app.api.dialects.mcp.chart import BandChart, draw_chart
from app.api.dialects.mcp.errors import INVALID_PARAMS, RESOURCE_NOT_FOUND, reject_params
from app.api.dialects.mcp.relay import MAX_ARGUMENTS_LENGTH, RelayedRequest, relay
from app.api.dialects.mcp.results import ToolCall, render_result, result_of
from app.api.dialects.mcp.schemas import ARGUMENTS
from app.api.dialects.mcp.tools import (
    MAX_RESULT_ROWS,
    current_tools,
    permitted_tools,
    read_arguments,
)
from app.api.endpoints.endpoint import endpoints_of
from app.api.errors.statuses import ErrorCode
from app.api.requests.strict_schema import KNOWN_FIELDS
from app.api.responses.headers import NOTICE
from app.api.responses.json import Json
from app.timeseries.calendar.frequency import UNITS, Frequency

_CHART_SCHEME = "monitor-chart:///"
_CHART_POINTS = 500
PNG = "image/png"
_POINTS_ENDPOINT, _MONITORS_ENDPOINT = "GET /monitors/{name}/points", "GET /monitors"
_MODEL_HEADER = "X-Model-Id"
# With these statuses, and those from 500 on, the call fails in HTTP: a model cannot react to them.
_STATUSES_NOT_FOR_MODELS = (401, 429)


class RelayedError(Exception):
    """The endpoint could not serve now; the message gets its status, headers and error."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response


def list_tools(_params: Json) -> Json:
    tools = permitted_tools(current_tools().values(), current_caller().permissions)
    return {"tools": [tool.as_json() for tool in tools]}


def call_tool(params: Json) -> Json:
    """Return what a tool returns; an error of its endpoint is a result, for the model to read.

    Raise RpcError if the tool is unknown or its arguments are not an object, RelayedError if the
    endpoint could not serve now.
    """
    name = params.get("name")
    tool = current_tools().get(name) if isinstance(name, str) else None
    if tool is None:
        reject_params(f"name: unknown tool; send one of {', '.join(current_tools())}")
    # Popped to free their memory: the relayed request has a copy, and may wait for an engine.
    arguments = params.pop(ARGUMENTS, {})
    sent, options = read_arguments(tool, arguments)
    unknown = arguments.keys() - tool.schema["properties"]
    del arguments
    response = relay(tool.rule_name, tool.endpoint, sent)
    _raise_if_unavailable(response)
    body: Json = orjson.loads(response.get_data())
    if response.status_code >= 400:
        # The endpoint knows only those of the body or of the query.
        for defect in body["error"].get("details", {}).get("errors", ()):
            if defect["field"] in unknown:
                issue = defect["issue"].partition(KNOWN_FIELDS)[0]
                defect["issue"] = issue + KNOWN_FIELDS + ", ".join(tool.schema["properties"])
        return {"content": [_text_block(error_text(body))], "isError": True}
    series = orjson.loads(sent.body) if tool.endpoint.has_series else {}
    model, notice = response.headers.get(_MODEL_HEADER, ""), response.headers.get(NOTICE, "")
    tool_call = ToolCall(series, body, model, notice, options)
    content = [_text_block(render_result(result_of(tool.name, tool_call), tool_call))]
    if options.has_chart and (chart := _draw_result(tool_call)):
        content.append({"type": "image", "data": _to_base64(chart), "mimeType": PNG})
    if tool.endpoint.path.startswith("/monitors/<name>"):
        content.append({"type": "resource_link", **_chart_resource(sent.variables["name"])})
    return {"content": content, "isError": False}


def error_text(body: Json) -> str:
    """Return the error of an endpoint in words, with a line for each defect."""
    error = body["error"]
    details = error.get("details", {})
    lines = [
        ": ".join(str(defect[key]) for key in ("field", "issue") if defect.get(key))
        for defect in details.get("errors") or [details]
    ]
    return "\n".join([f"{error['message']}.", *filter(None, lines)])


def _text_block(text: str) -> Json:
    return {"type": "text", "text": text}


def _draw_result(tool_call: ToolCall) -> bytes | None:
    """Return the chart of a forecast or a detection; None for other tools."""
    body = tool_call.body
    series = tool_call.sent["series"][0]
    values = np.asarray(series["values"], dtype=np.float64)
    has_days = UNITS[Frequency(tool_call.sent["data_frequency"])].has_days
    if "median" in body:
        middle, lower, upper = (
            np.concatenate([np.full(values.size, np.nan), body[name]])
            for name in ("median", "lower_bound", "upper_bound")
        )
        timestamps = [*series["timestamps"], *body["forecast_timestamps"]]
        values = np.concatenate([values, np.full(len(body["median"]), np.nan)])
        is_flagged = np.zeros(values.size, dtype=bool)
        return draw_chart(BandChart(timestamps, values, middle, lower, upper, is_flagged, has_days))
    if "is_anomaly" in body:
        timestamps = body["timestamps"]
        names = ("expected", "lower_bound", "upper_bound", "is_anomaly")
        middle, lower, upper, is_flagged = (np.asarray(body[name]) for name in names)
        values = values[-len(timestamps) :]
        return draw_chart(BandChart(timestamps, values, middle, lower, upper, is_flagged, has_days))
    return None


def list_resources(params: Json) -> Json:
    """Return a page of the charts of the account's monitors."""
    cursor = params.get("cursor", "0")
    if not (isinstance(cursor, str) and cursor.isdecimal() and len(cursor) < 10):
        reject_params("cursor: unknown; send nextCursor of the last result")
    monitors = _relay_call(_MONITORS_ENDPOINT, RelayedRequest())["monitors"]
    end = int(cursor) + MAX_RESULT_ROWS
    resources = [_chart_resource(monitor["name"]) for monitor in monitors[int(cursor) : end]]
    next_cursor = {"nextCursor": str(end)} if end < len(monitors) else {}
    return {"resources": resources} | next_cursor


def _chart_resource(monitor: str) -> Json:
    return {
        "uri": f"{_CHART_SCHEME}{quote(monitor, safe='')}",
        "name": f"Chart of {monitor}"[:200],
        "description": f"The newest {_CHART_POINTS} points with their band, flagged ones in red.",
        "mimeType": PNG,
    }


def list_templates(_params: Json) -> Json:
    template = {"uriTemplate": f"{_CHART_SCHEME}{{name}}", "name": "Chart of a monitor"}
    return {"resourceTemplates": [template | {"mimeType": PNG}]}


def read_resource(params: Json, *, is_stateless: bool) -> Json:
    """Return the chart of a monitor.

    Raise RpcError if there is no such resource, RelayedError if the endpoint could not serve now.
    """
    not_found_code = INVALID_PARAMS if is_stateless else RESOURCE_NOT_FOUND
    sent = params.get("uri")
    uri = sent if isinstance(sent, str) else ""
    if len(uri) > MAX_ARGUMENTS_LENGTH:
        reject_params(f"uri: Must have at most {MAX_ARGUMENTS_LENGTH:,} characters", not_found_code)
    if not uri.startswith(_CHART_SCHEME):
        issue = f"uri: unknown; send {_CHART_SCHEME} and the name of a monitor"
        reject_params(issue, not_found_code)
    name = unquote(uri.removeprefix(_CHART_SCHEME))
    query = [("limit", str(_CHART_POINTS)), ("order", "desc")]
    page = _relay_call(_POINTS_ENDPOINT, RelayedRequest({"name": name}, query), not_found_code)
    points = page["points"][::-1]
    timestamps = [point["timestamp"] for point in points]
    values, middle, lower, upper = (
        np.array([point[key] for point in points], dtype=np.float64)
        for key in ("value", "expected", "lower_bound", "upper_bound")
    )
    flagged = np.array([point["is_anomaly"] for point in points], dtype=bool)
    chart = draw_chart(BandChart(timestamps, values, middle, lower, upper, flagged))
    return {"contents": [{"uri": uri, "mimeType": PNG, "blob": _to_base64(chart)}]}


def _to_base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _relay_call(endpoint_name: str, sent: RelayedRequest, error_code: int = INVALID_PARAMS) -> Json:
    endpoints = endpoints_of(current_app).items()
    name, endpoint = next(pair for pair in endpoints if pair[1].name == endpoint_name)
    response = relay(name, endpoint, sent)
    _raise_if_unavailable(response)
    body: Json = orjson.loads(response.get_data())
    if response.status_code >= 400:
        reject_params(error_text(body), error_code, {"code": ErrorCode(body["error"]["code"])})
    return body


def _raise_if_unavailable(response: Response) -> None:
    if response.status_code in _STATUSES_NOT_FOR_MODELS or response.status_code >= 500:
        raise RelayedError(response)

"""POST /mcp: one message of JSON-RPC in, its response out; no state is kept between messages."""

from collections.abc import Callable

import orjson
from flask import Blueprint, Response

from app.api.callers.current_caller import current_caller
from app.api.callers.limiter import count_request
from app.api.dialects.mcp import calls
from app.api.dialects.mcp.errors import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    JSONRPC,
    METHOD_NOT_FOUND,
    RpcError,
)
from app.api.dialects.mcp.protocol import (
    STATELESS_VERSIONS,
    check_envelope,
    check_transport,
    discovery_result,
    handshake_result,
    stateless_fields,
)
from app.api.dialects.mcp.schemas import McpHeadersSchema, McpMessageSchema, McpResponseSchema
from app.api.endpoints.endpoint import CallCost, Endpoint, Result, Success, Tag
from app.api.errors.api_error import ApiError
from app.api.examples.recorded import Examples
from app.api.request_state import request_state
from app.api.responses.json import Json
from app.api.serving.decorator import endpoint

PATH_PREFIX = "/mcp/"
EXAMPLES = Examples(__package__)
blueprint = Blueprint("mcp", __name__)

_TAG = Tag("Agents", "The Model Context Protocol: endpoints as tools of assistants.")
_DESCRIPTION = """\
The Model Context Protocol by streamable HTTP, revisions 2025-03-26 to 2026-07-28: stateless, JSON
responses, no streams and no batches. `docs/using/agents.md` says how clients are pointed at it.

`tools/call` calls an endpoint: `read_table`, `forecast`, `backtest`, `detect_anomalies`,
`list_monitors` or `monitor_events`. A call needs the permission of its endpoint, counts as it does,
is bounded as it is, and has its errors, which are results with `isError`. Results are text: a
sentence, and at most 60 rows. `resources/read` returns the chart of a monitor as PNG.

The header `Accept` must list `application/json` and `text/event-stream`. A notification gets 202.
Other messages than calls count as one request, also those that are rejected."""
Method = Callable[[Json], Json]
_METHODS: dict[str, Method] = {
    "tools/list": calls.list_tools,
    "tools/call": calls.call_tool,
    "resources/list": calls.list_resources,
    "resources/templates/list": calls.list_templates,
}
_HANDSHAKE_METHODS: dict[str, Method] = {"initialize": handshake_result, "ping": lambda _params: {}}
_STATELESS_METHODS: dict[str, Method] = {"server/discover": discovery_result}
# The HTTP statuses of errors from revision 2026-07-28 on; in earlier revisions they are 200.
_STATELESS_STATUSES = {INVALID_PARAMS: 400, METHOD_NOT_FOUND: 404, HEADER_MISMATCH: 400}
PASSED_HEADERS = ("Retry-After", "WWW-Authenticate")


@endpoint(
    blueprint,
    Endpoint(
        "POST",
        "/mcp",
        permission=None,
        cost=CallCost.RELAYED,
        body=McpMessageSchema(),
        headers=McpHeadersSchema(),
        successes={
            200: Success("The response.", McpResponseSchema()),
            202: Success("The notification is accepted."),
        },
        other_errors=frozenset({404, 406}),
        tag=_TAG,
        operation_id="sendMcpMessage",
        description=_DESCRIPTION,
        example=EXAMPLES.success("call", "A forecast of three months"),
    ),
)
def send_message(message: Json, headers: Json) -> Result:
    """List the tools for agents, or call one."""
    method = message["method"]
    request_state().mcp_id = message.get("id")
    if "id" not in message:
        count_request()
        return Result(None, status=202)
    is_stateless = headers["version"] in STATELESS_VERSIONS
    head = {"jsonrpc": JSONRPC, "id": message["id"]}
    try:
        if is_stateless:
            check_envelope(message, headers)
        result = _find_method(method, is_stateless=is_stateless)(message.get("params", {}))
    except RpcError as error:
        status = _STATELESS_STATUSES.get(error.code, 200) if is_stateless else 200
        data = {"code": "INVALID_REQUEST"} | (error.data or {})
        body = head | {"error": {"code": error.code, "message": error.message, "data": data}}
        return Result(body, status=status)
    except calls.RelayedError as error:
        return _unavailable_result(head, error.response)
    finally:
        if not request_state().is_relayed:  # else its endpoint has counted it
            count_request()
    return Result(head | {"result": result | (stateless_fields(method) if is_stateless else {})})


@blueprint.before_request
def reject_other_transports() -> None:
    """Raise the error for a message with wrong headers; it counts as other messages do.

    A caller without a key gets 401 first, as at other endpoints.
    """
    current_caller()
    try:
        check_transport()
    except ApiError:
        count_request()
        raise


def _find_method(name: str, *, is_stateless: bool) -> Method:
    if name == "resources/read":
        return lambda params: calls.read_resource(params, is_stateless=is_stateless)
    methods = _METHODS | (_STATELESS_METHODS if is_stateless else _HANDSHAKE_METHODS)
    if name not in methods:
        issue = f"unknown method; send one of {', '.join([*methods, 'resources/read'])}"
        raise RpcError(METHOD_NOT_FOUND, issue)
    return methods[name]


def _unavailable_result(head: Json, response: Response) -> Result:
    """Return the response to a call that its endpoint could not serve now, with its status."""
    error = orjson.loads(response.get_data())["error"]
    status = response.status_code
    details = {"code": error["code"], **error.get("details", {})}
    body = head | {"error": {"code": status, "message": error["message"], "data": details}}
    headers = {name: response.headers[name] for name in PASSED_HEADERS if name in response.headers}
    return Result(body, headers, status)

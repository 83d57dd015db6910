"""Calls of POST /mcp as agents send them, without a client library."""

import itertools
from typing import Any

from werkzeug.test import TestResponse

from tests.support.api import Api

ACCEPT = "application/json, text/event-stream"
VERSION = "2025-06-18"
_ids = itertools.count(1)


def send(caller: Api, body: object, **headers: str | None) -> TestResponse:
    """Send a message; ``body`` is sent as JSON, bytes unchanged."""
    sent = {"Accept": ACCEPT, "MCP_Protocol_Version": VERSION} | headers
    return caller.send("POST", "/mcp", body, **sent)


def request(method: str, **params: Any) -> dict[str, Any]:
    """Return a request of JSON-RPC."""
    return {"jsonrpc": "2.0", "id": next(_ids), "method": method, "params": params}


def call_method(caller: Api, method: str, **params: Any) -> dict[str, Any]:
    """Send a request and return its response, whose id must match."""
    body = request(method, **params)
    response = send(caller, body)
    assert response.status_code == 200, response.text
    assert response.mimetype == "application/json"
    message: dict[str, Any] = response.get_json()
    assert message["id"] == body["id"]
    return message


def call(caller: Api, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its result."""
    result: dict[str, Any] = call_method(caller, "tools/call", name=tool, arguments=arguments)[
        "result"
    ]
    return result


def text_of(caller: Api, tool: str, **arguments: Any) -> str:
    """Call a tool that must succeed, and return its text."""
    result = call(caller, tool, **arguments)
    assert not result["isError"], result
    return str(result["content"][0]["text"])

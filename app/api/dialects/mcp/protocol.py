"""The protocol around the tools: its revisions, and what a client agrees on before it calls one.

Up to revision 2025-11-25 a client sends ``initialize`` first; from 2026-07-28 on every request
says its revision itself, in ``_meta`` and headers. The service keeps nothing between requests in
either case.
"""

import base64
import binascii
from typing import Any

from flask import request

from app.api.dialects.mcp.errors import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    UNSUPPORTED_VERSION,
    RpcError,
)
from app.api.errors.api_error import ApiError
from app.api.responses.json import JSON_MEDIA_TYPE, Json
from app.api.serving.common_headers import API_VERSION

HANDSHAKE_VERSIONS = ("2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
PROTOCOL_VERSIONS = (*HANDSHAKE_VERSIONS, *MODERN_VERSIONS)
_MEDIA_TYPES = (JSON_MEDIA_TYPE, "text/event-stream")
_META_PREFIX = "io.modelcontextprotocol/"
VERSION_KEY = f"{_META_PREFIX}protocolVersion"
CAPABILITIES_KEY = f"{_META_PREFIX}clientCapabilities"
# The parameter that the header Mcp-Name repeats, by method.
_NAMED_BY = {"tools/call": "name", "resources/read": "uri"}
_ENCODED_START, _ENCODED_END = "=?base64?", "?="
_CACHEABLE = ("server/discover", "tools/list", "resources/list", "resources/templates/list")
_CACHE_MILLISECONDS = 60_000
_INSTRUCTIONS = (
    "Tools of a forecast service. Every result begins with one sentence that says what was "
    "found; the table below it is CSV, of at most 60 rows. Send timestamps in ISO 8601 and all "
    "points of a series: 30 or more are recommended. Quote intervals together with forecasts. An "
    "error says what to send instead."
)


def check_transport() -> None:
    """Check what a message is sent with, before it is read.

    Raises:
        ApiError: 403 for another origin, 406 for a client that does not take both media types, 400
            for an unknown revision of the protocol.
    """
    origin = request.headers.get("Origin")
    own_origin = f"{request.scheme}://{request.host}"
    if origin not in (None, own_origin):
        issue = (
            f"the header Origin is not {own_origin}; send requests of agents without this header"
        )
        raise ApiError(403, "Forbidden", issue)
    if not all(map(request.accept_mimetypes.__contains__, _MEDIA_TYPES)):
        issue = f"the header Accept does not list both {' and '.join(_MEDIA_TYPES)}; send both"
        raise ApiError(406, "Not Acceptable", issue)
    version = request.headers.get("MCP-Protocol-Version", PROTOCOL_VERSIONS[0])
    if version not in PROTOCOL_VERSIONS:
        issue = f"unknown MCP-Protocol-Version: send one of {', '.join(PROTOCOL_VERSIONS)}"
        details: Json = {"rpc_code": UNSUPPORTED_VERSION, "requested": version[:40]}
        details |= {"supported": list(PROTOCOL_VERSIONS)}
        raise ApiError(400, "Unsupported protocol version", issue, details=details)


def check_envelope(message: Json, headers: Json) -> None:
    """Check that a request of a modern revision says the same in its headers and its body.

    Raises:
        RpcError: They differ, or the body does not have the revision and the client's capabilities.
    """
    params: Json = message.get("params", {})
    meta = params.get("_meta")
    if not isinstance(meta, dict) or not {VERSION_KEY, CAPABILITIES_KEY} <= meta.keys():
        issue = f"params._meta lacks {VERSION_KEY} or {CAPABILITIES_KEY}; send both"
        raise RpcError(INVALID_PARAMS, issue)
    named: Any = params.get(_NAMED_BY.get(message["method"], ""))
    pairs = {
        "MCP-Protocol-Version": (headers["version"], meta[VERSION_KEY]),
        "Mcp-Method": (headers["method"], message["method"]),
        "Mcp-Name": (named and _decode(headers["name"]), named),
    }
    for name, (sent, expected) in pairs.items():
        if sent != expected:
            raise RpcError(HEADER_MISMATCH, f"the header {name} is not as in the body; send both")


def _decode(sent: str) -> str | None:
    """Return the text of a header, which is in Base64 if it is not plain ASCII."""
    if not (sent.startswith(_ENCODED_START) and sent.endswith(_ENCODED_END)):
        return sent
    try:
        encoded = sent.removeprefix(_ENCODED_START).removesuffix(_ENCODED_END)
        return base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def handshake(params: Json) -> Json:
    """Return the result of ``initialize``: the client's revision, or the newest that has it."""
    asked = params.get("protocolVersion")
    if not isinstance(asked, str):
        raise RpcError(INVALID_PARAMS, "protocolVersion is missing; send a string: 2025-11-25")
    version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
    return {"protocolVersion": version, **_server()}


def discovery() -> Json:
    return {"supportedVersions": list(PROTOCOL_VERSIONS), **_server()}


def _server() -> Json:
    return {
        "capabilities": {"tools": {}, "resources": {}},
        "serverInfo": {"name": "forecast-service", "version": API_VERSION},
        "instructions": _INSTRUCTIONS,
    }


def modern_fields(method: str) -> Json:
    """Return the fields that a result has from revision 2026-07-28 on."""
    fields: Json = {"resultType": "complete"}
    if method in _CACHEABLE or method == "resources/read":
        milliseconds = _CACHE_MILLISECONDS if method in _CACHEABLE else 0
        fields |= {"ttlMs": milliseconds, "cacheScope": "private"}
    return fields

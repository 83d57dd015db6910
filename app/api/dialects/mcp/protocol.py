"""The protocol around the tools: its revisions, and what a client negotiates before it calls one.

Up to revision 2025-11-25 a client sends ``initialize`` first. From 2026-07-28 on every request
declares its revision, in ``_meta`` and in headers. In both the service keeps no state between
requests.
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
STATELESS_VERSIONS = ("2026-07-28",)
PROTOCOL_VERSIONS = (*HANDSHAKE_VERSIONS, *STATELESS_VERSIONS)
_MEDIA_TYPES = (JSON_MEDIA_TYPE, "text/event-stream")
_META_PREFIX = "io.modelcontextprotocol/"
VERSION_KEY = f"{_META_PREFIX}protocolVersion"
CAPABILITIES_KEY = f"{_META_PREFIX}clientCapabilities"
# The parameter that the header Mcp-Name repeats, by method.
_NAME_PARAMETERS = {"tools/call": "name", "resources/read": "uri"}
_ENCODED_START, _ENCODED_END = "=?base64?", "?="
_CACHED_METHODS = ("server/discover", "tools/list", "resources/list", "resources/templates/list")
_CACHE_MILLISECONDS = 60_000
_INSTRUCTIONS = (
    "Tools of a forecast service. Every result begins with one sentence that says what was "
    "found; the table below it is CSV, of at most 60 rows. Send timestamps in ISO 8601 and all "
    "points of a series: 30 or more are recommended. Quote intervals together with forecasts. An "
    "error says what to send instead."
)


def check_transport() -> None:
    """Check the headers of a message before its body is read.

    Raise ApiError: 403 for another origin, 406 for a client that does not take both media types,
    400 for an unknown revision of the protocol.
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
    """Check that the headers of a request of a stateless revision repeat its body.

    Raise RpcError if they differ, or the body lacks the revision and the client's capabilities.
    """
    params: Json = message.get("params", {})
    meta = params.get("_meta")
    if not isinstance(meta, dict) or not {VERSION_KEY, CAPABILITIES_KEY} <= meta.keys():
        issue = f"params._meta lacks {VERSION_KEY} or {CAPABILITIES_KEY}; send both"
        raise RpcError(INVALID_PARAMS, issue)
    parameter = _NAME_PARAMETERS.get(message["method"])
    name: Any = params.get(parameter) if parameter else None
    pairs = {
        "MCP-Protocol-Version": (headers["version"], meta[VERSION_KEY]),
        "Mcp-Method": (headers["method"], message["method"]),
        "Mcp-Name": (name and _decode_header(headers["name"]), name),
    }
    for header, (sent, expected) in pairs.items():
        if sent != expected:
            raise RpcError(HEADER_MISMATCH, f"the header {header} is not as in the body; send both")


def _decode_header(sent: str) -> str | None:
    """Return the text of a header, which may be in Base64; None if that is malformed."""
    if not (sent.startswith(_ENCODED_START) and sent.endswith(_ENCODED_END)):
        return sent
    try:
        encoded = sent.removeprefix(_ENCODED_START).removesuffix(_ENCODED_END)
        return base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def handshake_result(params: Json) -> Json:
    """Return the result of ``initialize``; a client with an unknown revision gets the newest."""
    requested = params.get("protocolVersion")
    if not isinstance(requested, str):
        raise RpcError(INVALID_PARAMS, "protocolVersion is missing; send a string: 2025-11-25")
    version = requested if requested in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
    return {"protocolVersion": version, **_server_fields()}


def discovery_result(_params: Json) -> Json:
    return {"supportedVersions": list(PROTOCOL_VERSIONS), **_server_fields()}


def _server_fields() -> Json:
    return {
        "capabilities": {"tools": {}, "resources": {}},
        "serverInfo": {"name": "forecast-service", "version": API_VERSION},
        "instructions": _INSTRUCTIONS,
    }


def stateless_fields(method: str) -> Json:
    """Return the fields that a result has in addition from revision 2026-07-28 on."""
    fields: Json = {"resultType": "complete"}
    if method in _CACHED_METHODS:
        fields |= {"ttlMs": _CACHE_MILLISECONDS, "cacheScope": "private"}
    elif method == "resources/read":
        fields |= {"ttlMs": 0, "cacheScope": "private"}
    return fields

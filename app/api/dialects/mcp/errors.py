"""Errors as JSON-RPC 2.0 has them: of the protocol by its codes, of HTTP by their status."""

from collections.abc import Mapping
from typing import Any, Never

from flask import has_request_context
from marshmallow import Schema, fields

from app.api.errors.api_error import ApiError
from app.api.errors.error_schema import DialectErrorDetailsSchema, DialectErrorSchema
from app.api.request_state import request_state
from app.api.requests.json_body import NOT_AN_OBJECT
from app.api.responses.fields import integer_field, nested_field, string_field
from app.api.responses.json import Json

_PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002  # up to revision 2025-11-25; later ones have INVALID_PARAMS
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022
JSONRPC = "2.0"


class McpErrorBodySchema(Schema):
    code = integer_field("A code of JSON-RPC, below 0, or the status of the response.")
    message = string_field("What is wrong, where, and what to send instead.")
    data = nested_field(DialectErrorDetailsSchema)


class McpErrorSchema(DialectErrorSchema):
    """The body of an error: a JSON-RPC response."""

    jsonrpc = string_field(enum=[JSONRPC])
    id = fields.Raw(
        required=True, metadata={"description": "Of the request; null where it is not known."}
    )
    error = nested_field(McpErrorBodySchema)


class RpcError(Exception):
    """Ends a request with a JSON-RPC error; ``data`` is for programs."""

    def __init__(self, code: int, message: str, data: Json | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def reject_params(issue: str, code: int = INVALID_PARAMS, data: Json | None = None) -> Never:
    raise RpcError(code, issue, data)


def error_code(error: ApiError) -> int:
    """Return the code of an error that ends a request before its method is called."""
    details: Mapping[str, Any] = error.details or {}
    if "rpc_code" in details:
        return int(details["rpc_code"])
    if error.status != 400:
        return error.status
    was_parsed = "field" in details or error.message == NOT_AN_OBJECT
    return INVALID_REQUEST if was_parsed else _PARSE_ERROR


def error_message(error: ApiError) -> str:
    if error.message == NOT_AN_OBJECT:
        return f"{error.issue.partition(';')[0]}; send one JSON-RPC message, not a batch"
    return error.issue_with_path


def error_head(_code: object, _message: str) -> Json:
    """Return the fields at the top of an error's body; the id is null before it is read."""
    return {"jsonrpc": JSONRPC, "id": request_state().mcp_id if has_request_context() else None}

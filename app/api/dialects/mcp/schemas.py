"""A message of JSON-RPC 2.0, its headers, and the response."""

from typing import Any

import orjson
from marshmallow import EXCLUDE, Schema, ValidationError, fields, validate

from app.api.dialects.mcp.errors import JSONRPC, McpErrorBodySchema
from app.api.dialects.mcp.protocol import PROTOCOL_VERSIONS
from app.api.responses.json import Json

_MAX_METHOD_LENGTH = 100
_MAX_ARGUMENTS = 100
_MAX_ID_LENGTH = 200
ARGUMENTS = "arguments"
_NOT_AN_ID = "Must be a string or a whole number"
_NOT_A_METHOD = "send the name of a method, such as tools/call"


class IdField(fields.Field[Any]):
    """The id of a request, which its response repeats."""

    default_error_messages = {"null": _NOT_AN_ID}  # noqa: RUF012 - as the library declares it

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str | int:
        is_short_text = isinstance(value, str) and len(value) <= _MAX_ID_LENGTH
        if type(value) is int or is_short_text:
            return value
        raise ValidationError(_NOT_AN_ID)


class ParamsField(fields.Dict):
    """The parameters of a method.

    Values of ``arguments`` are loaded as JSON text, which takes a tenth of the memory and is sent
    on: only one large body is parsed at a time (`app/api/serving/body.py`).
    """

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Json:
        load = super()._deserialize
        params: Json = load(value, attr, data, **kwargs)  # type: ignore[no-untyped-call]
        arguments = params.get(ARGUMENTS, {})
        if isinstance(arguments, dict):
            # Bounded, as orjson allocates kilobytes for each text that it makes.
            if len(arguments) > _MAX_ARGUMENTS:
                raise ValidationError(
                    f"{ARGUMENTS}: Must have at most {_MAX_ARGUMENTS} fields, not "
                    f"{len(arguments):,}"
                )
            texts = {name: orjson.dumps(item) for name, item in arguments.items()}
            return params | {ARGUMENTS: texts}
        return params


class McpMessageSchema(Schema):
    """One message: a request, or a notification, which has no id."""

    allows_others = True

    class Meta:
        unknown = EXCLUDE

    jsonrpc = fields.String(
        required=True,
        validate=validate.Equal(JSONRPC, error="Must be 2.0"),
        error_messages={
            "required": "missing: send 2.0",
            **dict.fromkeys(("null", "invalid"), "Must be 2.0"),
        },
        metadata={"enum": [JSONRPC]},
    )
    id = IdField(
        metadata={
            "type": ["string", "integer"],
            "maxLength": _MAX_ID_LENGTH,
            "description": "Absent in notifications.",
        }
    )
    method = fields.String(
        required=True,
        validate=validate.Length(1, _MAX_METHOD_LENGTH, error=_NOT_A_METHOD),
        error_messages={
            "required": f"missing: {_NOT_A_METHOD}",
            **dict.fromkeys(("null", "invalid"), _NOT_A_METHOD),
        },
        metadata={"examples": ["tools/call"]},
    )
    params = ParamsField(
        error_messages=dict.fromkeys(("null", "invalid"), "Must be an object"),
        metadata={"description": "What the method takes, by name."},
    )


def _header(name: str, description: str, **keywords: list[str]) -> fields.String:
    return fields.String(
        data_key=name,
        load_default=str,  # an empty default in the document would not be a revision
        metadata={"description": description, **keywords},
    )


class McpHeadersSchema(Schema):
    """Headers that repeat parts of the message; older revisions have none of them."""

    version = _header(
        "MCP-Protocol-Version", "The revision of the protocol.", enum=[*PROTOCOL_VERSIONS]
    )
    method = _header(
        "Mcp-Method", "From revision 2026-07-28 on: `method`.", examples=["tools/call"]
    )
    name = _header(
        "Mcp-Name",
        "From revision 2026-07-28 on: `name` of a tool, `uri` of a resource.",
        examples=["forecast"],
    )


class McpResponseSchema(Schema):
    """The response to a request: ``result`` or ``error``."""

    allows_others = True

    jsonrpc = fields.String(required=True, metadata={"enum": [JSONRPC]})
    id = fields.Raw(required=True, metadata={"description": "Of the request."})
    result = fields.Dict(metadata={"description": "What the method returns."})
    error = fields.Nested(McpErrorBodySchema)

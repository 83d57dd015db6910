"""Send a request to another endpoint inside this process, as its client would over HTTP.

So a tool call gets the permission, limits, queue, bounds, errors and usage of its endpoint.
"""

import io
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from flask import Response, current_app, request

from app.api.callers.current_caller import RELAYED_HOLDER, current_caller
from app.api.dialects.mcp.errors import reject_params
from app.api.endpoints.endpoint import Endpoint, openapi_path
from app.api.request_state import request_state
from app.api.responses.json import JSON_MEDIA_TYPE

# The bound of path, query and headers together; over HTTP the server has one.
MAX_ARGUMENTS_LENGTH = 8_000

# The variables that a relayed request copies from the request that contains it.
_COPIED_VARIABLES = (
    "REMOTE_ADDR", "REMOTE_PORT", "SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL", "HTTP_HOST",
    "HTTP_AUTHORIZATION", "wsgi.version", "wsgi.url_scheme", "wsgi.errors", "wsgi.multithread",
    "wsgi.multiprocess", "wsgi.run_once", "gunicorn.socket",
)  # fmt: skip


@dataclass(frozen=True)
class RelayedRequest:
    """A request to another endpoint: ``variables`` are those of its path."""

    variables: Mapping[str, str] = field(default_factory=dict)
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    media_type: str = JSON_MEDIA_TYPE


def relay(name: str, endpoint: Endpoint, sent: RelayedRequest) -> Response:
    """Return the response of an endpoint; ``name`` is Flask's.

    Raise RpcError if path, query and headers together are too long.
    """
    outside_body = [*sent.variables.values(), *sent.headers.values(), *itertools.chain(*sent.query)]
    if (length := sum(map(len, outside_body))) > MAX_ARGUMENTS_LENGTH:
        reject_params(
            f"arguments: those of the address and the headers have {length:,} characters; send at "
            f"most {MAX_ARGUMENTS_LENGTH:,}"
        )
    environ = {key: request.environ[key] for key in _COPIED_VARIABLES if key in request.environ}
    environ |= {
        "REQUEST_METHOD": endpoint.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": openapi_path(endpoint.path),
        "QUERY_STRING": urlencode(sent.query),
        "CONTENT_TYPE": sent.media_type,
        "CONTENT_LENGTH": str(len(sent.body)),
        "HTTP_X_REQUEST_ID": request_state().request_id,
        "wsgi.input": io.BytesIO(sent.body),
        RELAYED_HOLDER: current_caller(),
        **{
            f"HTTP_{header.upper().replace('-', '_')}": value
            for header, value in sent.headers.items()
        },
    }
    request_state().is_relayed = True
    # Its own context for the state of the request: its budget, its job, its response.
    with current_app.app_context(), current_app.request_context(environ) as context:
        # Routed by its rule: a name with a slash would change the meaning of its path.
        rules: Any = current_app.url_map.iter_rules(name)
        context.request.url_rule = next(rules)
        context.request.view_args = dict(sent.variables)
        context.request.routing_exception = None
        return current_app.full_dispatch_request()

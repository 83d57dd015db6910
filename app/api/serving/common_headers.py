"""Headers of every response: request id, version, rate limits, caching, a rotated key's end."""

import re
import uuid

from flask import Flask, Response, request

from app.api.callers.limiter import current_budget_state
from app.api.endpoints.endpoint import current_endpoint
from app.api.request_state import request_state
from app.core.database import iso_string
from app.identity.limits.headers import rate_limit_headers

API_VERSION = "1.0.0"
KEY_ENDS_HEADER = "X-Key-Ends"
NO_STORE = "no-store"
CLIENT_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")


def set_request_id() -> None:
    """Use the client's request id if it is valid, else generate one."""
    sent = request.headers.get("X-Request-Id", "")
    request_state().request_id = sent if CLIENT_REQUEST_ID.fullmatch(sent) else uuid.uuid4().hex


def add_common_headers(response: Response) -> Response:
    state = request_state()
    response.headers["X-Request-Id"] = state.request_id
    response.headers["X-Api-Version"] = API_VERSION
    response.headers.update(rate_limit_headers(current_budget_state()))
    if current_endpoint() is not None:  # what belongs to a key must not be stored by a proxy
        response.headers["Cache-Control"] = NO_STORE
    if state.caller is not None and state.caller.grace_ends_at is not None:
        response.headers[KEY_ENDS_HEADER] = iso_string(state.caller.grace_ends_at)
    return response


def register_common_headers(app: Flask) -> None:
    """Make every response of ``app`` carry the common headers."""
    app.before_request(set_request_id)
    app.after_request(add_common_headers)

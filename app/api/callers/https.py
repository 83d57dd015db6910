"""HTTPS only, where a platform's router terminates TLS: plain HTTP gets 403, never a redirect.

A redirect would hide that a key has already crossed the network in the clear. A platform's own
health checks and scrapes do not pass its router, so they come without its header and are served.
"""

from flask import current_app, request

from app.api.callers.limiter import count_request
from app.api.errors.api_error import ApiError


def reject_plain_http() -> None:
    """Raise the 403 for a request over plain HTTP, and count it against its address."""
    has_passed_router = "X-Forwarded-Proto" in request.headers
    if not has_passed_router and request.blueprint in current_app.config["UNCOUNTED_BLUEPRINTS"]:
        return
    if not request.is_secure:
        count_request()
        issue = "this request came over plain HTTP; send it over https:// and replace the key"
        raise ApiError(403, "HTTPS is required", issue)

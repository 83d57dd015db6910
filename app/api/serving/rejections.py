"""Reject requests before their views: paths with extra slashes, and plain HTTP."""

from flask import current_app, request
from werkzeug.exceptions import NotFound

from app.api.callers.limiter import count_request
from app.api.endpoints.dialect import dialect_of
from app.api.errors.api_error import ApiError


def reject_extra_slashes() -> None:
    """Respond 404 to the current request if its path starts with several slashes.

    Werkzeug would route `//forecast` to `/forecast`. Paths of a dialect may: its clients append a
    path to an address that ends in a slash.
    """
    sent: str = request.environ["PATH_INFO"]
    stripped = sent.lstrip("/")
    if sent and sent != f"/{stripped}" and dialect_of(sent) is None:
        # Make the path unknown. Werkzeug has decoded it and kept one slash: restore the others.
        request.path = "/" * (len(sent) - len(stripped)) + request.path[1:]
        request.url_rule = None
        request.routing_exception = NotFound()


def reject_plain_http() -> None:
    """Raise the 403 for a request over plain HTTP, and count it against its address.

    A redirect would hide that a key has already crossed the network in the clear. A platform's own
    health checks and scrapes do not pass its router, which terminates TLS, so they come without its
    header and are served.
    """
    has_passed_router = "X-Forwarded-Proto" in request.headers
    if not has_passed_router and request.blueprint in current_app.config["UNCOUNTED_BLUEPRINTS"]:
        return
    if not request.is_secure:
        count_request()
        issue = "this request came over plain HTTP; send it over https:// and replace the key"
        raise ApiError(403, "HTTPS is required", issue)

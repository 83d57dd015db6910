"""Reject paths that start with several slashes: Werkzeug would route `//forecast` to `/forecast`.

Paths of a dialect may: its clients append a path to an address that ends in a slash.
"""

from flask import request
from werkzeug.exceptions import NotFound

from app.api.endpoints.dialect import dialect_of


def reject_extra_slashes() -> None:
    """Respond 404 to the current request unless its path starts with exactly one slash."""
    sent: str = request.environ["PATH_INFO"]
    stripped = sent.lstrip("/")
    if sent and sent != f"/{stripped}" and dialect_of(sent) is None:
        # Make the path unknown. Werkzeug has decoded it and kept one slash: restore the others.
        request.path = "/" * (len(sent) - len(stripped)) + request.path[1:]
        request.url_rule = None
        request.routing_exception = NotFound()

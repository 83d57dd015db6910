"""HTTPS only, where a platform's router terminates TLS: plain HTTP gets 403, never a redirect.

A redirect would hide that a key has already crossed the network in the clear.
"""

from flask import request

from app.api.errors import ApiError


def refuse_plain_http() -> None:
    """Raise the 403 when the current request did not come over HTTPS."""
    if not request.is_secure:
        issue = "this request came over plain HTTP; send it over https:// and replace the key"
        raise ApiError(403, "HTTPS is required", {"issue": issue})

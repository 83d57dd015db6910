"""The dashboard only accepts requests from its own pages, over HTTPS or on this machine."""

import ipaddress
from urllib.parse import urlsplit

from flask import request

from app.api.endpoints.endpoint import READ_METHODS
from app.api.errors.api_error import ApiError

MAX_FORM_BYTES = 64 * 1024  # in bytes: the longest fields of a form, with room for their encoding


def reject_unencrypted_session() -> None:
    """Raise 403 if the session cookie would be sent over a network unencrypted."""
    if not request.is_secure and not _is_loopback(urlsplit(request.host_url).hostname or ""):
        raise ApiError(
            403,
            "HTTPS is required",
            "signing in requires HTTPS; open this page over https:// (behind a proxy, "
            "the operator must set TRUSTED_PROXIES to the number of proxies)",
        )


def reject_other_sites() -> None:
    if request.method in READ_METHODS:
        return
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    # All current browsers set the first header. The second is "null" for forms on pages with
    # `Referrer-Policy: no-referrer`, such as these.
    is_own_origin = origin is None or origin == f"{request.scheme}://{request.host}"
    if site != "same-origin" and not (site in (None, "none") and is_own_origin):
        raise ApiError(
            403, "Forbidden", "this form was sent by another site; open the page here and resend it"
        )


def limit_form_size() -> None:
    request.max_content_length = MAX_FORM_BYTES


def reject_nul() -> None:
    """Raise 400 for a NUL character: nobody types it, and PostgreSQL cannot store it."""
    values = [value for form in (request.args, request.form) for _, value in form.items(multi=True)]
    if any("\x00" in text for text in (request.path, *values)):
        raise ApiError(400, "Bad request", "a field contains the NUL character; remove it")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")

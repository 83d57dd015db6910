"""Where a request of the dashboard may come from: its own pages, over HTTPS or on this machine."""

import ipaddress
from urllib.parse import urlsplit

from flask import request

from app.api.errors import ApiError

LARGEST_FORM = 64 * 1024
"""In bytes; the longest fields of a form, with room for how browsers write them."""
READS = ("GET", "HEAD")


def refuse_plain_http() -> None:
    """Raise 403 where the cookie of a session would cross a network in the clear."""
    if not request.is_secure and not _is_loopback(urlsplit(request.host_url).hostname or ""):
        raise ApiError(
            403,
            "HTTPS is required",
            {
                "issue": "sign-in needs HTTPS; open this page over https:// (behind a proxy the "
                "setting TRUSTED_PROXIES says how many proxies there are)"
            },
        )


def refuse_other_sites() -> None:
    """Raise 403 for a form that another site's page has sent."""
    if request.method in READS:
        return
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    # Browsers set the first by themselves, newer ones all do. The second is "null" for forms of
    # pages with `Referrer-Policy: no-referrer`, as these have.
    own = f"{request.scheme}://{request.host}"
    is_own_origin = origin is None or origin == own
    if site != "same-origin" and not (site in (None, "none") and is_own_origin):
        raise ApiError(
            403,
            "Forbidden",
            {"issue": "this form was sent by another site; open the page here and send it again"},
        )


def bound_forms() -> None:
    """Make a form of more than `LARGEST_FORM` bytes a 413."""
    request.max_content_length = LARGEST_FORM


def refuse_nul() -> None:
    """Raise 400 for NUL: nobody types it, and PostgreSQL cannot even look for it."""
    sent = [value for form in (request.args, request.form) for _, value in form.items(multi=True)]
    if any("\x00" in text for text in (request.path, *sent)):
        raise ApiError(400, "Bad request", {"issue": "a field holds the character NUL; send none"})


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")

"""Where a request of the dashboard may come from: its own pages, over HTTPS or on this machine."""

import ipaddress
from urllib.parse import urlsplit

from flask import request

from app.api.errors import ApiError

READS = ("GET", "HEAD")
OF_THIS_SITE = ("same-origin", "none")


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
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    # A page with `Referrer-Policy: no-referrer` sends its forms with the origin "null".
    is_own_origin = (
        origin is None
        or (origin == "null" and site == "same-origin")
        or urlsplit(origin).netloc == request.host
    )
    if not (site is None or site in OF_THIS_SITE) or not is_own_origin:
        raise ApiError(
            403,
            "Forbidden",
            {"issue": "this form was sent by another site; open the page here and send it again"},
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")

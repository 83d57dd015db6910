"""What a browser may do on a page: nothing that the service itself does not serve."""

from flask import Response, g

POLICY: dict[str, str] = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",  # icons inside style sheets
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS: dict[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def relax(directive: str, sources: str) -> None:
    """Let the page of the current request load what its own assets cannot do without."""
    g.relaxed_policy = {directive: sources}


def add_security_headers(response: Response) -> Response:
    """Put the Content-Security-Policy and its companions on ``response``."""
    policy = POLICY | g.get("relaxed_policy", {})
    response.headers["Content-Security-Policy"] = "; ".join(
        f"{directive} {sources}" for directive, sources in policy.items()
    )
    response.headers.update(HEADERS)
    return response

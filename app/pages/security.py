"""What a browser may do on a page: nothing that the service itself does not serve."""

from flask import Response

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
    "Content-Security-Policy": "; ".join(f"{name} {sources}" for name, sources in POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def add_security_headers(response: Response) -> Response:
    """Put the Content-Security-Policy and its companions on ``response``."""
    response.headers.update(HEADERS)
    return response

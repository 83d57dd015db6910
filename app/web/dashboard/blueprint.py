"""The blueprint of the dashboard: checks of requests, response headers, error pages."""

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, current_app, make_response, render_template, request
from werkzeug.exceptions import MethodNotAllowed, NotFound

from app.api.endpoints.endpoint import READ_METHODS
from app.api.errors.api_error import ApiError
from app.core.api_keys import redact_stored_names
from app.web.pages.security import HEADERS, POLICY, header_of

blueprint = Blueprint("dashboard", __name__, url_prefix="/account", template_folder="templates")

# The pages of an account, by endpoint.
PAGES = {
    "dashboard.overview": "Overview",
    "dashboard.keys": "Keys",
    "dashboard.monitors": "Monitors",
    "dashboard.sources": "Sources",
    "dashboard.webhooks": "Webhooks",
    "dashboard.audit": "Audit",
    "dashboard.members": "Members",
}
# The application's extension key for its provider, whose module is only loaded if needed.
IDENTITY_PROVIDER = "identity-provider"
_OWN_HEADERS = HEADERS | {
    "Content-Security-Policy": header_of(POLICY | {"form-action": "'self'"}),
    "Cache-Control": "no-store",  # pages must not be visible to the next user of the browser
}
_ANY_METHOD = ("GET", "POST", "PUT", "PATCH", "DELETE")
MAX_FORM_BYTES = 64 * 1024  # the longest fields of a form, with room for their encoding


@blueprint.before_request
def limit_form_size() -> None:
    request.max_content_length = MAX_FORM_BYTES


@blueprint.before_request
def reject_unencrypted_session() -> None:
    """Raise 403 if the session cookie would be sent over a network unencrypted."""
    if not request.is_secure and not _is_loopback(urlsplit(request.host_url).hostname or ""):
        raise ApiError(
            403,
            "HTTPS is required",
            "signing in requires HTTPS; open this page over https:// (behind a proxy, "
            "the operator must set TRUSTED_PROXIES to the number of proxies)",
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@blueprint.before_request
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


@blueprint.before_request
def reject_nul() -> None:
    """Raise 400 for a NUL character: nobody types it, and PostgreSQL cannot store it."""
    values = [value for form in (request.args, request.form) for _, value in form.items(multi=True)]
    if any("\x00" in text for text in (request.path, *values)):
        raise ApiError(400, "Bad request", "a field contains the NUL character; remove it")


@blueprint.after_app_request
def add_headers(response: Response) -> Response:
    """Add security and caching headers to every response under ``/account``.

    Redirects to another spelling of a path, and rejections of a method, come before any blueprint.
    """
    if f"{request.path}/".startswith(f"{blueprint.url_prefix}/"):
        response.headers.update(_OWN_HEADERS)
    return response


@blueprint.app_template_global()
def account_navigation() -> list[tuple[str, str]]:
    served = current_app.view_functions
    return [(name, title) for name, title in PAGES.items() if name in served]


def account_page(template: str, status: int = 200, **context: Any) -> Response:
    """Return the page ``account/<template>``; the only key that it may show is ``secret``."""
    text = render_template(f"account/{template}", **context)
    return make_response(redact_stored_names(text, context.get("secret")), status)


@blueprint.route("/", methods=_ANY_METHOD)
@blueprint.route("/<path:unknown>", methods=_ANY_METHOD)
def unknown_page(unknown: str = "") -> Response:
    """Raise 405 for a wrong method and 404 for an unknown path, as an HTML page."""
    urls = current_app.url_map.bind("")
    rules = {method: urls.match(request.path, method)[0] for method in _ANY_METHOD}
    allowed = [method for method, endpoint in rules.items() if endpoint != request.endpoint]
    raise MethodNotAllowed(allowed) if allowed else NotFound

"""The blueprint of the dashboard: checks of requests, response headers, error pages."""

from typing import Any

from flask import Blueprint, Response, current_app, make_response, render_template, request
from werkzeug.exceptions import MethodNotAllowed, NotFound

from app.core.api_keys import redact_stored_names
from app.web.dashboard.same_site import (
    limit_form_size,
    reject_nul,
    reject_other_sites,
    reject_unencrypted_session,
)
from app.web.pages.security import HEADERS, POLICY, header_of

blueprint = Blueprint("dashboard", __name__, url_prefix="/account", template_folder="templates")
blueprint.before_request(limit_form_size)
blueprint.before_request(reject_unencrypted_session)
blueprint.before_request(reject_other_sites)
blueprint.before_request(reject_nul)

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


@blueprint.after_app_request
def add_headers(response: Response) -> Response:
    """Add security and caching headers to every response under ``/account``.

    Redirects to another spelling of a path, and refusals of a method, come before any blueprint.
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

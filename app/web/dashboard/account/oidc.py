"""Sign-in with an identity provider: the redirect to it and the return."""

import hmac
import logging
from typing import TYPE_CHECKING

from flask import Response, abort, current_app, make_response, redirect, request, url_for

from app.api.errors.api_error import ApiError
from app.core.database.engine import write_session
from app.identity.members import flows
from app.identity.members.errors import IdentityProviderError
from app.identity.members.sign_in import members_with_address, open_member_session
from app.web.dashboard.access import visitor
from app.web.dashboard.blueprint import IDENTITY_PROVIDER, account_page, blueprint
from app.web.dashboard.cookies import FLOW_COOKIE, SESSION_COOKIE

if TYPE_CHECKING:  # create_app loads it, with its HTTP client, only if configured
    from app.identity.members.identity_provider import IdentityProvider


logger = logging.getLogger(__name__)


@blueprint.get("/oidc/start")
def start_oidc() -> Response:
    provider = _identity_provider()
    with write_session() as session:
        state, flow = flows.begin_sign_in(session, request.args.get("account", "")[:100] or None)
    try:
        url = provider.start_url(_return_url(), state, flow)
    except IdentityProviderError as error:
        raise _rejection_error(error) from None
    response = make_response(redirect(url))
    FLOW_COOKIE.set(response, state)
    return response


@blueprint.get("/oidc/return")
def finish_oidc() -> Response:
    """Sign in the member whose address the provider has verified.

    The page refreshes instead of redirecting: browsers do not send a `SameSite=Strict`
    cookie in a redirect chain that began at another site, so the member would seem signed out.
    """
    provider = _identity_provider()
    state = request.args.get("state", "")
    is_of_this_browser = hmac.compare_digest((FLOW_COOKIE.read() or "").encode(), state.encode())
    with write_session() as session:
        flow = flows.consume_flow(session, state) if state and is_of_this_browser else None
    if flow is None:
        raise _rejection_error("this sign-in has expired or did not start in this browser")
    if "code" not in request.args:
        raise _rejection_error("the identity provider did not sign you in")
    try:
        issuer = request.args.get("iss")
        email = provider.verified_email(request.args["code"], _return_url(), flow, issuer)
    except IdentityProviderError as error:
        raise _rejection_error(error) from None
    return _sign_in_by_email(email, flow.account)


def _sign_in_by_email(email: str, account: str | None) -> Response:
    with write_session() as session:
        members = members_with_address(session, email, account)
        names = sorted(member.account.name for member in members)
        token = None
        if len(members) == 1:
            token = open_member_session(
                session, members[0], visitor(), "with the identity provider"
            )
    if not members:
        raise _rejection_error(
            "no member has your email address; ask an admin of the account for an invitation"
        )
    response = account_page("continue.html", accounts=names)
    FLOW_COOKIE.delete(response)
    if token is not None:
        SESSION_COOKIE.set(response, token)
    return response


def _identity_provider() -> "IdentityProvider":
    provider: IdentityProvider | None = current_app.extensions.get(IDENTITY_PROVIDER)
    return provider or abort(404)


def _return_url() -> str:
    return url_for("dashboard.finish_oidc", _external=True)


def _rejection_error(reason: IdentityProviderError | str) -> ApiError:
    logger.warning("sign-in with the identity provider failed: %s", reason)
    return ApiError(403, "Not signed in", f"{reason}; try to sign in again")

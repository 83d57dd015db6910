"""Sign-in with a password or a link; sign-out, also everywhere."""

import functools

from flask import Response, current_app, make_response, redirect, request

from app.api.callers.addresses import caller_network
from app.api.callers.limiter import limit_counters
from app.api.endpoints.endpoint import READ_METHODS
from app.core.database.engine import read_session, write_session
from app.identity.members import invitations, management, sessions
from app.identity.members.errors import InvalidPasswordError, MemberError, NoSuchMemberError
from app.identity.members.passwords import hash_password, rehash_if_outdated
from app.identity.members.sign_in import authenticate_members, open_member_session
from app.identity.members.throttle import SignInThrottle, TooManyFailuresError
from app.web.dashboard.access import (
    actor,
    dashboard_path_or_home,
    member,
    redirect_to,
    signed_out_error,
    visitor,
)
from app.web.dashboard.blueprint import IDENTITY_PROVIDER, account_page, blueprint
from app.web.dashboard.cookies import SESSION_COOKIE
from app.web.dashboard.errors import failed_form, status_of

_NOTICES = {
    "signed-out": "You are signed out.",
    "signed-out-everywhere": "You are signed out in every browser.",
}


@blueprint.get("/sign-in")
def sign_in() -> Response:
    return _form_page()


@blueprint.post("/sign-in")
def sign_in_by_password() -> Response:
    """Sign in and redirect to the requested page; a member of several accounts chooses one."""
    email, password = request.form.get("email", ""), request.form.get("password", "")
    try:
        throttle = SignInThrottle(limit_counters(), caller_network(), email)
        account = request.form.get("account") or None
        members = authenticate_members(email, password, account, throttle, visitor())
        if len(members) > 1:
            return _form_page(accounts=sorted(candidate.account.name for candidate in members))
        renewed = rehash_if_outdated(password, members[0].password_hash)
        with write_session() as session:
            token = open_member_session(session, members[0], visitor(), "with a password", renewed)
    except (TooManyFailuresError, MemberError) as error:
        return failed_form(_form_page, error)
    response = make_response(redirect(dashboard_path_or_home(request.form.get("next")), 303))
    SESSION_COOKIE.set(response, token)
    return response


def _form_page(
    status: int = 200, problem: object = None, accounts: list[str] | None = None
) -> Response:
    return account_page(
        "sign_in.html",
        status,
        notices=_NOTICES,
        next=dashboard_path_or_home(request.values.get("next")),
        email=request.form.get("email", ""),
        problem=problem,
        accounts=accounts,
        has_provider=IDENTITY_PROVIDER in current_app.extensions,
    )


@blueprint.route("/invitation", methods=["GET", "POST"])
def invitation() -> Response:
    """Show the form of an invitation; with a password from the form, set it and sign in.

    GET does not use up the link: programs that scan messages follow links.
    """
    token = request.values.get("token", "")
    with read_session() as session:
        invited = invitations.get_invited_member(session, token)
        account = invited.account.name
    form = functools.partial(
        account_page, "invitation.html", token=token, email=invited.email, account=account
    )
    if request.method in READ_METHODS:
        return form()
    try:
        password_hash = hash_password(request.form.get("password", ""), invited.email)
    except InvalidPasswordError as error:
        return form(status_of(error), problem=error)
    with write_session() as session:
        session_token = invitations.accept_invitation(session, token, password_hash, visitor())
    response = redirect_to("overview")
    SESSION_COOKIE.set(response, session_token)
    return response


@blueprint.post("/sign-out")
def sign_out() -> Response:
    with write_session() as session:
        sessions.end_session(session, member().session_id, member().member_id)
    return signed_out_redirect("signed-out")


@blueprint.post("/sign-out-everywhere")
def sign_out_everywhere() -> Response:
    try:
        with write_session() as session:
            management.sign_out_everywhere(session, actor(), member().member_id)
    except NoSuchMemberError:
        raise signed_out_error() from None
    return signed_out_redirect("signed-out-everywhere")


def signed_out_redirect(done: str) -> Response:
    """Redirect to the sign-in form and delete the session cookie."""
    response = redirect_to("sign_in", done=done)
    SESSION_COOKIE.delete(response)
    return response
